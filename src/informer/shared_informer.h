/* SPDX-License-Identifier: Apache-2.0 */
/* shared_informer.h -- one informer: source, reflector, queue, controller, cache and handlers.
 *
 * The factory makes it, executes its turns and frees it; see turn.h. */
#ifndef LW_INFORMER_SHARED_INFORMER_H
#define LW_INFORMER_SHARED_INFORMER_H

#include <stdatomic.h>

#include <listwatch/factory.h>
#include <listwatch/informer.h>

#include "base/dlist.h"
#include "base/sync.h"
#include "informer/controller.h"
#include "informer/index/packing.h"
#include "informer/index/path_index.h"
#include "informer/informer_log.h"
#include "informer/reflector.h"
#include "informer/warm_state.h"

/* The options that distinguish informers of the same resource; strings as in lw_informer_options.
 */
typedef struct lw_informer_key {
    lw_source_spec spec;
    int resync_s; /* 0: never */
    lw_compact_mode packing;
    lw_object *(*transform)(const lw_object *obj, void *arg);
    void *transform_arg;
} lw_informer_key;

/* What an informer needs from its factory. */
typedef struct lw_informer_host {
    lw_factory *factory;
    lw_provider *provider;
    const lw_clock *clock;
    const lw_logger *logger;
    const lw_cancel *cancel; /* cancels the requests of handlers */
    bool is_by_key;
    bool lists_only;
    int64_t page_size;
    int backoff_min_ms, backoff_max_ms; /* 0: the defaults */
    lw_list_bounds bounds;
    lw_informer_state_fn on_state; /* NULL: none */
    void *state_arg;
    lw_server_health *health; /* shared by the informers of the factory */
    const lw_warm_options *warm;
    void (*wake)(void *arg);      /* the dispatching thread has work */
    void (*on_synced)(void *arg); /* a thread may be waiting for this */
    void *arg;
} lw_informer_host;

struct lw_informer {
    lw_dlist_node link; /* in the list of the factory, guarded by its lock */
    uint64_t number;    /* unique in the factory */
    lw_informer_key key;
    lw_informer_host host;
    lw_indexer *indexer;
    lw_processor *processor;
    atomic_bool is_synced;
    atomic_bool is_dropped; /* by a handler: freed at the end of the turn */

    /* Only in a turn. */
    lw_delta_fifo *fifo;
    lw_controller controller;
    lw_source *source;       /* NULL: not open yet */
    lw_reflector *reflector; /* likewise */
    int64_t open_at_ns;      /* when to open the source if it is not open */
    lw_informer_log log;
    lw_packing packing;
    lw_warm_state warm;
    /* All changes up to here are in the cache, and every handler has processed them. */
    char told_rv[LW_STATE_RV_MAX + 1];

    lw_mutex mu; /* guards the following members, which each turn updates for other threads */
    lw_informer_statistics stats;
    int64_t last_byte_ns; /* on the clock; -1: never */
    lw_error last_error;  /* LW_OK: no error */
    lw_source_type type;  /* if |has_type| */
    bool has_type;
    lw_dlist path_indexes; /* of lw_path_index.link */
};

lw_status lw_informer__new(lw_informer **out, const lw_informer_key *key,
                           const lw_informer_host *host, lw_error *err);

/* Frees the informer, in a turn; waits for handlers. */
void lw_informer__free(lw_informer *informer);

/* Returns true if |informer| has the options of |key|. */
bool lw_informer__has_key(const lw_informer *informer, const lw_informer_key *key);

/* Processes what the provider has received: queue, cache, handlers. */
void lw_informer__turn(lw_informer *informer);

/* Returns the time of the next turn; 0: now. */
int64_t lw_informer__deadline_ns(lw_informer *informer);

/* Returns true if there is so much work that no more should be read; in a turn. */
bool lw_informer__is_behind(lw_informer *informer);

/* Cancels the requests; in a turn. */
void lw_informer__stop(lw_informer *informer);

/* Returns true if the first list is in the cache and every handler has received it; otherwise |why|
 * says what is missing. */
bool lw_informer__has_synced_handlers(lw_informer *informer, lw_error *why);

/* Gets the type of the objects; false: not known yet.  Any thread. */
bool lw_informer__type(lw_informer *informer, lw_source_type *out);

#endif
