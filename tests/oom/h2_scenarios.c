/* SPDX-License-Identifier: Apache-2.0 */
/* h2_scenarios.c -- the HTTP/2 server, including nghttp2's memory, with each allocation failing in
 * turn.
 *
 * A client sees a complete and correct reply, or a reset stream, or a lost connection; never a
 * wrong reply. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "net/h1/ws.h"
#include "oom/oom.h"
#include "support/h2_pair.h"

enum {
    BIG = 100 * 1000,
};

static char big[BIG];

typedef struct site {
    h2_pair pair;
    lw_http_stream *held;
    unsigned heads, closed;
    unsigned given, released;
} site;

static void released(void *owner)
{
    ((site *)owner)->released++;
}

static lw_bytes give(site *s, size_t len)
{
    s->given++;
    return (lw_bytes){ big, len, released, s };
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((site *)arg)->closed++;
}

static size_t on_head(lw_http_stream *stream, void *arg)
{
    site *s = arg;
    s->heads++;
    stream->on_closed = on_closed;
    stream->arg = s;
    return LW_HTTP_BODY_MAX;
}

static void on_request(lw_http_stream *stream, void *arg)
{
    site *s = arg;
    const lw_http_header header = { LW_STR("Content-Type"), LW_STR("application/json") };
    const lw_http_reply reply = { 200, &header, 1 };
    if (stream->request.method == LW_HTTP_POST) {
        (void)lw_http_reply_whole(stream, &reply, give(s, stream->request.body.len));
        return;
    }
    if (lw_http_reply_begin(stream, &reply) == LW_OK)
        s->held = lw_http_stream_ref(stream);
}

static lw_status begin(site *s)
{
    const lw_http_handler handler = { .on_head = on_head, .on_request = on_request, .arg = s };
    memset(s, 0, sizeof(*s));
    return h2_pair_open(&s->pair, &handler, 0);
}

/* Checks what the client of |id| has seen: |len| bytes, or that memory ran out. */
static lw_status check_reply(const site *s, int32_t id, size_t len)
{
    const h2_answer *answer = h2_pair_answer(&s->pair, id);
    if (s->pair.conn.is_aborted || s->pair.conn.is_finished || answer->headers.st < 0 ||
        answer->body.st < 0 || answer->error > 0)
        return LW_ERR_NOMEM;
    bool is_right = answer->status == 200 && answer->is_ended && answer->body.len == len;
    return is_right ? LW_OK : LW_ERR_INTERNAL;
}

static lw_status end(site *s, lw_status st, lw_error *err)
{
    lw_http_stream_unref(s->held);
    h2_pair_close(&s->pair);
    if (s->closed != s->heads || s->given != s->released)
        st = LW_ERR_INTERNAL;
    return st < 0 ? lw_error_set(err, st, "HTTP/2 without memory") : LW_OK;
}

static lw_status answers_a_request_with_a_body(lw_error *err)
{
    static site s;
    lw_status st = begin(&s);
    if (st == LW_OK) {
        int32_t id = h2_pair_request_with(&s.pair, "POST", "/pods?dryRun=All", NULL, 0,
                                          lw_str_make(big, BIG), false);
        h2_pair_run(&s.pair);
        st = check_reply(&s, id, BIG);
    }
    return end(&s, st, err);
}

static lw_status streams_a_reply(lw_error *err)
{
    static site s;
    lw_status st = begin(&s);
    if (st == LW_OK) {
        int32_t id = h2_pair_request(&s.pair, "GET", "/watch", NULL);
        h2_pair_run(&s.pair);
        for (size_t at = 0; at < 3 && s.held; at++) {
            lw_bytes pieces[] = { give(&s, 20000), give(&s, 1), give(&s, 17000) };
            (void)lw_http_write(s.held, pieces, 3);
            h2_pair_run(&s.pair);
        }
        if (s.held)
            lw_http_end(s.held);
        h2_pair_run(&s.pair);
        st = check_reply(&s, id, 3 * (20000 + 1 + 17000));
    }
    return end(&s, st, err);
}

static lw_status loses_its_connection_with_replies_under_way(lw_error *err)
{
    static site s;
    lw_status st = begin(&s);
    if (st == LW_OK) {
        (void)h2_pair_request(&s.pair, "GET", "/watch", NULL);
        (void)h2_pair_request_with(&s.pair, "POST", "/pods", NULL, 0, lw_str_make(big, BIG), true);
        h2_pair_run(&s.pair);
        lw_bytes piece = give(&s, BIG);
        if (s.held)
            (void)lw_http_write(s.held, &piece, 1);
        else
            lw_bytes_release(piece);
        h2_pair_turn(&s.pair);
    }
    return end(&s, st, err);
}

static lw_status drains(lw_error *err)
{
    static site s;
    lw_status st = begin(&s);
    if (st == LW_OK) {
        int32_t id = h2_pair_request(&s.pair, "GET", "/watch", NULL);
        h2_pair_run(&s.pair);
        s.pair.conn.protocol->ops->drain(s.pair.conn.protocol);
        h2_pair_run(&s.pair);
        if (s.held)
            lw_http_end(s.held);
        h2_pair_run(&s.pair);
        const h2_answer *answer = h2_pair_answer(&s.pair, id);
        bool is_whole = answer->is_ended && s.pair.conn.is_finished && s.pair.goaway == 0;
        st = is_whole ? LW_OK : LW_ERR_NOMEM;
    }
    return end(&s, st, err);
}

static lw_status answers_the_frames_of_a_websocket(lw_error *err)
{
    static const char ping[] = "\x89\x82\0\0\0\0hi";
    lw_ws *ws = NULL;
    lw_buf out;
    bool is_closed = false;
    lw_buf_init(&out, 1000);
    lw_status st = lw_ws_new(&ws);
    for (int i = 0; i < 50 && st == LW_OK; i++)
        st = lw_ws_feed(ws, ping, sizeof(ping) - 1, &out, &is_closed);
    if (st == LW_OK)
        lw_ws_close(ws, 1000, &out);
    st = st < 0 ? st : out.st;
    if (st == LW_OK && out.len != 50 * 4 + 4)
        st = LW_ERR_INTERNAL;
    lw_ws_free(ws);
    lw_buf_done(&out);
    return st < 0 ? lw_error_set(err, st, "a WebSocket without memory") : LW_OK;
}

const oom_scenario h2_scenarios[] = {
    { "h2 answers a request with a body", answers_a_request_with_a_body },
    { "h2 streams a reply", streams_a_reply },
    { "h2 loses its connection with replies under way",
      loses_its_connection_with_replies_under_way },
    { "h2 drains", drains },
    { "ws answers frames", answers_the_frames_of_a_websocket },
};
const size_t h2_scenario_count = sizeof(h2_scenarios) / sizeof(h2_scenarios[0]);
