/* SPDX-License-Identifier: Apache-2.0 */
/* conn_pool.h -- what the connections of one loop share: buffers, limits, counts, the date.
 *
 * An idle connection keeps no buffers of its own: bytes are read into the pool's and handed on in
 * the same breath. */
#ifndef LW_NET_CONN_POOL_H
#define LW_NET_CONN_POOL_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/dlist.h"
#include "net/http_server.h"

enum {
    LW_CONN_POOL_READ_SIZE = 64 * 1024,   /* bytes read from a client at once */
    LW_CONN_POOL_GATHER_SIZE = 16 * 1024, /* bytes of a full TLS record */
    LW_CONN_POOL_DATE_SIZE = 30,          /* "Sun, 06 Nov 1994 08:49:37 GMT" and its NUL */
};

/* Counted by all loops. */
typedef struct lw_http_counts {
    _Atomic uint64_t open, accepted, refused;
    _Atomic uint64_t streams, requests, bytes_in, bytes_out, protocol_errors, timeouts;
} lw_http_counts;

typedef struct lw_conn_pool {
    lw_loop *loop;
    lw_http_handler handler;
    lw_http_limits limits; /* with the defaults filled in */
    lw_http_counts *counts;
    const lw_logger *logger;
    lw_dlist conns;
    bool is_draining;
    bool is_stopped; /* the server is gone; only what was posted to the loop comes here still */
    void (*conn_gone)(struct lw_conn_pool *pool); /* after one was freed */
    void *owner;                                  /* of the pool */

    int64_t date_s; /* the second that |date| tells */
    char date[LW_CONN_POOL_DATE_SIZE];
    char *read; /* LW_CONN_POOL_READ_SIZE bytes, then LW_CONN_POOL_GATHER_SIZE */
    char *gather;
} lw_conn_pool;

/* LW_ERR_NOMEM.  |pool| is zeroed but for what the owner has filled in. */
lw_status lw_conn_pool_init(lw_conn_pool *pool);
void lw_conn_pool_done(lw_conn_pool *pool);

/* The Date header's value (RFC 9110, 5.6.7), made anew each second. */
lw_str lw_conn_pool_date(lw_conn_pool *pool);

static inline void lw_count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

#endif
