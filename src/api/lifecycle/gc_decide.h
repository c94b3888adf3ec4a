/* SPDX-License-Identifier: Apache-2.0 */
/* gc_decide.h -- decides what the garbage collector does with one object.
 *
 *     its deletion waits for the collector ──▶ dependents left? those first : remove the finalizer
 *     an owner orphans its dependents      ──▶ remove that reference
 *     all owners deleted or waiting for it ──▶ delete it
 *     some of them                         ──▶ remove their references
 *     otherwise                            ──▶ no change
 *
 * Edits of objects pass through admission, as those of kube-controller-manager do, and so may wait
 * for webhooks, or be refused.  A decision is based on the stored object and is repeated if that
 * has changed meanwhile, so any number of servers may decide at the same time.
 */
#ifndef LW_API_LIFECYCLE_GC_DECIDE_H
#define LW_API_LIFECYCLE_GC_DECIDE_H

#include "api/lifecycle/gc_graph.h"
#include "api/write/write.h"

/* The facts of the graph that a decision needs; read by |look| when they are needed. */
typedef struct lw_gc_view {
    bool has_dependents;
    bool is_blocked;          /* a dependent blocks its deletion */
    bool is_owner_of_waiting; /* the deletion of a dependent waits for dependents: a cycle */
} lw_gc_view;

typedef struct lw_gc_decision {
    lw_str uid; /* the object's uid; another object of the same name is ignored */
    /* Describes the object in a graph that is up to date with the cache.  False: it is not. */
    bool (*look)(lw_gc_view *view, void *arg);
    /* Returns true if |uid|, which could own the object, was seen to be deleted.  For an owner
     * whose kind is no longer served there is no other source. */
    bool (*is_gone)(lw_str uid, void *arg);
    void *arg;
    /* Result: its dependents, or those that block it, must be examined first. */
    bool needs_dependents, needs_blockers;
} lw_gc_decision;

/* Decides about write->current.  PUT, DELETE, PUT_FIRST, KEEP, ASK or REFUSE. */
lw_write_decision lw_gc_decide(lw_write *write, lw_gc_decision *decision);

#endif
