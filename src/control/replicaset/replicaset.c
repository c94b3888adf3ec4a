/* SPDX-License-Identifier: Apache-2.0 */
/* replicaset.c -- the controller of ReplicaSets and of ReplicationControllers, which differ only in
 * their selector: maintains the desired number of Pods.
 *
 * Level-triggered: each run uses only the pod tracker.  expectations.h prevents a stale cache from
 * leading to too many Pods. */
#include "controllers.h"
#include "runtime/controller.h"
#include "runtime/fields.h"
#include "runtime/patch.h"
#include "workload/workload.h"

static bool is_status_current(const lw_object *set, const lw_tally *t)
{
    return lw_object_int(set, "/status/replicas", -1) == t->active &&
           lw_object_int(set, "/status/fullyLabeledReplicas", 0) == t->labelled &&
           lw_object_int(set, "/status/readyReplicas", 0) == t->ready &&
           lw_object_int(set, "/status/availableReplicas", 0) == t->available &&
           lw_object_int(set, "/status/observedGeneration", 0) ==
               lw_object_int(set, "/metadata/generation", 0);
}

static lw_status update_status(const lw_workload *w, const lw_object *set, const lw_tally *t,
                               lw_error *err)
{
    lw_document *patch = NULL;
    if (is_status_current(set, t))
        return LW_OK;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    lw_document_set_int(patch, NULL, "/status/replicas", t->active);
    lw_document_set_int(patch, NULL, "/status/fullyLabeledReplicas", t->labelled);
    lw_document_set_int(patch, NULL, "/status/readyReplicas", t->ready);
    lw_document_set_int(patch, NULL, "/status/availableReplicas", t->available);
    lw_document_set_int(patch, NULL, "/status/observedGeneration",
                        lw_object_int(set, "/metadata/generation", 0));
    st = lw_patch_send(w->env->client, lw_workload_gvr(w), set, "status", patch, err);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* Counts first, so that the status is updated even if a write fails. */
static lw_status sync_set(lw_workload *w, const lw_object *set, lw_reconcile_result *result,
                          lw_error *err)
{
    lw_tally t;
    lw_status managed = LW_OK;
    lw_status st =
        lw_workload_claim(w, set, lw_object_int(set, "/spec/minReadySeconds", 0), &t, err);
    if (st < 0)
        return st;
    if (lw_workload_is_up_to_date(w, set, result) &&
        !lw_read_has(set, "/metadata/deletionTimestamp"))
        managed = lw_workload_scale(w, set, &t, lw_object_int(set, "/spec/replicas", 1), err);
    st = update_status(w, set, &t, managed < 0 ? NULL : err);
    if (t.left_ns != INT64_MAX)
        result->again_after_ns = t.left_ns;
    return managed < 0 ? managed : st;
}

static const lw_workload_type replicaset = {
    .name = "replicaset",
    .component = "replicaset-controller",
    .group = "apps",
    .plural = "replicasets",
    .kind = "ReplicaSet",
    .resource = "replicasets.apps",
    .workers = 16, /* each waits for one pod after the other to be created */
    .sync = sync_set,
};

static const lw_workload_type replication = {
    .name = "replication",
    .component = "replication-controller",
    .group = "",
    .plural = "replicationcontrollers",
    .kind = "ReplicationController",
    .resource = "replicationcontrollers",
    .workers = 4,
    .sync = sync_set,
};

static lw_status replicaset_make(void **out, const lw_control_env *env, lw_error *err)
{
    return lw_workload_make(out, env, &replicaset, err);
}

static lw_status replication_make(void **out, const lw_control_env *env, lw_error *err)
{
    return lw_workload_make(out, env, &replication, err);
}

const lw_controller_type lw_replicaset_controller = {
    .name = "replicaset",
    .user = LW_CONTROL_ACCOUNT "replicaset-controller",
    .needs_lease = true,
    .make = replicaset_make,
    .start = lw_workload_start,
    .free = lw_workload_free,
};

const lw_controller_type lw_replication_controller = {
    .name = "replication",
    .user = LW_CONTROL_ACCOUNT "replication-controller",
    .needs_lease = true,
    .make = replication_make,
    .start = lw_workload_start,
    .free = lw_workload_free,
};
