/* SPDX-License-Identifier: Apache-2.0 */
/* pod_affinity.h -- the rules of a pod about the nodes it may be scheduled on. */
#ifndef LW_CONTROL_SCHEDULER_POD_AFFINITY_H
#define LW_CONTROL_SCHEDULER_POD_AFFINITY_H

#include <listwatch.h>

#include "runtime/taint.h"

enum {
    LW_POD_TERMS_MAX = 32, /* maximum number of terms of an affinity */
};

/* One of several alternatives: labels of the node, with its name as the label "metadata.name". */
typedef struct lw_node_term {
    lw_label_selector *labels; /* NULL: any */
    lw_label_selector *fields;
} lw_node_term;

/* Pods that must not be on the same node.  Only the host name topology is supported. */
typedef struct lw_apart_term {
    lw_label_selector *labels;
    const lw_object *pod; /* the pod that has the term ... */
    size_t at;            /* ... and its index, for its namespaces */
} lw_apart_term;

/* The rules of a pod; views into the pod, which must outlive it. */
typedef struct lw_pod_rules {
    lw_label_selector *node_selector; /* NULL: every node */
    bool has_affinity;                /* then one of the terms must match */
    lw_node_term *terms;
    size_t term_count;
    lw_apart_term *apart;
    size_t apart_count;
    lw_toleration *tolerations;
    size_t toleration_count;
} lw_pod_rules;

/* Parses the rules.  LW_ERR_INVALID (an invalid selector: no node matches), LW_ERR_NOMEM. */
lw_status lw_pod_rules_read(lw_pod_rules *rules, const lw_object *pod, lw_error *err);
void lw_pod_rules_done(lw_pod_rules *rules);

/* True if |pod| has anti-affinity rules. */
bool lw_pod_wants_apart(const lw_object *pod);

/* True if nodeSelector and required node affinity match |node|. */
bool lw_pod_rules_allow_node(const lw_pod_rules *rules, const lw_object *node);

/* True if |rules|, those of a pod in |ns|, forbid |other| on the same node. */
bool lw_pod_rules_keep_apart(const lw_pod_rules *rules, lw_str ns, const lw_object *other);

#endif
