/* SPDX-License-Identifier: Apache-2.0 */
/* relay.h -- serves a request on another loop (the worker's) than that of its connection.
 *
 *     the connection's loop                          the worker's loop
 *     origin: the connection's stream                the relay's stream: the handler replies to it
 *     deliver ◀── reply, begin, write, end, abort ──  the operations of the relay's stream
 *     drained, closed ──────────────────────────────▶ on_drained, on_closed of the handler
 *
 * The handler runs on the worker's loop as it would on that of the connection: the relay's stream
 * has the same request, caller and audit ID.  Only request.peer is empty, because the connection
 * may close at any time.  The observer of the origin sees what is delivered to it.  The relay keeps
 * the origin, and with it the request, until the handler has released the relay's stream.
 *
 * States:  new ──lw_relay_take──▶ taken ──origin closed──▶ closed on the connection's loop
 *                                                ──▶ closed on the worker's loop ──▶ freed
 * A relay whose origin closes before it is taken goes from new to freed in lw_relay_take. */
#ifndef LW_NET_RELAY_H
#define LW_NET_RELAY_H

#include "net/http.h"

typedef struct lw_relay lw_relay;

/* The owner of a relay, if it wants to know when the relay and its request are freed. */
typedef struct lw_relay_owner {
    void (*freed)(void *arg); /* once, on any thread; may be NULL */
    void *arg;
} lw_relay_owner;

/* Creates a relay for |origin|, whose handler has not replied; from now on only the relay uses it.
 * The loop of |origin|.  NULL: out of memory; |owner| is not called then. */
lw_relay *lw_relay_new(lw_http_stream *origin, lw_relay_owner owner);

/* Moves the request to |loop|; call it once, on the thread of |loop|.  Returns the stream to serve,
 * borrowed: it is valid until it is closed, and longer if a reference is taken.  NULL: the client
 * has disconnected, and the relay is freed. */
lw_http_stream *lw_relay_take(lw_relay *relay, lw_loop *loop);

#endif
