/* SPDX-License-Identifier: Apache-2.0 */
/* h2_peer.h -- an HTTP/2 server based on nghttp2, on loopback and on the loop of the test, for one
 * client at a time.  The path selects the reply:
 *
 *     /echo     after the whole request: 200, its body, trailers "grpc-status: 0"
 *     /stream   200 at once, each piece as it arrives, trailers when the request ends
 *     /head     a head with END_STREAM
 *     /early    head, body and trailers, without waiting for the request
 *     /reset    a reset (INTERNAL_ERROR)         /refuse   a reset (REFUSED_STREAM)
 *     /big      peer->big_len bytes of body      /fields   peer->field_count header fields
 *     /hold     nothing: the test answers */
#ifndef LW_TESTS_SUPPORT_H2_PEER_H
#define LW_TESTS_SUPPORT_H2_PEER_H

#include <nghttp2/nghttp2.h>

#include "base/buf.h"
#include "net/conn_queue.h"
#include "net/loop.h"
#include "net/tls/tls_stream.h"

enum {
    H2_PEER_STREAMS_MAX = 4096,
    H2_PEER_BODY_MAX = 128 * 1024 * 1024,
};

typedef struct h2_peer_stream {
    int32_t id;
    lw_buf path;
    lw_buf body; /* of the request */
    bool is_ended;
    int64_t reset; /* code of the client's reset; -1: none */
    lw_buf out;    /* of the reply, for /stream and /echo */
    size_t out_at;
    size_t big_left;
    bool is_out_ended;
    bool is_waiting; /* nghttp2 waits for more of |out| */
} h2_peer_stream;

typedef struct h2_peer {
    lw_loop *loop;
    lw_tls_context *tls; /* NULL: plain */
    uint16_t port;
    lw_io listening;
    lw_io io; /* fd -1: no client */
    lw_tls_stream *stream;
    bool is_handshaking;
    nghttp2_session *session;
    lw_conn_queue queue;
    h2_peer_stream *streams[H2_PEER_STREAMS_MAX]; /* by (id - 1) / 2 */
    unsigned accepted, requests, pings;
    size_t received; /* bytes of request bodies */
    size_t sent;     /* bytes of reply bodies */

    /* Set by the test before a client connects. */
    uint32_t streams_max; /* 0: not announced */
    size_t big_len;
    size_t field_count;
    lw_str raw;   /* if not empty, these bytes are sent instead of HTTP/2 */
    bool is_mute; /* accepts connections, but neither reads nor answers */
    bool is_deaf; /* stops reading; set it with h2_peer_set_deaf at any time */
} h2_peer;

/* Listens on a loopback port (|address|: "127.0.0.1:0").  False: it cannot listen. */
bool h2_peer_open(h2_peer *peer, lw_loop *loop, const char *address);
void h2_peer_close(h2_peer *peer);

/* Stops listening, so that new connections are refused; or closes the current connection. */
void h2_peer_stop_listening(h2_peer *peer);
void h2_peer_hang_up(h2_peer *peer);

/* Stops or resumes reading and answering. */
void h2_peer_set_deaf(h2_peer *peer, bool is_deaf);

h2_peer_stream *h2_peer_find(const h2_peer *peer, int32_t id);

/* Answer a held stream: the head; a piece of the body; the end. */
void h2_peer_reply(h2_peer *peer, int32_t id);
void h2_peer_write(h2_peer *peer, int32_t id, lw_str bytes);
void h2_peer_end(h2_peer *peer, int32_t id);
void h2_peer_reset(h2_peer *peer, int32_t id, uint32_t code);
void h2_peer_goaway(h2_peer *peer, int32_t last_id, uint32_t code);

/* Sends arbitrary bytes after what is queued. */
void h2_peer_send_raw(h2_peer *peer, const void *bytes, size_t len);

/* Sends what nghttp2 has queued. */
void h2_peer_flush(h2_peer *peer);

#endif
