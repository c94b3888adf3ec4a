/* SPDX-License-Identifier: Apache-2.0 */
/* conn_queue.h -- the send queue: shared bytes, not copied, in order.
 *
 * Small pieces (frame headers, chunk sizes) are stored in the queue itself without an allocation.
 * The memory shrinks with the number of items; lw_conn_queue_trim takes that of an empty queue. */
#ifndef LW_NET_CONN_QUEUE_H
#define LW_NET_CONN_QUEUE_H

#include <sys/uio.h>

#include "base/buf.h"
#include "base/ring.h"

enum {
    LW_CONN_QUEUE_ITEMS_MAX = 1 << 16, /* maximum number of pieces in the queue */
    LW_CONN_QUEUE_BATCH = 64,          /* pieces written with one system call */
};

typedef struct lw_conn_queue {
    lw_ring items;
    size_t pending; /* bytes not yet sent */
    size_t taken;   /* bytes of the first item that are sent */
} lw_conn_queue;

void lw_conn_queue_init(lw_conn_queue *queue);

/* Releases the remaining pieces. */
void lw_conn_queue_done(lw_conn_queue *queue);

/* Appends |bytes|; takes ownership, even on error.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_conn_queue_push(lw_conn_queue *queue, lw_bytes bytes);
lw_status lw_conn_queue_push_copy(lw_conn_queue *queue, const void *bytes, size_t len);

/* Points |iov| to the first pieces; returns their number.  Valid until the next push or take. */
int lw_conn_queue_peek(const lw_conn_queue *queue, struct iovec iov[LW_CONN_QUEUE_BATCH]);

/* Copies at most |cap| bytes from the front to |out|; returns their number. */
size_t lw_conn_queue_gather(const lw_conn_queue *queue, char *out, size_t cap);

/* Removes the first |len| bytes, which are sent, and releases the pieces that are sent
 * completely. */
void lw_conn_queue_take(lw_conn_queue *queue, size_t len);

/* Before a push: takes memory from |spares| if the queue has none. */
void lw_conn_queue_borrow(lw_conn_queue *queue, lw_ring_spares *spares);

/* Gives the memory of the queue to |spares|, or frees it, if the queue is empty. */
void lw_conn_queue_trim(lw_conn_queue *queue, lw_ring_spares *spares);

#endif
