/* SPDX-License-Identifier: Apache-2.0 */
/* state.h -- the internals that the files of the cache share.
 *
 * Locks, in the order they are taken: load_mu, apply_mu, then a resource's lock or ports_mu.
 *   load_mu    one thread at a time loads resources or reconnects; may wait for the store
 *   apply_mu   one thread at a time changes resources; held while a batch of the store is applied
 *   a resource's lock   separates readers from that writer, for a few instructions
 *   ports_mu   guards the list of ports to wake */
#ifndef LW_CACHE_STATE_H
#define LW_CACHE_STATE_H

#include "base/map.h"
#include "base/sync.h"
#include "cache/cache.h"
#include "cache/packing.h"
#include "cache/resource.h"
#include "cache/saving.h"
#include "cache/value_parser.h"

enum {
    LW_CACHE_RESOURCES_MAX = 16384,
};

typedef enum lw_cache_phase {
    LW_CACHE_IDLE,     /* not started, or stopped */
    LW_CACHE_STARTING, /* an error in an event of the store fails the start */
    LW_CACHE_RUNNING,
} lw_cache_phase;

struct lw_cache {
    lw_store *store;
    size_t max_ring_events;
    const lw_clock *clock;
    const lw_logger *logger;
    atomic_uint_least64_t revision; /* all resources have every change up to it */
    atomic_bool is_disconnected;    /* the store has ended the watch: reconnect */
    bool is_shared;    /* other servers write to the store: no reader may wait for it */
    bool has_reloader; /* used only by the caller of start and stop */
    lw_thread reloader;

    lw_mutex load_mu;
    lw_store_watch *watch; /* load_mu */

    lw_mutex apply_mu;
    lw_cond progressed;   /* signalled when something guarded by apply_mu has changed */
    lw_cache_phase phase; /* apply_mu */
    bool wants_reload;    /* apply_mu: see reload.h */
    bool is_stopping;     /* apply_mu: loads must give up */
    lw_error start_error; /* apply_mu: why the start fails; code LW_OK: no error */
    int64_t received_ns;  /* apply_mu: when the current batch arrived; 0: it is from the history */
    lw_map resources;     /* apply_mu: lw_cache_resource by prefix */
    lw_dlist dirty;       /* apply_mu: resources whose watchers must be woken */
    lw_value_parser parser;   /* apply_mu */
    lw_cache_packing packing; /* apply_mu */
    lw_cache_saving saving;   /* apply_mu */

    lw_mutex ports_mu;
    lw_dlist ports; /* ports_mu */
};

#endif
