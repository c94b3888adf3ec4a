/* SPDX-License-Identifier: Apache-2.0 */
/* ws.h -- WebSocket (RFC 6455), a server's side, as bytes in and bytes out.
 *
 * Made for watches: the server sends text frames, one a message; what the client sends is checked
 * and dropped, except that pings are answered and a close is a close. */
#ifndef LW_NET_WS_H
#define LW_NET_WS_H

#include "base/buf.h"
#include "net/http.h"

enum {
    LW_WS_ACCEPT_SIZE = 29,        /* of Sec-WebSocket-Accept, with its NUL */
    LW_WS_HEADER_MAX = 10,         /* bytes of a frame's header, as a server sends it */
    LW_WS_MESSAGE_MAX = 64 * 1024, /* bytes of a message a client may send */
    LW_WS_ANSWER_MAX = 256,        /* bytes of answers beyond those that were fed */
};

/* Whether |request|, which came by HTTP/1.1, is a proper upgrade (section 4.2.1).  On false
 * |*status| is the HTTP status to refuse it with: 400, or 426 for another version (to be answered
 * with Sec-WebSocket-Version: 13). */
bool lw_ws_check_upgrade(const lw_http_request *request, int *status);

/* Sec-WebSocket-Accept for the request's key.  LW_ERR_NOMEM, LW_ERR_INVALID (not such a key). */
lw_status lw_ws_accept(lw_str key, char out[LW_WS_ACCEPT_SIZE]);

/* Writes the header of a whole text frame of |len| bytes, or of a binary one; returns how long it
 * is. */
size_t lw_ws_header(uint64_t len, bool is_text, char out[LW_WS_HEADER_MAX]);

typedef struct lw_ws lw_ws;

/* LW_ERR_NOMEM. */
lw_status lw_ws_new(lw_ws **out);
void lw_ws_free(lw_ws *ws);

/* Takes bytes of the client and appends what must be sent in answer (pong, close) to |out|.
 * |*is_closed|: the client has closed, or broke the protocol and was told: send |out|, then close.
 * LW_ERR_NOMEM, LW_ERR_LIMIT (no room in |out|: it never needs more than |len| + LW_WS_ANSWER_MAX
 * bytes). */
lw_status lw_ws_feed(lw_ws *ws, const char *bytes, size_t len, lw_buf *out, bool *is_closed);

/* Appends a close frame with |code| (1000: done, 1001: going away, 1011: trouble), once: not after
 * the client's has been answered.  Send no text after it. */
void lw_ws_close(lw_ws *ws, unsigned code, lw_buf *out);

#endif
