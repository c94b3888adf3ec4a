/* SPDX-License-Identifier: Apache-2.0 */
/* h2_pair.c -- nghttp2's client against lw_h2, in memory. */
#include "support/h2_pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum {
    HEADERS_TEXT_MAX = 1 << 20,
    FIELDS_MAX = 300,
};

h2_answer *h2_pair_answer(const h2_pair *pair, int32_t id)
{
    size_t at = (size_t)(id - 1) / 2;
    return id > 0 && at < H2_PAIR_STREAMS_MAX ? pair->answers[at] : NULL;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *arg)
{
    (void)session;
    (void)flags;
    h2_answer *answer = h2_pair_answer(arg, frame->hd.stream_id);
    if (!answer)
        return 0;
    lw_str key = lw_str_make((const char *)name, name_len);
    if (lw_str_equal(key, LW_STR(":status"))) {
        uint64_t status = 0;
        (void)lw_str_to_uint64(lw_str_make((const char *)value, value_len), &status);
        if (status < 200)
            answer->informational = (int)status;
        else
            answer->status = (int)status;
    }
    lw_buf_append_str(&answer->headers, key);
    lw_buf_append_text(&answer->headers, ": ");
    lw_buf_append(&answer->headers, value, value_len);
    lw_buf_append_char(&answer->headers, '\n');
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t len, void *arg)
{
    (void)flags;
    const h2_pair *pair = arg;
    h2_answer *answer = h2_pair_answer(pair, id);
    if (answer)
        lw_buf_append(&answer->body, data, len);
    if (id != pair->starved && !pair->is_starving_all)
        (void)nghttp2_session_consume_stream(session, id, len);
    return nghttp2_session_consume_connection(session, len);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    (void)session;
    h2_pair *pair = arg;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        pair->goaway = frame->goaway.error_code;
        pair->goaway_stream = frame->goaway.last_stream_id;
    }
    h2_answer *answer = h2_pair_answer(pair, frame->hd.stream_id);
    bool can_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (answer && can_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        answer->is_ended = true;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *arg)
{
    (void)session;
    h2_answer *answer = h2_pair_answer(arg, id);
    if (answer)
        answer->error = code;
    return 0;
}

static nghttp2_session *client_new(h2_pair *pair)
{
    nghttp2_session *session = NULL;
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0)
        abort();
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    (void)nghttp2_session_client_new2(&session, callbacks, pair, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return session;
}

lw_status h2_pair_open(h2_pair *pair, const lw_http_handler *handler, uint32_t window)
{
    memset(pair, 0, sizeof(*pair));
    pair->goaway = H2_PAIR_NOT_CLOSED;
    pair->step = pair->take_max = SIZE_MAX;
    lw_status st = lw_manual_clock_new(&pair->clock, 0);
    if (st == LW_OK)
        st = lw_loop_new(&pair->loop, lw_manual_clock_as_clock(pair->clock), NULL);
    if (st == LW_OK)
        st = fake_conn_open(&pair->conn, pair->loop, handler);
    if (st < 0)
        return st;
    const nghttp2_settings_entry settings[] = { { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window } };
    pair->client = client_new(pair);
    if (!pair->client ||
        nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, settings, window ? 1 : 0) != 0)
        abort();
    return LW_OK;
}

void h2_pair_close(h2_pair *pair)
{
    if (pair->loop)
        fake_conn_close(&pair->conn);
    lw_loop_free(pair->loop);
    lw_manual_clock_free(pair->clock);
    nghttp2_session_del(pair->client);
    for (size_t i = 0; i < H2_PAIR_STREAMS_MAX; i++) {
        if (!pair->answers[i])
            continue;
        lw_buf_done(&pair->answers[i]->headers);
        lw_buf_done(&pair->answers[i]->body);
        free(pair->answers[i]);
    }
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    (void)session;
    (void)id;
    (void)arg;
    h2_answer *answer = source->ptr;
    size_t len = answer->to_send.len < length ? answer->to_send.len : length;
    if (len == 0 && answer->is_held)
        return NGHTTP2_ERR_DEFERRED;
    if (len > 0)
        memcpy(buf, answer->to_send.ptr, len);
    answer->to_send = lw_str_skip(answer->to_send, len);
    if (answer->to_send.len == 0 && !answer->is_held)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}

nghttp2_nv h2_field(const char *name, const char *value)
{
    union {
        const char *as_given;
        uint8_t *as_taken;
    } n = { name }, v = { value };
    return (nghttp2_nv){ n.as_taken, v.as_taken, strlen(name), strlen(value),
                         NGHTTP2_NV_FLAG_NONE };
}

int32_t h2_pair_request_with(h2_pair *pair, const char *method, const char *path,
                             const nghttp2_nv *fields, size_t count, lw_str body, bool is_held)
{
    nghttp2_nv all[FIELDS_MAX] = { h2_field(":method", method), h2_field(":scheme", "http"),
                                   h2_field(":path", path), h2_field(":authority", "localhost") };
    if (count > FIELDS_MAX - 4)
        abort();
    if (count > 0)
        memcpy(all + 4, fields, count * sizeof(fields[0]));
    h2_answer *answer = calloc(1, sizeof(*answer));
    if (!answer)
        abort();
    lw_buf_init(&answer->headers, HEADERS_TEXT_MAX);
    lw_buf_init(&answer->body, H2_PAIR_BODY_MAX);
    answer->error = H2_PAIR_NOT_CLOSED;
    answer->to_send = body;
    answer->is_held = is_held;
    const nghttp2_data_provider provider = { { .ptr = answer }, read_body };
    int32_t id = nghttp2_submit_request(pair->client, NULL, all, count + 4,
                                        body.ptr || is_held ? &provider : NULL, NULL);
    if (id < 0 || (size_t)(id - 1) / 2 >= H2_PAIR_STREAMS_MAX) {
        free(answer);
        return -1;
    }
    pair->answers[(size_t)(id - 1) / 2] = answer;
    return id;
}

int32_t h2_pair_request(h2_pair *pair, const char *method, const char *path, const char *body)
{
    return h2_pair_request_with(pair, method, path, NULL, 0, lw_str_of(body), false);
}

bool h2_pair_send(h2_pair *pair)
{
    bool has_moved = false;
    while (!pair->conn.is_finished && !pair->conn.is_aborted) {
        const uint8_t *bytes = NULL;
        ssize_t len = nghttp2_session_mem_send(pair->client, &bytes);
        if (len <= 0)
            break;
        fake_conn_feed(&pair->conn, bytes, (size_t)len, pair->step);
        has_moved = true;
    }
    return has_moved;
}

bool h2_pair_receive(h2_pair *pair)
{
    lw_str bytes = fake_conn_take(&pair->conn, pair->take_max);
    if (bytes.len == 0)
        return false;
    if (nghttp2_session_mem_recv(pair->client, (const uint8_t *)bytes.ptr, bytes.len) < 0)
        abort();
    fake_conn_refill(&pair->conn);
    return true;
}

void h2_pair_turn(h2_pair *pair)
{
    if (lw_loop_turn(pair->loop, 0, NULL) < 0)
        abort();
}

void h2_pair_run(h2_pair *pair)
{
    bool has_moved = true;
    while (has_moved) {
        has_moved = h2_pair_send(pair);
        h2_pair_turn(pair);
        has_moved |= h2_pair_receive(pair);
    }
}
