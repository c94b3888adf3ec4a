/* SPDX-License-Identifier: Apache-2.0 */
/* gc_decide.h -- what the collector does about one object, as it stands.
 *
 *     its own deletion waits for the collector ──▶ dependents left? they first : finalizer off
 *     some owner lets it go (orphan)           ──▶ that reference off
 *     all owners gone, or waiting for it       ──▶ deleted
 *     some of them                             ──▶ their references off
 *     else                                     ──▶ left alone
 *
 * Every decision is about the object that is stored when it is made, and is made again when
 * somebody was faster; so any number of servers may decide at once. */
#ifndef LW_API_LIFECYCLE_GC_DECIDE_H
#define LW_API_LIFECYCLE_GC_DECIDE_H

#include "api/lifecycle/gc_graph.h"
#include "api/write/write.h"

/* What of the graph a decision needs; read anew by |look| when it is needed. */
typedef struct lw_gc_view {
    bool has_dependents;
    bool is_blocked;          /* some dependent blocks its deletion */
    bool is_owner_of_waiting; /* some dependent's own deletion waits for dependents: a circle */
} lw_gc_view;

typedef struct lw_gc_decision {
    lw_str uid; /* whom it is about; another of the same name is left alone */
    /* Says how the object stands in a graph that is as new as the cache; false: it cannot be. */
    bool (*look)(lw_gc_view *view, void *arg);
    /* Says whether |uid|, which could own the object, was seen to go: of an owner whose kind is
     * served no more nothing else can tell. */
    bool (*is_gone)(lw_str uid, void *arg);
    void *arg;
    /* Said: its dependents, or those that block it, are to be looked at first. */
    bool needs_dependents, needs_blockers;
} lw_gc_decision;

lw_write_decision lw_gc_decide(lw_write *write, lw_gc_decision *decision);

#endif
