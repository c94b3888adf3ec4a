/* SPDX-License-Identifier: Apache-2.0 */
/* relay_test.c -- a request that is served on another loop than that of its connection.  Both loops
 * run in this thread, one after the other; tests/thread/relay_test.c runs them at the same time. */
#include "net/relay.h"

#include "base/alloc.h"
#include "base/str.h"
#include "support/fake_http.h"
#include "unit/test.h"

enum {
    PORTION = 100 * 1024,
};

typedef struct bench {
    lw_loop *near;          /* the connection's */
    lw_loop *far;           /* the worker's */
    fake_http *client;      /* the connection's stream */
    lw_http_stream *stream; /* the relay's, with a reference of the test; NULL: not taken */
    unsigned drained, closed, freed;
} bench;

static void on_drained(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((bench *)arg)->drained++;
}

static void on_closed(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((bench *)arg)->closed++;
}

static void on_freed(void *arg)
{
    ((bench *)arg)->freed++;
}

static lw_relay *bench_begin(bench *b)
{
    static const fake_http_request request = { .method = "POST",
                                               .target = "/a?b=c",
                                               .headers = { "accept", "text/plain" },
                                               .body = LW_STR_INIT("the body") };
    static const char caller[] = "the caller";
    *b = (bench){ 0 };
    assert_int_equal(lw_loop_new(&b->near, NULL, NULL), LW_OK);
    assert_int_equal(lw_loop_new(&b->far, NULL, NULL), LW_OK);
    b->client = fake_http_new(b->near, &request);
    assert_non_null(b->client);
    b->client->stream.caller = caller;
    lw_relay *relay = lw_relay_new(&b->client->stream, (lw_relay_owner){ on_freed, b });
    assert_non_null(relay);
    return relay;
}

/* The worker takes the request. */
static void bench_take(bench *b, lw_relay *relay)
{
    b->stream = lw_relay_take(relay, b->far);
    assert_non_null(b->stream);
    (void)lw_http_stream_ref(b->stream);
    b->stream->on_drained = on_drained;
    b->stream->on_closed = on_closed;
    b->stream->arg = b;
}

static void bench_open(bench *b)
{
    bench_take(b, bench_begin(b));
}

static void turn(lw_loop *loop)
{
    assert_int_equal(lw_loop_turn(loop, 0, NULL), LW_OK);
}

static void both_turn(bench *b)
{
    turn(b->near);
    turn(b->far);
}

/* Every reference is released, in whatever order the loops are freed. */
static void bench_close(bench *b)
{
    fake_http_free(b->client);
    both_turn(b);
    if (b->stream) {
        assert_int_equal(b->closed, 1);
        lw_http_stream_unref(b->stream);
    }
    assert_int_equal(b->freed, 1);
    lw_loop_free(b->near);
    lw_loop_free(b->far);
}

static lw_bytes portion(size_t len)
{
    char *bytes = lw_alloc(len);
    assert_non_null(bytes);
    memset(bytes, 'x', len);
    return (lw_bytes){ bytes, len, lw_free, bytes };
}

static const lw_http_header one_header[] = { { LW_STR_INIT("X-Test"), LW_STR_INIT("yes") } };
static const lw_http_reply ok = { 200, one_header, 1 };

static void the_worker_sees_the_request_and_its_caller(void **state)
{
    bench b;
    lw_str accept;
    (void)state;
    bench_open(&b);
    assert_ptr_equal(b.stream->loop, b.far);
    assert_int_equal(b.stream->request.method, LW_HTTP_POST);
    assert_str_equal(b.stream->request.path, "/a");
    assert_str_equal(b.stream->request.query, "b=c");
    assert_str_equal(b.stream->request.body, "the body");
    assert_true(lw_http_request_header(&b.stream->request, "accept", &accept));
    assert_str_equal(accept, "text/plain");
    assert_string_equal(b.stream->caller, "the caller");
    bench_close(&b);
}

static void a_reply_is_sent_on_the_loop_of_the_connection(void **state)
{
    bench b;
    lw_str value;
    (void)state;
    bench_open(&b);
    assert_int_equal(lw_http_reply_whole(b.stream, &ok, lw_bytes_static(LW_STR("hello"))), LW_OK);
    turn(b.far);
    assert_int_equal(b.client->status, 0);
    turn(b.near);
    assert_int_equal(b.client->status, 200);
    assert_str_equal(lw_buf_view(&b.client->body), "hello");
    assert_true(fake_http_header(b.client, "x-test", 0, &value));
    assert_str_equal(value, "yes");
    turn(b.far);
    assert_int_equal(b.closed, 1);
    bench_close(&b);
}

static void the_parts_of_a_streamed_reply_keep_their_order(void **state)
{
    bench b;
    (void)state;
    bench_open(&b);
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    const lw_bytes pieces[] = { lw_bytes_static(LW_STR("a")), lw_bytes_static(LW_STR("b")) };
    assert_int_equal(lw_http_write(b.stream, pieces, 2), LW_OK);
    both_turn(&b);
    assert_int_equal(lw_http_write(b.stream, pieces, 1), LW_OK);
    lw_http_end(b.stream);
    both_turn(&b);
    assert_true(b.client->is_streamed);
    assert_true(b.client->is_ended);
    assert_int_equal(b.client->messages, 2);
    assert_str_equal(lw_buf_view(&b.client->body), "aba");
    bench_close(&b);
}

static void a_producer_waits_while_its_client_is_slow(void **state)
{
    bench b;
    size_t written = 0;
    (void)state;
    bench_open(&b);
    b.client->is_slow = true;
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    for (int i = 0; i < 100; i++) {
        if (lw_http_wants_more(b.stream)) {
            lw_bytes piece = portion(PORTION);
            assert_int_equal(lw_http_write(b.stream, &piece, 1), LW_OK);
            written += PORTION;
        }
        both_turn(&b);
    }
    /* One queue at the connection, one at the relay. */
    assert_true(written <= 2 * (LW_HTTP_QUEUE_HIGH + PORTION));
    assert_int_equal(b.drained, 0);
    fake_http_drain(b.client); /* delivers what the relay has queued */
    fake_http_drain(b.client);
    both_turn(&b);
    assert_int_equal(b.drained, 1);
    assert_true(lw_http_wants_more(b.stream));
    assert_int_equal(lw_http_pending(b.stream), 0);
    bench_close(&b);
}

static void a_producer_makes_nothing_for_a_client_that_takes_nothing(void **state)
{
    bench b;
    (void)state;
    lw_relay *relay = bench_begin(&b);
    b.client->takes_nothing = true;
    assert_false(lw_http_wants_more(&b.client->stream)); /* asks to be notified */
    bench_take(&b, relay);
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    both_turn(&b);
    assert_false(lw_http_wants_more(b.stream));
    fake_http_drain(b.client);
    both_turn(&b);
    assert_int_equal(b.drained, 1);
    assert_true(lw_http_wants_more(b.stream));
    bench_close(&b);
}

static void a_client_that_leaves_is_noticed_by_the_worker(void **state)
{
    bench b;
    (void)state;
    bench_open(&b);
    fake_http_close(b.client);
    assert_int_equal(b.closed, 0);
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_ERR_STOPPED);
    lw_bytes piece = portion(10);
    assert_int_equal(lw_http_write(b.stream, &piece, 1), LW_ERR_STOPPED);
    lw_http_end(b.stream);
    turn(b.far);
    assert_int_equal(b.closed, 1);
    assert_true(b.stream->is_closed);
    /* The request stays valid as long as the handler has its reference. */
    assert_str_equal(b.stream->request.body, "the body");
    bench_close(&b);
}

static void a_client_that_leaves_releases_what_was_on_its_way(void **state)
{
    bench b;
    (void)state;
    bench_open(&b);
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    lw_bytes piece = portion(10); /* a leak is found by the sanitizer */
    assert_int_equal(lw_http_write(b.stream, &piece, 1), LW_OK);
    fake_http_close(b.client);
    both_turn(&b);
    assert_int_equal(b.client->status, 0);
    bench_close(&b);
}

static void a_request_whose_client_left_is_not_served(void **state)
{
    bench b;
    (void)state;
    lw_relay *relay = bench_begin(&b);
    fake_http_close(b.client);
    assert_null(lw_relay_take(relay, b.far));
    assert_int_equal(b.freed, 1);
    bench_close(&b);
}

static void an_abort_does_not_wait_for_a_slow_client(void **state)
{
    bench b;
    (void)state;
    bench_open(&b);
    b.client->is_slow = true;
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    for (int i = 0; i < 8; i++) {
        lw_bytes piece = portion(PORTION);
        assert_int_equal(lw_http_write(b.stream, &piece, 1), LW_OK);
    }
    both_turn(&b);
    /* The connection's queue is bounded even if the producer does not ask. */
    assert_true(b.client->pending <= LW_HTTP_QUEUE_HIGH + PORTION);
    size_t before = b.client->messages;
    lw_http_abort(b.stream);
    both_turn(&b);
    assert_true(b.client->is_aborted);
    assert_int_equal(b.client->messages, before);
    assert_int_equal(b.closed, 1);
    bench_close(&b);
}

static void nothing_follows_a_part_that_could_not_be_sent(void **state)
{
    bench b;
    (void)state;
    bench_open(&b);
    b.client->is_out_of_memory = true;
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    lw_bytes piece = portion(10);
    assert_int_equal(lw_http_write(b.stream, &piece, 1), LW_OK);
    lw_http_end(b.stream);
    both_turn(&b);
    assert_true(b.client->is_aborted);
    assert_false(b.client->is_ended);
    assert_int_equal(b.client->messages, 0);
    bench_close(&b);
}

static void a_loop_that_is_freed_first_is_not_used_again(void **state)
{
    bench b;
    (void)state;
    bench_open(&b);
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_OK);
    fake_http_free(b.client);
    lw_loop_free(b.near);
    assert_int_equal(lw_http_reply_begin(b.stream, &ok), LW_ERR_STOPPED);
    lw_http_end(b.stream); /* the sanitizer notices a task that is posted to the freed loop */
    turn(b.far);
    assert_int_equal(b.closed, 1);
    lw_http_stream_unref(b.stream);
    assert_int_equal(b.freed, 1);
    lw_loop_free(b.far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_worker_sees_the_request_and_its_caller),
        TEST(a_reply_is_sent_on_the_loop_of_the_connection),
        TEST(the_parts_of_a_streamed_reply_keep_their_order),
        TEST(a_producer_waits_while_its_client_is_slow),
        TEST(a_producer_makes_nothing_for_a_client_that_takes_nothing),
        TEST(a_client_that_leaves_is_noticed_by_the_worker),
        TEST(a_client_that_leaves_releases_what_was_on_its_way),
        TEST(a_request_whose_client_left_is_not_served),
        TEST(an_abort_does_not_wait_for_a_slow_client),
        TEST(nothing_follows_a_part_that_could_not_be_sent),
        TEST(a_loop_that_is_freed_first_is_not_used_again),
    };
    return cmocka_run_group_tests_name("relay", tests, NULL, NULL);
}
