/* SPDX-License-Identifier: Apache-2.0 */
/* rolling.c -- computes how many replicas a ReplicaSet may have. */
#include "deployment/rolling.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t amount_of(const char *text, int64_t replicas, bool rounds_up)
{
    char *end = NULL;
    long long number = strtoll(text, &end, 10);
    if (end != text && *end == '\0')
        return most(0, number);
    if (end == text || strcmp(end, "%") != 0)
        number = 25;
    number = number < 0 ? 0 : number > 100000 ? 100000 : number;
    return (replicas * number + (rounds_up ? 99 : 0)) / 100;
}

lw_rolling_bounds lw_rolling_bounds_of(int64_t replicas, const char *surge_text,
                                       const char *unavailable_text)
{
    lw_rolling_bounds b = { .replicas = replicas };
    b.surge = amount_of(surge_text, replicas, true);
    b.unavailable = amount_of(unavailable_text, replicas, false);
    /* Otherwise nothing could ever be replaced. */
    if (b.surge == 0 && b.unavailable == 0)
        b.unavailable = 1;
    b.unavailable = least(b.unavailable, replicas);
    return b;
}

int64_t lw_rolling_fresh_size(const lw_rolling_bounds *bounds, int64_t fresh, int64_t total)
{
    if (fresh >= bounds->replicas)
        return bounds->replicas;
    int64_t room = bounds->replicas + bounds->surge - total;
    return room <= 0 ? fresh : fresh + least(room, bounds->replicas - fresh);
}

/* Returns how many replicas of |set| are available and stay.  After the ReplicaSet was scaled down,
 * its status counts Pods that are about to be deleted until its controller has caught up. */
static int64_t available_of(const lw_rolling_set *set)
{
    return least(set->available, set->replicas);
}

/* Removes unavailable replicas first. */
static void drop_unhealthy(const lw_rolling_set *old, size_t count, int64_t most_gone,
                           int64_t *sizes)
{
    for (size_t i = 0; i < count && most_gone > 0; i++) {
        int64_t unhealthy = sizes[i] - available_of(&old[i]);
        int64_t gone = least(unhealthy, most_gone);
        sizes[i] -= gone;
        most_gone -= gone;
    }
}

void lw_rolling_old_sizes(const lw_rolling_bounds *bounds, const lw_rolling_set *fresh,
                          const lw_rolling_set *old, size_t count, int64_t *sizes)
{
    int64_t total = fresh->replicas, available = available_of(fresh);
    int64_t min_available = bounds->replicas - bounds->unavailable;
    for (size_t i = 0; i < count; i++) {
        sizes[i] = old[i].replicas;
        total += old[i].replicas;
        available += available_of(&old[i]);
    }
    int64_t fresh_unavailable = fresh->replicas - available_of(fresh);
    int64_t most_gone = total - min_available - fresh_unavailable;
    if (most_gone <= 0)
        return;
    drop_unhealthy(old, count, most_gone, sizes);
    int64_t spare = available - min_available;
    for (size_t i = 0; i < count && spare > 0; i++) {
        int64_t gone = least(sizes[i], spare);
        sizes[i] -= gone;
        spare -= gone;
    }
}

/* Returns by how much |set| is scaled with the Deployment, rounded to the nearest. */
static int64_t fraction_of(const lw_rolling_set *set, const lw_rolling_bounds *bounds)
{
    if (bounds->replicas == 0)
        return -set->replicas;
    int64_t before = set->max_replicas > 0 ? set->max_replicas : bounds->replicas + bounds->surge;
    int64_t now = bounds->replicas + bounds->surge;
    return (2 * set->replicas * now + before) / (2 * before) - set->replicas;
}

void lw_rolling_shares(const lw_rolling_bounds *bounds, const lw_rolling_set *sets, size_t count,
                       int64_t *sizes)
{
    int64_t total = 0, added = 0;
    for (size_t i = 0; i < count; i++)
        total += sets[i].replicas;
    int64_t allowed = bounds->replicas > 0 ? bounds->replicas + bounds->surge : 0;
    int64_t to_add = allowed - total;
    for (size_t i = 0; i < count; i++) {
        int64_t fraction = to_add == 0 ? 0 : fraction_of(&sets[i], bounds);
        int64_t share = to_add > 0 ? most(0, least(fraction, to_add - added))
                                   : least(0, most(fraction, to_add - added));
        sizes[i] = sets[i].replicas + share;
        added += share;
    }
    /* The remainder of the rounding goes to the largest. */
    if (count > 0)
        sizes[0] = most(0, sizes[0] + to_add - added);
}
