/* SPDX-License-Identifier: Apache-2.0 */
/* h2_test.c -- an HTTP/2 connection as a whole: its beginning, its guards, its end. */
#include "net/h2/h2.h"

#include "base/clock.h"
#include "unit/net/h2_site.h"

static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
static const char empty_settings[] = "\x00\x00\x00\x04\x00\x00\x00\x00\x00";

enum {
    FRAME_HEADER_SIZE = 9,
    PING_SIZE = FRAME_HEADER_SIZE + 8,
};

static void settings_are_the_first_that_is_sent(void **state)
{
    (void)state;
    const lw_http_handler handler = { .on_request = site_on_request };
    static h2_pair pair;
    assert_int_equal(h2_pair_open(&pair, &handler, 0), LW_OK);
    h2_pair_turn(&pair);
    lw_str sent = fake_conn_take(&pair.conn, SIZE_MAX);
    assert_true(sent.len > FRAME_HEADER_SIZE);
    assert_int_equal(sent.ptr[3], NGHTTP2_SETTINGS);
    assert_int_equal(sent.ptr[4], 0);
    h2_pair_close(&pair);
}

static void the_client_is_told_the_limits(void **state)
{
    (void)state;
    h2_site *site = site_open();
    nghttp2_session *client = site->pair.client;
    assert_int_equal(nghttp2_session_get_remote_settings(client,
                                                         NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
                     LW_HTTP_STREAMS_MAX);
    assert_int_equal(nghttp2_session_get_remote_settings(client,
                                                         NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE),
                     LW_H2_WINDOW);
    assert_int_equal(nghttp2_session_get_remote_settings(client,
                                                         NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE),
                     LW_HTTP_HEAD_MAX);
    assert_int_equal(nghttp2_session_get_remote_window_size(client), LW_H2_CONNECTION_WINDOW);
    site_close(site);
}

static void another_preface_closes_the_connection(void **state)
{
    (void)state;
    const lw_http_handler handler = { .on_request = site_on_request };
    static h2_pair pair;
    assert_int_equal(h2_pair_open(&pair, &handler, 0), LW_OK);
    fake_conn_feed(&pair.conn, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 24, SIZE_MAX);
    assert_true(pair.conn.is_finished);
    assert_int_equal(pair.conn.protocol_errors, 1);
    h2_pair_close(&pair);
}

static void a_breach_of_the_protocol_is_told_and_closes(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    /* DATA on stream 0. */
    fake_conn_feed(&site->pair.conn, "\x00\x00\x01\x00\x00\x00\x00\x00\x00x", 10, SIZE_MAX);
    assert_true(site->pair.conn.is_finished);
    assert_int_equal(site->pair.conn.protocol_errors, 1);
    assert_true(h2_pair_receive(&site->pair));
    assert_int_equal(site->pair.goaway, NGHTTP2_PROTOCOL_ERROR);
    /* What is replied meanwhile goes nowhere, and does not cut off what is queued. */
    site_echo(stream);
    h2_pair_turn(&site->pair);
    assert_false(site->pair.conn.is_aborted);
    site_close(site);
}

static void replies_on_a_connection_that_finishes_do_not_cut_it_off(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    lw_conn_finish(&site->pair.conn);
    site_echo(stream);
    h2_pair_turn(&site->pair);
    assert_false(site->pair.conn.is_aborted);
    site_close(site);
}

static void more_streams_than_allowed_close_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (size_t i = 0; i < LW_HTTP_STREAMS_MAX; i++)
        (void)h2_pair_request(&site->pair, "GET", "/hold", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site->held_count, LW_HTTP_STREAMS_MAX);
    /* One more by hand, for nghttp2's client keeps to the limit. */
    uint8_t more[] = { 0x00, 0x00, 0x05, 0x01, 0x05, 0x00, 0x00,
                       0x1f, 0x41, 0x82, 0x86, 0x84, 0x01, 0x00 };
    fake_conn_feed(&site->pair.conn, more, sizeof(more), SIZE_MAX);
    assert_int_equal(site->held_count, LW_HTTP_STREAMS_MAX);
    assert_true(site->pair.conn.is_finished);
    while (h2_pair_receive(&site->pair)) {
    }
    assert_int_equal(site->pair.goaway, NGHTTP2_PROTOCOL_ERROR);
    site_close(site);
}

static void reset_once(h2_site *site)
{
    int32_t id = h2_pair_request(&site->pair, "GET", "/hold", NULL);
    (void)h2_pair_send(&site->pair);
    nghttp2_submit_rst_stream(site->pair.client, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    (void)h2_pair_send(&site->pair);
    for (size_t i = 0; i < site->held_count; i++)
        site_release(site, i);
    site->held_count = 0;
}

static void resets_beyond_the_allowance_close_the_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (int i = 0; i < LW_H2_RESETS_BURST; i++)
        reset_once(site);
    assert_false(site->pair.conn.is_finished);
    reset_once(site);
    assert_true(site->pair.conn.is_finished);
    while (h2_pair_receive(&site->pair)) {
    }
    assert_int_equal(site->pair.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
    site_close(site);
}

static void the_allowance_of_resets_fills_up_with_time(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (int i = 0; i < LW_H2_RESETS_BURST; i++)
        reset_once(site);
    lw_manual_clock_advance(site->pair.clock, LW_NS_PER_S);
    h2_pair_run(&site->pair);
    for (int i = 0; i < LW_H2_RESETS_PER_S; i++)
        reset_once(site);
    assert_false(site->pair.conn.is_finished);
    reset_once(site);
    assert_true(site->pair.conn.is_finished);
    site_close(site);
}

static void replies_that_are_complete_cost_no_allowance(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (int i = 0; i < 2 * LW_H2_RESETS_BURST; i++) {
        int32_t id = h2_pair_request(&site->pair, "GET", "/echo", NULL);
        h2_pair_run(&site->pair);
        assert_int_equal(site_answer(site, id)->status, 200);
    }
    assert_false(site->pair.conn.is_finished);
    site_close(site);
}

static void resets_the_client_provokes_count_as_its_own(void **state)
{
    (void)state;
    h2_site *site = site_open();
    for (int i = 0; i <= LW_H2_RESETS_BURST && !site->pair.conn.is_finished; i++) {
        int32_t id = h2_pair_request(&site->pair, "GET", "/hold", NULL);
        (void)h2_pair_send(&site->pair);
        /* A window update of nothing: the server must reset the stream (RFC 9113, 6.9). */
        uint8_t frame[] = {
            0, 0, 4, NGHTTP2_WINDOW_UPDATE, 0, 0, 0, (uint8_t)(id >> 8), (uint8_t)id, 0, 0, 0, 0
        };
        fake_conn_feed(&site->pair.conn, frame, sizeof(frame), SIZE_MAX);
        (void)h2_pair_receive(&site->pair);
        for (size_t held = 0; held < site->held_count; held++)
            site_release(site, held);
        site->held_count = 0;
    }
    assert_true(site->pair.conn.is_finished);
    site_close(site);
}

static void pings_are_answered(void **state)
{
    (void)state;
    h2_site *site = site_open();
    static const char ping[] = "\x00\x00\x08\x06\x00\x00\x00\x00\x00liveness";
    fake_conn_feed(&site->pair.conn, ping, PING_SIZE, SIZE_MAX);
    lw_str sent = fake_conn_take(&site->pair.conn, SIZE_MAX);
    assert_int_equal(sent.len, PING_SIZE);
    assert_int_equal(sent.ptr[4], NGHTTP2_FLAG_ACK);
    assert_memory_equal(sent.ptr + FRAME_HEADER_SIZE, "liveness", 8);
    site_close(site);
}

static void a_client_that_pings_and_does_not_read_is_closed(void **state)
{
    (void)state;
    h2_site *site = site_open();
    static char body[LW_HTTP_QUEUE_HIGH * 2];
    nghttp2_session_set_local_window_size(site->pair.client, NGHTTP2_FLAG_NONE, 0, 1 << 24);
    int32_t id;
    lw_http_stream *streams[10];
    for (size_t i = 0; i < 10; i++) {
        streams[i] = site_hold(site, &id);
        site_begin(streams[i]);
    }
    h2_pair_run(&site->pair);
    for (size_t i = 0; i < 10; i++) {
        lw_bytes piece = lw_bytes_static(lw_str_make(body, sizeof(body)));
        assert_int_equal(lw_http_write(streams[i], &piece, 1), LW_OK);
    }
    h2_pair_turn(&site->pair);
    assert_true(lw_conn_pending(&site->pair.conn) > LW_HTTP_QUEUE_HIGH);
    static const char ping[] = "\x00\x00\x08\x06\x00\x00\x00\x00\x00liveness";
    int pings = 0;
    for (; pings < 10 * LW_H2_ACKS_MAX && !site->pair.conn.is_finished; pings++)
        fake_conn_feed(&site->pair.conn, ping, PING_SIZE, SIZE_MAX);
    assert_true(site->pair.conn.is_finished);
    assert_in_range(pings, LW_H2_ACKS_MAX, LW_H2_ACKS_MAX + 2);
    site_close(site);
}

static void an_idle_connection_that_drains_is_finished_at_once(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    site->pair.conn.protocol->ops->drain(site->pair.conn.protocol);
    site->pair.conn.protocol->ops->drain(site->pair.conn.protocol);
    h2_pair_run(&site->pair);
    assert_int_equal(site->pair.goaway, NGHTTP2_NO_ERROR);
    assert_int_equal(site->pair.goaway_stream, id);
    assert_true(site->pair.conn.is_finished);
    site_close(site);
}

static void a_connection_drains_when_its_last_reply_is_complete(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t watch, late;
    lw_http_stream *stream = site_hold(site, &watch);
    site_begin(stream);
    h2_pair_run(&site->pair);
    site->pair.conn.protocol->ops->drain(site->pair.conn.protocol);
    h2_pair_turn(&site->pair);
    /* On its way before the client knows. */
    late = h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, late)->status, 200);
    assert_int_equal(site->pair.goaway, NGHTTP2_NO_ERROR);
    assert_int_equal(site->pair.goaway_stream, late);
    assert_false(site->pair.conn.is_finished);
    assert_int_equal(site_write(stream, "the last"), LW_OK);
    lw_http_end(stream);
    h2_pair_run(&site->pair);
    assert_answer(site, watch, 200, "the last");
    assert_true(site->pair.conn.is_finished);
    site_close(site);
}

static void draining_does_not_wait_for_a_ping_once_nothing_is_under_way(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    h2_pair_run(&site->pair);
    site->pair.conn.protocol->ops->drain(site->pair.conn.protocol);
    lw_http_end(stream);
    h2_pair_turn(&site->pair);
    assert_true(site->pair.conn.is_finished);
    (void)h2_pair_receive(&site->pair);
    assert_int_equal(site->pair.goaway_stream, id);
    site_close(site);
}

static void pass_seconds(h2_site *site, int seconds)
{
    lw_manual_clock_advance(site->pair.clock, seconds * LW_NS_PER_S);
    h2_pair_run(&site->pair);
}

static void a_stream_whose_window_stays_shut_is_reset(void **state)
{
    (void)state;
    h2_site *site = site_open_with(10);
    int32_t ids[3];
    lw_http_stream *streams[3];
    site->pair.is_starving_all = true;
    for (size_t i = 0; i < 3; i++) {
        streams[i] = site_hold(site, &ids[i]);
        site_begin(streams[i]);
    }
    assert_int_equal(site_write(streams[0], "eleven bytes"), LW_OK);
    assert_int_equal(site_write(streams[2], "ten  bytes"), LW_OK);
    h2_pair_run(&site->pair);
    assert_int_equal(lw_http_pending(streams[0]), 2);
    pass_seconds(site, 10);
    assert_int_equal(site_write(streams[1], "eleven bytes"), LW_OK);
    h2_pair_run(&site->pair);
    pass_seconds(site, LW_HTTP_STALL_TIMEOUT_S - 11);
    assert_int_equal(site_answer(site, ids[0])->error, H2_PAIR_NOT_CLOSED);
    pass_seconds(site, 1);
    assert_int_equal(site_answer(site, ids[0])->error, NGHTTP2_CANCEL);
    pass_seconds(site, 9);
    assert_int_equal(site_answer(site, ids[1])->error, H2_PAIR_NOT_CLOSED);
    pass_seconds(site, 1);
    assert_int_equal(site_answer(site, ids[1])->error, NGHTTP2_CANCEL);
    /* One that has nothing to send is not stalled, however long it waits. */
    pass_seconds(site, 10 * LW_HTTP_STALL_TIMEOUT_S);
    assert_int_equal(site_answer(site, ids[2])->error, H2_PAIR_NOT_CLOSED);
    assert_false(streams[2]->is_closed);
    site_close(site);
}

static void a_stream_that_moves_slowly_is_not_reset(void **state)
{
    (void)state;
    h2_site *site = site_open_with(10);
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site->pair.starved = id;
    site_begin(stream);
    assert_int_equal(site_write(stream, "twenty-five bytes, no more"), LW_OK);
    for (int i = 0; i < 3; i++) {
        h2_pair_run(&site->pair);
        lw_manual_clock_advance(site->pair.clock, (LW_HTTP_STALL_TIMEOUT_S - 1) * LW_NS_PER_S);
        h2_pair_run(&site->pair);
        nghttp2_submit_window_update(site->pair.client, NGHTTP2_FLAG_NONE, id, 6);
    }
    h2_pair_run(&site->pair);
    assert_str_equal(lw_buf_view(&site_answer(site, id)->body), "twenty-five bytes, no more");
    assert_int_equal(site_answer(site, id)->error, H2_PAIR_NOT_CLOSED);
    site_close(site);
}

static void every_byte_of_a_session_may_come_alone(void **state)
{
    (void)state;
    const lw_http_handler handler = { .on_request = site_on_request };
    static h2_pair pair;
    assert_int_equal(h2_pair_open(&pair, &handler, 0), LW_OK);
    fake_conn_feed(&pair.conn, preface, sizeof(preface) - 1, 1);
    fake_conn_feed(&pair.conn, empty_settings, sizeof(empty_settings) - 1, 1);
    h2_pair_turn(&pair);
    assert_false(pair.conn.is_finished);
    assert_int_equal(pair.conn.protocol_errors, 0);
    h2_pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(settings_are_the_first_that_is_sent),
        TEST(the_client_is_told_the_limits),
        TEST(another_preface_closes_the_connection),
        TEST(a_breach_of_the_protocol_is_told_and_closes),
        TEST(replies_on_a_connection_that_finishes_do_not_cut_it_off),
        TEST(more_streams_than_allowed_close_the_connection),
        TEST(resets_beyond_the_allowance_close_the_connection),
        TEST(the_allowance_of_resets_fills_up_with_time),
        TEST(replies_that_are_complete_cost_no_allowance),
        TEST(resets_the_client_provokes_count_as_its_own),
        TEST(pings_are_answered),
        TEST(a_client_that_pings_and_does_not_read_is_closed),
        TEST(an_idle_connection_that_drains_is_finished_at_once),
        TEST(a_connection_drains_when_its_last_reply_is_complete),
        TEST(draining_does_not_wait_for_a_ping_once_nothing_is_under_way),
        TEST(a_stream_whose_window_stays_shut_is_reset),
        TEST(a_stream_that_moves_slowly_is_not_reset),
        TEST(every_byte_of_a_session_may_come_alone),
    };
    return cmocka_run_group_tests_name("h2", tests, NULL, NULL);
}
