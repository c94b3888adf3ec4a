/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h -- a listening socket on a loop. */
#ifndef LW_NET_LISTENER_H
#define LW_NET_LISTENER_H

#include "base/dlist.h"
#include "net/address.h"
#include "net/loop.h"
#include "net/tls.h"

typedef struct lw_listener {
    lw_dlist_node link; /* the owner's */
    lw_loop *loop;
    lw_io io;
    lw_tls_context *tls; /* NULL: plain */
    uint16_t port;
    /* Takes the socket |fd| of a new client. */
    void (*accepted)(struct lw_listener *listener, int fd, const lw_address *peer);
    /* Whether there is room for another; false: it pauses itself. */
    bool (*has_room)(struct lw_listener *listener);
    /* The system has no descriptors or memory left; it has paused. */
    void (*exhausted)(struct lw_listener *listener);
    void *owner;
} lw_listener;

/* Listens on |address|.  The owner fills in tls, the callbacks and owner, before the loop turns.
 * LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_listener_new(lw_listener **out, lw_loop *loop, const lw_address *address,
                          lw_error *err);
void lw_listener_free(lw_listener *listener);

/* Lets clients wait in the backlog, or takes them again. */
void lw_listener_set_accepting(lw_listener *listener, bool is_accepting);

#endif
