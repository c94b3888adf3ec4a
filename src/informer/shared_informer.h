/* SPDX-License-Identifier: Apache-2.0 */
/* shared_informer.h -- one informer: source, reflector, queue, controller, cache and handlers.
 *
 * The factory makes it, gives it its turns and ends it; see turn.h for what a turn is. */
#ifndef LW_INFORMER_SHARED_INFORMER_H
#define LW_INFORMER_SHARED_INFORMER_H

#include <stdatomic.h>

#include <listwatch/factory.h>
#include <listwatch/informer.h>

#include "base/dlist.h"
#include "base/sync.h"
#include "informer/controller.h"
#include "informer/path_index.h"
#include "informer/reflector.h"

/* How it differs from others of the same resource; strings as in lw_informer_options. */
typedef struct lw_informer_key {
    lw_source_spec spec;
    int resync_s; /* 0: never */
    lw_object *(*transform)(const lw_object *obj, void *arg);
    void *transform_arg;
} lw_informer_key;

/* What it needs of its factory. */
typedef struct lw_informer_host {
    lw_factory *factory;
    lw_provider *provider;
    const lw_clock *clock;
    const lw_logger *logger;
    const lw_cancel *cancel; /* ends what handlers wait for */
    bool is_by_key;
    bool lists_only;
    int64_t page_size;
    void (*wake)(void *arg);      /* the thread that dispatches has something to do */
    void (*on_synced)(void *arg); /* somebody may have waited for this */
    void *arg;
} lw_informer_host;

struct lw_informer {
    lw_dlist_node link; /* in the factory's list, under its lock */
    uint64_t number;    /* no other of the factory has it */
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
    int64_t open_at_ns;      /* when to open it, where it is not */

    lw_mutex mu; /* guards what follows: what the last turn left to be seen by all threads */
    lw_informer_statistics stats;
    int64_t last_byte_ns; /* on the clock; -1: never */
    lw_error last_error;  /* LW_OK: nothing is wrong */
    lw_source_type type;  /* where |has_type| */
    bool has_type;
    lw_dlist path_indexes; /* of lw_path_index.link */
};

lw_status lw_informer__new(lw_informer **out, const lw_informer_key *key,
                           const lw_informer_host *host, lw_error *err);

/* In a turn; waits for handlers. */
void lw_informer__free(lw_informer *informer);

/* Whether |informer| is what |key| asks for. */
bool lw_informer__has_key(const lw_informer *informer, const lw_informer_key *key);

/* What the provider brought goes on its way: into the queue, the cache, to the handlers. */
void lw_informer__turn(lw_informer *informer);

/* When the next turn is wanted; 0: at once. */
int64_t lw_informer__deadline_ns(lw_informer *informer);

/* Whether there is so much to do that no more should be read; in a turn. */
bool lw_informer__is_behind(lw_informer *informer);

/* Ends requests; in a turn. */
void lw_informer__stop(lw_informer *informer);

/* Whether the first list is in and every handler was told; if not |why| says in a few words what
 * is missing. */
bool lw_informer__is_settled(lw_informer *informer, lw_error *why);

/* What its objects are; false: that is not known yet.  Any thread. */
bool lw_informer__type(lw_informer *informer, lw_source_type *out);

#endif
