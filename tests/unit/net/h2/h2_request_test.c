/* SPDX-License-Identifier: Apache-2.0 */
/* h2_request_test.c -- how requests of HTTP/2 come to the handler, and what is refused. */
#include "net/h2/h2.h"

#include <stdio.h>

#include "unit/net/h2_site.h"

enum {
    MANY_FIELDS = LW_HTTP_HEADERS_MAX + 1,
};

static void a_request_is_handed_over_whole(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv fields[] = { h2_field("accept", "*/*"), h2_field("x-two", "") };
    int32_t id =
        h2_pair_request_with(&site->pair, "GET", "/echo?a=1&b=%20?", fields, 2, LW_STR(""), false);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200,
                  "GET /echo ? a=1&b=%20?\nhost: localhost\naccept: */*\nx-two: \n\n");
    assert_int_equal(site->last.method, LW_HTTP_GET);
    assert_int_equal(site->last.version_major, 2);
    assert_false(site->last.is_websocket);
    assert_ptr_equal(site->last.peer, &site->pair.conn.peer);
    assert_int_equal(site->pair.conn.requests, 1);
    assert_int_equal(site->closed, 1);
    site_close(site);
}

static void the_authority_is_the_host_whatever_else_is_said(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv fields[] = { h2_field("host", "elsewhere"), h2_field("a", "b") };
    int32_t id = h2_pair_request_with(&site->pair, "GET", "/echo", fields, 2, LW_STR(""), false);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "GET /echo ? \nhost: localhost\na: b\n\n");
    site_close(site);
}

static void a_body_comes_whole_however_it_is_cut(void **state)
{
    (void)state;
    for (size_t step = 1; step < 40; step++) {
        h2_site *site = site_open();
        site->pair.step = step;
        int32_t id = h2_pair_request(&site->pair, "POST", "/echo", "the body");
        h2_pair_run(&site->pair);
        assert_answer(site, id, 200, "POST /echo ? \nhost: localhost\n\nthe body");
        site_close(site);
    }
}

static void a_body_may_take_several_windows(void **state)
{
    (void)state;
    h2_site *site = site_open();
    size_t len = LW_HTTP_BODY_MAX;
    char *body = malloc(len);
    assert_non_null(body);
    for (size_t i = 0; i < len; i++)
        body[i] = (char)(i * 7 % 251);
    int32_t id =
        h2_pair_request_with(&site->pair, "PUT", "/echo", NULL, 0, lw_str_make(body, len), false);
    h2_pair_run(&site->pair);
    const h2_answer *answer = site_answer(site, id);
    assert_int_equal(answer->status, 200);
    assert_true(answer->body.len > len);
    assert_memory_equal(answer->body.data + answer->body.len - len, body, len);
    free(body);
    site_close(site);
}

static void a_head_may_be_answered_before_its_body(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = h2_pair_request_with(&site->pair, "POST", "/deny", NULL, 0, LW_STR("part"), true);
    h2_pair_run(&site->pair);
    assert_replied(site, id, 401, "denied");
    assert_int_equal(site->requests, 0);
    assert_int_equal(site->closed, 1);
    id = h2_pair_request(&site->pair, "GET", "/deny", NULL);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 401, "denied");
    assert_int_equal(site->requests, 0);
    site_close(site);
}

static void a_body_that_says_it_is_too_large_is_not_read(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv fields[] = { h2_field("content-length", "11") };
    int32_t id = h2_pair_request_with(&site->pair, "POST", "/small", fields, 1, LW_STR(""), true);
    h2_pair_run(&site->pair);
    assert_replied(site, id, 413, "too large");
    assert_int_equal(site->too_large, 1);
    assert_int_equal(site->requests, 0);
    site_close(site);
}

static void a_body_nobody_wants_is_read_for_a_while(void **state)
{
    (void)state;
    h2_site *site = site_open();
    static char body[LW_H2_DROPPED_MAX + 1];
    int32_t id = h2_pair_request_with(&site->pair, "POST", "/deny", NULL, 0,
                                      lw_str_make(body, LW_H2_DROPPED_MAX), true);
    h2_pair_run(&site->pair);
    assert_replied(site, id, 401, "denied");
    assert_int_equal(site_answer(site, id)->error, H2_PAIR_NOT_CLOSED);
    h2_answer *answer = h2_pair_answer(&site->pair, id);
    answer->to_send = LW_STR("!");
    nghttp2_session_resume_data(site->pair.client, id);
    h2_pair_run(&site->pair);
    /* Beyond that the client is told to stop, which is no error. */
    assert_answer(site, id, 401, "denied");
    assert_int_equal(site->closed, 1);
    site_close(site);
}

static void a_body_that_becomes_too_large_is_told_once(void **state)
{
    (void)state;
    h2_site *site = site_open();
    site->pair.step = 3;
    int32_t id = h2_pair_request(&site->pair, "POST", "/small", "eleven bytes");
    h2_pair_run(&site->pair);
    assert_answer(site, id, 413, "too large");
    assert_int_equal(site->too_large, 1);
    assert_int_equal(site->requests, 0);
    id = h2_pair_request(&site->pair, "POST", "/small", "ten  bytes");
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "POST /small ? \nhost: localhost\n\nten  bytes");
    site_close(site);
}

static void bodies_of_all_streams_together_are_bounded(void **state)
{
    (void)state;
    h2_site *site = site_open();
    static char body[LW_HTTP_BODY_MAX];
    enum {
        FIT = LW_H2_BODIES_MAX / LW_HTTP_BODY_MAX,
    };
    int32_t ids[FIT + 1];
    for (int i = 0; i <= FIT; i++) {
        ids[i] = h2_pair_request_with(&site->pair, "POST", "/hold", NULL, 0,
                                      lw_str_make(body, sizeof(body)), true);
        h2_pair_run(&site->pair);
    }
    for (int i = 0; i < FIT; i++)
        assert_int_equal(site_answer(site, ids[i])->error, H2_PAIR_NOT_CLOSED);
    assert_int_equal(site_answer(site, ids[FIT])->error, NGHTTP2_REFUSED_STREAM);
    /* What is given back can be used again. */
    nghttp2_submit_rst_stream(site->pair.client, NGHTTP2_FLAG_NONE, ids[0], NGHTTP2_CANCEL);
    int32_t id = h2_pair_request_with(&site->pair, "POST", "/echo", NULL, 0,
                                      lw_str_make(body, sizeof(body)), false);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->status, 200);
    site_close(site);
}

static void a_client_that_waits_is_told_to_go_on(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv fields[] = { h2_field("expect", "100-Continue") };
    int32_t id = h2_pair_request_with(&site->pair, "POST", "/echo", fields, 1, LW_STR(""), true);
    h2_pair_run(&site->pair);
    h2_answer *answer = h2_pair_answer(&site->pair, id);
    assert_int_equal(answer->informational, 100);
    assert_int_equal(answer->status, 0);
    answer->to_send = LW_STR("here");
    answer->is_held = false;
    nghttp2_session_resume_data(site->pair.client, id);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "POST /echo ? \nhost: localhost\nexpect: 100-Continue\n\nhere");
    site_close(site);
}

static void too_many_or_too_large_headers_are_refused(void **state)
{
    (void)state;
    h2_site *site = site_open();
    static char names[MANY_FIELDS][16];
    static char large[LW_HTTP_HEAD_MAX];
    nghttp2_nv fields[MANY_FIELDS];
    for (size_t i = 0; i < MANY_FIELDS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "x-%zu", i);
        fields[i] = h2_field(names[i], "v");
    }
    int32_t fits = h2_pair_request_with(&site->pair, "GET", "/echo", fields, LW_HTTP_HEADERS_MAX,
                                        LW_STR(""), false);
    int32_t many =
        h2_pair_request_with(&site->pair, "GET", "/echo", fields, MANY_FIELDS, LW_STR(""), false);
    memset(large, 'x', sizeof(large) - 200);
    fields[0] = h2_field("x-large", large);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, fits)->status, 200);
    assert_answer(site, many, 431, "Request Header Fields Too Large");
    int32_t big = h2_pair_request_with(&site->pair, "GET", "/echo", fields, 1, LW_STR(""), false);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, big)->status, 431);
    assert_int_equal(site->requests, 1);
    /* The connection is as good as before. */
    int32_t id = h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->status, 200);
    site_close(site);
}

static void what_is_no_path_is_a_bad_request(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = h2_pair_request(&site->pair, "OPTIONS", "*", NULL);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 400, "Bad Request");
    assert_int_equal(site->heads, 0);
    site_close(site);
}

/* A request of exactly these fields. */
static int32_t request_raw(h2_site *site, const nghttp2_nv *fields, size_t count)
{
    int32_t id = h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->status, 200);
    id = nghttp2_submit_headers(site->pair.client, NGHTTP2_FLAG_END_STREAM, -1, NULL, fields, count,
                                NULL);
    h2_pair_run(&site->pair);
    return id;
}

static void malformed_heads_reset_their_stream_only(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv no_path[] = { h2_field(":method", "GET"), h2_field(":scheme", "http") };
    const nghttp2_nv specific[] = { h2_field(":method", "GET"), h2_field(":scheme", "http"),
                                    h2_field(":path", "/echo"), h2_field("connection", "close") };
    const nghttp2_nv connects[] = { h2_field(":method", "CONNECT"),
                                    h2_field(":authority", "elsewhere:443") };
    (void)request_raw(site, no_path, 2);
    (void)request_raw(site, specific, 4);
    (void)request_raw(site, connects, 2);
    assert_int_equal(site->requests, 3);
    assert_int_equal(site->pair.goaway, H2_PAIR_NOT_CLOSED);
    assert_int_equal(site->pair.conn.protocol_errors, 2);
    assert_true(site->pair.conn.protocol->ops->is_idle(site->pair.conn.protocol));
    site_close(site);
}

static void a_body_that_is_not_as_long_as_it_said_resets_its_stream(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv fields[] = { h2_field("content-length", "5") };
    int32_t id =
        h2_pair_request_with(&site->pair, "POST", "/echo", fields, 1, LW_STR("four"), false);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->error, NGHTTP2_PROTOCOL_ERROR);
    assert_int_equal(site->requests, 0);
    assert_int_equal(site->closed, 1);
    site_close(site);
}

static void trailers_end_a_request_and_are_not_kept(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const nghttp2_nv head[] = { h2_field(":method", "POST"), h2_field(":scheme", "http"),
                                h2_field(":path", "/echo"), h2_field("host", "localhost") };
    const nghttp2_nv trailer[] = { h2_field("x-sum", "1") };
    int32_t id =
        nghttp2_submit_headers(site->pair.client, NGHTTP2_FLAG_NONE, -1, NULL, head, 4, NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site->requests, 0);
    assert_int_equal(nghttp2_submit_trailer(site->pair.client, id, trailer, 1), 0);
    h2_pair_run(&site->pair);
    assert_int_equal(site->requests, 1);
    assert_int_equal(site->last.header_count, 1);
    site_close(site);
}

static void a_client_with_many_requests_has_a_few_of_them_served_in_one_turn(void **state)
{
    (void)state;
    h2_site *site = site_open();
    site->pair.conn.turn_max = 4;
    for (int i = 0; i < 10; i++)
        assert_true(h2_pair_request(&site->pair, "GET", "/echo", NULL) > 0);
    h2_pair_run(&site->pair);
    assert_int_equal(site->heads, 10);
    assert_int_equal(site->requests, 4);
    fake_conn_next_turn(&site->pair.conn);
    h2_pair_run(&site->pair);
    assert_int_equal(site->requests, 8);
    fake_conn_next_turn(&site->pair.conn);
    h2_pair_run(&site->pair);
    assert_int_equal(site->requests, 10);
    site_close(site);
}

static void a_request_that_is_reset_before_its_turn_is_not_served(void **state)
{
    (void)state;
    h2_site *site = site_open();
    site->pair.conn.turn_max = 1;
    (void)h2_pair_request(&site->pair, "GET", "/echo", NULL);
    int32_t second = h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(site->requests, 1);
    assert_int_equal(nghttp2_submit_rst_stream(site->pair.client, 0, second, NGHTTP2_CANCEL), 0);
    h2_pair_run(&site->pair);
    fake_conn_next_turn(&site->pair.conn);
    assert_int_equal(site->requests, 1);
    site_close(site);
}

static void the_timer_counts_for_the_oldest_request_that_is_not_whole(void **state)
{
    (void)state;
    h2_site *site = site_open();
    lw_conn *conn = &site->pair.conn;
    assert_int_equal(conn->phase, LW_CONN_IDLE);
    int32_t first = h2_pair_request_with(&site->pair, "POST", "/hold", NULL, 0, LW_STR("1"), true);
    h2_pair_run(&site->pair);
    assert_int_equal(conn->phase, LW_CONN_BODY);
    unsigned phases = conn->phases;
    int32_t second = h2_pair_request_with(&site->pair, "POST", "/hold", NULL, 0, LW_STR("2"), true);
    (void)h2_pair_request(&site->pair, "GET", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_int_equal(conn->phases, phases);
    h2_pair_answer(&site->pair, first)->is_held = false;
    nghttp2_session_resume_data(site->pair.client, first);
    h2_pair_run(&site->pair);
    assert_int_equal(conn->phase, LW_CONN_BODY);
    assert_int_equal(conn->phases, phases + 1);
    h2_pair_answer(&site->pair, second)->is_held = false;
    nghttp2_session_resume_data(site->pair.client, second);
    h2_pair_run(&site->pair);
    assert_int_equal(conn->phase, LW_CONN_REPLY);
    site_echo(site->held[0]);
    site_echo(site->held[1]);
    h2_pair_run(&site->pair);
    assert_int_equal(conn->phase, LW_CONN_IDLE);
    site_close(site);
}

static void a_request_that_takes_too_long_is_refused_and_not_waited_for(void **state)
{
    (void)state;
    h2_site *site = site_open();
    lw_conn *conn = &site->pair.conn;
    int32_t watch;
    site_begin(site_hold(site, &watch));
    int32_t slow = h2_pair_request_with(&site->pair, "POST", "/echo", NULL, 0, LW_STR("1"), true);
    int32_t denied = h2_pair_request_with(&site->pair, "POST", "/deny", NULL, 0, LW_STR("1"), true);
    h2_pair_run(&site->pair);
    conn->protocol->ops->timed_out(conn->protocol, LW_CONN_BODY);
    h2_pair_run(&site->pair);
    assert_answer(site, slow, 408, "Request Timeout");
    assert_int_equal(site_answer(site, denied)->error, H2_PAIR_NOT_CLOSED);
    conn->protocol->ops->timed_out(conn->protocol, LW_CONN_BODY);
    h2_pair_run(&site->pair);
    assert_answer(site, denied, 401, "denied");
    /* The others go on. */
    assert_int_equal(conn->phase, LW_CONN_REPLY);
    assert_int_equal(site_write(site->held[0], "event"), LW_OK);
    h2_pair_run(&site->pair);
    assert_str_equal(lw_buf_view(&site_answer(site, watch)->body), "event");
    assert_int_equal(site->requests, 1);
    site_close(site);
}

static void a_request_that_is_answered_at_once_starts_the_idle_time_again(void **state)
{
    (void)state;
    h2_site *site = site_open();
    const lw_conn *conn = &site->pair.conn;
    for (unsigned i = 0; i < 3; i++) {
        unsigned phases = conn->phases;
        (void)h2_pair_request(&site->pair, "GET", "/echo", NULL);
        h2_pair_run(&site->pair);
        assert_int_equal(conn->phase, LW_CONN_IDLE);
        assert_true(conn->phases > phases);
    }
    unsigned phases = conn->phases;
    assert_int_equal(nghttp2_submit_ping(site->pair.client, NGHTTP2_FLAG_NONE, NULL), 0);
    h2_pair_run(&site->pair);
    assert_int_equal(conn->phases, phases); /* a PING does not */
    site_close(site);
}

static void a_head_that_is_not_whole_is_no_idleness(void **state)
{
    (void)state;
    h2_site *site = site_open();
    lw_conn *conn = &site->pair.conn;
    /* HEADERS of stream 1, without END_HEADERS: ":method: GET". */
    static const char begun[] = "\x00\x00\x01\x01\x00\x00\x00\x00\x01\x82";
    fake_conn_feed(conn, begun, sizeof(begun) - 1, SIZE_MAX);
    assert_int_equal(conn->phase, LW_CONN_HEAD);
    assert_false(conn->protocol->ops->is_idle(conn->protocol));
    assert_int_equal(site->heads, 0);
    conn->protocol->ops->timed_out(conn->protocol, LW_CONN_HEAD);
    h2_pair_run(&site->pair);
    assert_int_equal(site->pair.goaway, NGHTTP2_NO_ERROR);
    assert_true(conn->is_finished);
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_handed_over_whole),
        TEST(the_authority_is_the_host_whatever_else_is_said),
        TEST(a_body_comes_whole_however_it_is_cut),
        TEST(a_body_may_take_several_windows),
        TEST(a_head_may_be_answered_before_its_body),
        TEST(a_body_that_says_it_is_too_large_is_not_read),
        TEST(a_body_nobody_wants_is_read_for_a_while),
        TEST(a_body_that_becomes_too_large_is_told_once),
        TEST(bodies_of_all_streams_together_are_bounded),
        TEST(a_client_that_waits_is_told_to_go_on),
        TEST(too_many_or_too_large_headers_are_refused),
        TEST(what_is_no_path_is_a_bad_request),
        TEST(malformed_heads_reset_their_stream_only),
        TEST(a_body_that_is_not_as_long_as_it_said_resets_its_stream),
        TEST(trailers_end_a_request_and_are_not_kept),
        TEST(a_client_with_many_requests_has_a_few_of_them_served_in_one_turn),
        TEST(a_request_that_is_reset_before_its_turn_is_not_served),
        TEST(the_timer_counts_for_the_oldest_request_that_is_not_whole),
        TEST(a_request_that_takes_too_long_is_refused_and_not_waited_for),
        TEST(a_request_that_is_answered_at_once_starts_the_idle_time_again),
        TEST(a_head_that_is_not_whole_is_no_idleness),
    };
    return cmocka_run_group_tests_name("h2_request", tests, NULL, NULL);
}
