/* SPDX-License-Identifier: Apache-2.0 */
/* dial.h -- connects to a host: tries its addresses in order.
 *
 * Each address gets its share of the remaining time, so that one that drops packets does not use up
 * the time of the others. */
#ifndef LW_NET_DIAL_DIAL_H
#define LW_NET_DIAL_DIAL_H

#include "net/address.h"
#include "net/loop.h"

typedef struct lw_dial lw_dial;

/* Called once, never inside lw_dial_start; the dial is freed before.  |fd| is the non-blocking
 * socket, owned by the callee; or -1 and |err| is the error of the last address
 * (LW_ERR_UNAVAILABLE, LW_ERR_TIMEOUT, LW_ERR_IO, LW_ERR_NOMEM). */
typedef void (*lw_dial_fn)(int fd, const lw_error *err, void *arg);

/* Starts to connect.  |host| is a name or an IP address; it is copied.  LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_dial_start(lw_dial **out, lw_loop *loop, const char *host, uint16_t port,
                        int64_t deadline_ns, lw_dial_fn done, void *arg, lw_error *err);

/* Starts to connect to at most LW_RESOLVE_MAX given addresses.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_dial_start_at(lw_dial **out, lw_loop *loop, const lw_address *addresses, size_t count,
                           int64_t deadline_ns, lw_dial_fn done, void *arg, lw_error *err);

/* Cancels; |done| is not called any more.  NULL does nothing. */
void lw_dial_cancel(lw_dial *dial);

#endif
