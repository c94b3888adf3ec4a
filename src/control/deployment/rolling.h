/* SPDX-License-Identifier: Apache-2.0 */
/* rolling.h -- the arithmetic of a rolling update, as Kubernetes does it: how many replicas each
 * ReplicaSet of a Deployment may have now.  Numbers in, numbers out. */
#ifndef LW_CONTROL_DEPLOYMENT_ROLLING_H
#define LW_CONTROL_DEPLOYMENT_ROLLING_H

#include <stddef.h>
#include <stdint.h>

/* What is known of one ReplicaSet. */
typedef struct lw_rolling_set {
    int64_t replicas;  /* wanted of it now */
    int64_t available; /* there are */
    int64_t
        max_replicas; /* of the Deployment when it was last scaled, surge included; 0: unknown */
} lw_rolling_set;

/* What a Deployment allows.  |text| is a number or a percentage ("25%"); percentages of the surge
 * are rounded up, of what may be unavailable down, and where both come to 0, one may be
 * unavailable.  Text that is neither counts as 25%. */
typedef struct lw_rolling_bounds {
    int64_t replicas;
    int64_t surge;
    int64_t unavailable;
} lw_rolling_bounds;

lw_rolling_bounds lw_rolling_bounds_of(int64_t replicas, const char *surge_text,
                                       const char *unavailable_text);

/* How many the new ReplicaSet, which has |fresh| now, is to have; all together have |total|. */
int64_t lw_rolling_fresh_size(const lw_rolling_bounds *bounds, int64_t fresh, int64_t total);

/* How many each of the |count| old ReplicaSets, oldest first, is to have, into |sizes|: first those
 * that are not available go, then as many as can be spared. */
void lw_rolling_old_sizes(const lw_rolling_bounds *bounds, const lw_rolling_set *fresh,
                          const lw_rolling_set *old, size_t count, int64_t *sizes);

/* Shares the replicas of a Deployment that was scaled in the middle of a rollout among its |count|
 * ReplicaSets, largest first, in the proportion they have, into |sizes|. */
void lw_rolling_shares(const lw_rolling_bounds *bounds, const lw_rolling_set *sets, size_t count,
                       int64_t *sizes);

#endif
