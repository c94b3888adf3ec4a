/* SPDX-License-Identifier: Apache-2.0 */
/* workload.h -- the loop of a controller whose objects own Pods, such as ReplicaSets and Jobs.  A
 * key is that of an owner. */
#ifndef LW_CONTROL_WORKLOAD_WORKLOAD_H
#define LW_CONTROL_WORKLOAD_WORKLOAD_H

#include "runtime/controller.h"
#include "runtime/expectations.h"
#include "runtime/loop.h"
#include "workload/pod_tracker.h"
#include "workload/pod_writer.h"

typedef struct lw_workload lw_workload;

/* A kind of owner. */
typedef struct lw_workload_type {
    const char *name;           /* name of the controller, e.g. "replicaset" */
    const char *component;      /* source of Events, e.g. "replicaset-controller" */
    const char *group, *plural; /* of the owners, whose version is v1 */
    const char *kind;
    const char *resource; /* for the factory, e.g. "replicasets.apps" */
    unsigned workers;

    /* Reconciles |owner| and its Pods; runs on a worker and may block. */
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

/* Implementations of lw_controller_type. */
lw_status lw_workload_make(void **out, const lw_control_env *env, const lw_workload_type *type,
                           lw_error *err);
lw_status lw_workload_start(void *self, lw_error *err);
void lw_workload_free(void *self);

/* Returns the resource of the owners. */
lw_gvr lw_workload_gvr(const lw_workload *w);

/* Returns the wall clock time. */
int64_t lw_workload_wall_ns(const lw_workload *w);

/* Determines the result of earlier writes, adopts matching Pods, releases those that no longer
 * match, and counts the Pods of |owner|. */
lw_status lw_workload_claim(lw_workload *w, const lw_object *owner, int64_t min_ready_s,
                            lw_tally *tally, lw_error *err);

/* True if the cache shows all writes for |owner|; otherwise requests another run later. */
bool lw_workload_is_up_to_date(lw_workload *w, const lw_object *owner, lw_reconcile_result *result);

/* Creates or deletes Pods, at most LW_POD_BURST, so that |wanted| Pods of |tally| are active. */
lw_status lw_workload_scale(lw_workload *w, const lw_object *owner, const lw_tally *tally,
                            int64_t wanted, lw_error *err);

#endif
