/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h -- a listening socket on a loop. */
#ifndef LW_NET_LISTENER_H
#define LW_NET_LISTENER_H

#include "base/dlist.h"
#include "net/address.h"
#include "net/loop.h"
#include "net/tls/tls.h"

typedef struct lw_listener {
    lw_dlist_node link; /* used by the owner */
    lw_loop *loop;
    lw_io io;
    lw_tls_context *tls; /* NULL: plain HTTP */
    uint16_t port;
    /* Takes ownership of the socket |fd| of a new connection. */
    void (*accepted)(struct lw_listener *listener, int fd, const lw_address *peer);
    /* Returns whether another connection may be accepted; if false, the listener pauses. */
    bool (*has_room)(struct lw_listener *listener);
    /* The system has no descriptors or memory left; the listener has paused. */
    void (*exhausted)(struct lw_listener *listener);
    void *owner;
} lw_listener;

/* Listens on |address|.  The owner sets tls, the callbacks and owner before the loop runs.
 * LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_listener_new(lw_listener **out, lw_loop *loop, const lw_address *address,
                          lw_error *err);
void lw_listener_free(lw_listener *listener);

/* Pauses or resumes accepting; while paused, connections wait in the backlog. */
void lw_listener_set_accepting(lw_listener *listener, bool is_accepting);

#endif
