/* SPDX-License-Identifier: Apache-2.0 */
/* rolling.h -- the arithmetic of a rolling update, as in Kubernetes: how many replicas each
 * ReplicaSet of a Deployment may have.  Pure functions. */
#ifndef LW_CONTROL_DEPLOYMENT_ROLLING_H
#define LW_CONTROL_DEPLOYMENT_ROLLING_H

#include <stddef.h>
#include <stdint.h>

/* The state of one ReplicaSet. */
typedef struct lw_rolling_set {
    int64_t replicas;     /* spec.replicas */
    int64_t available;    /* status.availableReplicas */
    int64_t max_replicas; /* maximum replicas of the Deployment when it was last scaled, including
                             the surge; 0: unknown */
} lw_rolling_set;

/* The limits of a Deployment.  |text| is a number or a percentage ("25%"); percentages of the surge
 * are rounded up, those of the unavailable replicas down; if both are 0, one replica may be
 * unavailable. An invalid text counts as 25%. */
typedef struct lw_rolling_bounds {
    int64_t replicas;
    int64_t surge;
    int64_t unavailable;
} lw_rolling_bounds;

lw_rolling_bounds lw_rolling_bounds_of(int64_t replicas, const char *surge_text,
                                       const char *unavailable_text);

/* Returns the size of the new ReplicaSet, which has |fresh| replicas now; all ReplicaSets have
 * |total|. */
int64_t lw_rolling_fresh_size(const lw_rolling_bounds *bounds, int64_t fresh, int64_t total);

/* Computes the sizes of the |count| old ReplicaSets, oldest first, into |sizes|: unavailable
 * replicas are removed first, then as many as the limits allow. */
void lw_rolling_old_sizes(const lw_rolling_bounds *bounds, const lw_rolling_set *fresh,
                          const lw_rolling_set *old, size_t count, int64_t *sizes);

/* Distributes the replicas of a Deployment that was scaled during a rollout over its |count|
 * ReplicaSets, largest first, in proportion to their sizes, into |sizes|. */
void lw_rolling_shares(const lw_rolling_bounds *bounds, const lw_rolling_set *sets, size_t count,
                       int64_t *sizes);

#endif
