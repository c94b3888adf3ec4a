/* SPDX-License-Identifier: Apache-2.0 */
/* workload.h -- the loop of a controller whose objects own Pods: ReplicaSets, Jobs and the like.  A
 * key is an owner's. */
#ifndef LW_CONTROL_WORKLOAD_WORKLOAD_H
#define LW_CONTROL_WORKLOAD_WORKLOAD_H

#include "runtime/controller.h"
#include "runtime/expectations.h"
#include "runtime/loop.h"
#include "workload/pod_tracker.h"
#include "workload/pod_writer.h"

typedef struct lw_workload lw_workload;

/* One kind of owner. */
typedef struct lw_workload_type {
    const char *name;           /* of the controller: "replicaset" */
    const char *component;      /* in Events: "replicaset-controller" */
    const char *group, *plural; /* of the owners, whose version is v1 */
    const char *kind;
    const char *resource; /* for the factory: "replicasets.apps" */
    unsigned workers;

    /* Brings |owner| and its Pods to where they should be; on a worker, may wait. */
    lw_status (*sync)(lw_workload *w, const lw_object *owner, lw_reconcile_result *result,
                      lw_error *err);

    /* Adds further watches and indexes; may be NULL. */
    lw_status (*watch)(lw_workload *w, lw_error *err);
} lw_workload_type;

struct lw_workload {
    const lw_control_env *env;
    const lw_workload_type *type;
    lw_control_loop *loop;
    lw_expectations *expectations;
    lw_pod_tracker *tracker;
    lw_informer *owners;
    lw_informer *pods;   /* has LW_OWNER_INDEX */
    lw_informer *others; /* for |type->watch| */
    lw_pod_writer writer;
};

/* What lw_controller_type wants. */
lw_status lw_workload_make(void **out, const lw_control_env *env, const lw_workload_type *type,
                           lw_error *err);
lw_status lw_workload_start(void *self, lw_error *err);
void lw_workload_free(void *self);

/* Of the owners. */
lw_gvr lw_workload_gvr(const lw_workload *w);

/* The date. */
int64_t lw_workload_wall_ns(const lw_workload *w);

/* Finds out what became of writes, adopts Pods that match, releases those that do not any more, and
 * counts the Pods of |owner|. */
lw_status lw_workload_claim(lw_workload *w, const lw_object *owner, int64_t min_ready_s,
                            lw_tally *tally, lw_error *err);

/* Whether the cache shows all that was written for |owner|; if not, it is looked at again later at
 * the latest. */
bool lw_workload_is_settled(lw_workload *w, const lw_object *owner, lw_reconcile_result *result);

/* Creates or deletes Pods, LW_POD_BURST at most, so that of |tally|'s there are |wanted| active. */
lw_status lw_workload_scale(lw_workload *w, const lw_object *owner, const lw_tally *tally,
                            int64_t wanted, lw_error *err);

#endif
