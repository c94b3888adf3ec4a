/* SPDX-License-Identifier: Apache-2.0 */
/* conn_pool.h -- shared by the connections of one loop: buffers, limits, counters, the date.
 *
 * An idle connection has no buffers of its own: bytes are read into the pool's buffer and processed
 * at once. */
#ifndef LW_NET_CONN_POOL_H
#define LW_NET_CONN_POOL_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/dlist.h"
#include "base/ring.h"
#include "net/conn_admission.h"
#include "net/http_server.h"

enum {
    LW_CONN_POOL_READ_SIZE = 64 * 1024,   /* bytes read from a client at once */
    LW_CONN_POOL_GATHER_SIZE = 16 * 1024, /* bytes of a full TLS record */
    LW_CONN_POOL_DATE_SIZE = 30,          /* "Sun, 06 Nov 1994 08:49:37 GMT" and the NUL */
};

/* Counters of all loops. */
typedef struct lw_http_counts {
    _Atomic uint64_t open, accepted, refused, evicted;
    _Atomic uint64_t streams, requests, bytes_in, bytes_out, protocol_errors, timeouts;
} lw_http_counts;

typedef struct lw_conn_pool {
    lw_loop *loop;
    lw_http_handler handler;
    lw_http_limits limits; /* with the defaults filled in */
    lw_http_counts *counts;
    lw_conn_admission *admission; /* of all loops */
    const lw_logger *logger;
    lw_dlist conns;
    bool is_draining;
    bool is_stopped; /* the server was freed; only tasks that were already posted still run */
    void (*conn_gone)(struct lw_conn_pool *pool); /* called after a connection was freed */
    void *owner;                                  /* owner of the pool */

    lw_ring_spares queues; /* memory for queues: most are empty most of the time */
    int64_t date_s;        /* the second of |date| */
    char date[LW_CONN_POOL_DATE_SIZE];
    char *read; /* LW_CONN_POOL_READ_SIZE bytes, then LW_CONN_POOL_GATHER_SIZE */
    char *gather;
    struct lw_tls_engine *tls; /* of TLS 1.3; NULL: not used so far */
} lw_conn_pool;

/* Initializes the pool.  LW_ERR_NOMEM.  |pool| must be zeroed except for the members that the owner
 * has set. */
lw_status lw_conn_pool_init(lw_conn_pool *pool);
void lw_conn_pool_done(lw_conn_pool *pool);

/* Returns the value of the Date header (RFC 9110, 5.6.7), updated once per second. */
lw_str lw_conn_pool_date(lw_conn_pool *pool);

static inline void lw_count(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

#endif
