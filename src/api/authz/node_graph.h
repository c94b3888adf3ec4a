/* SPDX-License-Identifier: Apache-2.0 */
/* node_graph.h -- which nodes need which objects, because of the pods that are bound to them.
 *
 *     pod bound to a node ──▶ its secrets, config maps, claims, service account
 *     VolumeAttachment, ResourceSlice, PodCertificateRequest ──▶ its node
 *     PersistentVolume    ──▶ its claim ──▶ pods;  its secrets ──▶ the volume
 *
 * Whoever follows the stored objects feeds it.  Each relation of an object to a node has one entry
 * in a hash table, with the number of pods that cause it, so a question costs one lookup, and one
 * more for each volume that uses a secret.
 *
 * Threads: any. */
#ifndef LW_API_AUTHZ_NODE_GRAPH_H
#define LW_API_AUTHZ_NODE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/key.h>

#include "api/authz/pod_refs.h"
#include "api/authz/pod_text.h"

typedef struct lw_node_graph lw_node_graph;

enum {
    LW_NODE_GRAPH_MAX = 1 << 26, /* entries of each table */
};

/* LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_node_graph_new(lw_node_graph **out);
void lw_node_graph_free(lw_node_graph *graph); /* NULL does nothing */

/* Adds or replaces a pod; without spec.nodeName it has no relations.  |print| is a fingerprint of
 * what was read, for lw_node_graph_find_pod.  LW_ERR_NOMEM, LW_ERR_LIMIT: the pod has no relations
 * any more; try again. */
LW_MUST_CHECK lw_status lw_node_graph_put_pod(lw_node_graph *graph, lw_str ns, lw_str name,
                                              const lw_node *pod, uint64_t print);
void lw_node_graph_remove_pod(lw_node_graph *graph, lw_str ns, lw_str name);

/* The same for the text of a pod. */
LW_MUST_CHECK lw_status lw_node_graph_put_pod_text(lw_node_graph *graph, lw_str ns, lw_str name,
                                                   const lw_pod_text *pod, uint64_t print);

/* Returns a fingerprint of |parts|. */
uint64_t lw_node_graph_print(const lw_node_graph *graph, const lw_pod_text_parts *parts);

/* Returns true if there is such a pod with a node, and the fingerprint with which it was put. */
bool lw_node_graph_find_pod(lw_node_graph *graph, lw_str ns, lw_str name, uint64_t *print);

/* The same for objects that name their |node| themselves; empty: it has no relation. */
LW_MUST_CHECK lw_status lw_node_graph_put_placed(lw_node_graph *graph, lw_ref_kind kind, lw_key key,
                                                 lw_str node);
void lw_node_graph_remove_placed(lw_node_graph *graph, lw_ref_kind kind, lw_key key);

/* The same for PersistentVolumes. */
LW_MUST_CHECK lw_status lw_node_graph_put_volume(lw_node_graph *graph, lw_str name,
                                                 const lw_node *volume);
void lw_node_graph_remove_volume(lw_node_graph *graph, lw_str name);

/* Removes all objects of a kind: pods (LW_REF_POD), volumes, or those that name their node. */
void lw_node_graph_remove_all(lw_node_graph *graph, lw_ref_kind kind);

/* Returns true if |node| needs the object.  Does not allocate. */
bool lw_node_graph_has(lw_node_graph *graph, lw_str node, lw_ref_kind kind, lw_str ns, lw_str name);

#endif
