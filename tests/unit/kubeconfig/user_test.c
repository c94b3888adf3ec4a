/* SPDX-License-Identifier: Apache-2.0 */
/* user_test.c -- who we are: what an entry of "users" may say, and what is refused. */
#include "kubeconfig/user.h"

#include "unit/kubeconfig/place.h"

static const char frame[] = "clusters: [{name: c, cluster: {server: 'https://one', %s}}]\n"
                            "users:\n- name: jane\n  user: {%s}\n"
                            "contexts: [{name: x, context: {cluster: c, user: jane}}]\n"
                            "current-context: x\n";

/* The kubeconfig with |cluster| and |user| as further fields. */
static const char *with(const char *cluster, const char *user)
{
    static char text[16384];
    (void)snprintf(text, sizeof(text), frame, cluster, user);
    return text;
}

/* |pem| as base64. */
static const char *data(const char *pem)
{
    static char texts[4][1024];
    static unsigned next;
    char *text = texts[next++ % 4];
    lw_buf out;
    lw_buf_init(&out, 1023);
    lw_base64_encode(&out, lw_str_of(pem));
    assert_int_equal(out.st, LW_OK);
    (void)snprintf(text, 1024, "%.*s", (int)out.len, out.data);
    lw_buf_done(&out);
    return text;
}

static void load_user(place *p, const char *user)
{
    place_load_text(p, with("", user));
}

static void refuses(place *p, const char *user, lw_status st, const char *word)
{
    place_refuses(p, with("", user), st, word, "user \"jane\"");
}

static void a_token(void **state)
{
    place *p = *state;
    load_user(p, "token: abc.def");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "abc.def");
    refuses(p, "token: 5", LW_ERR_INVALID, "token must be a string");
    refuses(p, "token: \"a\\nb\"", LW_ERR_INVALID, "not allowed in a token");
    refuses(p, "token: \"a\\0b\"", LW_ERR_INVALID, "NUL");
}

static void a_token_file_beats_the_token(void **state)
{
    place *p = *state;
    place_write(p, "t", "  from-file \n\n");
    load_user(p, "token: static, tokenFile: t");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "from-file");
}

static void a_token_stands_in_for_its_file(void **state)
{
    place *p = *state;
    load_user(p, "token: static, tokenFile: missing");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "static");
    place_write(p, "missing", "come");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "come");
}

static void files_that_cannot_be_read_are_named(void **state)
{
    place *p = *state;
    place_refuses(p, with("", "tokenFile: missing"), LW_ERR_IO, "cannot read the token",
                  place_path(p, "missing"));
    place_write(p, "empty", "\n");
    place_refuses(p, with("", "tokenFile: empty"), LW_ERR_INVALID, "must contain a token", "empty");
    place_refuses(p, with("certificate-authority: missing", ""), LW_ERR_IO,
                  "cannot read the certificate authority", "missing");
    place_refuses(p, with("certificate-authority: empty", ""), LW_ERR_INVALID, "PEM", "empty");
    place_refuses(p, with("", "client-certificate: missing, client-key: missing"), LW_ERR_IO,
                  "cannot read the client certificate", "missing");
}

static void name_and_password(void **state)
{
    place *p = *state;
    load_user(p, "username: jane, password: 'a:b c'");
    assert_str_equal(lw_buf_view(&place_get(p)->basic), "jane:a:b c");
    load_user(p, "username: jane");
    lw_credentials_done(&p->credentials);
    assert_str_equal(lw_buf_view(&place_get(p)->basic), "jane:");
    refuses(p, "password: x", LW_ERR_INVALID, "username");
    refuses(p, "username: 'a:b', password: x", LW_ERR_INVALID, "colon");
}

static void only_one_way_to_authenticate(void **state)
{
    place *p = *state;
    refuses(p, "username: a, password: b, token: c", LW_ERR_INVALID, "remove one of them");
    place_write(p, "t", "x");
    refuses(p, "username: a, password: b, tokenFile: t", LW_ERR_INVALID, "remove one of them");
    refuses(p, "auth-provider: {name: gcp}", LW_ERR_UNSUPPORTED, "use an exec plugin");
    refuses(p,
            "auth-provider: {name: gcp}, exec: {command: a, apiVersion: "
            "client.authentication.k8s.io/v1beta1}",
            LW_ERR_INVALID, "exec are mutually exclusive");
}

static void a_certificate_with_its_key(void **state)
{
    place *p = *state;
    place_write(p, "crt", PEM("file"));
    place_write(p, "key", KEY("file"));
    load_user(p, "client-certificate: crt, client-key: key");
    assert_str_equal(lw_buf_view(&place_get(p)->cert_pem), PEM("file"));
    assert_str_equal(lw_buf_view(&place_get(p)->key_pem), KEY("file"));
    refuses(p, "client-certificate: crt", LW_ERR_INVALID, "needs its key");
    /* A key without a certificate is not a credential. */
    load_user(p, "client-key: key");
}

static void data_beats_the_file(void **state)
{
    place *p = *state;
    char user[4096];
    char cluster[4096];
    (void)snprintf(user, sizeof(user),
                   "client-certificate: missing, client-certificate-data: %s, "
                   "client-key: missing, client-key-data: %s",
                   data(PEM("data")), data(KEY("data")));
    (void)snprintf(cluster, sizeof(cluster),
                   "certificate-authority: missing, certificate-authority-data: %s",
                   data(PEM("ca")));
    place_load_text(p, with(cluster, user));
    assert_str_equal(lw_buf_view(&place_get(p)->cert_pem), PEM("data"));
    assert_str_equal(lw_buf_view(&place_get(p)->key_pem), KEY("data"));
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("ca"));
}

static void data_must_be_pem_in_base64(void **state)
{
    place *p = *state;
    char user[4096];
    refuses(p, "client-certificate-data: '***'", LW_ERR_INVALID,
            "client-certificate-data is not valid base64");
    (void)snprintf(user, sizeof(user), "client-key-data: %s", data("plain text"));
    refuses(p, user, LW_ERR_INVALID, "client-key-data must contain PEM data");
    /* Long lines that an editor has broken. */
    const char *text = data(PEM("broken"));
    (void)snprintf(user, sizeof(user), "client-key-data: \"%.10s\\n %s\\n\", username: a", text,
                   text + 10);
    load_user(p, user);
    assert_str_equal(lw_buf_view(&place_get(p)->key_pem), PEM("broken"));
}

static void fields_of_the_wrong_type_are_named(void **state)
{
    place *p = *state;
    refuses(p, "tokenFile: [a]", LW_ERR_INVALID, "tokenFile must be a string");
    refuses(p, "username: {}", LW_ERR_INVALID, "username must be a string");
    refuses(p, "exec: 5", LW_ERR_INVALID, "exec must be an object");
    refuses(p, "as-groups: x", LW_ERR_INVALID, "as-groups must be a list");
    place_refuses(p, with("insecure-skip-tls-verify: 'yes'", ""), LW_ERR_INVALID,
                  "insecure-skip-tls-verify must be true or false", "cluster \"c\"");
    place_refuses(p, with("extensions: {}", ""), LW_ERR_INVALID, "extensions must be a list",
                  "cluster \"c\"");
}

static void a_broken_user_that_nobody_asks_for_disturbs_nobody(void **state)
{
    place *p = *state;
    place_load_text(p, "clusters: [{name: c, cluster: {server: 'https://one'}}]\n"
                       "users: [{name: a, user: {token: 5}}, {name: b, user: {token: t}}]\n"
                       "contexts: [{name: x, context: {cluster: c, user: b}}]\n"
                       "current-context: x\n");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "t");
}

static void acts_as_another_with_uid_groups_and_extra(void **state)
{
    place *p = *state;
    load_user(p, "as: Jane Doe, as-uid: u-1, as-groups: [dev, 'a:b'], "
                 "as-user-extra: {reason: [debug, test], 'acme.com/Some thing%': [x], none: []}");
    const char *const *headers = lw_config_headers(p->config);
    assert_string_equal(headers[0], "Impersonate-User: Jane Doe");
    assert_string_equal(headers[1], "Impersonate-Uid: u-1");
    assert_string_equal(headers[2], "Impersonate-Group: dev");
    assert_string_equal(headers[3], "Impersonate-Group: a:b");
    assert_string_equal(headers[4], "Impersonate-Extra-reason: debug");
    assert_string_equal(headers[5], "Impersonate-Extra-reason: test");
    assert_string_equal(headers[6], "Impersonate-Extra-acme.com%2FSome%20thing%25: x");
    assert_null(headers[7]);
}

static void headers_cannot_be_forged(void **state)
{
    place *p = *state;
    refuses(p, "as: \"a\\r\\nX-Evil: 1\"", LW_ERR_INVALID, "as contains a control character");
    refuses(p, "as: a, as-groups: [\"b\\nc\"]", LW_ERR_INVALID, "as-groups");
    refuses(p, "as: a, as-user-extra: {k: [\"b\\0c\"]}", LW_ERR_INVALID, "as-user-extra");
    load_user(p, "as: a, as-user-extra: {\"k\\r\\nX: y\": [v]}");
    assert_string_equal(lw_config_headers(p->config)[1], "Impersonate-Extra-k%0D%0AX%3A%20y: v");
}

static void groups_without_a_user_are_refused(void **state)
{
    place *p = *state;
    refuses(p, "as-groups: [a]", LW_ERR_INVALID, "as must be set");
    refuses(p, "as-uid: a", LW_ERR_INVALID, "as must be set");
    refuses(p, "as-user-extra: {a: [b]}", LW_ERR_INVALID, "as must be set");
    refuses(p, "as: a, as-user-extra: {a: b}", LW_ERR_INVALID,
            "an object whose values are lists of strings");
    refuses(p, "as: a, as-user-extra: {a: [1]}", LW_ERR_INVALID,
            "an object whose values are lists of strings");
    refuses(p, "as: a, as-groups: [1]", LW_ERR_INVALID, "list of strings");
}

/* The description of |user| is |wanted|, followed by the place where it was read. */
static void describes(place *p, const char *user, const char *wanted)
{
    char text[1024];
    load_user(p, user);
    (void)snprintf(text, sizeof(text), "%s, user \"jane\" in %s", wanted, place_path(p, "config"));
    assert_string_equal(lw_config_credential_source(p->config), text);
}

static void describes_credentials_without_their_secrets(void **state)
{
    place *p = *state;
    char wanted[1024];
    load_user(p, "");
    assert_null(lw_config_credential_source(p->config));
    describes(p, "token: s3cret", "token");
    describes(p, "username: jane, password: s3cret", "user name and password");
    describes(p,
              "exec: {apiVersion: client.authentication.k8s.io/v1, command: aws,"
              " interactiveMode: Never}",
              "exec plugin aws");
    place_write(p, "t", "s3cret");
    (void)snprintf(wanted, sizeof(wanted), "token file %s", place_path(p, "t"));
    describes(p, "tokenFile: t", wanted);
}

static void a_token_of_the_program_is_described_without_the_user(void **state)
{
    place *p = *state;
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = "https://one";
    options.token = "s3cret";
    place_load(p, &options);
    assert_string_equal(lw_config_credential_source(p->config), "token");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_PLACE(a_token),
        TEST_IN_PLACE(a_token_file_beats_the_token),
        TEST_IN_PLACE(a_token_stands_in_for_its_file),
        TEST_IN_PLACE(files_that_cannot_be_read_are_named),
        TEST_IN_PLACE(name_and_password),
        TEST_IN_PLACE(only_one_way_to_authenticate),
        TEST_IN_PLACE(a_certificate_with_its_key),
        TEST_IN_PLACE(data_beats_the_file),
        TEST_IN_PLACE(data_must_be_pem_in_base64),
        TEST_IN_PLACE(fields_of_the_wrong_type_are_named),
        TEST_IN_PLACE(a_broken_user_that_nobody_asks_for_disturbs_nobody),
        TEST_IN_PLACE(acts_as_another_with_uid_groups_and_extra),
        TEST_IN_PLACE(headers_cannot_be_forged),
        TEST_IN_PLACE(groups_without_a_user_are_refused),
        TEST_IN_PLACE(describes_credentials_without_their_secrets),
        TEST_IN_PLACE(a_token_of_the_program_is_described_without_the_user),
    };
    return cmocka_run_group_tests_name("user", tests, NULL, NULL);
}
