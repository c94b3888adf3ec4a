/* SPDX-License-Identifier: Apache-2.0 */
/* ws.h -- server side of WebSocket (RFC 6455): bytes in and bytes out.
 *
 * Made for watches: the server sends one frame per message; what the client sends is checked and
 * dropped, except that pings and closes are answered. */
#ifndef LW_NET_H1_WS_H
#define LW_NET_H1_WS_H

#include "base/buf.h"
#include "net/http.h"

enum {
    LW_WS_ACCEPT_SIZE = 29,        /* size of Sec-WebSocket-Accept, including the NUL */
    LW_WS_HEADER_MAX = 10,         /* maximum size of a frame header that a server sends */
    LW_WS_MESSAGE_MAX = 64 * 1024, /* maximum size of a message from a client */
    LW_WS_ANSWER_MAX = 256,        /* maximum size of replies beyond that of the input */
};

/* True if |request|, received with HTTP/1.1, is a valid upgrade (section 4.2.1).  Otherwise
 * |*status| is the HTTP status of the refusal: 400, or 426 for another version (with
 * Sec-WebSocket-Version: 13). */
bool lw_ws_check_upgrade(const lw_http_request *request, int *status);

/* Computes Sec-WebSocket-Accept for the request's key.  LW_ERR_NOMEM, LW_ERR_INVALID (invalid
 * key). */
lw_status lw_ws_accept(lw_str key, char out[LW_WS_ACCEPT_SIZE]);

/* Writes the header of an unfragmented text or binary frame of |len| bytes; returns its length. */
size_t lw_ws_header(uint64_t len, bool is_text, char out[LW_WS_HEADER_MAX]);

typedef struct lw_ws lw_ws;

/* LW_ERR_NOMEM. */
lw_status lw_ws_new(lw_ws **out);
void lw_ws_free(lw_ws *ws);

/* Processes input of the client and appends replies (pong, close) to |out|.  |*is_closed|: the
 * client has closed, or violated the protocol and was notified: send |out|, then close.
 * LW_ERR_NOMEM, LW_ERR_LIMIT (|out| is full: it never needs more than |len| + LW_WS_ANSWER_MAX
 * bytes). */
lw_status lw_ws_feed(lw_ws *ws, const char *bytes, size_t len, lw_buf *out, bool *is_closed);

/* Appends a close frame with |code| (1000: normal, 1001: going away, 1011: internal error), once,
 * and not after a reply to the client's close.  Send no data after it. */
void lw_ws_close(lw_ws *ws, unsigned code, lw_buf *out);

#endif
