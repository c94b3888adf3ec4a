/* SPDX-License-Identifier: Apache-2.0 */
/* state.h -- what the files of the cache share.
 *
 * Locks, in the order they are taken: load_mu, apply_mu, then a resource's lock or ports_mu.
 *   load_mu    one thread at a time brings resources in or reconnects; may wait for the store
 *   apply_mu   one thread at a time changes resources; held while a batch of the store is applied
 *   a resource's lock   readers against that one writer, for a few instructions
 *   ports_mu   who is to be woken */
#ifndef LW_CACHE_STATE_H
#define LW_CACHE_STATE_H

#include "base/map.h"
#include "base/sync.h"
#include "cache/cache.h"
#include "cache/resource.h"
#include "cache/value_parser.h"

enum {
    LW_CACHE_RESOURCES_MAX = 16384,
};

typedef enum lw_cache_phase {
    LW_CACHE_IDLE,     /* not started, or stopped */
    LW_CACHE_STARTING, /* a fault in what the store tells fails the start */
    LW_CACHE_RUNNING,
} lw_cache_phase;

struct lw_cache {
    lw_store *store;
    size_t max_ring_events;
    const lw_clock *clock;
    const lw_logger *logger;
    atomic_uint_least64_t revision; /* all resources have every change up to it */
    atomic_bool is_cut;             /* the store has ended the watch: reconnect */
    bool is_shared;                 /* others write to the store: no reader may wait for it */
    bool has_reloader;              /* of who starts and stops the cache */
    lw_thread reloader;

    lw_mutex load_mu;
    lw_store_watch *watch; /* load_mu */

    lw_mutex apply_mu;
    lw_cond progressed;     /* something under apply_mu that somebody may wait for */
    lw_cache_phase phase;   /* apply_mu */
    bool wants_reload;      /* apply_mu: see reload.h */
    bool is_stopping;       /* apply_mu: loads are to be given up */
    lw_error start_error;   /* apply_mu: why the start fails; code LW_OK: it does not */
    int64_t told_ns;        /* apply_mu: when the batch at hand came; 0: it is of the past */
    lw_map resources;       /* apply_mu: lw_cache_resource by prefix */
    lw_dlist dirty;         /* apply_mu: resources with news for their watchers */
    lw_value_parser parser; /* apply_mu */

    lw_mutex ports_mu;
    lw_dlist ports; /* ports_mu */
};

#endif
