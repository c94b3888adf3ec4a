/* SPDX-License-Identifier: Apache-2.0 */
/* strategy.h -- what a kind adds to the common way of a write: what it fills in, and what it
 * will not have.
 *
 * One entry a kind, in the file of its family; a kind without an entry is stored as it comes. */
#ifndef LW_API_STRATEGY_STRATEGY_H
#define LW_API_STRATEGY_STRATEGY_H

#include "api/pending/pending_object.h"

typedef struct lw_strategy {
    lw_str group; /* empty: core */
    lw_str plural;
    /* Fills in what the client left out; on create and on update.  All may be NULL. */
    void (*defaults)(lw_pending_object *pending);
    /* Of a new object only: what the server sets and nobody manages.  A fault ends it. */
    void (*create)(lw_pending_object *pending, lw_api_status *errors);
    /* The same of an update; keeps what the client cannot change. */
    void (*update)(lw_pending_object *pending, lw_api_status *errors);
    /* Adds what is wrong with it. */
    void (*validate)(const lw_pending_object *pending, lw_api_status *errors);
} lw_strategy;

/* The rules of |kind|; never NULL. */
const lw_strategy *lw_strategy_of(const lw_kind *kind);

/* The families; each ends with an empty plural. */
extern const lw_strategy lw_strategies_admission[]; /* strategy_admission.c */
extern const lw_strategy lw_strategies_core[];      /* strategy_core.c */
extern const lw_strategy lw_strategies_config[];    /* strategy_config.c */
extern const lw_strategy lw_strategies_crd[];       /* strategy_crd.c */
extern const lw_strategy lw_strategies_flow[];      /* strategy_flow.c */
extern const lw_strategy lw_strategies_limits[];    /* strategy_limits.c */
extern const lw_strategy lw_strategies_pod[];       /* strategy_pod.c */
extern const lw_strategy lw_strategies_workload[];  /* strategy_workload.c */
extern const lw_strategy lw_strategies_service[];   /* strategy_service.c */
extern const lw_strategy lw_strategies_policy[];    /* strategy_policy.c */
extern const lw_strategy lw_strategies_routing[];   /* strategy_routing.c */

/* Of a pod, or of the template of one that is at |path| ("spec.template.spec"): for workloads.
 * |claims| are the volumeClaimTemplates of a StatefulSet, or NULL. */
void lw_pod_spec_defaults(lw_tree *tree, lw_node *spec);
void lw_pod_spec_validate(const lw_node *spec, const lw_node *claims, const char *path,
                          lw_api_status *errors);

#endif
