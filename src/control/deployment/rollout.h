/* SPDX-License-Identifier: Apache-2.0 */
/* rollout.h -- one Deployment while it is reconciled: it, its ReplicaSets, and what was found out
 * about them.  For the files of the Deployment controller only. */
#ifndef LW_CONTROL_DEPLOYMENT_ROLLOUT_H
#define LW_CONTROL_DEPLOYMENT_ROLLOUT_H

#include "deployment/rolling.h"
#include "runtime/controller.h"
#include "runtime/loop.h"

#define LW_REVISION_ANNOTATION "deployment.kubernetes.io/revision"

/* One ReplicaSet of it. */
typedef struct lw_rollout_set {
    const lw_object *set; /* of rollout.claimed */
    lw_rolling_set size;
    int64_t actual, ready; /* of its status */
    int64_t revision;
    int64_t desired; /* replicas of the Deployment when it was last scaled; -1: unknown */
    int64_t created_ns;
} lw_rollout_set;

typedef struct lw_rollout {
    const lw_control_env *env;
    lw_control_loop *loop;
    const lw_informer *pods;
    const lw_object *deployment;
    lw_document *doc;  /* a copy of it, to read */
    uint64_t template; /* hash of its template */
    lw_rolling_bounds bounds;
    lw_object_list *claimed;
    lw_rollout_set *old; /* oldest first, without the fresh one */
    size_t old_count;
    lw_rollout_set fresh; /* the one of the current template; .set NULL: there is none yet */
    int64_t revision;     /* of the fresh one, as it is to be */
    bool has_created;     /* the fresh one, just now */
    int64_t again_ns;     /* when to come back; 0: no need */
} lw_rollout;

/* Reads it all.  lw_rollout_done also after a failure. */
lw_status lw_rollout_init(lw_rollout *r, lw_object_list *claimed, lw_error *err);
void lw_rollout_done(lw_rollout *r);

/* The sum over all ReplicaSets of what is wanted of them. */
int64_t lw_rollout_total(const lw_rollout *r);

/* Sees to it that there is a ReplicaSet of the current template, with |size| replicas if it is made
 * now, and that revisions are counted.  (rollout_new.c) */
lw_status lw_rollout_ensure_fresh(lw_rollout *r, int64_t size, lw_error *err);

/* Gives |s| a size.  |*has_scaled| is set if that is a change. */
lw_status lw_rollout_scale(lw_rollout *r, lw_rollout_set *s, int64_t size, bool *has_scaled,
                           lw_error *err);

/* After the Deployment itself was scaled.  (rollout_scale.c) */
bool lw_rollout_is_scaled(const lw_rollout *r);
lw_status lw_rollout_follow_scale(lw_rollout *r, lw_error *err);

/* Deletes old ReplicaSets beyond the history that is to be kept. */
lw_status lw_rollout_trim_history(lw_rollout *r, lw_error *err);

/* Tells how it is.  |*is_complete|: all replicas are new and available.  (rollout_status.c) */
lw_status lw_rollout_tell_status(lw_rollout *r, bool *is_complete, lw_error *err);

#endif
