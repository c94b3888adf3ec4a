/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.h -- resolves host names without blocking a loop.
 *
 * The system's resolver blocks, so each lookup runs on its own thread.  A cancelled lookup ends by
 * itself: nothing waits for it. */
#ifndef LW_NET_DIAL_RESOLVE_H
#define LW_NET_DIAL_RESOLVE_H

#include <listwatch/error.h>

#include "net/address.h"
#include "net/loop.h"

enum {
    LW_RESOLVE_MAX = 32, /* maximum number of addresses; further ones are ignored */
};

typedef struct lw_resolve lw_resolve;

/* Called once, on the loop's thread; the lookup is freed afterwards.  |count| (> 0) addresses in
 * the order to try them, valid during the call; or none and |err| (LW_ERR_UNAVAILABLE: unknown
 * name, or no name server; LW_ERR_NOMEM). */
typedef void (*lw_resolve_fn)(const lw_address *addresses, size_t count, const lw_error *err,
                              void *arg);

/* True if |host| is an IP address: sets |out| to it and |port|.  Does not block. */
bool lw_resolve_numeric(lw_address *out, const char *host, uint16_t port);

/* Starts to resolve |host|, which is copied.  LW_ERR_NOMEM, LW_ERR_IO (no thread). */
lw_status lw_resolve_start(lw_resolve **out, lw_loop *loop, const char *host, uint16_t port,
                           lw_resolve_fn done, void *arg, lw_error *err);

/* Cancels; |done| is not called any more.  The loop may be freed at once. */
void lw_resolve_cancel(lw_resolve *resolve);

#endif
