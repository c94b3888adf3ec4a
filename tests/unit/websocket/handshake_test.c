/* SPDX-License-Identifier: Apache-2.0 */
/* handshake_test.c -- replies to upgrade requests. */
#include "websocket/handshake.h"

#include "base/str.h"
#include "unit/test.h"

static const char key[] = "dGhlIHNhbXBsZSBub25jZQ==";

#define OPEN_HEAD                                                                                  \
    "HTTP/1.1 101 Switching Protocols\r\nUPGRADE: WebSocket\r\nConnection: keep-alive, "           \
    "Upgrade\r\n"

/* Feeds |text| in pieces of |step| bytes up to the first step that is not MORE; |*rest| is what was
 * not used. */
static lw_websocket_step feed(lw_websocket_reply *reply, const char *text, size_t step,
                              lw_str *rest)
{
    lw_websocket_step got = LW_WEBSOCKET_STEP_MORE;
    *rest = lw_str_of(text);
    while (got == LW_WEBSOCKET_STEP_MORE && rest->len > 0) {
        size_t used = 0, len = rest->len < step ? rest->len : step;
        got = lw_websocket_reply_feed(reply, rest->ptr, len, &used);
        assert_in_range(used, 0, len);
        *rest = lw_str_skip(*rest, used);
    }
    return got;
}

static void assert_gives(const char *text, lw_websocket_step wanted, int status, const char *body)
{
    static const size_t steps[] = { SIZE_MAX, 1, 5 };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        lw_websocket_reply reply;
        lw_str rest;
        lw_websocket_reply_init(&reply, key);
        assert_int_equal(feed(&reply, text, steps[i], &rest), wanted);
        assert_int_equal(reply.status, status);
        assert_str_equal(lw_buf_view(&reply.body), body);
        lw_websocket_reply_done(&reply);
    }
}

static void a_valid_reply_opens_the_connection(void **state)
{
    (void)state;
    lw_websocket_reply reply;
    lw_str rest;
    lw_websocket_reply_init(&reply, key);
    assert_int_equal(feed(&reply,
                          OPEN_HEAD "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
                                    "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\nframes",
                          SIZE_MAX, &rest),
                     LW_WEBSOCKET_STEP_OPEN);
    assert_string_equal(reply.protocol, "v5.channel.k8s.io");
    assert_str_equal(rest, "frames");
    lw_websocket_reply_done(&reply);
}

static void a_wrong_accept_is_invalid(void **state)
{
    (void)state;
    assert_gives(OPEN_HEAD "Sec-WebSocket-Accept: bm9wZQ==\r\n\r\n", LW_WEBSOCKET_STEP_INVALID, 101,
                 "");
    assert_gives("HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
                 LW_WEBSOCKET_STEP_INVALID, 101, "");
}

static void refusals_have_a_body(void **state)
{
    (void)state;
    assert_gives("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope",
                 LW_WEBSOCKET_STEP_REFUSED, 403, "nope");
    assert_gives("HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "2\r\nno\r\n3;x=y\r\n pe\r\n0\r\n\r\n",
                 LW_WEBSOCKET_STEP_REFUSED, 400, "no pe");
    assert_gives("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", LW_WEBSOCKET_STEP_REFUSED,
                 404, "");
}

static void a_body_may_end_with_the_connection(void **state)
{
    (void)state;
    lw_websocket_reply reply;
    lw_str rest;
    lw_websocket_reply_init(&reply, key);
    assert_int_equal(feed(&reply, "HTTP/1.0 503 x\r\nRetry-After: 7\r\n\r\nlater", 1, &rest),
                     LW_WEBSOCKET_STEP_MORE);
    assert_int_equal(lw_websocket_reply_end(&reply), LW_WEBSOCKET_STEP_REFUSED);
    assert_str_equal(lw_buf_view(&reply.body), "later");
    assert_string_equal(reply.retry_after, "7");
    lw_websocket_reply_done(&reply);
}

static void a_connection_without_a_reply_is_invalid(void **state)
{
    (void)state;
    lw_websocket_reply reply;
    lw_str rest;
    lw_websocket_reply_init(&reply, key);
    assert_int_equal(feed(&reply, "HTTP/1.1 10", 1, &rest), LW_WEBSOCKET_STEP_MORE);
    assert_int_equal(lw_websocket_reply_end(&reply), LW_WEBSOCKET_STEP_INVALID);
    assert_non_null(reply.fault);
    lw_websocket_reply_done(&reply);
}

static void other_protocols_are_invalid(void **state)
{
    (void)state;
    assert_gives("SSH-2.0-OpenSSH\r\n\r\n", LW_WEBSOCKET_STEP_INVALID, 0, "");
    assert_gives("HTTP/1.1 abc\r\n\r\n", LW_WEBSOCKET_STEP_INVALID, 0, "");
    assert_gives("HTTP/1.1 100 Continue\r\n\r\n", LW_WEBSOCKET_STEP_INVALID, 100, "");
}

static void a_long_head_is_invalid(void **state)
{
    (void)state;
    lw_websocket_reply reply;
    static char bytes[LW_WEBSOCKET_REPLY_HEAD_MAX + 1];
    size_t used = 0;
    memset(bytes, 'x', sizeof(bytes));
    lw_websocket_reply_init(&reply, key);
    assert_int_equal(lw_websocket_reply_feed(&reply, bytes, sizeof(bytes), &used),
                     LW_WEBSOCKET_STEP_INVALID);
    lw_websocket_reply_done(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_valid_reply_opens_the_connection),
        TEST(a_wrong_accept_is_invalid),
        TEST(refusals_have_a_body),
        TEST(a_body_may_end_with_the_connection),
        TEST(a_connection_without_a_reply_is_invalid),
        TEST(other_protocols_are_invalid),
        TEST(a_long_head_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
