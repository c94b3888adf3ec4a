/* SPDX-License-Identifier: Apache-2.0 */
/* conn_queue.c -- the send queue, in a ring.
 * Invariant: |pending| is the sum of the items' lengths minus |taken|; no item is empty. */
#include "net/conn_queue.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

enum {
    INLINE_MAX = 24, /* bytes that fit into an item */
};

/* Shared bytes, or a few bytes in the item itself: then |release| is inline_mark, which is never
 * called. */
typedef struct queue_item {
    size_t len;
    void (*release)(void *owner);
    union {
        struct {
            const char *ptr;
            void *owner;
        } shared;
        char copy[INLINE_MAX];
    };
} queue_item;

static void inline_mark(void *owner)
{
    (void)owner;
}

static const char *item_bytes(const queue_item *item)
{
    return item->release == inline_mark ? item->copy : item->shared.ptr;
}

static void item_release(queue_item *item)
{
    if (item->release && item->release != inline_mark)
        item->release(item->shared.owner);
}

void lw_conn_queue_init(lw_conn_queue *queue)
{
    lw_ring_init(&queue->items, sizeof(queue_item), LW_CONN_QUEUE_ITEMS_MAX, 0);
    queue->pending = queue->taken = 0;
}

void lw_conn_queue_done(lw_conn_queue *queue)
{
    queue_item item;
    while (lw_ring_pop(&queue->items, &item))
        item_release(&item);
    lw_ring_done(&queue->items);
    queue->pending = queue->taken = 0;
}

static lw_status push(lw_conn_queue *queue, queue_item *item)
{
    lw_status st = lw_ring_push(&queue->items, item, NULL);
    if (st < 0)
        item_release(item);
    else
        queue->pending += item->len;
    return st;
}

lw_status lw_conn_queue_push(lw_conn_queue *queue, lw_bytes bytes)
{
    if (bytes.len == 0) {
        lw_bytes_release(bytes);
        return LW_OK;
    }
    queue_item item = { .len = bytes.len, .release = bytes.release };
    item.shared.ptr = bytes.ptr;
    item.shared.owner = bytes.owner;
    return push(queue, &item);
}

lw_status lw_conn_queue_push_copy(lw_conn_queue *queue, const void *bytes, size_t len)
{
    if (len == 0)
        return LW_OK;
    if (len <= INLINE_MAX) {
        queue_item item = { .len = len, .release = inline_mark };
        memcpy(item.copy, bytes, len);
        return push(queue, &item);
    }
    char *copy = lw_alloc(len);
    if (!copy)
        return LW_ERR_NOMEM;
    memcpy(copy, bytes, len);
    return lw_conn_queue_push(queue, (lw_bytes){ copy, len, lw_free, copy });
}

static queue_item *item_at(const lw_conn_queue *queue, size_t index)
{
    return lw_ring_at(&queue->items, lw_ring_first_seq(&queue->items) + index);
}

/* Returns the bytes of item |index| that are not sent yet. */
static lw_str rest_of(const lw_conn_queue *queue, size_t index)
{
    const queue_item *item = item_at(queue, index);
    size_t skipped = index == 0 ? queue->taken : 0;
    return lw_str_make(item_bytes(item) + skipped, item->len - skipped);
}

int lw_conn_queue_peek(const lw_conn_queue *queue, struct iovec iov[LW_CONN_QUEUE_BATCH])
{
    size_t count = lw_ring_count(&queue->items);
    if (count > LW_CONN_QUEUE_BATCH)
        count = LW_CONN_QUEUE_BATCH;
    for (size_t i = 0; i < count; i++) {
        lw_str rest = rest_of(queue, i);
        /* The system only reads from iov_base. */
        memcpy(&iov[i].iov_base, &rest.ptr, sizeof(rest.ptr));
        iov[i].iov_len = rest.len;
    }
    return (int)count;
}

size_t lw_conn_queue_gather(const lw_conn_queue *queue, char *out, size_t cap)
{
    size_t len = 0;
    for (size_t i = 0; i < lw_ring_count(&queue->items) && len < cap; i++) {
        lw_str rest = rest_of(queue, i);
        size_t part = rest.len < cap - len ? rest.len : cap - len;
        memcpy(out + len, rest.ptr, part);
        len += part;
    }
    return len;
}

void lw_conn_queue_take(lw_conn_queue *queue, size_t len)
{
    assert(len <= queue->pending);
    queue->pending -= len;
    len += queue->taken;
    queue->taken = 0;
    while (len > 0) {
        queue_item *first = item_at(queue, 0);
        if (len < first->len) {
            queue->taken = len;
            return;
        }
        queue_item item;
        len -= first->len;
        (void)lw_ring_pop(&queue->items, &item);
        item_release(&item);
    }
}

void lw_conn_queue_borrow(lw_conn_queue *queue, lw_ring_spares *spares)
{
    lw_ring_borrow(&queue->items, spares);
}

void lw_conn_queue_trim(lw_conn_queue *queue, lw_ring_spares *spares)
{
    if (queue->pending == 0 && queue->items.slots > 0)
        lw_ring_give_back(&queue->items, spares);
}
