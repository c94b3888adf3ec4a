/* SPDX-License-Identifier: Apache-2.0 */
/* tls_scene.h -- a channel and its client (support/tls_peer.h), with assertions. */
#ifndef LW_TESTS_UNIT_NET_TLS_SCENE_H
#define LW_TESTS_UNIT_NET_TLS_SCENE_H

#include "support/tls_peer.h"
#include "unit/test.h"

enum {
    AES_128 = 0x1301,
    AES_256 = 0x1302,
    CHACHA = 0x1303,
    READ_SIZE = 64 * 1024,
};

static const lw_str update = LW_STR_INIT("\x18\0\0\x01\0");

typedef struct scene {
    lw_tls_engine *engine;
    tls_peer peer;
} scene;

static inline void open_scene(scene *s, unsigned suite)
{
    s->engine = lw_tls_engine_new();
    assert_non_null(s->engine);
    assert_true(tls_peer_open(&s->peer, s->engine, tls_peer_secrets(suite, 1)));
}

static inline void close_scene(scene *s)
{
    tls_peer_close(&s->peer);
    lw_tls_engine_free(s->engine);
}

static inline void send_raw(const scene *s, lw_str bytes)
{
    assert_int_equal(send(s->peer.fds[1], bytes.ptr, bytes.len, 0), bytes.len);
}

static inline void send_record(scene *s, lw_tls_content content, lw_str data)
{
    lw_buf bytes;
    lw_buf_init(&bytes, LW_TLS_RECORD_MAX);
    tls_peer_seal(&s->peer, content, data, &bytes);
    send_raw(s, lw_buf_view(&bytes));
    lw_buf_done(&bytes);
}

static inline lw_tls_result read_some(scene *s, lw_buf *got)
{
    static char room[READ_SIZE];
    size_t len = 0;
    lw_tls_result result = lw_tls_channel_read(s->peer.channel, room, sizeof(room), &len);
    assert_true((result == LW_TLS_OK) == (len > 0));
    lw_buf_append(got, room, len);
    return result;
}

static inline void expect_data(scene *s, const char *text)
{
    lw_buf got;
    lw_buf_init(&got, READ_SIZE);
    assert_int_equal(read_some(s, &got), LW_TLS_OK);
    assert_str_equal(lw_buf_view(&got), text);
    lw_buf_done(&got);
}

static inline void expect_result(scene *s, lw_tls_result result)
{
    lw_buf got;
    lw_buf_init(&got, READ_SIZE);
    assert_int_equal(read_some(s, &got), result);
    lw_buf_done(&got);
}

/* Receives the next record from the channel. */
static inline lw_tls_content receive(scene *s, lw_buf *out)
{
    static char record[LW_TLS_RECORD_MAX];
    lw_tls_alert alert;
    lw_tls_content content = 0;
    lw_str data;
    assert_int_equal(recv(s->peer.fds[1], record, LW_TLS_RECORD_HEAD, 0), LW_TLS_RECORD_HEAD);
    size_t size = lw_tls_record_size(record, &alert);
    assert_true(size > 0);
    assert_int_equal(recv(s->peer.fds[1], record + LW_TLS_RECORD_HEAD, size - LW_TLS_RECORD_HEAD,
                          MSG_WAITALL),
                     size - LW_TLS_RECORD_HEAD);
    assert_true(lw_tls_open(s->peer.engine, &s->peer.reads, record, size, &data, &content, &alert));
    lw_buf_append_str(out, data);
    return content;
}

static inline void expect_record(scene *s, lw_tls_content content, lw_str data)
{
    lw_buf got;
    lw_buf_init(&got, READ_SIZE);
    assert_int_equal(receive(s, &got), content);
    assert_int_equal(got.len, data.len);
    assert_memory_equal(got.data, data.ptr, data.len);
    lw_buf_done(&got);
}

static inline void expect_alert(scene *s, int level, lw_tls_alert alert)
{
    const char message[] = { (char)level, (char)alert };
    expect_record(s, LW_TLS_ALERT, lw_str_make(message, sizeof(message)));
}

static inline lw_tls_result write_text(scene *s, lw_str text, size_t *sent)
{
    struct iovec piece = { .iov_len = text.len };
    memcpy(&piece.iov_base, &text.ptr, sizeof(text.ptr));
    return lw_tls_channel_write(s->peer.channel, &piece, 1, sent);
}

static inline void expect_written(scene *s, const char *text)
{
    size_t sent = 0;
    assert_int_equal(write_text(s, lw_str_of(text), &sent), LW_TLS_OK);
    assert_int_equal(sent, strlen(text));
}

#endif
