/* SPDX-License-Identifier: Apache-2.0 */
/* gc_graph.h -- the graph of owner references, by uid: objects with owners, and their owners.
 *
 * It does not contain objects that have no owners, are not owners, and whose deletion does not
 * wait. Invariant: a node is in the graph as long as it has owners or dependents, its deletion
 * waits, or a write about it is in progress.  Threads: one. */
#ifndef LW_API_LIFECYCLE_GC_GRAPH_H
#define LW_API_LIFECYCLE_GC_GRAPH_H

#include "api/pending/owner_refs.h"
#include "base/dlist.h"
#include "base/map.h"

enum {
    LW_GC_NODES_MAX = 1 << 24, /* a safety limit */
    LW_GC_REFS_MAX = 256, /* owners of an object that are recorded; others are assumed to exist */
};

typedef struct lw_gc_node lw_gc_node;

/* One owner reference. */
typedef struct lw_gc_ref {
    lw_gc_node *owner;
    lw_gc_node *dependent;
    bool blocks;
    lw_dlist_node link; /* in owner->dependents */
} lw_gc_ref;

struct lw_gc_node {
    lw_str uid; /* stored after the struct */
    /* Set for an object that was observed; one that is only referenced has no kind. */
    const lw_kind *kind; /* one reference */
    char *ns, *name;
    lw_gc_ref *refs; /* references to its owners */
    size_t ref_count;
    lw_dlist dependents; /* of lw_gc_ref */
    bool is_waiting;     /* its deletion waits for the collector */
    bool is_gone;        /* was seen to be deleted; kept without owners while it is referenced */

    lw_dlist_node
        queue_link;    /* used by the collector: in one of its lists while it must be examined */
    bool is_in_work;   /* used by the collector: a write about it is in progress */
    bool is_due_again; /* ... and it must be examined again afterwards */
    uint8_t failures;  /* used by the collector: writes in a row */
    uint32_t due_s;    /* ... and when the next one may be, by the clock of the loop */
};

typedef struct lw_gc_graph {
    lw_map nodes;                                   /* by uid */
    void (*on_forget)(lw_gc_node *node, void *arg); /* called before a node is freed */
    void *arg;
} lw_gc_graph;

/* Initialises an empty graph. */
void lw_gc_graph_init(lw_gc_graph *graph, void (*on_forget)(lw_gc_node *node, void *arg),
                      void *arg);

/* Frees all nodes; the graph is empty then and can be used again. */
void lw_gc_graph_clear(lw_gc_graph *graph);

/* Returns the node of |uid|, or NULL. */
lw_gc_node *lw_gc_graph_find(const lw_gc_graph *graph, lw_str uid);

/* Returns the node of |uid|, creating it if necessary; NULL: out of memory. */
lw_gc_node *lw_gc_graph_get(lw_gc_graph *graph, lw_str uid);

/* Sets the kind, namespace and name of the node.  LW_ERR_NOMEM. */
lw_status lw_gc_node_identify(lw_gc_node *node, const lw_kind *kind, const lw_object *obj);

/* Removes them: the node is only referenced. */
void lw_gc_node_unidentify(lw_gc_node *node);

/* Returns true if the node has the owner references of |obj|. */
bool lw_gc_node_has_owners_of(const lw_gc_node *node, const lw_object *obj);

/* Replaces the references of the node by those of |obj| (NULL: none).  |on_removed| is called with
 * each owner that is no longer referenced, before it may be freed.  LW_ERR_NOMEM: the graph must be
 * cleared. */
lw_status lw_gc_graph_set_owners(lw_gc_graph *graph, lw_gc_node *node, const lw_object *obj,
                                 void (*on_removed)(lw_gc_node *owner, void *arg), void *arg);

/* Returns true if a dependent of the node blocks its deletion. */
bool lw_gc_node_is_blocked(const lw_gc_node *node);

/* Frees the node if it is no longer needed in the graph. */
void lw_gc_graph_release(lw_gc_graph *graph, lw_gc_node *node);

#endif
