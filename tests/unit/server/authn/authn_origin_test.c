/* SPDX-License-Identifier: Apache-2.0 */
/* authn_origin_test.c -- which requests of browsers are served. */
#include "server/authn/authn_origin.h"

#include "base/str.h"
#include "unit/test.h"

static const lw_peer plain = { .is_tls = false };
static const lw_peer tls = { .is_tls = true };

/* A request: its method, then names and values of headers. */
typedef struct row {
    bool is_served;
    const lw_peer *peer;
    lw_http_method method;
    bool is_websocket;
    const char *headers[8];
} row;

static bool is_served(const row *r, const char *allowed)
{
    lw_http_header headers[4];
    size_t count = 0;
    lw_str why = { NULL, 0 };
    for (size_t i = 0; r->headers[i]; i += 2, count++)
        headers[count] = (lw_http_header){ lw_str_of(r->headers[i]), lw_str_of(r->headers[i + 1]) };
    const lw_http_request request = { .method = r->method,
                                      .headers = headers,
                                      .header_count = count,
                                      .is_websocket = r->is_websocket,
                                      .peer = r->peer };
    bool is = lw_authn_origin_check(&request, lw_str_of(allowed), &why);
    assert_int_equal(is, why.len == 0);
    return is;
}

static void check(const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_served(&rows[i], NULL) != rows[i].is_served)
            fail_msg("row %zu: %s", i, rows[i].is_served ? "refused" : "served");
    }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

static void plain_http_serves_its_own_page_only(void **state)
{
    (void)state;
    static const row rows[] = {
        { true, &plain, LW_HTTP_GET, false, { "host", "localhost:8080" } },
        { true, &plain, LW_HTTP_POST, false, { "host", "127.0.0.1:8080" } },
        { true,
          &plain,
          LW_HTTP_GET,
          true,
          { "host", "localhost:8080", "origin", "http://localhost:8080" } },
        { true, &plain, LW_HTTP_GET, true, { "host", "[::1]:80", "origin", "http://[::1]:80" } },
        /* another port of the same machine is another site */
        { false,
          &plain,
          LW_HTTP_GET,
          false,
          { "host", "localhost:8080", "origin", "http://localhost:3000" } },
        { false,
          &plain,
          LW_HTTP_POST,
          false,
          { "host", "localhost:8080", "origin", "https://localhost:8080" } },
        { false, &plain, LW_HTTP_GET, false, { "host", "localhost", "origin", "null" } },
        { false, &plain, LW_HTTP_GET, false, { "origin", "http://localhost" } },
        { false, &plain, LW_HTTP_GET, false, { "host", "localhost", "origin", "" } },
    };
    CHECK(rows);
}

static void plain_http_refuses_what_a_browser_fetches_for_other_sites(void **state)
{
    (void)state;
    static const row rows[] = {
        { false,
          &plain,
          LW_HTTP_GET,
          false,
          { "host", "localhost", "sec-fetch-site", "cross-site" } },
        { false,
          &plain,
          LW_HTTP_GET,
          false,
          { "host", "localhost", "sec-fetch-site", "same-site" } },
        { true,
          &plain,
          LW_HTTP_GET,
          false,
          { "host", "localhost", "sec-fetch-site", "same-origin" } },
        { true, &plain, LW_HTTP_GET, false, { "host", "localhost", "sec-fetch-site", "none" } },
        /* a link, but not a frame */
        { true,
          &plain,
          LW_HTTP_GET,
          false,
          { "sec-fetch-site", "cross-site", "sec-fetch-mode", "navigate", "sec-fetch-dest",
            "document" } },
        { false,
          &plain,
          LW_HTTP_GET,
          false,
          { "sec-fetch-site", "cross-site", "sec-fetch-mode", "navigate", "sec-fetch-dest",
            "iframe" } },
        { false,
          &plain,
          LW_HTTP_POST,
          false,
          { "sec-fetch-site", "cross-site", "sec-fetch-mode", "navigate", "sec-fetch-dest",
            "document" } },
    };
    CHECK(rows);
}

static void https_checks_writes_and_websockets(void **state)
{
    (void)state;
    static const row rows[] = {
        { true, &tls, LW_HTTP_POST, false, { "host", "api.example.com" } },
        { true, &tls, LW_HTTP_GET, true, { "host", "api.example.com" } },
        { true,
          &tls,
          LW_HTTP_DELETE,
          false,
          { "host", "API.example.com:6443", "origin", "https://api.example.com:6443" } },
        { true,
          &tls,
          LW_HTTP_GET,
          false,
          { "host", "api.example.com", "origin", "https://evil.example" } },
        { false,
          &tls,
          LW_HTTP_POST,
          false,
          { "host", "api.example.com", "origin", "https://evil.example" } },
        { false,
          &tls,
          LW_HTTP_GET,
          true,
          { "host", "api.example.com", "origin", "https://evil.example" } },
        { false,
          &tls,
          LW_HTTP_PATCH,
          false,
          { "host", "api.example.com", "origin", "http://api.example.com" } },
    };
    CHECK(rows);
}

static void other_origins_can_be_allowed(void **state)
{
    (void)state;
    static const row request = { true,
                                 &plain,
                                 LW_HTTP_POST,
                                 true,
                                 { "host", "localhost", "origin", "https://ui.example.com" } };
    assert_false(is_served(&request, NULL));
    assert_false(is_served(&request, "https://ui.example.com:8443,https://ui.example"));
    assert_true(is_served(&request, "http://a.example, https://UI.example.com"));
}

static void lists_of_origins_are_checked(void **state)
{
    (void)state;
    assert_true(lw_authn_origins_are_valid(lw_str_of(NULL)));
    assert_true(lw_authn_origins_are_valid(LW_STR("https://ui.example.com, http://[::1]:3000")));
    assert_false(lw_authn_origins_are_valid(LW_STR("*")));
    assert_false(lw_authn_origins_are_valid(LW_STR("null")));
    assert_false(lw_authn_origins_are_valid(LW_STR("ui.example.com")));
    assert_false(lw_authn_origins_are_valid(LW_STR("https://ui.example.com/")));
    assert_false(lw_authn_origins_are_valid(LW_STR("https://a.example,,https://b.example")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_http_serves_its_own_page_only),
        TEST(plain_http_refuses_what_a_browser_fetches_for_other_sites),
        TEST(https_checks_writes_and_websockets),
        TEST(other_origins_can_be_allowed),
        TEST(lists_of_origins_are_checked),
    };
    return cmocka_run_group_tests_name("authn_origin", tests, NULL, NULL);
}
