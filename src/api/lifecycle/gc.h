/* SPDX-License-Identifier: Apache-2.0 */
/* gc.h -- the garbage collector: objects whose owners are gone go too.
 *
 *     changes ──▶ graph (gc_graph.h) ──▶ queue of nodes ──▶ a write each (gc_decide.h)
 *
 * It is told every change of every kind, keeps who owns whom, and looks at an object when that may
 * matter: it is new and an owner of it is not there, an owner of it went, its own deletion waits
 * for its dependents, one of those went.  Looking changes nothing unless it must.  The queue is
 * made of the graph's nodes, so it is as bounded as the graph; a few writes are under way at once.
 * Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_GC_H
#define LW_API_LIFECYCLE_GC_H

#include "api/context/port.h"

typedef struct lw_gc lw_gc;

typedef struct lw_gc_options {
    lw_api_port *port;
    /* Tells the collector all that the cache knows, before a decision that rests on there being
     * no dependents; false: it cannot. */
    bool (*catch_up)(void *arg);
    /* Asks for lw_gc_pump in a later turn of the loop. */
    void (*again)(void *arg);
    void *arg;
} lw_gc_options;

lw_status lw_gc_new(lw_gc **out, const lw_gc_options *options);

/* After the port's writes have settled. */
void lw_gc_free(lw_gc *gc);

/* Tells of a change.  LW_ERR_NOMEM: call lw_gc_forget, and tell everything from the beginning. */
lw_status lw_gc_observe(lw_gc *gc, const lw_kind *kind, const lw_cache_event *event);

/* Forgets all it was told. */
void lw_gc_forget(lw_gc *gc);

/* Forgets the objects of |resource|, which is followed no more.  Whether those they own are to go
 * is not said by that. */
void lw_gc_forget_resource(lw_gc *gc, const lw_cache_resource *resource);

/* Starts what is to be done now.  Call it when everything at hand has been told. */
void lw_gc_pump(lw_gc *gc);

/* No write is begun from now on. */
void lw_gc_stop(lw_gc *gc);

#endif
