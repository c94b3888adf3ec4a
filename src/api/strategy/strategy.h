/* SPDX-License-Identifier: Apache-2.0 */
/* strategy.h -- the part of a write that is specific to a kind: defaulting, preparation and
 * validation.
 *
 * One entry per kind, in the file of its family; a kind without an entry has no specific rules. */
#ifndef LW_API_STRATEGY_STRATEGY_H
#define LW_API_STRATEGY_STRATEGY_H

#include "api/pending/pending_object.h"

typedef struct lw_strategy {
    lw_str group; /* empty: core */
    lw_str plural;
    /* Sets defaults for missing fields, on create and update.  Any function may be NULL. */
    void (*defaults)(lw_pending_object *pending);
    /* Prepares a new object: sets fields that the server owns.  An error refuses the write. */
    void (*create)(lw_pending_object *pending, lw_api_status *errors);
    /* Prepares an update: keeps fields that the client cannot change.  An error refuses the
     * write. */
    void (*update)(lw_pending_object *pending, lw_api_status *errors);
    /* Adds the errors of the object to |errors|. */
    void (*validate)(const lw_pending_object *pending, lw_api_status *errors);
    /* Sets defaults of the status when the subresource is updated. */
    void (*status_defaults)(lw_pending_object *pending);
    /* Prepare and check an update of the subresource of that name. */
    void (*status)(lw_pending_object *pending, lw_api_status *errors);
    void (*approval)(lw_pending_object *pending, lw_api_status *errors);
    /* An update of a part of the spec by |subresource| (LW_SUB_RESIZE): keeps the rest as it is
     * stored; then validates the part. */
    void (*keep_part)(lw_pending_object *pending, unsigned subresource);
    void (*validate_part)(const lw_pending_object *pending, unsigned subresource,
                          lw_api_status *errors);
} lw_strategy;

/* Returns the strategy of |kind|; never NULL. */
const lw_strategy *lw_strategy_of(const lw_kind *kind);

/* The families; each table ends with an empty plural. */
extern const lw_strategy lw_strategies_admission[];        /* strategy_admission.c */
extern const lw_strategy lw_strategies_address[];          /* strategy_address.c */
extern const lw_strategy lw_strategies_admission_policy[]; /* strategy_admission_policy.c */
extern const lw_strategy lw_strategies_device_claim[];     /* strategy_device_claim.c */
extern const lw_strategy lw_strategies_device_slice[];     /* strategy_device_slice.c */
extern const lw_strategy lw_strategies_trust[];            /* strategy_trust.c */
extern const lw_strategy lw_strategies_apiservice[];       /* strategy_apiservice.c */
extern const lw_strategy lw_strategies_certificates[];     /* strategy_certificates.c */
extern const lw_strategy lw_strategies_classes[];          /* strategy_classes.c */
extern const lw_strategy lw_strategies_core[];             /* strategy_core.c */
extern const lw_strategy lw_strategies_config[];           /* strategy_config.c */
extern const lw_strategy lw_strategies_crd[];              /* strategy_crd.c */
extern const lw_strategy lw_strategies_flow[];             /* strategy_flow.c */
extern const lw_strategy lw_strategies_limits[];           /* strategy_limits.c */
extern const lw_strategy lw_strategies_network_policy[];   /* strategy_network_policy.c */
extern const lw_strategy lw_strategies_pod[];              /* strategy_pod.c */
extern const lw_strategy lw_strategies_workload[];         /* strategy_workload.c */
extern const lw_strategy lw_strategies_service[];          /* strategy_service.c */
extern const lw_strategy lw_strategies_policy[];           /* strategy_policy.c */
extern const lw_strategy lw_strategies_routing[];          /* strategy_routing.c */

/* Default and validate the spec of a pod, or of the template at |path| ("spec.template.spec").
 * |claims| are the volumeClaimTemplates of a StatefulSet, or NULL. */
void lw_pod_spec_defaults(lw_tree *tree, lw_node *spec);
void lw_pod_spec_validate(const lw_node *spec, const lw_node *claims, const char *path,
                          lw_api_status *errors);

#endif
