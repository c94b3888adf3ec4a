/* SPDX-License-Identifier: Apache-2.0 */
/* h2_stream_test.c -- replies over HTTP/2, whole and piece by piece. */
#include "unit/net/h2_site.h"

static void a_whole_reply_has_its_length_and_date(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    const lw_http_header headers[] = { { LW_STR("Content-Type"), LW_STR("application/json") },
                                       { LW_STR("X-Empty"), LW_STR("") } };
    const lw_http_reply reply = { 201, headers, 2 };
    assert_int_equal(lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR("{}\n"))), LW_OK);
    assert_false(stream->is_closed);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 201, "{}\n");
    assert_str_equal(lw_buf_view(&site_answer(site, id)->headers),
                     ":status: 201\ncontent-type: application/json\nx-empty: \n"
                     "content-length: 3\ndate: Sun, 06 Nov 1994 08:49:37 GMT\n");
    assert_true(stream->is_closed);
    site_close(site);
}

static void headers_that_speak_of_a_connection_are_not_sent(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    const lw_http_header headers[] = {
        { LW_STR("Connection"), LW_STR("close") },
        { LW_STR("keep-alive"), LW_STR("5") },
        { LW_STR("Upgrade"), LW_STR("websocket") },
        { LW_STR("TRANSFER-ENCODING"), LW_STR("chunked") },
        { LW_STR("Content-Length"), LW_STR("77") },
        { LW_STR("Proxy-Connection"), LW_STR("x") },
        { LW_STR("Date"), LW_STR("today") },
        { LW_STR("x-kept"), LW_STR("yes") },
    };
    const lw_http_reply reply = { 200, headers, 8 };
    assert_int_equal(lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR(""))), LW_OK);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "");
    assert_str_equal(lw_buf_view(&site_answer(site, id)->headers),
                     ":status: 200\nx-kept: yes\ncontent-length: 0\n"
                     "date: Sun, 06 Nov 1994 08:49:37 GMT\n");
    site_close(site);
}

static void a_reply_to_head_has_the_length_and_not_the_body(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = h2_pair_request(&site->pair, "HEAD", "/echo", NULL);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "");
    assert_true(site_has_header(site_answer(site, id), "content-length: 31\n"));
    site_close(site);
}

static void a_streamed_reply_to_head_ends_with_its_head(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id = h2_pair_request(&site->pair, "HEAD", "/hold", NULL);
    h2_pair_run(&site->pair);
    site_begin(site->held[0]);
    assert_int_equal(site_write(site->held[0], "dropped"), LW_OK);
    assert_int_equal(lw_http_pending(site->held[0]), 0);
    lw_http_end(site->held[0]);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "");
    site_close(site);
}

static void statuses_without_content_have_no_body_and_no_length(void **state)
{
    (void)state;
    static const int statuses[] = { 204, 304 };
    h2_site *site = site_open();
    for (size_t i = 0; i < 2; i++) {
        int32_t id;
        lw_http_stream *stream = site_hold(site, &id);
        const lw_http_reply reply = { .status = statuses[i] };
        assert_int_equal(lw_http_reply_whole(stream, &reply, lw_bytes_static(LW_STR("none"))),
                         LW_OK);
        h2_pair_run(&site->pair);
        assert_answer(site, id, statuses[i], "");
        assert_false(site_has_header(site_answer(site, id), "content-length"));
    }
    site_close(site);
}

static void messages_arrive_as_they_are_written(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    h2_pair_run(&site->pair);
    const h2_answer *answer = site_answer(site, id);
    assert_int_equal(answer->status, 200);
    assert_false(site_has_header(answer, "content-length"));
    assert_int_equal(site_write(stream, "one\n"), LW_OK);
    assert_int_equal(lw_http_pending(stream), 4);
    h2_pair_run(&site->pair);
    assert_int_equal(lw_http_pending(stream), 0);
    assert_str_equal(lw_buf_view(&answer->body), "one\n");
    assert_int_equal(site_write(stream, "two\n"), LW_OK);
    assert_int_equal(site_write(stream, ""), LW_OK);
    assert_int_equal(site_write(stream, "three\n"), LW_OK);
    h2_pair_run(&site->pair);
    assert_str_equal(lw_buf_view(&answer->body), "one\ntwo\nthree\n");
    assert_false(answer->is_ended);
    assert_int_equal(site->closed, 0);
    lw_http_end(stream);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "one\ntwo\nthree\n");
    assert_int_equal(site->closed, 1);
    assert_int_equal(site_write(stream, "late"), LW_ERR_STOPPED);
    site_close(site);
}

static void an_end_right_behind_the_last_message_is_one_frame(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    assert_int_equal(site_write(stream, "all"), LW_OK);
    lw_http_end(stream);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "all");
    site_close(site);
}

static void a_stream_may_end_without_a_message(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    h2_pair_run(&site->pair);
    lw_http_end(stream);
    h2_pair_run(&site->pair);
    assert_answer(site, id, 200, "");
    site_close(site);
}

static void an_aborted_reply_is_no_complete_one(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    assert_int_equal(site_write(stream, "sent"), LW_OK);
    h2_pair_run(&site->pair);
    assert_int_equal(site_write(stream, "not sent"), LW_OK);
    lw_http_abort(stream);
    lw_http_abort(stream);
    assert_int_equal(site_write(stream, "late"), LW_ERR_STOPPED);
    assert_int_equal(lw_http_pending(stream), 0);
    h2_pair_run(&site->pair);
    const h2_answer *answer = site_answer(site, id);
    assert_str_equal(lw_buf_view(&answer->body), "sent");
    assert_false(answer->is_ended);
    assert_int_equal(answer->error, NGHTTP2_INTERNAL_ERROR);
    assert_int_equal(site->closed, 1);
    site_close(site);
}

static void a_request_may_be_aborted_without_a_reply(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_abort(site_hold(site, &id));
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->error, NGHTTP2_INTERNAL_ERROR);
    assert_int_equal(site_answer(site, id)->status, 0);
    site_close(site);
}

static void a_reset_by_the_client_closes_the_stream_once(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    h2_pair_run(&site->pair);
    nghttp2_submit_rst_stream(site->pair.client, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    h2_pair_run(&site->pair);
    assert_int_equal(site->closed, 1);
    assert_true(stream->is_closed);
    assert_int_equal(site_write(stream, "late"), LW_ERR_STOPPED);
    lw_http_end(stream);
    lw_http_abort(stream);
    assert_int_equal(lw_http_pending(stream), 0);
    h2_pair_run(&site->pair);
    assert_int_equal(site->closed, 1);
    site_close(site);
}

static void a_stream_that_is_held_outlives_its_connection(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t id;
    lw_http_stream *stream = site_hold(site, &id);
    site_begin(stream);
    assert_int_equal(site_write(stream, "never sent"), LW_OK);
    fake_conn_close(&site->pair.conn);
    h2_pair_turn(&site->pair);
    assert_int_equal(site->closed, 1);
    assert_true(stream->is_closed);
    assert_int_equal(site_write(stream, "late"), LW_ERR_STOPPED);
    assert_str_equal(stream->request.path, "/hold");
    assert_str_equal(stream->request.peer->address, "");
    site_close(site);
}

/* Answers the other stream that is held when its own closes. */
static void write_to_the_next(lw_http_stream *stream, void *arg)
{
    h2_site *site = arg;
    site->closed++;
    if (stream == site->held[0])
        assert_int_equal(site_write(site->held[1], "the other is gone"), LW_OK);
}

static void a_handler_may_write_to_one_stream_when_another_closes(void **state)
{
    (void)state;
    h2_site *site = site_open();
    int32_t first, second;
    (void)site_hold(site, &first);
    (void)site_hold(site, &second);
    site->held[0]->on_closed = write_to_the_next;
    site_begin(site->held[1]);
    h2_pair_run(&site->pair);
    nghttp2_submit_rst_stream(site->pair.client, NGHTTP2_FLAG_NONE, first, NGHTTP2_CANCEL);
    h2_pair_run(&site->pair);
    assert_str_equal(lw_buf_view(&site_answer(site, second)->body), "the other is gone");
    site_close(site);
}

static void too_many_headers_reset_the_stream(void **state)
{
    (void)state;
    static lw_http_header headers[129];
    for (size_t i = 0; i < 129; i++)
        headers[i] = (lw_http_header){ LW_STR("x-warning"), LW_STR("many") };
    h2_site *site = site_open();
    int32_t id;
    const lw_http_reply fits = { 200, headers, 128 };
    assert_int_equal(lw_http_reply_begin(site_hold(site, &id), &fits), LW_OK);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->status, 200);
    const lw_http_reply reply = { 200, headers, 129 };
    assert_int_equal(lw_http_reply_whole(site_hold(site, &id), &reply, lw_bytes_static(LW_STR(""))),
                     LW_ERR_LIMIT);
    h2_pair_run(&site->pair);
    assert_int_equal(site_answer(site, id)->error, NGHTTP2_INTERNAL_ERROR);
    site_close(site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_whole_reply_has_its_length_and_date),
        TEST(headers_that_speak_of_a_connection_are_not_sent),
        TEST(a_reply_to_head_has_the_length_and_not_the_body),
        TEST(a_streamed_reply_to_head_ends_with_its_head),
        TEST(statuses_without_content_have_no_body_and_no_length),
        TEST(messages_arrive_as_they_are_written),
        TEST(an_end_right_behind_the_last_message_is_one_frame),
        TEST(a_stream_may_end_without_a_message),
        TEST(an_aborted_reply_is_no_complete_one),
        TEST(a_request_may_be_aborted_without_a_reply),
        TEST(a_reset_by_the_client_closes_the_stream_once),
        TEST(a_stream_that_is_held_outlives_its_connection),
        TEST(a_handler_may_write_to_one_stream_when_another_closes),
        TEST(too_many_headers_reset_the_stream),
    };
    return cmocka_run_group_tests_name("h2_stream", tests, NULL, NULL);
}
