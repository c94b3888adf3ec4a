/* SPDX-License-Identifier: Apache-2.0 */
/* pod_affinity.h -- which nodes a pod may be put on, as its spec says. */
#ifndef LW_CONTROL_SCHEDULER_POD_AFFINITY_H
#define LW_CONTROL_SCHEDULER_POD_AFFINITY_H

#include <listwatch.h>

#include "runtime/taint.h"

enum {
    LW_POD_TERMS_MAX = 32, /* terms of an affinity that are looked at */
};

/* One of several: the labels of the node, and its name as the label "metadata.name". */
typedef struct lw_node_term {
    lw_label_selector *labels; /* NULL: whatever */
    lw_label_selector *fields;
} lw_node_term;

/* Pods that must not be on the same node.  Only the topology of host names is known. */
typedef struct lw_apart_term {
    lw_label_selector *labels;
    const lw_object *pod; /* whose term it is ... */
    size_t at;            /* ... and which one, for its namespaces */
} lw_apart_term;

/* Views into the pod, which must outlive it. */
typedef struct lw_pod_rules {
    lw_label_selector *node_selector; /* NULL: every node */
    bool has_affinity;                /* then one of the terms must hold */
    lw_node_term *terms;
    size_t term_count;
    lw_apart_term *apart;
    size_t apart_count;
    lw_toleration *tolerations;
    size_t toleration_count;
} lw_pod_rules;

/* LW_ERR_INVALID (a selector nobody can satisfy: no node will do), LW_ERR_NOMEM. */
lw_status lw_pod_rules_read(lw_pod_rules *rules, const lw_object *pod, lw_error *err);
void lw_pod_rules_done(lw_pod_rules *rules);

/* Whether |pod| says that it wants to be apart from others. */
bool lw_pod_wants_apart(const lw_object *pod);

/* Whether nodeSelector and required node affinity hold for |node|. */
bool lw_pod_rules_allow_node(const lw_pod_rules *rules, const lw_object *node);

/* Whether |rules|, those of a pod in |ns|, keep |other| off its node. */
bool lw_pod_rules_keep_apart(const lw_pod_rules *rules, lw_str ns, const lw_object *other);

#endif
