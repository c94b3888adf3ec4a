/* SPDX-License-Identifier: Apache-2.0 */
/* h2_send_test.c -- bytes on their way to clients that are many, slow or gone. */
#include "net/h2/h2.h"
#include "unit/net/h2_site.h"

enum {
    BIG = 10 * 1024 * 1024,
    FRAME_MAX = 16 * 1024 + 9,
    SMALL_WINDOW = 1000,
};

/* Bytes with an owner who counts how often they came back. */
typedef struct counted {
    char *bytes;
    size_t len;
    unsigned released;
} counted;

static void counted_release(void *owner)
{
    ((counted *)owner)->released++;
}

static void counted_init(counted *c, size_t len)
{
    *c = (counted){ .bytes = malloc(len), .len = len };
    assert_non_null(c->bytes);
    for (size_t i = 0; i < len; i++)
        c->bytes[i] = (char)(i * 31 % 253);
}

/* Gives the memory back for good: who reads on is found out. */
static void counted_done(counted *c)
{
    free(c->bytes);
}

static lw_bytes counted_bytes(counted *c)
{
    return (lw_bytes){ c->bytes, c->len, counted_release, c };
}

static void assert_body_is(const h2_answer *answer, const counted *c)
{
    assert_int_equal(answer->body.len, c->len);
    assert_memory_equal(answer->body.data, c->bytes, c->len);
}

static void a_big_reply_arrives_byte_by_byte_and_is_released_once(void **state)
{
    (void)state;
    h2_site *site = site_open();
    counted big;
    counted_init(&big, BIG);
    int32_t id;
    const lw_http_reply reply = { .status = 200 };
    assert_int_equal(lw_http_reply_whole(site_hold(site, &id), &reply, counted_bytes(&big)), LW_OK);
    h2_pair_run(&site->pair);
    assert_body_is(site_answer(site, id), &big);
    assert_int_equal(big.released, 1);
    counted_done(&big);
    site_close(site);
}

static void what_lies_in_the_connection_is_bounded(void **state)
{
    (void)state;
    h2_site *site = site_open_with(BIG * 2);
    nghttp2_session_set_local_window_size(site->pair.client, NGHTTP2_FLAG_NONE, 0, BIG * 2);
    counted big;
    counted_init(&big, BIG);
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    lw_bytes piece = counted_bytes(&big);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    site->pair.take_max = 50 * 1000;
    size_t largest = 0;
    do {
        h2_pair_turn(&site->pair);
        if (lw_conn_pending(&site->pair.conn) > largest)
            largest = lw_conn_pending(&site->pair.conn);
        (void)h2_pair_send(&site->pair);
    } while (h2_pair_receive(&site->pair));
    assert_true(largest > LW_HTTP_QUEUE_HIGH);
    assert_true(largest <= LW_HTTP_QUEUE_HIGH + FRAME_MAX);
    assert_body_is(site_answer(site, id), &big);
    assert_int_equal(big.released, 1);
    counted_done(&big);
    site_close(site);
}

static void one_piece_may_lie_in_many_streams(void **state)
{
    (void)state;
    enum {
        STREAMS = LW_HTTP_STREAMS_MAX,
    };
    h2_site *site = site_open();
    counted event;
    counted_init(&event, 2000);
    static int32_t ids[STREAMS];
    for (size_t i = 0; i < STREAMS; i++)
        ids[i] = h2_pair_request(&site->pair, "GET", "/hold", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site->held_count, STREAMS);
    assert_int_equal(site->pair.conn.streams, STREAMS);
    for (size_t i = 0; i < STREAMS; i++) {
        site_begin(site->held[i]);
        lw_bytes piece = counted_bytes(&event);
        assert_int_equal(lw_http_write(site->held[i], &piece, 1), LW_OK);
    }
    h2_pair_run(&site->pair);
    for (size_t i = 0; i < STREAMS; i++) {
        assert_body_is(site_answer(site, ids[i]), &event);
        lw_http_end(site->held[i]);
    }
    h2_pair_run(&site->pair);
    assert_int_equal(event.released, STREAMS);
    assert_int_equal(site->closed, STREAMS);
    assert_true(site->pair.conn.protocol->ops->is_idle(site->pair.conn.protocol));
    counted_done(&event);
    site_close(site);
}

static void a_stalled_stream_blocks_no_other(void **state)
{
    (void)state;
    h2_site *site = site_open_with(SMALL_WINDOW);
    counted big;
    counted_init(&big, BIG);
    int32_t stalled, other;
    lw_http_stream *stream = site_hold(site, &stalled);
    site_begin(stream);
    lw_bytes piece = counted_bytes(&big);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    site->pair.starved = stalled;
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, stalled)->body.len, SMALL_WINDOW);
    assert_int_equal(lw_http_pending(stream), BIG - SMALL_WINDOW);
    other = h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, other)->status, 200);
    assert_true(site_answer(site, other)->is_ended);
    assert_int_equal(big.released, 0);
    nghttp2_submit_rst_stream(site->pair.client, NGHTTP2_FLAG_NONE, stalled, NGHTTP2_CANCEL);
    h2_pair_run(&site->pair);
    assert_int_equal(big.released, 1);
    counted_done(&big);
    site_close(site);
}

static void streams_take_turns(void **state)
{
    (void)state;
    h2_site *site = site_open_with(BIG);
    nghttp2_session_set_local_window_size(site->pair.client, NGHTTP2_FLAG_NONE, 0, BIG);
    counted big;
    counted_init(&big, 200 * 1024);
    int32_t first, second;
    lw_http_stream *a = site_hold(site, &first);
    lw_http_stream *b = site_hold(site, &second);
    const lw_http_reply reply = { .status = 200 };
    assert_int_equal(lw_http_reply_whole(a, &reply, counted_bytes(&big)), LW_OK);
    assert_int_equal(lw_http_reply_whole(b, &reply, counted_bytes(&big)), LW_OK);
    h2_pair_turn(&site->pair);
    (void)h2_pair_receive(&site->pair);
    size_t got_a = site_answer(site, first)->body.len;
    size_t got_b = site_answer(site, second)->body.len;
    assert_true(got_a > 0 && got_b > 0);
    assert_true(got_a < got_b + FRAME_MAX && got_b < got_a + FRAME_MAX);
    h2_pair_run(&site->pair);
    assert_int_equal(big.released, 2);
    counted_done(&big);
    site_close(site);
}

static void pieces_of_all_sizes_are_put_together_in_order(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 16383, 1, 16384, 16385, 0, 40000, 3, 9, 100000, 2 };
    h2_site *site = site_open_with(7001);
    counted pieces[sizeof(sizes) / sizeof(sizes[0])];
    lw_bytes bytes[sizeof(sizes) / sizeof(sizes[0])];
    lw_buf expected;
    lw_buf_init(&expected, BIG);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        counted_init(&pieces[i], sizes[i] + 1);
        pieces[i].len = sizes[i];
        bytes[i] = counted_bytes(&pieces[i]);
        lw_buf_append(&expected, pieces[i].bytes, sizes[i]);
    }
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    assert_int_equal(lw_http_write(stream, bytes, sizeof(sizes) / sizeof(sizes[0])), LW_OK);
    lw_http_end(stream);
    h2_pair_run(&site->pair);
    const h2_answer *answer = site_answer(site, id);
    assert_true(answer->is_ended);
    assert_true(lw_str_equal(lw_buf_view(&answer->body), lw_buf_view(&expected)));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_int_equal(pieces[i].released, 1);
        counted_done(&pieces[i]);
    }
    lw_buf_done(&expected);
    site_close(site);
}

static void count_drained(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((h2_site *)arg)->drained++;
}

static void a_producer_is_told_when_its_window_opens(void **state)
{
    (void)state;
    h2_site *site = site_open_with(SMALL_WINDOW);
    counted bytes;
    counted_init(&bytes, SMALL_WINDOW);
    int32_t id, other_id;
    lw_http_stream *stream = site_hold(site, &id), *other = site_hold(site, &other_id);
    stream->on_drained = count_drained;
    assert_true(lw_http_wants_more(stream));
    site->pair.starved = id;
    site_begin(stream);
    lw_bytes piece = counted_bytes(&bytes);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    h2_pair_run(&site->pair);
    assert_int_equal(bytes.released, 1); /* nothing is queued, but the window is used up */
    assert_false(lw_http_wants_more(stream));
    assert_true(lw_http_wants_more(other));
    h2_pair_run(&site->pair);
    assert_int_equal(site->drained, 0);
    assert_int_equal(nghttp2_submit_window_update(site->pair.client, 0, id, SMALL_WINDOW), 0);
    h2_pair_run(&site->pair);
    assert_int_equal(site->drained, 1);
    assert_true(lw_http_wants_more(stream));
    counted_done(&bytes);
    site_close(site);
}

static void a_stream_that_waits_for_its_window_too_long_is_reset(void **state)
{
    (void)state;
    h2_site *site = site_open_with(SMALL_WINDOW);
    counted bytes;
    counted_init(&bytes, SMALL_WINDOW);
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site->pair.starved = id;
    site_begin(stream);
    lw_bytes piece = counted_bytes(&bytes);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    h2_pair_run(&site->pair);
    assert_false(lw_http_wants_more(stream));
    lw_manual_clock_advance(site->pair.clock, (LW_HTTP_STALL_TIMEOUT_S + 1) * INT64_C(1000000000));
    h2_pair_turn(&site->pair);
    h2_pair_run(&site->pair);
    assert_true(stream->is_closed);
    assert_int_equal(site_answer(site, id)->error, NGHTTP2_CANCEL);
    counted_done(&bytes);
    site_close(site);
}

static void a_connection_holds_a_bounded_number_of_bytes(void **state)
{
    (void)state;
    enum {
        STREAMS = 100,
        PIECE = 200 * 1024,
    };
    h2_site *site = site_open_with(SMALL_WINDOW);
    counted bytes;
    counted_init(&bytes, PIECE);
    size_t written = 0;
    site->pair.is_starving_all = true;
    for (int i = 0; i < STREAMS; i++) {
        int32_t id;
        lw_http_stream *stream = site_hold(site, &id);
        site_begin(stream);
        if (!lw_http_wants_more(stream))
            continue;
        lw_bytes piece = counted_bytes(&bytes);
        assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
        written += PIECE;
        h2_pair_run(&site->pair);
    }
    assert_in_range(written, PIECE, LW_H2_QUEUED_MAX + PIECE + STREAMS * SMALL_WINDOW);
    counted_done(&bytes);
    site_close(site);
}

static void a_reset_midway_releases_what_is_left(void **state)
{
    (void)state;
    h2_site *site = site_open();
    counted big;
    counted_init(&big, BIG);
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    lw_bytes piece = counted_bytes(&big);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    h2_pair_turn(&site->pair);
    (void)h2_pair_receive(&site->pair);
    assert_true(site_answer(site, id)->body.len > 0);
    assert_int_equal(big.released, 0);
    nghttp2_submit_rst_stream(site->pair.client, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    h2_pair_run(&site->pair);
    assert_int_equal(big.released, 1);
    assert_true(stream->is_closed);
    counted_done(&big);
    site_close(site);
}

static void a_lost_connection_releases_what_is_left(void **state)
{
    (void)state;
    h2_site *site = site_open();
    counted big;
    counted_init(&big, BIG);
    int32_t id;
    const lw_http_reply reply = { .status = 200 };
    assert_int_equal(lw_http_reply_whole(site_hold(site, &id), &reply, counted_bytes(&big)), LW_OK);
    h2_pair_turn(&site->pair);
    fake_conn_close(&site->pair.conn);
    assert_int_equal(big.released, 1);
    assert_int_equal(site->closed, 1);
    counted_done(&big);
    site_close(site);
}

/* A producer that writes until its stream is full, and goes on when it is told. */
typedef struct producer {
    h2_site *site;
    counted message;
    size_t written, to_write;
    unsigned told;
} producer;

static void produce(lw_http_stream *stream, void *arg)
{
    producer *p = arg;
    while (p->written < p->to_write && lw_http_pending(stream) <= LW_HTTP_QUEUE_HIGH) {
        lw_bytes piece = counted_bytes(&p->message);
        assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
        p->written++;
    }
    if (p->written == p->to_write)
        lw_http_end(stream);
}

static void go_on(lw_http_stream *stream, void *arg)
{
    ((producer *)arg)->told++;
    assert_true(lw_http_pending(stream) <= LW_HTTP_QUEUE_LOW);
    produce(stream, arg);
}

static void count_only(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((producer *)arg)->told++;
}

static void producer_closed(lw_http_stream *stream, void *arg)
{
    site_closed(stream, ((producer *)arg)->site);
}

static void a_producer_that_waits_is_told_to_go_on(void **state)
{
    (void)state;
    producer p = { .site = site_open(), .to_write = 5000 };
    counted_init(&p.message, 1999);
    int32_t id;
    lw_http_stream *stream = site_hold(p.site, &id);
    site_begin(stream);
    stream->on_drained = go_on;
    stream->on_closed = producer_closed;
    stream->arg = &p;
    produce(stream, &p);
    assert_true(p.written < p.to_write);
    h2_pair_run(&p.site->pair);
    assert_int_equal(p.written, p.to_write);
    assert_int_equal(p.message.released, p.to_write);
    assert_int_equal(site_answer(p.site, id)->body.len, p.to_write * 1999);
    assert_true(site_answer(p.site, id)->is_ended);
    /* Once for each time it was full, not for each frame. */
    assert_in_range(p.told, 30, 60);
    counted_done(&p.message);
    site_close(p.site);
}

static void a_producer_below_its_mark_is_not_told(void **state)
{
    (void)state;
    producer p = { .site = site_open(), .to_write = 100 };
    counted_init(&p.message, 1999);
    int32_t id;
    lw_http_stream *stream = site_hold(p.site, &id);
    site_begin(stream);
    stream->on_drained = go_on;
    stream->on_closed = producer_closed;
    stream->arg = &p;
    produce(stream, &p);
    h2_pair_run(&p.site->pair);
    assert_int_equal(p.told, 0);
    counted_done(&p.message);
    site_close(p.site);
}

static void a_producer_is_told_once_each_time_it_was_full(void **state)
{
    (void)state;
    producer p = { .site = site_open() };
    counted_init(&p.message, LW_HTTP_QUEUE_HIGH + 1);
    int32_t id;
    lw_http_stream *stream = site_hold(p.site, &id);
    site_begin(stream);
    stream->on_drained = count_only;
    stream->on_closed = producer_closed;
    stream->arg = &p;
    lw_bytes piece = counted_bytes(&p.message);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    h2_pair_run(&p.site->pair);
    assert_int_equal(p.told, 1);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(site_write(stream, "little"), LW_OK);
        h2_pair_run(&p.site->pair);
    }
    assert_int_equal(p.told, 1);
    piece = counted_bytes(&p.message);
    assert_int_equal(lw_http_write(stream, &piece, 1), LW_OK);
    h2_pair_run(&p.site->pair);
    assert_int_equal(p.told, 2);
    counted_done(&p.message);
    site_close(p.site);
}

static void a_connection_that_cannot_send_is_lost(void **state)
{
    (void)state;
    h2_site *site = site_open();
    counted big;
    counted_init(&big, BIG);
    int32_t id;
    const lw_http_reply reply = { .status = 200 };
    assert_int_equal(lw_http_reply_whole(site_hold(site, &id), &reply, counted_bytes(&big)), LW_OK);
    site->pair.conn.fails = true;
    h2_pair_turn(&site->pair);
    assert_true(site->pair.conn.is_aborted);
    fake_conn_close(&site->pair.conn);
    assert_int_equal(big.released, 1);
    counted_done(&big);
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_big_reply_arrives_byte_by_byte_and_is_released_once),
        TEST(what_lies_in_the_connection_is_bounded),
        TEST(one_piece_may_lie_in_many_streams),
        TEST(a_stalled_stream_blocks_no_other),
        TEST(streams_take_turns),
        TEST(pieces_of_all_sizes_are_put_together_in_order),
        TEST(a_producer_is_told_when_its_window_opens),
        TEST(a_stream_that_waits_for_its_window_too_long_is_reset),
        TEST(a_connection_holds_a_bounded_number_of_bytes),
        TEST(a_reset_midway_releases_what_is_left),
        TEST(a_lost_connection_releases_what_is_left),
        TEST(a_producer_that_waits_is_told_to_go_on),
        TEST(a_producer_below_its_mark_is_not_told),
        TEST(a_producer_is_told_once_each_time_it_was_full),
        TEST(a_connection_that_cannot_send_is_lost),
    };
    return cmocka_run_group_tests_name("h2_send", tests, NULL, NULL);
}
