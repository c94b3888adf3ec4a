/* SPDX-License-Identifier: Apache-2.0 */
/* eviction.c -- decides which pods must leave a node, and when. */
#include "node/eviction.h"

#include <stdio.h>

#include "runtime/fields.h"
#include "runtime/taint.h"

/* Parses a timestamp; |fallback|: there is none. */
static int64_t moment_of(lw_str text, int64_t fallback)
{
    int64_t moment;
    return lw_time_parse_ns(text, &moment) ? moment : fallback;
}

bool lw_eviction_drives_off(const lw_object *node)
{
    lw_taint taints[LW_TAINTS_MAX];
    size_t count = lw_taints_read(node, taints, LW_TAINTS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (taints[i].effect == LW_TAINT_NO_EXECUTE)
            return true;
    }
    return false;
}

/* Returns since when the first taint with effect NoExecute exists. */
static int64_t tainted_since(const lw_eviction_rules *rules, const lw_taint *taints, size_t count)
{
    int64_t since = rules->tainted_ns;
    for (size_t i = 0; i < count; i++) {
        lw_str added = lw_read_text(rules->node, "/spec/taints/%zu/timeAdded", i);
        if (taints[i].effect == LW_TAINT_NO_EXECUTE && added.len > 0) {
            int64_t moment = moment_of(added, since);
            since = moment < since ? moment : since;
        }
    }
    return since;
}

/* True if it is one of the two tolerations of 300 seconds that API servers add to every pod. */
static bool is_everybodys(const lw_toleration *t)
{
    enum {
        GIVEN_S = 300
    };
    return t->is_for_any_value && t->effect == LW_TAINT_NO_EXECUTE && t->seconds == GIVEN_S &&
           (lw_text_is(t->key, LW_TAINT_NOT_READY) || lw_text_is(t->key, LW_TAINT_UNREACHABLE));
}

/* Returns when a pod must leave; -1: it may stay. */
static int64_t leaves_at(const lw_eviction_rules *rules, const lw_object *pod)
{
    lw_taint taints[LW_TAINTS_MAX];
    lw_toleration tolerations[LW_TOLERATIONS_MAX];
    size_t taint_count = lw_taints_read(rules->node, taints, LW_TAINTS_MAX);
    size_t count = lw_tolerations_read(pod, tolerations, LW_TOLERATIONS_MAX);
    size_t own = 0;
    for (size_t i = 0; i < count; i++) {
        if (rules->patience_ns == 0 || !is_everybodys(&tolerations[i]))
            tolerations[own++] = tolerations[i];
    }
    int64_t stay_s = lw_taints_stay_s(taints, taint_count, tolerations, own);
    if (stay_s < 0)
        return -1;
    return tainted_since(rules, taints, taint_count) +
           (stay_s == 0 ? rules->patience_ns : stay_s * LW_NS_PER_S);
}

static lw_eviction at_or_after(int64_t when, int64_t wall_ns, lw_eviction what, int64_t *after_ns)
{
    if (wall_ns >= when)
        return what;
    *after_ns = when - wall_ns;
    return LW_EVICTION_STAY;
}

lw_eviction lw_eviction_decide(const lw_eviction_rules *rules, const lw_object *pod,
                               int64_t wall_ns, int64_t *after_ns)
{
    lw_str deleted = lw_read_text(pod, "/metadata/deletionTimestamp");
    *after_ns = 0;
    if (!rules->node)
        return LW_EVICTION_FORCE;
    if (deleted.len > 0) /* deletionTimestamp includes the grace period */
        return rules->is_unreachable
                   ? at_or_after(moment_of(deleted, wall_ns), wall_ns, LW_EVICTION_FORCE, after_ns)
                   : LW_EVICTION_STAY;
    if (!lw_eviction_drives_off(rules->node))
        return LW_EVICTION_STAY;
    int64_t when = leaves_at(rules, pod);
    return when < 0 ? LW_EVICTION_STAY : at_or_after(when, wall_ns, LW_EVICTION_DELETE, after_ns);
}
