/* SPDX-License-Identifier: Apache-2.0 */
/* ws_upgrade_test.c -- which requests become a WebSocket, and how they are answered. */
#include "base/str.h"
#include "net/h1/ws.h"
#include "unit/test.h"

enum {
    HEADERS_MAX = 8,
};

/* A proper upgrade, to be spoilt by one test at a time. */
typedef struct upgrade {
    lw_http_header headers[HEADERS_MAX];
    lw_http_request request;
} upgrade;

static void upgrade_init(upgrade *u)
{
    *u = (upgrade){
        .headers = {
            { LW_STR_INIT("host"), LW_STR_INIT("localhost") },
            { LW_STR_INIT("upgrade"), LW_STR_INIT("websocket") },
            { LW_STR_INIT("connection"), LW_STR_INIT("Upgrade") },
            { LW_STR_INIT("sec-websocket-key"), LW_STR_INIT("dGhlIHNhbXBsZSBub25jZQ==") },
            { LW_STR_INIT("sec-websocket-version"), LW_STR_INIT("13") },
        },
        .request = { .method = LW_HTTP_GET, .version_major = 1, .header_count = 5 },
    };
}

/* 0 when |u| is taken, else the status it is refused with. */
static int refused_with(upgrade *u)
{
    int status = -1;
    u->request.headers = u->headers;
    return lw_ws_check_upgrade(&u->request, &status) ? 0 : status;
}

static void set(upgrade *u, const char *name, const char *value)
{
    for (size_t i = 0; i < u->request.header_count; i++) {
        if (lw_str_equal(u->headers[i].name, lw_str_of(name)))
            u->headers[i].value = lw_str_of(value);
    }
}

static void add(upgrade *u, const char *name, const char *value)
{
    assert_true(u->request.header_count < HEADERS_MAX);
    u->headers[u->request.header_count++] = (lw_http_header){ lw_str_of(name), lw_str_of(value) };
}

static int refused_with_header(const char *name, const char *value)
{
    upgrade u;
    upgrade_init(&u);
    set(&u, name, value);
    return refused_with(&u);
}

static void takes_a_proper_upgrade(void **state)
{
    (void)state;
    upgrade u;
    upgrade_init(&u);
    assert_int_equal(refused_with(&u), 0);
    assert_int_equal(refused_with_header("connection", "keep-alive, Upgrade"), 0);
    assert_int_equal(refused_with_header("connection", "\tUPGRADE ,close"), 0);
    assert_int_equal(refused_with_header("upgrade", "h2c, WebSocket"), 0);
    upgrade_init(&u);
    set(&u, "connection", "keep-alive");
    add(&u, "connection", "upgrade");
    assert_int_equal(refused_with(&u), 0);
}

static void refuses_another_method_and_version_of_http(void **state)
{
    (void)state;
    upgrade u;
    upgrade_init(&u);
    u.request.method = LW_HTTP_POST;
    assert_int_equal(refused_with(&u), 400);
    upgrade_init(&u);
    u.request.version_major = 2;
    assert_int_equal(refused_with(&u), 400);
}

static void refuses_what_does_not_ask_for_a_websocket(void **state)
{
    (void)state;
    assert_int_equal(refused_with_header("upgrade", "h2c"), 400);
    assert_int_equal(refused_with_header("upgrade", "websocket2"), 400);
    assert_int_equal(refused_with_header("upgrade", ""), 400);
    assert_int_equal(refused_with_header("connection", "close"), 400);
    assert_int_equal(refused_with_header("connection", "upgraded"), 400);
}

static void refuses_a_key_that_is_not_sixteen_bytes(void **state)
{
    (void)state;
    assert_int_equal(refused_with_header("sec-websocket-key", ""), 400);
    assert_int_equal(refused_with_header("sec-websocket-key", "AAAA"), 400);
    assert_int_equal(refused_with_header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAAA="), 400);
    assert_int_equal(refused_with_header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA"), 400);
    assert_int_equal(refused_with_header("sec-websocket-key", "!AAAAAAAAAAAAAAAAAAAAA=="), 400);
    assert_int_equal(refused_with_header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="), 0);
}

static void refuses_a_key_or_version_that_is_there_twice(void **state)
{
    (void)state;
    upgrade u;
    upgrade_init(&u);
    add(&u, "sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    assert_int_equal(refused_with(&u), 400);
    upgrade_init(&u);
    add(&u, "sec-websocket-version", "13");
    assert_int_equal(refused_with(&u), 400);
}

static void another_version_of_the_protocol_is_told_ours(void **state)
{
    (void)state;
    assert_int_equal(refused_with_header("sec-websocket-version", "8"), 426);
    assert_int_equal(refused_with_header("sec-websocket-version", "130"), 426);
    upgrade u;
    upgrade_init(&u);
    u.request.header_count--;
    assert_int_equal(refused_with(&u), 400);
}

static void accepts_with_the_digest_of_the_key(void **state)
{
    (void)state;
    char accept[LW_WS_ACCEPT_SIZE];
    /* RFC 6455, section 1.3. */
    assert_int_equal(lw_ws_accept(LW_STR("dGhlIHNhbXBsZSBub25jZQ=="), accept), LW_OK);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_int_equal(lw_ws_accept(LW_STR(" dGhlIHNhbXBsZSBub25jZQ==\t"), accept), LW_OK);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    char longest[100];
    memset(longest, 'A', sizeof(longest));
    assert_int_equal(lw_ws_accept(lw_str_make(longest, sizeof(longest)), accept), LW_ERR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(takes_a_proper_upgrade),
        TEST(refuses_another_method_and_version_of_http),
        TEST(refuses_what_does_not_ask_for_a_websocket),
        TEST(refuses_a_key_that_is_not_sixteen_bytes),
        TEST(refuses_a_key_or_version_that_is_there_twice),
        TEST(another_version_of_the_protocol_is_told_ours),
        TEST(accepts_with_the_digest_of_the_key),
    };
    return cmocka_run_group_tests_name("ws_upgrade", tests, NULL, NULL);
}
