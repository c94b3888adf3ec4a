/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_scenarios.c -- the HTTP/2 client, including nghttp2's memory, with each allocation
 * failing in turn.  A call gets a complete and correct reply, or LW_ERR_NOMEM. */
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "support/h2_wire.h"

enum {
    BIG = 40 * 1000,
};

static char big[BIG];

/* The server's reply to two calls: "hello" and trailers to one, "world" to the other. */
static const char reply[] = "\0\0\1\1\4\0\0\0\1\x88"
                            "\0\0\1\1\4\0\0\0\3\x88"
                            "\0\0\5\0\0\0\0\0\1hello"
                            "\0\0\xf\1\5\0\0\0\1\0\xbgrpc-status\1"
                            "0"
                            "\0\0\5\0\1\0\0\0\3world";

typedef struct reply_seen {
    size_t body_len;
    bool has_head, has_trailers, is_closed;
    lw_status st;
} reply_seen;

typedef struct scene {
    h2_wire wire;
    reply_seen calls[2];
    unsigned given, released;
    lw_status down;
} scene;

static void released(void *owner)
{
    ((scene *)owner)->released++;
}

static void on_head(lw_h2_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    (void)call, (void)headers, (void)count;
    ((reply_seen *)arg)->has_head = status == 200;
}

static void on_data(lw_h2_call *call, const char *bytes, size_t len, void *arg)
{
    (void)call, (void)bytes;
    ((reply_seen *)arg)->body_len += len;
}

static void on_trailers(lw_h2_call *call, const lw_http_header *headers, size_t count, void *arg)
{
    (void)call, (void)headers;
    ((reply_seen *)arg)->has_trailers = count == 1;
}

static void on_close(lw_h2_call *call, const lw_error *err, bool is_unseen, void *arg)
{
    (void)call, (void)is_unseen;
    reply_seen *t = arg;
    t->is_closed = true;
    t->st = err ? err->code : LW_OK;
}

static void on_down(lw_h2_client *client, const lw_error *err, void *arg)
{
    (void)client;
    ((scene *)arg)->down = err->code;
}

static lw_status ask(scene *s, reply_seen *t)
{
    const lw_http_header header = { LW_STR("content-type"), LW_STR("application/grpc") };
    const lw_h2_call_sink sink = { on_head, on_data, on_trailers, NULL, on_close, t };
    lw_h2_call *call = NULL;
    lw_status st =
        lw_h2_call_open(&call, s->wire.client, LW_STR("POST"), LW_STR("/a"), &header, 1, &sink);
    if (st < 0)
        return s->down < 0 ? s->down : st;
    s->given++;
    return lw_h2_call_send(call, (lw_bytes){ big, BIG, released, s }, true);
}

/* Checks that the reply is correct, or that memory ran out. */
static lw_status check_reply(const scene *s, const reply_seen *t, bool has_trailers)
{
    if (t->is_closed && t->st == LW_OK)
        return t->has_head && t->body_len == 5 && t->has_trailers == has_trailers ? LW_OK
                                                                                  : LW_ERR_INTERNAL;
    return t->is_closed ? t->st : s->down < 0 ? s->down : LW_ERR_INTERNAL;
}

static lw_status calls_and_is_answered(lw_error *err)
{
    scene s;
    memset(&s, 0, sizeof(s));
    const lw_h2_client_options options = { .on_down = on_down, .arg = &s };
    lw_status st = h2_wire_open(&s.wire, &options);
    if (st == LW_OK)
        st = ask(&s, &s.calls[0]);
    if (st == LW_OK)
        st = ask(&s, &s.calls[1]);
    if (st == LW_OK) {
        h2_wire_give(&s.wire, H2_WIRE_SETTINGS, sizeof(H2_WIRE_SETTINGS) - 1);
        /* A server does not reply to requests that were not sent. */
        for (int i = 0; i < 2 && st == LW_OK; i++)
            st = s.calls[i].is_closed ? s.calls[i].st : LW_OK;
    }
    if (st == LW_OK) {
        h2_wire_give(&s.wire, reply, sizeof(reply) - 1);
        st = check_reply(&s, &s.calls[0], true);
    }
    if (st == LW_OK)
        st = check_reply(&s, &s.calls[1], false);
    h2_wire_close(&s.wire);
    if (s.given != s.released)
        st = LW_ERR_INTERNAL;
    return st < 0 ? lw_error_set(err, st, "a client of HTTP/2 without memory") : LW_OK;
}

const oom_scenario h2_client_scenarios[] = {
    { "calls and is answered", calls_and_is_answered },
};
const size_t h2_client_scenario_count =
    sizeof(h2_client_scenarios) / sizeof(h2_client_scenarios[0]);
