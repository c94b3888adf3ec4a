/* SPDX-License-Identifier: Apache-2.0 */
/* authn_test.c -- who sends a request. */
#include "server/authn/authn.h"

#include "base/str.h"
#include "unit/server/scratch_folder.h"

static const lw_peer plain = { .is_tls = false, .address = LW_STR_INIT("127.0.0.1:4711") };
static const lw_peer stranger = { .is_tls = true, .address = LW_STR_INIT("10.0.0.1:4711") };
static const lw_peer certified = { .is_tls = true,
                                   .is_verified = true,
                                   .common_name = LW_STR_INIT("jane"),
                                   .address = LW_STR_INIT("10.0.0.1:4711") };
/* A certificate somebody made for himself. */
static const lw_peer pretender = { .is_tls = true,
                                   .common_name = LW_STR_INIT("system:admin"),
                                   .address = LW_STR_INIT("10.0.0.1:4711") };

/* The admin's token is "secret"; there is a file with others. */
static lw_authn *opened(scratch *s)
{
    lw_authn *auth = NULL;
    scratch_begin(s);
    scratch_write(s, "tokens", "abc,joe,1\n");
    const lw_authn_options options = { .token_file = scratch_path(s, "tokens"),
                                       .admin_token = LW_STR("secret"),
                                       .clock = lw_clock_system() };
    assert_int_equal(lw_authn_new(&auth, &options, NULL), LW_OK);
    return auth;
}

static void closed(scratch *s, lw_authn *auth)
{
    lw_authn_free(auth);
    scratch_end(s);
}

/* What comes of a request of |peer| with one header (or none). */
static int identify(lw_authn *auth, const lw_peer *peer, const char *name, const char *value,
                    lw_str *user)
{
    const lw_http_header header = { lw_str_of(name), lw_str_of(value) };
    const lw_http_request request = { .headers = &header,
                                      .header_count = name ? 1 : 0,
                                      .is_websocket = name && strncmp(name, "sec-w", 5) == 0,
                                      .peer = peer };
    lw_str why = { NULL, 0 };
    const lw_user *known = NULL;
    int refusal = lw_authn_identify(auth, &request, &known, &why);
    *user = known ? known->name : lw_str_make(NULL, 0); /* the table holds it */
    lw_user_unref(known);
    assert_int_equal(refusal == 0, why.len == 0);
    if (refusal == 401)
        assert_str_equal(why, "Unauthorized");
    return refusal;
}

static void plain_http_is_the_admin(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    assert_int_equal(identify(auth, &plain, NULL, NULL, &user), 0);
    assert_str_equal(user, "system:admin");
    assert_int_equal(identify(auth, &plain, "host", "127.0.0.1:8080", &user), 0);
    assert_int_equal(identify(auth, &plain, "host", "localhost", &user), 0);
    assert_int_equal(identify(auth, &plain, "host", "[::1]:8080", &user), 0);
    closed(&s, auth);
}

static void plain_http_is_not_for_pages_of_others(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    assert_int_equal(identify(auth, &plain, "origin", "https://example.com", &user), 403);
    assert_int_equal(identify(auth, &plain, "origin", "https://127.0.0.1.example.com", &user), 403);
    assert_int_equal(identify(auth, &plain, "origin", "https://10.0.0.1", &user), 403);
    assert_int_equal(identify(auth, &plain, "origin", "null", &user), 403);
    assert_int_equal(identify(auth, &plain, "host", "rebound.example.com:8080", &user), 403);
    assert_int_equal(identify(auth, &plain, "host", "localhost.example.com", &user), 403);
    closed(&s, auth);
}

static bool has_token(const char *name, const char *value)
{
    const lw_http_header header = { lw_str_of(name), lw_str_of(value) };
    const lw_http_request request = {
        .headers = &header, .header_count = 1, .is_websocket = true, .peer = &stranger
    };
    return lw_authn_has_token(&request);
}

static void a_subprotocol_is_a_token_only_if_it_says_so(void **state)
{
    (void)state;
    assert_true(has_token("authorization", "Bearer x"));
    assert_true(has_token("sec-websocket-protocol",
                          "base64.binary.k8s.io, base64url.bearer.authorization.k8s.io.eA"));
    assert_false(has_token("sec-websocket-protocol", "base64.binary.k8s.io"));
}

static void tls_without_credentials_is_nobody(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    assert_int_equal(identify(auth, &stranger, NULL, NULL, &user), 401);
    assert_int_equal(identify(auth, &pretender, NULL, NULL, &user), 401);
    closed(&s, auth);
}

static void a_verified_certificate_is_its_common_name(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    assert_int_equal(identify(auth, &certified, NULL, NULL, &user), 0);
    assert_str_equal(user, "jane");
    assert_ptr_not_equal(user.ptr, certified.common_name.ptr); /* outlives the connection */
    closed(&s, auth);
}

static void the_organizations_of_a_certificate_are_groups(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s);
    const lw_str organizations[] = { LW_STR("dev") };
    lw_peer peer = certified;
    peer.organizations = organizations;
    peer.organization_count = 1;
    const lw_http_request request = { .peer = &peer };
    const lw_user *user = NULL;
    lw_str why;
    assert_int_equal(lw_authn_identify(auth, &request, &user, &why), 0);
    assert_int_equal(user->group_count, 2);
    assert_str_equal(user->groups[0], "dev");
    assert_str_equal(user->groups[1], "system:authenticated");
    lw_user_unref(user);
    closed(&s, auth);
}

static void a_bearer_token_is_whose_it_is(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    assert_int_equal(identify(auth, &stranger, "authorization", "Bearer secret", &user), 0);
    assert_str_equal(user, "system:admin");
    assert_int_equal(identify(auth, &stranger, "authorization", "bearer  abc ", &user), 0);
    assert_str_equal(user, "joe");
    assert_int_equal(identify(auth, &pretender, "authorization", "Bearer abc", &user), 0);
    assert_str_equal(user, "joe");
    closed(&s, auth);
}

static void a_wrong_token_is_nobody(void **state)
{
    (void)state;
    static const char *const wrong[] = { "Bearer secre", "Bearer secrets", "Bearer ",      "Bearer",
                                         "Basic secret", "secret",         "Bearersecret", "" };
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(identify(auth, &stranger, "authorization", wrong[i], &user), 401);
    closed(&s, auth);
}

static void without_an_admin_token_an_empty_one_is_nobody(void **state)
{
    (void)state;
    lw_authn *auth = NULL;
    lw_str user;
    const lw_authn_options options = { .clock = lw_clock_system() };
    assert_int_equal(lw_authn_new(&auth, &options, NULL), LW_OK);
    assert_int_equal(identify(auth, &stranger, "authorization", "Bearer ", &user), 401);
    assert_int_equal(identify(auth, &stranger, "authorization", "Bearer x", &user), 401);
    lw_authn_free(auth);
}

static void a_websocket_brings_its_token_as_a_subprotocol(void **state)
{
    (void)state;
    static const char header[] = "sec-websocket-protocol";
    scratch s;
    lw_authn *auth = opened(&s);
    lw_str user;
    /* "secret" and "abc" in base64url, without padding */
    assert_int_equal(identify(auth, &stranger, header,
                              "base64url.bearer.authorization.k8s.io.c2VjcmV0, "
                              "base64.binary.k8s.io",
                              &user),
                     0);
    assert_str_equal(user, "system:admin");
    assert_int_equal(identify(auth, &stranger, header,
                              "v4.channel.k8s.io,base64url.bearer.authorization.k8s.io.YWJj",
                              &user),
                     0);
    assert_str_equal(user, "joe");
    assert_int_equal(identify(auth, &stranger, header, "base64url.bearer.authorization.k8s.io.YWJ",
                              &user),
                     401);
    assert_int_equal(identify(auth, &stranger, header, "base64url.bearer.authorization.k8s.io.",
                              &user),
                     401);
    assert_int_equal(identify(auth, &stranger, header, "base64url.bearer.authorization.k8s.io.!!!",
                              &user),
                     401);
    assert_int_equal(identify(auth, &stranger, header, "base64.binary.k8s.io", &user), 401);
    closed(&s, auth);
}

static void the_administrator_and_the_users_of_the_token_file_are_known(void **state)
{
    (void)state;
    scratch s;
    lw_authn *auth = opened(&s), *alone = NULL;
    const lw_authn_options options = { .clock = lw_clock_system() };
    assert_int_equal(lw_authn_new(&alone, &options, NULL), LW_OK);
    assert_true(lw_authn_has_user(auth, LW_STR("joe")));
    assert_true(lw_authn_has_user(auth, LW_STR("system:admin")));
    assert_false(lw_authn_has_user(auth, LW_STR("abc"))); /* the token */
    assert_false(lw_authn_has_user(auth, LW_STR("jo")));
    assert_false(lw_authn_has_user(auth, LW_STR("")));
    assert_true(lw_authn_has_user(alone, LW_STR("system:admin")));
    assert_false(lw_authn_has_user(alone, LW_STR("joe")));
    lw_authn_free(alone);
    closed(&s, auth);
}

static void tokens_that_name_no_audience_are_for_this_server(void **state)
{
    static const lw_audiences ours = { { LW_STR_INIT("a"), LW_STR_INIT("b") }, 2 };
    const lw_audiences some = { { LW_STR("x"), LW_STR("b") }, 2 }, others = { { LW_STR("x") }, 1 };
    const lw_authn_options options = { .admin_token = LW_STR("secret"),
                                       .audiences = &ours,
                                       .clock = lw_clock_system() };
    lw_authn *auth = NULL;
    const lw_user *user = NULL;
    lw_audiences matched;
    (void)state;
    assert_int_equal(lw_authn_new(&auth, &options, NULL), LW_OK);
    assert_int_equal(lw_authn_find_token(auth, LW_STR("secret"), NULL, &user, &matched), LW_OK);
    assert_int_equal(matched.count, 2);
    assert_int_equal(lw_authn_find_token(auth, LW_STR("secret"), &some, &user, &matched), LW_OK);
    assert_int_equal(matched.count, 1);
    assert_str_equal(matched.at[0], "b");
    assert_int_equal(lw_authn_find_token(auth, LW_STR("secret"), &others, &user, &matched),
                     LW_ERR_UNAUTHORIZED);
    lw_authn_free(auth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_http_is_the_admin),
        TEST(plain_http_is_not_for_pages_of_others),
        TEST(a_subprotocol_is_a_token_only_if_it_says_so),
        TEST(tls_without_credentials_is_nobody),
        TEST(a_verified_certificate_is_its_common_name),
        TEST(the_organizations_of_a_certificate_are_groups),
        TEST(a_bearer_token_is_whose_it_is),
        TEST(a_wrong_token_is_nobody),
        TEST(without_an_admin_token_an_empty_one_is_nobody),
        TEST(a_websocket_brings_its_token_as_a_subprotocol),
        TEST(the_administrator_and_the_users_of_the_token_file_are_known),
        TEST(tokens_that_name_no_audience_are_for_this_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
