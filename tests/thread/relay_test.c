/* SPDX-License-Identifier: Apache-2.0 */
/* relay_test.c -- requests that are served on another thread than that of their connection, while
 * clients are slow, leave, and the server stops. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "net/relay.h"
#include "support/fake_http.h"
#include "thread/crew.h"

enum {
    REQUESTS = 600,
    PORTIONS = 12,
    PORTION = 40 * 1024,
};

typedef struct race {
    lw_loop *near, *far;
    lw_thread near_thread, far_thread;
    lw_task begin; /* on the connections' loop */
    unsigned open; /* the connections' thread only */
    atomic_uint freed, served, left;
} race;

/* A request: both sides of it. */
typedef struct exchange {
    race *of;
    unsigned number;
    fake_http *client;
    lw_relay *relay;
    lw_task take, look;
    unsigned looks;

    lw_http_stream *stream; /* the worker's thread only */
    unsigned portions;
    bool is_whole; /* replied in one part */
} exchange;

static void run_loop(void *arg)
{
    (void)lw_loop_run(arg, NULL);
}

static lw_bytes portion(void)
{
    char *bytes = lw_alloc_zero(1, PORTION);
    if (!bytes)
        abort();
    return (lw_bytes){ bytes, PORTION, lw_free, bytes };
}

static void produce(exchange *x)
{
    while (x->portions < PORTIONS && lw_http_wants_more(x->stream)) {
        lw_bytes piece = portion();
        x->portions++;
        (void)lw_http_write(x->stream, &piece, 1);
    }
    if (x->portions == PORTIONS) {
        x->portions++;
        lw_http_end(x->stream);
    }
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    (void)stream;
    produce(arg);
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    exchange *x = arg;
    (void)stream;
    x->portions = PORTIONS + 1;
    lw_http_stream_unref(x->stream);
    x->stream = NULL;
}

static void take(lw_task *task)
{
    static const lw_http_header headers[] = { { LW_STR_INIT("a"), LW_STR_INIT("b") } };
    static const lw_http_reply ok = { 200, headers, 1 };
    exchange *x = LW_DLIST_ITEM(&task->link, exchange, take.link);
    lw_http_stream *stream = lw_relay_take(x->relay, x->of->far);
    if (!stream) {
        atomic_fetch_add(&x->of->left, 1);
        return;
    }
    atomic_fetch_add(&x->of->served, 1);
    if (x->number % 3 == 0) {
        (void)lw_http_reply_whole(stream, &ok, portion());
        return;
    }
    x->stream = lw_http_stream_ref(stream);
    stream->on_drained = on_drained;
    stream->on_closed = on_closed;
    stream->arg = x;
    (void)lw_http_reply_begin(stream, &ok);
    if (x->number % 7 == 1)
        lw_http_abort(stream);
    else
        produce(x);
}

/* The relay, and with it the request, is freed, on either thread. */
static void freed(void *arg)
{
    exchange *x = arg;
    atomic_fetch_add(&x->of->freed, 1);
}

/* The client reads, or leaves after some time. */
static void look(lw_task *task)
{
    exchange *x = LW_DLIST_ITEM(&task->link, exchange, look.link);
    race *of = x->of;
    fake_http_drain(x->client);
    if (x->number % 5 == 0 && x->looks++ == x->number % 11)
        fake_http_close(x->client);
    if (!x->client->stream.is_closed) {
        lw_loop_later(of->near, &x->look);
        return;
    }
    fake_http_free(x->client);
    x->client = NULL;
    if (--of->open == 0)
        lw_loop_stop(of->near);
}

static void begin_all(lw_task *task)
{
    race *of = LW_DLIST_ITEM(&task->link, race, begin.link);
    static const fake_http_request request = { .method = "GET", .target = "/a" };
    exchange *all = calloc(REQUESTS, sizeof(*all));
    if (!all)
        abort();
    for (unsigned i = 0; i < REQUESTS; i++) {
        exchange *x = &all[i];
        *x = (exchange){ .of = of, .number = i, .take.run = take, .look.run = look };
        x->client = fake_http_new(of->near, &request);
        x->client->is_slow = true;
        x->client->keeps_no_body = true;
        x->relay = lw_relay_new(&x->client->stream, (lw_relay_owner){ freed, x });
        lw_loop_post(of->far, &x->take);
        of->open++;
        lw_loop_later(of->near, &x->look);
    }
    lw_loop_set_data(of->near, all);
}

static void every_request_ends_whoever_is_faster(void **state)
{
    (void)state;
    race of = { .begin.run = begin_all };
    assert_int_equal(lw_loop_new(&of.near, NULL, NULL), LW_OK);
    assert_int_equal(lw_loop_new(&of.far, NULL, NULL), LW_OK);
    lw_loop_post(of.near, &of.begin);
    assert_int_equal(lw_thread_start(&of.near_thread, "near", run_loop, of.near, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&of.far_thread, "far", run_loop, of.far, NULL), LW_OK);
    lw_thread_join(&of.near_thread); /* every client has its reply or has left */
    lw_loop_stop(of.far);
    lw_thread_join(&of.far_thread);
    exchange *all = lw_loop_data(of.near);
    /* The loop of the connections goes first, as in a server. */
    lw_loop_free(of.near);
    lw_loop_free(of.far);
    assert_int_equal(atomic_load(&of.served) + atomic_load(&of.left), REQUESTS);
    assert_int_equal(atomic_load(&of.freed), REQUESTS);
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_request_ends_whoever_is_faster),
    };
    return cmocka_run_group_tests_name("relay", tests, NULL, NULL);
}
