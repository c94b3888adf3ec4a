/* SPDX-License-Identifier: Apache-2.0 */
/* h1_parse_reply_test.c -- which replies the HTTP/1.1 parser takes and which it refuses, however
 * they are split. */
#include "net/h1/h1_parse.h"

#include "support/h1_transcript.h"
#include "unit/test.h"

typedef struct row {
    const char *input, *transcript;
    bool answers_head;
} row;

static void check(const row *rows, size_t count)
{
    lw_buf out;
    lw_buf_init(&out, H1_TRANSCRIPT_MAX);
    for (size_t i = 0; i < count; i++) {
        lw_str input = lw_str_of(rows[i].input);
        for (size_t first = 0; first <= input.len; first++) {
            for (size_t step = 0; step < 4; step++) {
                lw_buf_reset(&out);
                h1_transcript_replies(&out, input, rows[i].answers_head, first, step);
                assert_str_equal(lw_buf_view(&out), rows[i].transcript);
            }
        }
    }
    lw_buf_done(&out);
}

static void finds_the_end_of_every_form_of_reply(void **state)
{
    (void)state;
    static const row rows[] = {
        { "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
          "200 1.1 (Content-Length=5) length=5\nhello\nend\n", false },
        { "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
          "200 1.1 (Content-Length=5) length=5\n\nend\n204 1.1\n\nend\n", true },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nA: b\r\n\r\n",
          "200 1.1 (Transfer-Encoding=chunked) chunked\nabc\nend\n", false },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
          "200 1.1 (Transfer-Encoding=chunked) chunked\n\nend\n200 1.1 to the end\n\nend\n", true },
        { "HTTP/1.1 200\r\n\r\nuntil it closes", "200 1.1 to the end\nuntil it closes\nend\n",
          false },
        { "HTTP/1.1 200 \r\n\r\n", "200 1.1 to the end\n\nend\n", false },
        { "HTTP/1.0 500 Oh no\r\nContent-Length: 0\r\n\r\n",
          "500 1.0 (Content-Length=0) close\n\nend\n", false },
        { "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
          "100 1.1\n\nend\n304 1.1 (Content-Length=9)\n\nend\n", false },
        { "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n",
          "204 1.1 (Transfer-Encoding=chunked) close\n\nend\n", false },
        { "HTTP/1.1 200 OK\r\nHost: x y\r\nExpect: magic\r\nContent-Length: 0\r\n\r\n",
          "200 1.1 (Host=x y) (Expect=magic) (Content-Length=0)\n\nend\n", false },
    };
    check(rows, sizeof(rows) / sizeof(rows[0]));
}

#define TRUNCATED "refused 400 the connection was closed before the end of the reply\n"

static void a_truncated_reply_is_an_error(void **state)
{
    (void)state;
    static const row rows[] = {
        { "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
          "200 1.1 (Content-Length=5) length=5\nhell\n" TRUNCATED, false },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
          "200 1.1 (Transfer-Encoding=chunked) chunked\na\n" TRUNCATED, false },
        { "HTTP/1.1 200 OK\r\nConte", "\n" TRUNCATED, false },
    };
    check(rows, sizeof(rows) / sizeof(rows[0]));
}

static void refuses_what_two_readers_would_frame_differently(void **state)
{
    (void)state;
    static const row rows[] = {
        { "\r\nHTTP/1.1 200 OK\r\n\r\n", "\nrefused 400 malformed status line\n", false },
        { "HTTP/1.1 20 OK\r\n\r\n", "\nrefused 400 malformed status line\n", false },
        { "HTTP/1.1 +20 OK\r\n\r\n", "\nrefused 400 malformed status line\n", false },
        { "HTTP/1.1  200 OK\r\n\r\n", "\nrefused 400 malformed status line\n", false },
        { "HTTP/3.0 200 OK\r\n\r\n", "\nrefused 505 unsupported HTTP version\n", false },
        { "ICY 200 OK\r\n\r\n", "\nrefused 400 malformed status line\n", false },
        { "HTTP/1.1 200 OK\nA: b\n\n", "\nrefused 400 a line feed without its carriage return\n",
          false },
        { "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
          "\nrefused 400 folded header fields are not allowed\n", false },
        { "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
          "\nrefused 400 Content-Length and Transfer-Encoding must not be used together\n", false },
        { "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
          "\nrefused 400 malformed Content-Length\n", false },
        { "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
          "\nrefused 400 Transfer-Encoding is not allowed in HTTP/1.0\n", false },
    };
    check(rows, sizeof(rows) / sizeof(rows[0]));
}

static void bounds_the_head(void **state)
{
    (void)state;
    lw_buf input, out;
    lw_buf_init(&input, H1_TRANSCRIPT_MAX);
    lw_buf_init(&out, H1_TRANSCRIPT_MAX);
    lw_buf_append_text(&input, "HTTP/1.1 200 ");
    for (int i = 0; i < LW_HTTP_HEAD_MAX; i++)
        lw_buf_append_char(&input, 'x');
    h1_transcript_replies(&out, lw_buf_view(&input), false, 1000, 1000);
    assert_str_equal(lw_buf_view(&out), "\nrefused 414 the status line is too long\n");
    lw_buf_reset(&input);
    lw_buf_reset(&out);
    lw_buf_append_text(&input, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i <= LW_HTTP_HEADERS_MAX; i++)
        lw_buf_append_text(&input, "a: b\r\n");
    lw_buf_append_text(&input, "\r\n");
    h1_transcript_replies(&out, lw_buf_view(&input), false, input.len, 0);
    assert_str_equal(lw_buf_view(&out), "\nrefused 431 too many header fields\n");
    lw_buf_done(&input);
    lw_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_the_end_of_every_form_of_reply),
        TEST(a_truncated_reply_is_an_error),
        TEST(refuses_what_two_readers_would_frame_differently),
        TEST(bounds_the_head),
    };
    return cmocka_run_group_tests_name("h1_parse_reply", tests, NULL, NULL);
}
