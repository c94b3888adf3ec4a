/* SPDX-License-Identifier: Apache-2.0 */
/* store_window.h -- writes many changes to a store: submits a number of them together, so that they
 * share one wait for the disk, and waits for all. */
#ifndef LW_SERVER_OFFLINE_STORE_WINDOW_H
#define LW_SERVER_OFFLINE_STORE_WINDOW_H

#include "base/sync.h"
#include "store/store.h"

enum {
    LW_STORE_WINDOW_MAX = 256,        /* changes together ... */
    LW_STORE_WINDOW_BYTES = 16 << 20, /* ... or bytes, except for the last value */
};

/* One change, which owns its key and its value. */
typedef struct lw_store_window_item {
    lw_store_txn txn;
    lw_buf key, value;
    uint64_t number; /* for the caller */
} lw_store_window_item;

typedef struct lw_store_window {
    lw_store *store;
    size_t count;
    size_t bytes;
    lw_store_window_item items[LW_STORE_WINDOW_MAX];

    lw_mutex mu; /* guards |open| */
    lw_cond changed;
    size_t open; /* changes that are not done */
} lw_store_window;

/* Creates a window; the caller frees it with lw_store_window_free.  NULL: no memory. */
lw_store_window *lw_store_window_new(lw_store *store);
void lw_store_window_free(lw_store_window *window);

/* True if the window must be committed before the next item. */
bool lw_store_window_is_full(const lw_store_window *window);

/* Returns an item with empty buffers for key and value, which is not part of the window yet. */
lw_store_window_item *lw_store_window_next(lw_store_window *window);

/* Adds that item to the window as a change that expects the mod revision |expected|. */
void lw_store_window_add(lw_store_window *window, lw_store_op op, uint64_t expected);

/* Submits all items, waits, and calls |on_done| for each in order, until it returns an error; then
 * the window is empty again. */
lw_status lw_store_window_commit(lw_store_window *window,
                                 lw_status (*on_done)(lw_store_window_item *item, void *arg,
                                                      lw_error *err),
                                 void *arg, lw_error *err);

#endif
