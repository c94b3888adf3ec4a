/* SPDX-License-Identifier: Apache-2.0 */
/* gc.h -- the garbage collector: deletes objects whose owners have been deleted.
 *
 *     changes ──▶ graph (gc_graph.h) ──▶ queue of nodes ──▶ one write each (gc_decide.h)
 *
 * It observes every change of every kind, records the owner references, and examines an object when
 * that may be necessary: it is new and one of its owners does not exist, an owner was deleted, its
 * own deletion waits for its dependents, or one of those was deleted.  Examining an object writes
 * only if necessary.  The queue consists of nodes of the graph, so it has the same limit; a few
 * writes are in progress at a time.  Threads: the port's loop. */
#ifndef LW_API_LIFECYCLE_GC_H
#define LW_API_LIFECYCLE_GC_H

#include "api/context/port.h"

typedef struct lw_gc lw_gc;

typedef struct lw_gc_options {
    lw_api_port *port;
    /* Makes the collector observe everything that the cache has, before a decision that depends on
     * the absence of dependents.  False: it cannot. */
    bool (*catch_up)(void *arg);
    /* Requests lw_gc_pump in a later turn of the loop. */
    void (*again)(void *arg);
    void *arg;
} lw_gc_options;

/* Creates the collector.  LW_ERR_NOMEM. */
lw_status lw_gc_new(lw_gc **out, const lw_gc_options *options);

/* Frees the collector, after the port's writes have ended. */
void lw_gc_free(lw_gc *gc);

/* Handles a change.  LW_ERR_NOMEM: call lw_gc_forget and pass all objects again. */
lw_status lw_gc_observe(lw_gc *gc, const lw_kind *kind, const lw_cache_event *event);

/* Forgets all objects. */
void lw_gc_forget(lw_gc *gc);

/* Forgets the objects of |resource|, which is no longer followed.  This does not delete their
 * dependents. */
void lw_gc_forget_resource(lw_gc *gc, const lw_cache_resource *resource);

/* Starts the queued work.  Call it after all available changes have been observed. */
void lw_gc_pump(lw_gc *gc);

/* Starts no writes from now on. */
void lw_gc_stop(lw_gc *gc);

#endif
