/* SPDX-License-Identifier: Apache-2.0 */
/* reply_head_test.c -- the head of a reply, from its lines. */
#include "transport/reply_head.h"

#include "base/str.h"
#include "unit/test.h"

/* Feeds the lines of |text|, each ended by a newline; the last step. */
static lw_head_step feed(lw_transport_reply_head *head, const char *text)
{
    lw_head_step step = LW_HEAD_MORE;
    lw_str rest = lw_str_of(text), line;
    while (rest.len > 0 && step != LW_HEAD_INVALID) {
        (void)lw_str_cut(rest, '\n', &line, &rest);
        step = lw_transport_reply_head_take(head, lw_str_make(line.ptr, line.len + 1));
    }
    return step;
}

static void reads_status_and_headers(void **state)
{
    (void)state;
    lw_transport_reply_head head = { 0 };
    assert_int_equal(feed(&head, "HTTP/1.1 503 Not now\r\ncontent-TYPE:  text/plain \r\n"
                                 "Retry-After: 3\r\nX: y\r\n\r\n"),
                     LW_HEAD_COMPLETE);
    assert_int_equal(head.status, 503);
    assert_true(head.is_http1);
    assert_str_equal(lw_reply_value_view(&head.content_type), "text/plain");
    assert_str_equal(lw_reply_value_view(&head.retry_after), "3");
}

static void reads_the_short_status_line_of_http2(void **state)
{
    (void)state;
    lw_transport_reply_head head = { 0 };
    assert_int_equal(feed(&head, "HTTP/2 200 \r\n\r\n"), LW_HEAD_COMPLETE);
    assert_int_equal(head.status, 200);
    assert_false(head.is_http1);
}

static void forgets_interim_replies(void **state)
{
    (void)state;
    lw_transport_reply_head head = { 0 };
    assert_int_equal(feed(&head, "HTTP/1.1 103 Hints\r\nContent-Type: a\r\n\r\n"), LW_HEAD_MORE);
    assert_false(head.is_complete);
    assert_int_equal(feed(&head, "HTTP/1.1 200 OK\r\n\r\n"), LW_HEAD_COMPLETE);
    assert_str_equal(lw_reply_value_view(&head.content_type), "");
}

static void trailers_change_nothing(void **state)
{
    (void)state;
    lw_transport_reply_head head = { 0 };
    (void)feed(&head, "HTTP/1.1 200 OK\r\n\r\n");
    assert_int_equal(feed(&head, "Content-Type: late\r\nHTTP/1.1 500 No\r\n\r\n"), LW_HEAD_MORE);
    assert_int_equal(head.status, 200);
    assert_str_equal(lw_reply_value_view(&head.content_type), "");
}

static void the_first_of_two_wins(void **state)
{
    (void)state;
    lw_transport_reply_head head = { 0 };
    (void)feed(&head, "HTTP/1.1 200 OK\r\nRetry-After: 1\r\nRetry-After: 2\r\n\r\n");
    assert_str_equal(lw_reply_value_view(&head.retry_after), "1");
}

static void refuses_what_is_no_head(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "Content-Type: x\r\n",  "\r\n",
        "HTTP/1.1\r\n",         "HTTP/1.1 20\r\n",
        "HTTP/1.1 2000\r\n",    "HTTP/1.1 abc\r\n",
        "HTTP/1.1 099 low\r\n", "HTTP/1.1 -20\r\n",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_transport_reply_head head = { 0 };
        if (feed(&head, wrong[i]) != LW_HEAD_INVALID)
            fail_msg("\"%s\" was taken", wrong[i]);
    }
}

static void is_bounded(void **state)
{
    (void)state;
    lw_transport_reply_head head = { 0 };
    static char line[1024];
    memset(line, 'a', sizeof(line));
    memcpy(line, "Content-Type: ", strlen("Content-Type: "));
    line[sizeof(line) - 1] = '\n';
    (void)feed(&head, "HTTP/1.1 200 OK\r\n");
    lw_head_step step = LW_HEAD_MORE;
    int lines = 0;
    for (; step == LW_HEAD_MORE && lines < 1000; lines++)
        step = lw_transport_reply_head_take(&head, lw_str_make(line, sizeof(line)));
    assert_int_equal(step, LW_HEAD_INVALID);
    assert_int_equal(lines, LW_REPLY_HEAD_MAX / 1024);
    assert_int_equal(head.content_type.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_status_and_headers),
        TEST(reads_the_short_status_line_of_http2),
        TEST(forgets_interim_replies),
        TEST(trailers_change_nothing),
        TEST(the_first_of_two_wins),
        TEST(refuses_what_is_no_head),
        TEST(is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
