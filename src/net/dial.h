/* SPDX-License-Identifier: Apache-2.0 */
/* dial.h -- a connected socket to a host, whichever of its addresses answers first in their order.
 *
 * Each address gets its share of the time that is left, so that one which swallows packets does not
 * use it up for the others. */
#ifndef LW_NET_DIAL_H
#define LW_NET_DIAL_H

#include "net/address.h"
#include "net/loop.h"

typedef struct lw_dial lw_dial;

/* Once, not from within the start, and the dial is gone: the socket |fd|, which does not block and
 * is the callee's; or -1, and |err| says what the last address answered (LW_ERR_UNAVAILABLE,
 * LW_ERR_TIMEOUT, LW_ERR_IO, LW_ERR_NOMEM). */
typedef void (*lw_dial_fn)(int fd, const lw_error *err, void *arg);

/* Begins.  |host| is a name or an IP address; it is copied.  LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_dial_start(lw_dial **out, lw_loop *loop, const char *host, uint16_t port,
                        int64_t deadline_ns, lw_dial_fn done, void *arg, lw_error *err);

/* The same with addresses at hand, LW_RESOLVE_MAX at most.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_dial_start_at(lw_dial **out, lw_loop *loop, const lw_address *addresses, size_t count,
                           int64_t deadline_ns, lw_dial_fn done, void *arg, lw_error *err);

/* |done| is not called any more.  NULL does nothing. */
void lw_dial_cancel(lw_dial *dial);

#endif
