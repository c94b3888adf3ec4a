/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_h2.c -- the bytes of an HTTP/2 client: for any input, every request is closed once, every
 * piece of a reply is released once, and the queue is bounded.  The input is a byte that selects
 * how to split and how to answer, then the bytes after the preface. */
#include <stdlib.h>

#include "fuzz/fuzz.h"

#include "base/clock.h"
#include "base/str.h"
#include "support/fake_conn.h"

enum {
    HELD_MAX = 64,
    TAKEN_AT_ONCE = 100 * 1000,
    PENDING_MAX =
        LW_HTTP_QUEUE_HIGH + 64 * 1024, /* the high-water mark, and the frame that crosses it */
};

static char big[40 * 1000];

/* The state of the server for one input. */
typedef struct site {
    lw_http_stream *held[HELD_MAX];
    size_t held_count;
    unsigned heads, closed;
    unsigned given, released;
} site;

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

static void release(void *owner)
{
    ((site *)owner)->released++;
}

static lw_bytes give(site *s, size_t len)
{
    s->given++;
    return (lw_bytes){ big, len, release, s };
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((site *)arg)->closed++;
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    lw_bytes piece = give(arg, 1000);
    (void)lw_http_write(stream, &piece, 1);
}

static size_t on_head(lw_http_stream *stream, void *arg)
{
    site *s = arg;
    s->heads++;
    stream->on_closed = on_closed;
    stream->on_drained = on_drained;
    stream->arg = s;
    const lw_http_reply denied = { .status = 401 };
    if (stream->request.method == LW_HTTP_DELETE)
        (void)lw_http_reply_whole(stream, &denied, give(s, 10));
    return 1000;
}

/* Begins a reply that step() continues. */
static void on_request(lw_http_stream *stream, void *arg)
{
    site *s = arg;
    must(stream->request.path.len > 0 && stream->request.path.ptr[0] == '/');
    must(stream->request.header_count <= LW_HTTP_HEADERS_MAX + 1);
    must(stream->request.body.len <= 1000);
    const lw_http_reply reply = { .status = 200 };
    if (stream->request.path.len % 2 == 0 || s->held_count == HELD_MAX) {
        (void)lw_http_reply_whole(stream, &reply, give(s, stream->request.path.len * 100 % 40000));
        return;
    }
    (void)lw_http_reply_begin(stream, &reply);
    s->held[s->held_count++] = lw_http_stream_ref(stream);
}

static void write_to_held(site *s, unsigned how)
{
    for (size_t i = 0; i < s->held_count; i++) {
        lw_bytes pieces[] = { give(s, 13), give(s, sizeof(big)) };
        if (lw_http_pending(s->held[i]) <= LW_HTTP_QUEUE_HIGH)
            (void)lw_http_write(s->held[i], pieces, 2);
        else
            s->released += 2;
        if ((how + i) % 5 == 3)
            lw_http_end(s->held[i]);
        else if ((how + i) % 5 == 4)
            lw_http_abort(s->held[i]);
        else
            continue;
        lw_http_stream_unref(s->held[i]);
        s->held[i--] = s->held[--s->held_count];
    }
}

/* The client reads some bytes, and the clock advances. */
static void step(site *s, lw_conn *conn, lw_manual_clock *clock, unsigned how)
{
    must(lw_loop_turn(conn->loop, 0, NULL) == LW_OK);
    must(lw_conn_pending(conn) <= PENDING_MAX);
    write_to_held(s, how);
    lw_manual_clock_advance(clock, LW_NS_PER_S);
    must(lw_loop_turn(conn->loop, 0, NULL) == LW_OK);
    (void)fake_conn_take(conn, TAKEN_AT_ONCE);
    fake_conn_refill(conn);
}

static void run(site *s, const uint8_t *data, size_t size)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
    const lw_http_handler handler = { .on_head = on_head, .on_request = on_request, .arg = s };
    lw_manual_clock *clock = NULL;
    lw_loop *loop = NULL;
    lw_conn conn;
    must(lw_manual_clock_new(&clock, 0) == LW_OK);
    must(lw_loop_new(&loop, lw_manual_clock_as_clock(clock), NULL) == LW_OK);
    must(fake_conn_open(&conn, loop, &handler) == LW_OK);
    fake_conn_feed(&conn, preface, sizeof(preface), SIZE_MAX);
    size_t part = data[0] % 8 == 0 ? size : (size_t)data[0] * 4;
    for (size_t at = 1; at < size && !conn.is_finished && !conn.is_aborted; at += part) {
        fake_conn_feed(&conn, data + at, size - at < part ? size - at : part, SIZE_MAX);
        step(s, &conn, clock, data[0] + (unsigned)at);
    }
    if (data[0] & 1 && !conn.is_finished && !conn.is_aborted)
        conn.protocol->ops->drain(conn.protocol);
    step(s, &conn, clock, data[0]);
    fake_conn_close(&conn);
    must(conn.streams == 0);
    must(s->closed == s->heads);
    for (size_t i = 0; i < s->held_count; i++)
        lw_http_stream_unref(s->held[i]);
    lw_loop_free(loop);
    lw_manual_clock_free(clock);
    must(s->released == s->given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    site s = { .held_count = 0 };
    if (size > 0)
        run(&s, data, size);
    return 0;
}
