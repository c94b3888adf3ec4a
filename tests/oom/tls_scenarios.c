/* SPDX-License-Identifier: Apache-2.0 */
/* tls_scenarios.c -- records of TLS that come and go in parts, with every allocation failing in
 * turn: the connection fails, and nothing is lost before. */
#include <sys/uio.h>

#include "base/error.h"
#include "oom/oom.h"
#include "support/tls_peer.h"

enum {
    BIG = 100 * 1000,
    ROUNDS_MAX = 1000,
    AES_128 = 0x1301,
};

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

/* A record comes in two parts. */
static lw_status read_parts(tls_peer *p, lw_buf *wire, lw_error *err)
{
    static char room[LW_TLS_STREAM_READ_MIN];
    const size_t half = 7;
    size_t got = 0;
    tls_peer_seal(p, LW_TLS_DATA, LW_STR("a request"), wire);
    if (wire->st < 0)
        return lw_error_nomem(err);
    (void)!send(p->fds[1], wire->data, half, 0);
    lw_tls_result result = lw_tls_channel_read(p->channel, room, sizeof(room), &got);
    if (result == LW_TLS_FAILED)
        return lw_error_nomem(err);
    (void)!send(p->fds[1], wire->data + half, wire->len - half, 0);
    result = lw_tls_channel_read(p->channel, room, sizeof(room), &got);
    if (result == LW_TLS_FAILED)
        return lw_error_nomem(err);
    return result == LW_TLS_OK && lw_str_equal(lw_str_make(room, got), LW_STR("a request"))
               ? LW_OK
               : wrong(err, "what was read");
}

/* The socket is filled and drained. */
static lw_status write_parts(tls_peer *p, lw_error *err)
{
    static char text[BIG], room[BIG];
    int small = 4096;
    struct iovec piece = { text, BIG };
    (void)setsockopt(p->fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    for (int i = 0; i < ROUNDS_MAX && piece.iov_len > 0; i++) {
        size_t sent = 0;
        lw_tls_result result = lw_tls_channel_write(p->channel, &piece, 1, &sent);
        if (result == LW_TLS_FAILED)
            return lw_error_nomem(err);
        piece.iov_len -= sent;
        (void)!recv(p->fds[1], room, sizeof(room), 0);
    }
    return piece.iov_len == 0 ? LW_OK : wrong(err, "not everything is sent");
}

static lw_status records_in_parts_arrive_or_the_connection_fails(lw_error *err)
{
    lw_tls_engine *engine = lw_tls_engine_new();
    tls_peer peer;
    lw_buf wire;
    lw_status st = LW_OK;
    if (!engine)
        return lw_error_nomem(err);
    lw_buf_init(&wire, LW_TLS_RECORD_MAX);
    if (!tls_peer_open(&peer, engine, tls_peer_secrets(AES_128, 1)))
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = read_parts(&peer, &wire, err);
    if (st == LW_OK)
        st = write_parts(&peer, err);
    lw_buf_done(&wire);
    tls_peer_close(&peer);
    lw_tls_engine_free(engine);
    return st;
}

const oom_scenario tls_scenarios[] = {
    { "TLS records in parts arrive or the connection fails",
      records_in_parts_arrive_or_the_connection_fails },
};
const size_t tls_scenario_count = sizeof(tls_scenarios) / sizeof(tls_scenarios[0]);
