/* SPDX-License-Identifier: Apache-2.0 */
/* conn_queue.h -- what waits to be sent: shared bytes, not copied, in order.
 *
 * Small pieces (frame headers, chunk sizes) are kept in the queue itself and cost no allocation.
 * Memory is that of the items, and shrinks with them. */
#ifndef LW_NET_CONN_QUEUE_H
#define LW_NET_CONN_QUEUE_H

#include <sys/uio.h>

#include "base/bytes.h"
#include "base/ring.h"

enum {
    LW_CONN_QUEUE_ITEMS_MAX = 1 << 16, /* pieces queued to one client */
    LW_CONN_QUEUE_BATCH = 64,          /* pieces handed to the system at once */
};

typedef struct lw_conn_queue {
    lw_ring items;
    size_t pending; /* bytes not yet taken */
    size_t taken;   /* bytes of the first item that are */
} lw_conn_queue;

void lw_conn_queue_init(lw_conn_queue *queue);

/* Releases what is left. */
void lw_conn_queue_done(lw_conn_queue *queue);

/* Puts |bytes| at the end; takes them, on error too.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_conn_queue_push(lw_conn_queue *queue, lw_bytes bytes);
lw_status lw_conn_queue_push_copy(lw_conn_queue *queue, const void *bytes, size_t len);

/* Points |iov| at the first pieces; returns how many.  Good until the next push or take. */
int lw_conn_queue_peek(const lw_conn_queue *queue, struct iovec iov[LW_CONN_QUEUE_BATCH]);

/* Copies the first bytes, |cap| at most, to |out|; returns how many. */
size_t lw_conn_queue_gather(const lw_conn_queue *queue, char *out, size_t cap);

/* The first |len| bytes are sent: releases the pieces that are sent whole. */
void lw_conn_queue_take(lw_conn_queue *queue, size_t len);

#endif
