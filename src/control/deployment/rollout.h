/* SPDX-License-Identifier: Apache-2.0 */
/* rollout.h -- one Deployment while it is reconciled: the object, its ReplicaSets, and what is
 * known about them.  Only for the files of the Deployment controller. */
#ifndef LW_CONTROL_DEPLOYMENT_ROLLOUT_H
#define LW_CONTROL_DEPLOYMENT_ROLLOUT_H

#include "deployment/rolling.h"
#include "runtime/controller.h"
#include "runtime/loop.h"

#define LW_REVISION_ANNOTATION "deployment.kubernetes.io/revision"

/* One ReplicaSet of the Deployment. */
typedef struct lw_rollout_set {
    const lw_object *set; /* an element of rollout.claimed */
    lw_rolling_set size;
    int64_t actual, ready; /* from its status */
    int64_t revision;
    int64_t desired; /* replicas of the Deployment when it was last scaled; -1: unknown */
    int64_t created_ns;
} lw_rollout_set;

typedef struct lw_rollout {
    const lw_control_env *env;
    lw_control_loop *loop;
    const lw_informer *pods;
    const lw_object *deployment;
    lw_document *doc;  /* a copy of it, for reading */
    uint64_t template; /* hash of its template */
    lw_rolling_bounds bounds;
    lw_object_list *claimed;
    lw_rollout_set *old; /* oldest first, without the new one */
    size_t old_count;
    /* The ReplicaSet of the current template; .set NULL: does not exist yet. */
    lw_rollout_set fresh;
    int64_t revision; /* revision that the new one should have */
    bool has_created; /* the new one was created in this run */
    int64_t again_ns; /* when to reconcile again; 0: not needed */
} lw_rollout;

/* Reads everything.  Call lw_rollout_done even after an error. */
lw_status lw_rollout_init(lw_rollout *r, lw_object_list *claimed, lw_error *err);
void lw_rollout_done(lw_rollout *r);

/* Returns the number of replicas of all ReplicaSets.  Pods that a ReplicaSet has not deleted yet
 * after it was scaled down count: with new Pods in their place there would be more than the surge
 * allows.  (Kubernetes does not count them.) */
int64_t lw_rollout_total(const lw_rollout *r);

/* Ensures that there is a ReplicaSet of the current template, created with |size| replicas if
 * needed, and updates the revisions.  (rollout_new.c) */
lw_status lw_rollout_ensure_fresh(lw_rollout *r, int64_t size, lw_error *err);

/* Scales |s| to |size|.  Sets |*has_scaled| if that is a change. */
lw_status lw_rollout_scale(lw_rollout *r, lw_rollout_set *s, int64_t size, bool *has_scaled,
                           lw_error *err);

/* True if the Deployment itself was scaled; lw_rollout_follow_scale then distributes the replicas.
 * (rollout_scale.c) */
bool lw_rollout_is_scaled(const lw_rollout *r);
lw_status lw_rollout_follow_scale(lw_rollout *r, lw_error *err);

/* Deletes old ReplicaSets beyond the history limit. */
lw_status lw_rollout_trim_history(lw_rollout *r, lw_error *err);

/* Updates the status.  Sets |*is_complete| if all replicas are new and available.
 * (rollout_status.c) */
lw_status lw_rollout_update_status(lw_rollout *r, bool *is_complete, lw_error *err);

#endif
