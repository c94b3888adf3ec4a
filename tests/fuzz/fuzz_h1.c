/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_h1.c -- HTTP/1.1 requests: the first byte selects how the rest is split.  The parser and the
 * protocol give the same result for all splits, and the protocol always ends. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "support/fake_conn.h"
#include "support/h1_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    OUTPUT_MAX = 1 << 24,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_parser(lw_str input, size_t step)
{
    lw_buf whole, cut;
    lw_buf_init(&whole, OUTPUT_MAX);
    lw_buf_init(&cut, OUTPUT_MAX);
    h1_transcript(&whole, input, input.len, 0);
    h1_transcript(&cut, input, step, step);
    must(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    lw_buf_done(&whole);
    lw_buf_done(&cut);
}

static size_t on_head(lw_http_stream *stream, void *arg)
{
    lw_http_reply reply = { .status = 401 };
    (void)arg;
    if (lw_str_equal(stream->request.path, LW_STR("/401")))
        (void)lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR("no")));
    return lw_str_equal(stream->request.path, LW_STR("/5")) ? 5 : LW_HTTP_BODY_MAX;
}

/* Answers with the parsed request, so that a parser error shows in the output. */
static void on_request(lw_http_stream *stream, void *arg)
{
    const lw_http_request *request = &stream->request;
    lw_http_reply reply = { 200, request->headers, request->header_count };
    lw_bytes pieces[] = { lw_bytes_static(request->path), lw_bytes_static(request->body) };
    (void)arg;
    if (lw_str_equal(request->path, LW_STR("/f")))
        return;
    if (request->is_websocket || lw_str_equal(request->path, LW_STR("/s"))) {
        (void)lw_http_reply_begin(stream, &reply);
        (void)lw_http_write(stream, pieces, 2);
        if (!request->is_websocket)
            lw_http_end(stream);
    } else {
        (void)lw_http_reply_whole(stream, &reply, pieces[1]);
    }
}

static void take_all(lw_conn *conn, lw_buf *out)
{
    lw_str piece;
    while ((piece = fake_conn_take(conn, SIZE_MAX)).len > 0) {
        lw_buf_append_str(out, piece);
        fake_conn_refill(conn);
    }
}

static void converse(lw_loop *loop, lw_str input, size_t step, lw_buf *out)
{
    static const lw_http_handler handler = { on_head, NULL, on_request, NULL };
    lw_conn conn = { .loop = loop, .handler = handler };
    lw_buf_init(&conn.queue, FAKE_CONN_QUEUE_MAX);
    must(lw_h1_new(&conn.protocol, &conn) == LW_OK);
    while (input.len > 0 && !conn.is_finished && !conn.is_aborted) {
        size_t len = step < input.len ? step : input.len;
        fake_conn_feed(&conn, input.ptr, len, len);
        /* Reply bodies are views of requests, so take them while those are alive. */
        take_all(&conn, out);
        input = lw_str_skip(input, len);
    }
    must(conn.streams >= 0);
    fake_conn_close(&conn);
    must(conn.streams == 0);
}

static void check_protocol(lw_str input, size_t step)
{
    lw_loop *loop = NULL;
    lw_buf whole, cut;
    must(lw_loop_new(&loop, NULL, NULL) == LW_OK);
    lw_buf_init(&whole, OUTPUT_MAX);
    lw_buf_init(&cut, OUTPUT_MAX);
    converse(loop, input, SIZE_MAX, &whole);
    converse(loop, input, step, &cut);
    must(lw_str_equal(lw_buf_view(&whole), lw_buf_view(&cut)));
    must(whole.len == 0 || lw_str_starts_with(lw_buf_view(&whole), LW_STR("HTTP/1.1 ")));
    lw_buf_done(&whole);
    lw_buf_done(&cut);
    lw_loop_free(loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    size_t step = data[0] ? data[0] : 1;
    lw_str input = lw_str_make((const char *)data + 1, size - 1);
    check_parser(input, step);
    check_protocol(input, step);
    return 0;
}
