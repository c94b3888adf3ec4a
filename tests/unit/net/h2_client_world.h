/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client_world.h -- a client and a server of HTTP/2 on one loop, and what the client was told.
 */
#ifndef LW_TESTS_UNIT_NET_H2_CLIENT_WORLD_H
#define LW_TESTS_UNIT_NET_H2_CLIENT_WORLD_H

#include <listwatch/sys/clock.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "net/h2/h2_client.h"
#include "support/h2_peer.h"
#include "unit/test.h"

enum {
    WORLD_TURNS_MAX = 100000,
    WORLD_WAIT_MS = 5000,
    WORLD_TEXT_MAX = 128 * 1024 * 1024,
};

/* The options a test does not care about. */
#define WORLD_TIMEOUTS .connect_timeout_ms = 10000, .ping_idle_ms = 1000, .ping_timeout_ms = 500

typedef struct world {
    lw_manual_clock *clock;
    lw_loop *loop;
    h2_peer peer;
    lw_h2_client *client;
    unsigned ups, downs;
    lw_error down; /* why */
    bool frees_on_down;
} world;

/* What a call was told. */
typedef struct answer {
    world *world;
    lw_h2_call *call; /* NULL: over */
    int status;
    lw_buf headers, body, trailers; /* "name: value\n" */
    unsigned closes;
    bool is_unseen;
    lw_error err; /* of on_close; code LW_OK: none */
    bool frees_on_head, frees_on_data, frees_on_close, resets_on_data, resets_on_close;
} answer;

static inline void world_on_up(lw_h2_client *client, void *arg)
{
    world *w = arg;
    if (w->client)
        assert_ptr_equal(client, w->client);
    w->ups++;
}

static inline void world_free_client(world *w)
{
    lw_h2_client_free(w->client);
    w->client = NULL;
}

static inline void world_on_down(lw_h2_client *client, const lw_error *err, void *arg)
{
    world *w = arg;
    assert_ptr_equal(client, w->client);
    w->downs++;
    w->down = *err;
    if (w->frees_on_down)
        world_free_client(w);
}

/* A server, and no client yet. */
static inline void world_open(world *w)
{
    memset(w, 0, sizeof(*w));
    assert_int_equal(lw_manual_clock_new(&w->clock, LW_NS_PER_S), LW_OK);
    assert_int_equal(lw_loop_new(&w->loop, lw_manual_clock_as_clock(w->clock), NULL), LW_OK);
    assert_true(h2_peer_open(&w->peer, w->loop, "127.0.0.1:0"));
}

static inline void world_dial_with(world *w, lw_h2_client_options options)
{
    lw_error err = LW_ERROR_INIT;
    options.on_up = world_on_up;
    options.on_down = world_on_down;
    options.arg = w;
    if (!options.host)
        options.host = "127.0.0.1";
    if (options.port == 0)
        options.port = w->peer.port;
    if (lw_h2_client_open(&w->client, w->loop, &options, &err) < 0)
        fail_msg("%s", err.message);
}

static inline void world_dial(world *w)
{
    world_dial_with(w, (lw_h2_client_options){ WORLD_TIMEOUTS });
}

static inline void world_close(world *w)
{
    lw_h2_client_free(w->client);
    h2_peer_close(&w->peer);
    lw_loop_free(w->loop);
    lw_manual_clock_free(w->clock);
}

static inline void world_turn(world *w, int timeout_ms)
{
    h2_peer_flush(&w->peer);
    assert_int_equal(lw_loop_turn(w->loop, timeout_ms, NULL), LW_OK);
}

/* Turns the loop until |*number| is at least |wanted|. */
static inline void world_until_at(world *w, const unsigned *number, unsigned wanted,
                                  const char *file, int line)
{
    for (int i = 0; *number < wanted; i++) {
        if (i == WORLD_TURNS_MAX) {
            print_error("%u, not %u; down: %s\n", *number, wanted, w->down.message);
            _fail(file, line);
        }
        world_turn(w, WORLD_WAIT_MS);
    }
}
#define world_until(w, number, wanted) world_until_at((w), (number), (wanted), __FILE__, __LINE__)

/* Turns the loop as long as anything happens. */
static inline void world_settle(world *w)
{
    for (int i = 0; i < 50; i++)
        world_turn(w, 1);
}

/* Time passes, and is noticed. */
static inline void world_pass(world *w, int64_t ms)
{
    lw_manual_clock_advance(w->clock, ms * LW_NS_PER_MS);
    world_turn(w, 0);
}

static inline void answer_fields(lw_buf *out, const lw_http_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_buf_printf(out, "%.*s: %.*s\n", LW_STR_ARG(headers[i].name),
                      LW_STR_ARG(headers[i].value));
}

static inline void answer_on_head(lw_h2_call *call, int status, const lw_http_header *headers,
                                  size_t count, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    assert_int_equal(a->status, 0);
    a->status = status;
    answer_fields(&a->headers, headers, count);
    if (a->frees_on_head)
        world_free_client(a->world);
}

static inline void answer_on_data(lw_h2_call *call, const char *bytes, size_t len, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    lw_buf_append(&a->body, bytes, len);
    if (a->frees_on_data)
        world_free_client(a->world);
    if (a->resets_on_data) {
        lw_h2_call_reset(call);
        a->call = NULL;
    }
}

static inline void answer_on_trailers(lw_h2_call *call, const lw_http_header *headers, size_t count,
                                      void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    answer_fields(&a->trailers, headers, count);
}

static inline void answer_on_close(lw_h2_call *call, const lw_error *err, bool is_unseen, void *arg)
{
    answer *a = arg;
    assert_ptr_equal(call, a->call);
    a->call = NULL;
    a->closes++;
    a->is_unseen = is_unseen;
    if (err)
        a->err = *err;
    if (a->resets_on_close)
        lw_h2_call_reset(call);
    if (a->frees_on_close)
        world_free_client(a->world);
}

/* Opens a call of |a|, which is zeroed but for what the test has set. */
static inline lw_status answer_open(answer *a, world *w, const char *path)
{
    static const lw_http_header headers[] = {
        { LW_STR_INIT("content-type"), LW_STR_INIT("application/grpc") },
        { LW_STR_INIT("te"), LW_STR_INIT("trailers") },
    };
    const lw_h2_call_sink sink = { answer_on_head, answer_on_data,  answer_on_trailers,
                                   NULL,           answer_on_close, a };
    a->world = w;
    lw_buf_init(&a->headers, WORLD_TEXT_MAX);
    lw_buf_init(&a->body, WORLD_TEXT_MAX);
    lw_buf_init(&a->trailers, WORLD_TEXT_MAX);
    return lw_h2_call_open(&a->call, w->client, LW_STR("POST"), lw_str_of(path), headers, 2, &sink);
}

static inline void answer_send(answer *a, lw_str bytes, bool is_last)
{
    assert_int_equal(lw_h2_call_send(a->call, lw_bytes_static(bytes), is_last), LW_OK);
}

/* A call whose request is whole. */
static inline void answer_ask(answer *a, world *w, const char *path, const char *body)
{
    assert_int_equal(answer_open(a, w, path), LW_OK);
    answer_send(a, lw_str_of(body), true);
}

static inline void answer_done(answer *a)
{
    lw_buf_done(&a->headers);
    lw_buf_done(&a->body);
    lw_buf_done(&a->trailers);
}

#endif
