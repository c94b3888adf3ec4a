/* SPDX-License-Identifier: Apache-2.0 */
/* h1_parse_test.c -- what the HTTP/1.1 parser takes and what it refuses, however it is cut. */
#include "net/h1/h1_parse.h"

#include <stdio.h>

#include "net/h1/h1_head.h"

#include "support/h1_transcript.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

/* The transcript of |input| is |expected|, in one piece, byte by byte, and cut once anywhere. */
static void assert_transcript(lw_str input, const char *expected)
{
    lw_buf out;
    lw_buf_init(&out, H1_TRANSCRIPT_MAX);
    h1_transcript(&out, input, input.len, 0);
    assert_str_equal(lw_buf_view(&out), expected);
    for (size_t step = 1; step < 4; step++) {
        lw_buf_reset(&out);
        h1_transcript(&out, input, step, step);
        assert_str_equal(lw_buf_view(&out), expected);
    }
    for (size_t cut = 0; cut < input.len; cut++) {
        lw_buf_reset(&out);
        h1_transcript(&out, input, cut, 0);
        assert_str_equal(lw_buf_view(&out), expected);
    }
    lw_buf_done(&out);
}

#define HOST "Host: a\r\n"

static void reads_requests_with_and_without_bodies(void **state)
{
    (void)state;
    static const struct {
        const char *input, *transcript;
    } rows[] = {
        { "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / ?  1.1 (Host=a)\n\nend\n" },
        { "GET /a?b=c?d HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
          "GET /a ? b=c?d 1.1 (Host=[::1]:80)\n\nend\n" },
        { "\r\nGET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / ?  1.1 (Host=)\n\nend\n" },
        { "GET / HTTP/1.0\r\n\r\n", "GET / ?  1.0 close\n\nend\n" },
        { "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
          "GET / ?  1.0 (Connection=Keep-Alive)\n\nend\n" },
        { "GET / HTTP/1.7\r\n" HOST "\r\n", "GET / ?  1.1 (Host=a)\n\nend\n" },
        { "GET / HTTP/1.1\r\n" HOST "Connection: x, Close\r\n\r\n",
          "GET / ?  1.1 (Host=a) (Connection=x, Close) close\n\nend\n" },
        { "GET http://b:80/c?d HTTP/1.1\r\n" HOST "\r\n", "GET /c ? d 1.1 (Host=a)\n\nend\n" },
        { "GET HTTPS://b HTTP/1.1\r\n" HOST "\r\n", "GET / ?  1.1 (Host=a)\n\nend\n" },
        { "GET http://b?c HTTP/1.1\r\n" HOST "\r\n", "GET / ? c 1.1 (Host=a)\n\nend\n" },
        { "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS * ?  1.1 (Host=a)\n\nend\n" },
        { "x!# / HTTP/1.1\r\n" HOST "\r\n", "x!# / ?  1.1 (Host=a)\n\nend\n" },
        { "GET / HTTP/1.1\r\n" HOST "a:\t b \xff c\t \r\nb:\r\n\r\n",
          "GET / ?  1.1 (Host=a) (a=b \xff c) (b=)\n\nend\n" },
        { "PUT /x HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhelloGET",
          "PUT /x ?  1.1 (Host=a) (Content-Length=5) length=5\nhello\nend\n" },
        { "PUT / HTTP/1.1\r\n" HOST "Content-Length: 1\r\ncontent-length: 1\r\n\r\nx",
          "PUT / ?  1.1 (Host=a) (Content-Length=1) (content-length=1) length=1\nx\nend\n" },
        { "PUT / HTTP/1.1\r\n" HOST "Content-Length: 0\r\nExpect: 100-continue\r\n\r\n",
          "PUT / ?  1.1 (Host=a) (Content-Length=0) (Expect=100-continue)\n\nend\n" },
        { "PUT / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nExpect: 100-Continue\r\n\r\nx",
          "PUT / ?  1.1 (Host=a) (Content-Length=1) (Expect=100-Continue) length=1 continue\nx\n"
          "end\n" },
        { "PUT / HTTP/1.0\r\nContent-Length: 1\r\nExpect: magic\r\n\r\nx",
          "PUT / ?  1.0 (Content-Length=1) (Expect=magic) length=1 close\nx\nend\n" },
        { "GET / HTTP/1.1\r\n" HOST "Upgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n\r\n",
          "GET / ?  1.1 (Host=a) (Upgrade=WebSocket) (Connection=keep-alive, Upgrade) websocket\n"
          "\nend\n" },
        { "GET / HTTP/1.1\r\n" HOST "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
          "GET / ?  1.1 (Host=a) (Upgrade=h2c) (Connection=Upgrade)\n\nend\n" },
        { "GET / HTTP/1.1\r\n" HOST "Upgrade: websocket\r\n\r\n",
          "GET / ?  1.1 (Host=a) (Upgrade=websocket)\n\nend\n" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_transcript(lw_str_of(rows[i].input), rows[i].transcript);
}

#define CHUNKED     "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
#define CHUNKED_OUT "POST / ?  1.1 (Host=a) (Transfer-Encoding=chunked) chunked\n"

static void reads_chunks_with_extensions_and_trailers(void **state)
{
    (void)state;
    static const struct {
        const char *input, *transcript;
    } rows[] = {
        { CHUNKED "0\r\n\r\n", CHUNKED_OUT "\nend\n" },
        { CHUNKED "5\r\nhello\r\n1;a=b;c=\"d\"\r\n!\r\n000\r\n\r\n", CHUNKED_OUT "hello!\nend\n" },
        { CHUNKED "a\r\n0123456789\r\nA\r\n0123456789\r\n0;x\r\nTrailer: x\r\ny:\r\n\r\n",
          CHUNKED_OUT "01234567890123456789\nend\n" },
        { CHUNKED "0000000000000003\r\n\r\n0\r\n0\r\n\r\n", CHUNKED_OUT "\r\n0\nend\n" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_transcript(lw_str_of(rows[i].input), rows[i].transcript);
}

static void reads_one_request_after_the_other(void **state)
{
    (void)state;
    assert_transcript(LW_STR("GET /1 HTTP/1.1\r\n" HOST "\r\n"
                             "POST /2 HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nhi"
                             "\r\n" CHUNKED "1\r\nx\r\n0\r\n\r\n"
                             "GET /4 HTTP/1.1\r\n" HOST "\r\n"),
                      "GET /1 ?  1.1 (Host=a)\n\nend\n"
                      "POST /2 ?  1.1 (Host=a) (Content-Length=2) length=2\nhi\nend\n" CHUNKED_OUT
                      "x\nend\nGET /4 ?  1.1 (Host=a)\n\nend\n");
}

/* Each is refused with |status|; nothing but heads and bodies that came before is told. */
typedef struct refusal {
    int status;
    const char *input;
} refusal;

static int refusal_status(lw_str input, size_t step)
{
    lw_h1_parser parser;
    lw_buf out;
    lw_h1_parser_init(&parser);
    lw_buf_init(&out, H1_TRANSCRIPT_MAX);
    int status = 0;
    while (status == 0 && input.len > 0) {
        size_t len = step < input.len ? step : input.len;
        if (!h1_transcript_feed(&out, &parser, lw_str_make(input.ptr, len)))
            status = parser.refusal_status;
        input = lw_str_skip(input, len);
    }
    lw_buf_done(&out);
    lw_h1_parser_done(&parser);
    return status;
}

static void assert_refused(lw_str input, int status)
{
    for (size_t step = 1; step <= input.len; step++) {
        int got = refusal_status(input, step);
        if (got != status) {
            print_error("%d instead of %d, in steps of %zu:\n%.*s\n", got, status, step,
                        LW_STR_ARG(input));
            fail();
        }
    }
}

static void assert_all_refused(const refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_refused(lw_str_of(rows[i].input), rows[i].status);
}

static void refuses_malformed_request_lines(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { 400, "\r\n\r\n" },
        { 400, "GET\r\n" },
        { 400, "GET /\r\n" },
        { 400, " GET / HTTP/1.1\r\n" },
        { 400, "GET  / HTTP/1.1\r\n" },
        { 400, "GET /  HTTP/1.1\r\n" },
        { 400, "GET / HTTP/1.1 \r\n" },
        { 400, "GET /\tHTTP/1.1\r\n" },
        { 400, "GET\t/ HTTP/1.1\r\n" },
        { 400, "GET / a HTTP/1.1\r\n" },
        { 400, "GET a HTTP/1.1\r\n" },
        { 400, "GET * HTTP/1.1\r\n" },
        { 400, "GET ** HTTP/1.1\r\n" },
        { 400, "GET /a#b HTTP/1.1\r\n" },
        { 400, "GET /\xc3\xa9 HTTP/1.1\r\n" },
        { 400, "GET http:// HTTP/1.1\r\n" },
        { 400, "GET http:///a HTTP/1.1\r\n" },
        { 400, "GET ftp://a/ HTTP/1.1\r\n" },
        { 400, "CONNECT a:80 HTTP/1.1\r\n" },
        { 400, "G(T / HTTP/1.1\r\n" },
        { 400, "GET / http/1.1\r\n" },
        { 400, "GET / HTTP/1\r\n" },
        { 400, "GET / HTTP/11.1\r\n" },
        { 400, "GET / HTTP/1.10\r\n" },
        { 400, "GET / HTTP/+.1\r\n" },
        { 505, "GET / HTTP/2.0\r\n" },
        { 505, "GET / HTTP/0.9\r\n" },
        { 505, "PRI * HTTP/2.0\r\n\r\nXX" },
    };
    assert_all_refused(rows, sizeof(rows) / sizeof(rows[0]));
}

static void refuses_bare_line_ends_and_control_characters(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { 400, "GET / HTTP/1.1\n" },
        { 400, "GET / HTTP/1.1\r" HOST },
        { 400, "\nGET / HTTP/1.1\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\n\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\r\n\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\x01\r\n" },
        { 400, "GET / HTTP/1.1\r\nHost: a\x7f\r\n" },
        { 400, "GET /\x1b HTTP/1.1\r\n" },
        { 400, "\x16\x03\x01" },
    };
    assert_all_refused(rows, sizeof(rows) / sizeof(rows[0]));
    assert_refused(LW_STR("GET / HTTP/1.1\r\nHost: a\0b\r\n"), 400);
    assert_refused(LW_STR("GET /\0 HTTP/1.1\r\n"), 400);
}

#define GET "GET / HTTP/1.1\r\n"

static void refuses_malformed_header_fields(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { 400, GET HOST "a : b\r\n\r\n" },
        { 400, GET HOST "a\t: b\r\n\r\n" },
        { 400, GET HOST " a: b\r\n\r\n" },
        { 400, GET HOST "a: b\r\n c\r\n\r\n" },
        { 400, GET HOST "a: b\r\n\tc\r\n\r\n" },
        { 400, GET " Host: a\r\n\r\n" },
        { 400, GET HOST ": b\r\n\r\n" },
        { 400, GET HOST "ab\r\n\r\n" },
        { 400, GET HOST "a(b: c\r\n\r\n" },
        { 400, GET HOST "\xc3\xa9: c\r\n\r\n" },
        { 400, GET "\r\n" },
        { 400, GET "a: b\r\n\r\n" },
        { 400, GET HOST HOST "\r\n" },
        { 400, GET HOST "host: b\r\n\r\n" },
        { 400, GET "Host: a b\r\n\r\n" },
        { 400, GET "Host: a/b\r\n\r\n" },
        { 400, GET "Host: a@b\r\n\r\n" },
        { 400, GET "Host: \xc3\xa9\r\n\r\n" },
        { 400, "GET / HTTP/1.0\r\n" HOST HOST "\r\n" },
        { 417, GET HOST "Expect: magic\r\n\r\n" },
        { 417, GET HOST "Expect: 100-continue, magic\r\n\r\n" },
    };
    assert_all_refused(rows, sizeof(rows) / sizeof(rows[0]));
}

static void refuses_what_two_readers_would_frame_differently(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { 400, GET HOST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n" },
        { 400, GET HOST "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n" },
        { 400, GET HOST "Content-Length: 1\r\nContent-Length: 2\r\n\r\n" },
        { 400, GET HOST "Content-Length: 1\r\nContent-Length: 01\r\n\r\n" },
        { 400, GET HOST "Content-Length: 1, 1\r\n\r\n" },
        { 400, GET HOST "Content-Length: \r\n\r\n" },
        { 400, GET HOST "Content-Length: +1\r\n\r\n" },
        { 400, GET HOST "Content-Length: -1\r\n\r\n" },
        { 400, GET HOST "Content-Length: 0x1\r\n\r\n" },
        { 400, GET HOST "Content-Length: 1 1\r\n\r\n" },
        { 400, GET HOST "Content-Length: 18446744073709551616\r\n\r\n" },
        { 400, GET HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" },
        { 400, "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" },
        { 501, GET HOST "Transfer-Encoding: gzip, chunked\r\n\r\n" },
        { 501, GET HOST "Transfer-Encoding: chunked, identity\r\n\r\n" },
        { 501, GET HOST "Transfer-Encoding: identity\r\n\r\n" },
        { 501, GET HOST "Transfer-Encoding: xchunked\r\n\r\n" },
        { 501, GET HOST "Transfer-Encoding: chunked;x\r\n\r\n" },
        { 501, GET HOST "Transfer-Encoding:\r\n\r\n" },
        { 400, GET HOST "Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 1\r\n\r\n" },
    };
    assert_all_refused(rows, sizeof(rows) / sizeof(rows[0]));
}

static void refuses_malformed_chunks(void **state)
{
    (void)state;
    static const refusal rows[] = {
        { 400, CHUNKED "\r\n" },
        { 400, CHUNKED "g\r\n" },
        { 400, CHUNKED "-1\r\n" },
        { 400, CHUNKED "0x1\r\n" },
        { 400, CHUNKED " 1\r\n" },
        { 400, CHUNKED "1 \r\n" },
        { 400, CHUNKED "1 ;a\r\n" },
        { 400, CHUNKED ";a\r\n" },
        { 400, CHUNKED "1\n" },
        { 400, CHUNKED "1\rx" },
        { 400, CHUNKED "1;a\n" },
        { 400, CHUNKED "1;\x01\r\n" },
        { 400, CHUNKED "00000000000000001\r\n" },
        { 400, CHUNKED "fffffffffffffffff\r\n" },
        { 400, CHUNKED "1\r\nab\r\n" },
        { 400, CHUNKED "1\r\na\n" },
        { 400, CHUNKED "1\r\na\rb" },
        { 400, CHUNKED "0\r\na b: c\r\n\r\n" },
        { 400, CHUNKED "0\r\n a: c\r\n\r\n" },
        { 400, CHUNKED "0\r\na: c\r\n d\r\n\r\n" },
        { 400, CHUNKED "0\r\n: c\r\n\r\n" },
        { 400, CHUNKED "0\r\na\r\n\r\n" },
        { 400, CHUNKED "0\r\na: b\n\r\n" },
        { 400, CHUNKED "0\r\n\n" },
    };
    assert_all_refused(rows, sizeof(rows) / sizeof(rows[0]));
}

/* |prefix|, then |count| times |filling|, then |suffix|. */
static void fill(lw_buf *out, const char *prefix, const char *filling, size_t count,
                 const char *suffix)
{
    lw_buf_reset(out);
    lw_buf_append_text(out, prefix);
    for (size_t i = 0; i < count; i++)
        lw_buf_append_text(out, filling);
    lw_buf_append_text(out, suffix);
    assert_int_equal(out->st, LW_OK);
}

static void assert_big(lw_buf *input, int status)
{
    static const size_t steps[] = { 1, 1000, 65536, SIZE_MAX };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        assert_int_equal(refusal_status(lw_buf_view(input), steps[i]), status);
}

static void bounds_heads_fields_and_framing(void **state)
{
    (void)state;
    lw_buf input;
    lw_buf_init(&input, 1 << 20);
    static const char head[] = GET HOST "a: ";
    size_t room = LW_HTTP_HEAD_MAX - (sizeof(head) - 1) - 4;
    fill(&input, head, "x", room, "\r\n\r\n");
    assert_big(&input, 0);
    fill(&input, head, "x", room + 1, "\r\n\r\n");
    assert_big(&input, 431);
    fill(&input, "GET /", "x", LW_HTTP_HEAD_MAX, " HTTP/1.1\r\n");
    assert_big(&input, 414);
    fill(&input, GET HOST, "a:\r\n", LW_HTTP_HEADERS_MAX - 1, "\r\n");
    assert_big(&input, 0);
    fill(&input, GET HOST, "a:\r\n", LW_HTTP_HEADERS_MAX, "\r\n");
    assert_big(&input, 431);
    fill(&input, CHUNKED "1;", "x", 16 * 1024, "\r\na\r\n0\r\n\r\n");
    assert_big(&input, 431);
    fill(&input, CHUNKED, "1;xxx\r\na\r\n", 2000, "0\r\n\r\n");
    assert_big(&input, 0);
    fill(&input, CHUNKED, "1;xxx\r\na\r\n", 8000, "0\r\n\r\n");
    assert_big(&input, 431);
    fill(&input, CHUNKED "0\r\n", "a: b\r\n", 3000, "\r\n");
    assert_big(&input, 431);
    lw_buf_done(&input);
}

/* Not only where the line ends. */
static void a_line_that_does_not_end_is_refused_at_the_limit(void **state)
{
    (void)state;
    lw_buf input;
    lw_h1_parser parser;
    lw_h1_head head;
    lw_str body;
    lw_buf_init(&input, 1 << 20);
    fill(&input, "GET /", "x", LW_HTTP_HEAD_MAX - strlen("GET /"), "");
    lw_h1_parser_init(&parser);
    lw_str rest = lw_buf_view(&input);
    assert_int_equal(lw_h1_parser_next(&parser, &rest, &head, &body), LW_H1_MORE);
    rest = LW_STR("xxxxxxxxxxxxxxxx");
    assert_int_equal(lw_h1_parser_next(&parser, &rest, &head, &body), LW_H1_REFUSED);
    lw_h1_parser_done(&parser);
    lw_buf_done(&input);
}

static void keeps_no_memory_between_requests(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_h1_parser parser;
    lw_buf out;
    lw_h1_parser_init(&parser);
    lw_buf_init(&out, H1_TRANSCRIPT_MAX);
    assert_int_equal(lw_buf_reserve(&out, 4096), LW_OK);
    assert_true(h1_transcript_feed(&out, &parser, LW_STR("GET / HT")));
    assert_false(lw_h1_parser_is_idle(&parser));
    assert_int_equal(f.live, 2);
    assert_true(h1_transcript_feed(&out, &parser, LW_STR("TP/1.1\r\n" HOST "\r\n")));
    assert_true(lw_h1_parser_is_idle(&parser));
    assert_int_equal(f.live, 1);
    lw_buf_done(&out);
    lw_h1_parser_done(&parser);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void says_when_there_is_no_memory(void **state)
{
    (void)state;
    lw_h1_parser parser;
    lw_h1_head head;
    lw_str body, piece = LW_STR("GET / HT"), rest = LW_STR("TP/1.1\r\n");
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_h1_parser_init(&parser);
    assert_int_equal(lw_h1_parser_next(&parser, &piece, &head, &body), LW_H1_NO_MEMORY);
    assert_int_equal(lw_h1_parser_next(&parser, &rest, &head, &body), LW_H1_NO_MEMORY);
    lw_h1_parser_done(&parser);
    failing_alloc_end();
}

static void finds_tokens_in_lists(void **state)
{
    (void)state;
    assert_true(lw_h1_list_has(LW_STR("a, Close ,b"), LW_STR("close")));
    assert_true(lw_h1_list_has(LW_STR("close"), LW_STR("close")));
    assert_false(lw_h1_list_has(LW_STR("xclose, closex, close x"), LW_STR("close")));
    assert_false(lw_h1_list_has(LW_STR(""), LW_STR("close")));
}

static void the_size_of_a_chunk_is_hexadecimal(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < sizeof(size_t) * 8; shift++) {
        for (int more = -1; more <= 1; more++) {
            size_t len = ((size_t)1 << shift) + (size_t)more;
            char line[LW_H1_CHUNK_SIZE_MAX], wanted[32];
            size_t written = lw_h1_write_chunk_size(line, len);
            assert_int_equal(written, snprintf(wanted, sizeof(wanted), "%zx\r\n", len));
            assert_memory_equal(line, wanted, written);
        }
    }
}

static void tokens_have_no_delimiters(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool is_delimiter = c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c);
        if (lw_h1_is_token_char((char)c) == is_delimiter)
            fail_msg("character %d: %d", c, is_delimiter);
    }
}

static void field_values_have_no_control_characters(void **state)
{
    (void)state;
    char text[20];
    for (size_t at = 0; at < sizeof(text); at++) {
        for (int c = 0; c < 256; c++) {
            bool is_control = (c < ' ' && c != '\t') || c == 0x7f;
            memset(text, 'x', sizeof(text));
            text[at] = (char)c;
            if (lw_h1_is_field_value(lw_str_make(text, sizeof(text))) == is_control)
                fail_msg("character %d at %zu: %d", c, at, is_control);
        }
    }
    assert_true(lw_h1_is_field_value(LW_STR("")));
    assert_true(lw_h1_is_field_value(LW_STR("\xc3\xa4\xff\x80 \xc3\xa4\xff\x80\t\xff")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_size_of_a_chunk_is_hexadecimal),
        TEST(reads_requests_with_and_without_bodies),
        TEST(reads_chunks_with_extensions_and_trailers),
        TEST(reads_one_request_after_the_other),
        TEST(refuses_malformed_request_lines),
        TEST(refuses_bare_line_ends_and_control_characters),
        TEST(refuses_malformed_header_fields),
        TEST(refuses_what_two_readers_would_frame_differently),
        TEST(refuses_malformed_chunks),
        TEST(bounds_heads_fields_and_framing),
        TEST(a_line_that_does_not_end_is_refused_at_the_limit),
        TEST(keeps_no_memory_between_requests),
        TEST(says_when_there_is_no_memory),
        TEST(finds_tokens_in_lists),
        TEST(tokens_have_no_delimiters),
        TEST(field_values_have_no_control_characters),
    };
    return cmocka_run_group_tests_name("h1_parse", tests, NULL, NULL);
}
