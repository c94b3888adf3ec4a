/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_credentials_test.c -- what a forwarded request says about its user. */
#include "server/proxy/proxy_credentials.h"

#include "base/str.h"
#include "unit/test.h"

enum {
    HEADERS_MAX = 8,
};

static void assert_header(const lw_http_header *header, const char *name, const char *value)
{
    if (!lw_str_equal(header->name, lw_str_of(name)) ||
        !lw_str_equal(header->value, lw_str_of(value)))
        fail_msg("%.*s: %.*s is not %s: %s", LW_STR_ARG(header->name), LW_STR_ARG(header->value),
                 name, value);
}

static void credentials_are_dropped(void **state)
{
    (void)state;
    assert_true(lw_proxy_drops_credentials(LW_STR("authorization")));
    assert_true(lw_proxy_drops_credentials(LW_STR("cookie")));
    assert_true(lw_proxy_drops_credentials(LW_STR("impersonate-user")));
    assert_true(lw_proxy_drops_credentials(LW_STR("x-remote-extra-scopes")));
    assert_false(lw_proxy_drops_credentials(LW_STR("accept")));
}

static void user_is_named_with_everything(void **state)
{
    static const lw_str groups[] = { LW_STR_INIT("a"), LW_STR_INIT("b c") };
    static const lw_str values[] = { LW_STR_INIT("x"), LW_STR_INIT("y") };
    static const lw_user_extra extras[] = { { LW_STR_INIT("example.org/k%y"), values, 2 } };
    const lw_user user = { .name = LW_STR("ann"),
                           .uid = LW_STR("7"),
                           .groups = groups,
                           .group_count = 2,
                           .extras = extras,
                           .extra_count = 1 };
    lw_http_header headers[HEADERS_MAX];
    lw_buf text;
    (void)state;
    lw_buf_init(&text, LW_PROXY_IDENTITY_MAX);
    assert_int_equal(lw_proxy_identify(&user, headers, HEADERS_MAX, &text), 6);
    assert_header(&headers[0], "X-Remote-User", "ann");
    assert_header(&headers[1], "X-Remote-Uid", "7");
    assert_header(&headers[2], "X-Remote-Group", "a");
    assert_header(&headers[3], "X-Remote-Group", "b c");
    assert_header(&headers[4], "X-Remote-Extra-example.org%2Fk%25y", "x");
    assert_header(&headers[5], "X-Remote-Extra-example.org%2Fk%25y", "y");
    lw_buf_reset(&text);
    /* A user without some of the groups would be another one. */
    assert_int_equal(lw_proxy_identify(&user, headers, 5, &text), 0);
    lw_buf_done(&text);
}

static void token_of_a_websocket_is_not_passed_on(void **state)
{
    const lw_http_header sent[] = {
        { LW_STR("sec-websocket-protocol"),
          LW_STR("base64url.bearer.authorization.k8s.io.c2VjcmV0, v5.channel.k8s.io") },
        { LW_STR("sec-websocket-protocol"), LW_STR("v4.channel.k8s.io") },
    };
    const lw_http_request with = { .headers = sent, .header_count = 2 };
    const lw_http_request without = { .headers = sent + 1, .header_count = 1 };
    lw_http_header header;
    lw_buf text;
    (void)state;
    lw_buf_init(&text, 4096);
    assert_true(lw_proxy_clean_protocols(&with, &header, &text));
    assert_header(&header, "sec-websocket-protocol", "v5.channel.k8s.io, v4.channel.k8s.io");
    lw_buf_reset(&text);
    assert_false(lw_proxy_clean_protocols(&without, &header, &text));
    lw_buf_done(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(credentials_are_dropped),
        cmocka_unit_test(user_is_named_with_everything),
        cmocka_unit_test(token_of_a_websocket_is_not_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
