/* SPDX-License-Identifier: Apache-2.0 */
/* watcher_internal.h -- the internals of a watcher.  A server may have tens of thousands: keep it
 * small. */
#ifndef LW_CACHE_WATCHER_INTERNAL_H
#define LW_CACHE_WATCHER_INTERNAL_H

#include "cache/index/index.h"
#include "cache/port.h"
#include "cache/scope.h"

typedef enum lw_watcher_phase {
    LW_WATCHER_INITIAL, /* reads its snapshot */
    LW_WATCHER_LIVE,    /* reads the ring */
    LW_WATCHER_EXPIRED,
    LW_WATCHER_FAILED,
} lw_watcher_phase;

/* What a watcher has not returned yet of the objects with which it starts. */
typedef struct lw_watcher_initial {
    lw_index snapshot; /* the objects, as of |after| of the watcher */
    lw_index_cursor cursor;
    size_t end; /* rank of the first object that is out of scope */
} lw_watcher_initial;

/* Belongs to the port's thread. */
struct lw_watcher {
    lw_dlist_node link; /* in the subscription, or in the list of those being called */
    lw_subscription *subscription;
    void (*on_ready)(lw_watcher *watcher, void *arg);
    void *arg;
    const lw_cache_filter *filter;
    lw_filter_scope scope;
    uint64_t seq;                /* number of the next change to examine; but see |is_idle| */
    uint64_t after;              /* changes up to this revision are skipped */
    uint64_t revision;           /* everything up to it has been pulled; 0 before SYNCED */
    lw_watcher_initial *initial; /* NULL unless INITIAL */
    uint32_t key_hash;
    uint8_t key_kind; /* lw_watcher_key: where it is in the index of the subscription */
    uint8_t phase;
    bool has_selectors : 1;
    bool wants_previous : 1;
    bool is_uncounted : 1;
    bool is_idle : 1; /* it has pulled all changes before |routed| of the subscription, too */
};

#endif
