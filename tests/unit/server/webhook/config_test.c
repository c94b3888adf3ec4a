/* SPDX-License-Identifier: Apache-2.0 */
/* config_test.c -- the file that says where a webhook is. */
#include "server/webhook/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "net/tls/tls_make.h"
#include "unit/test.h"

enum {
    TEXT_MAX = 64 * 1024,
};

/* Writes |text| to a file and reads it as a configuration. */
static lw_status read_text(lw_webhook_config *config, lw_str text, lw_error *err)
{
    char path[] = "/tmp/listwatch-webhook-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), (ssize_t)text.len);
    assert_int_equal(close(fd), 0);
    memset(config, 0, sizeof(*config));
    lw_status st = lw_webhook_config_read(config, path, err);
    if (st < 0)
        assert_non_null(strstr(err->message, path));
    assert_int_equal(unlink(path), 0);
    return st;
}

/* A file with this server, more fields of the cluster, and this user. */
static lw_status read_parts(lw_webhook_config *config, const char *server, const char *cluster,
                            const char *user, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, TEXT_MAX);
    lw_buf_printf(&text,
                  "apiVersion: v1\nkind: Config\ncurrent-context: webhook\n"
                  "contexts: [{name: webhook, context: {cluster: c, user: u}}]\n"
                  "clusters: [{name: c, cluster: {server: \"%s\"%s}}]\n"
                  "users: [{name: u, user: {%s}}]\n",
                  server, cluster, user);
    lw_status st = read_text(config, lw_buf_view(&text), err);
    lw_buf_done(&text);
    return st;
}

static void reads_the_parts_of_the_url(void **state)
{
    (void)state;
    static const struct {
        const char *server, *host, *path;
        unsigned port;
        bool is_tls;
    } rows[] = {
        { "https://hook.example.org/audit", "hook.example.org", "/audit", 443, true },
        { "https://hook.example.org:8443", "hook.example.org", "/", 8443, true },
        { "http://127.0.0.1/a/b", "127.0.0.1", "/a/b", 80, false },
        { "https://[::1]:8443/a", "::1", "/a", 8443, true },
        { "https://[::1]", "::1", "/", 443, true },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_webhook_config config;
        lw_error err = LW_ERROR_INIT;
        if (read_parts(&config, rows[i].server, "", "", &err) < 0)
            fail_msg("%s: %s", rows[i].server, err.message);
        assert_string_equal(config.host, rows[i].host);
        assert_string_equal(config.path, rows[i].path);
        assert_int_equal(config.port, rows[i].port);
        assert_int_equal(config.is_tls, rows[i].is_tls);
        assert_null(config.server_name);
        lw_webhook_config_done(&config);
    }
}

static void prepares_a_request_with_the_credentials(void **state)
{
    (void)state;
    static const struct {
        const char *user, *authorization;
    } rows[] = {
        { "", NULL },
        { "token: abc", "Bearer abc" },
        { "username: jane, password: secret", "Basic amFuZTpzZWNyZXQ=" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_webhook_config config;
        lw_error err = LW_ERROR_INIT;
        lw_webhook_headers headers;
        lw_http_call_options options = { 0 };
        if (read_parts(&config, "https://a/b", ", tls-server-name: other", rows[i].user, &err) < 0)
            fail_msg("%s", err.message);
        assert_int_equal(lw_webhook_config_prepare(&config, &options, &headers), LW_OK);
        assert_string_equal(options.target.host, "a");
        assert_string_equal(options.target.server_name, "other");
        assert_ptr_equal(options.target.tls, headers.tls);
        assert_str_equal(options.method, "POST");
        assert_str_equal(options.path, "/b");
        assert_int_equal(options.header_count, rows[i].authorization ? 4 : 3);
        if (rows[i].authorization)
            assert_str_equal(headers.at[3].value, rows[i].authorization);
        lw_webhook_headers_done(&headers);
        lw_webhook_config_done(&config);
    }
}

static void write_token(const char *path, const char *token)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(token, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_authorization(const lw_webhook_config *config, const char *wanted)
{
    lw_http_call_options options = { 0 };
    lw_webhook_headers headers;
    assert_int_equal(lw_webhook_config_prepare(config, &options, &headers), LW_OK);
    assert_int_equal(options.header_count, 4);
    assert_str_equal(headers.at[3].value, wanted);
    lw_webhook_headers_done(&headers);
}

static void a_token_file_is_read_again_when_it_has_changed(void **state)
{
    (void)state;
    char path[] = "/tmp/listwatch-webhook-XXXXXX", user[128];
    lw_webhook_config config;
    lw_error err = LW_ERROR_INIT;
    lw_manual_clock *clock = NULL;
    assert_int_equal(lw_manual_clock_new(&clock, 0), LW_OK);
    lw_manual_clock_advance(clock, INT64_MAX / 4); /* later than the first read */
    assert_int_equal(close(mkstemp(path)), 0);
    write_token(path, "first");
    (void)snprintf(user, sizeof(user), "tokenFile: %s", path);
    if (read_parts(&config, "https://a/b", "", user, &err) < 0)
        fail_msg("%s", err.message);
    config.clock = lw_manual_clock_as_clock(clock);
    assert_authorization(&config, "Bearer first");
    write_token(path, "another");
    lw_manual_clock_advance(clock, 2 * LW_NS_PER_S);
    assert_authorization(&config, "Bearer another");
    /* While there is none, the last one is good. */
    assert_int_equal(unlink(path), 0);
    lw_manual_clock_advance(clock, 100 * LW_NS_PER_S);
    assert_authorization(&config, "Bearer another");
    lw_webhook_config_done(&config);
    lw_manual_clock_free(clock);
}

static void reads_certificates(void **state)
{
    (void)state;
    const lw_tls_subject subject = { .common_name = "a", .is_ca = true, .days = 1 };
    lw_webhook_config config;
    lw_error err = LW_ERROR_INIT;
    lw_buf cert, key, cluster, user;
    lw_buf *const all[] = { &cert, &key, &cluster, &user };
    for (size_t i = 0; i < 4; i++)
        lw_buf_init(all[i], TEXT_MAX);
    const lw_str none = { NULL, 0 };
    assert_int_equal(lw_tls_make(&subject, none, none, &cert, &key, NULL), LW_OK);
    lw_buf_append_text(&cluster, ", certificate-authority-data: ");
    lw_base64_encode(&cluster, lw_buf_view(&cert));
    lw_buf_append_text(&user, "client-certificate-data: ");
    lw_base64_encode(&user, lw_buf_view(&cert));
    lw_buf_append_text(&user, ", client-key-data: ");
    lw_base64_encode(&user, lw_buf_view(&key));
    lw_buf_append_char(&cluster, '\0');
    lw_buf_append_char(&user, '\0');
    if (read_parts(&config, "https://a", cluster.data, user.data, &err) < 0)
        fail_msg("%s", err.message);
    assert_true(config.is_tls);
    lw_webhook_config_done(&config);
    for (size_t i = 0; i < 4; i++)
        lw_buf_done(all[i]);
}

static void refuses_what_webhooks_do_not_support(void **state)
{
    (void)state;
    static const struct {
        const char *cluster, *user;
        lw_status st;
        const char *word;
    } rows[] = {
        { "",
          "exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/true, "
          "interactiveMode: Never}",
          LW_ERR_UNSUPPORTED, "exec plugin" },
        { ", proxy-url: \"http://a:1\"", "", LW_ERR_UNSUPPORTED, "proxy" },
        { "", "as: jane", LW_ERR_UNSUPPORTED, "impersonation" },
        { ", certificate-authority-data: \"eA==\"", "", LW_ERR_INVALID, "certificate" },
        { "", "client-certificate-data: \"eA==\", client-key-data: \"eA==\"", LW_ERR_INVALID,
          "certificate" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_webhook_config config;
        lw_error err = LW_ERROR_INIT;
        lw_status st = read_parts(&config, "https://a", rows[i].cluster, rows[i].user, &err);
        if (st != rows[i].st || !strstr(err.message, rows[i].word))
            fail_msg("row %zu: %d %s", i, st, err.message);
    }
}

static void names_a_file_that_is_missing(void **state)
{
    (void)state;
    lw_webhook_config config = { 0 };
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_webhook_config_read(&config, "/nonexistent/webhook", &err),
                     LW_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "/nonexistent/webhook"));
    lw_webhook_config_done(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_the_parts_of_the_url),
        TEST(prepares_a_request_with_the_credentials),
        TEST(a_token_file_is_read_again_when_it_has_changed),
        TEST(reads_certificates),
        TEST(refuses_what_webhooks_do_not_support),
        TEST(names_a_file_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
