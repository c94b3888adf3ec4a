/* SPDX-License-Identifier: Apache-2.0 */
/* gc_graph.h -- who owns whom, by uid: the objects that have owners, and the owners they name.
 *
 * An object that neither has owners nor is named as one, and whose deletion waits for nobody, is
 * not in it.  Invariant: a node is in the graph as long as it has owners or dependents, its
 * deletion waits, or a write about it is under way. Threads: one. */
#ifndef LW_API_LIFECYCLE_GC_GRAPH_H
#define LW_API_LIFECYCLE_GC_GRAPH_H

#include "api/pending/owner_refs.h"
#include "base/dlist.h"
#include "base/map.h"

enum {
    LW_GC_NODES_MAX = 1 << 24, /* a bound against surprises */
    LW_GC_REFS_MAX = 256,      /* owners of one object that count; others are taken for solid */
};

typedef struct lw_gc_node lw_gc_node;

/* One dependent names one owner. */
typedef struct lw_gc_ref {
    lw_gc_node *owner;
    lw_gc_node *dependent;
    bool blocks;
    lw_dlist_node link; /* in owner->dependents */
} lw_gc_ref;

struct lw_gc_node {
    lw_str uid; /* behind the struct */
    /* Of one that was seen itself; one that is only named has no kind. */
    const lw_kind *kind; /* held */
    char *ns, *name;
    lw_gc_ref *refs; /* to its owners */
    size_t ref_count;
    lw_dlist dependents; /* of lw_gc_ref */
    bool is_waiting;     /* its deletion waits for the collector */
    bool is_gone;        /* was seen to go; it is here for those who name it, without owners */

    lw_dlist_node queue_link; /* the collector's: in one of its lists while it is to be looked at */
    bool is_in_work;          /* the collector's: a write about it is under way */
    bool is_due_again;        /* ... and it must be looked at once more after that */
};

typedef struct lw_gc_graph {
    lw_map nodes;                                   /* by uid */
    void (*on_forget)(lw_gc_node *node, void *arg); /* before a node is freed */
    void *arg;
} lw_gc_graph;

void lw_gc_graph_init(lw_gc_graph *graph, void (*on_forget)(lw_gc_node *node, void *arg),
                      void *arg);

/* Frees all nodes; the graph is empty then and can be used again. */
void lw_gc_graph_clear(lw_gc_graph *graph);

lw_gc_node *lw_gc_graph_find(const lw_gc_graph *graph, lw_str uid);

/* The node of |uid|, made if need be; NULL: no memory. */
lw_gc_node *lw_gc_graph_get(lw_gc_graph *graph, lw_str uid);

/* Says which object the node is.  LW_ERR_NOMEM. */
lw_status lw_gc_node_identify(lw_gc_node *node, const lw_kind *kind, const lw_object *obj);

/* Makes it one that is only named. */
void lw_gc_node_unidentify(lw_gc_node *node);

/* True when the references of |obj| are those the node has. */
bool lw_gc_node_has_owners_of(const lw_gc_node *node, const lw_object *obj);

/* Gives the node the references of |obj| (NULL: none) in place of those it has.  |told| is called
 * with each owner it names no longer, before that may be freed.  LW_ERR_NOMEM: the graph must be
 * cleared. */
lw_status lw_gc_graph_set_owners(lw_gc_graph *graph, lw_gc_node *node, const lw_object *obj,
                                 void (*told)(lw_gc_node *owner, void *arg), void *arg);

/* True when some dependent of the node blocks its deletion. */
bool lw_gc_node_is_blocked(const lw_gc_node *node);

/* Frees the node if nothing keeps it in the graph. */
void lw_gc_graph_release(lw_gc_graph *graph, lw_gc_node *node);

#endif
