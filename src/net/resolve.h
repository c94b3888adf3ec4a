/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.h -- the addresses of a host name, looked up without holding up a loop.
 *
 * The system's resolver waits, so it runs on a thread of its own for each lookup, which ends with
 * it.  A lookup that is cancelled is left to end by itself: nobody waits for it. */
#ifndef LW_NET_RESOLVE_H
#define LW_NET_RESOLVE_H

#include <listwatch/error.h>

#include "net/address.h"
#include "net/loop.h"

enum {
    LW_RESOLVE_MAX = 32, /* addresses of a name; further ones are left out */
};

typedef struct lw_resolve lw_resolve;

/* Once, on the loop's thread, and the lookup is gone: |count| (> 0) addresses, in the order to try
 * them, which die when it returns; or none, and |err| (LW_ERR_UNAVAILABLE: no such name, or nobody
 * to ask; LW_ERR_NOMEM). */
typedef void (*lw_resolve_fn)(const lw_address *addresses, size_t count, const lw_error *err,
                              void *arg);

/* True when |host| is an IP address: |out| is it, with |port|.  Waits for nobody. */
bool lw_resolve_numeric(lw_address *out, const char *host, uint16_t port);

/* Begins to look up |host|, which is copied.  LW_ERR_NOMEM, LW_ERR_IO (no thread). */
lw_status lw_resolve_start(lw_resolve **out, lw_loop *loop, const char *host, uint16_t port,
                           lw_resolve_fn done, void *arg, lw_error *err);

/* |done| is not called any more.  The loop may be freed at once. */
void lw_resolve_cancel(lw_resolve *resolve);

#endif
