/* SPDX-License-Identifier: Apache-2.0 */
/* pod.c -- facts of a Pod, read from its JSON. */
#include "pod.h"

#include "moment.h"
#include "reading.h"

bool lw_pod_is_over(const lw_object *pod)
{
    return lw_text_is(lw_read_text(pod, "/status/phase"), "Succeeded") ||
           lw_text_is(lw_read_text(pod, "/status/phase"), "Failed");
}

bool lw_pod_is_active(const lw_object *pod)
{
    return !lw_pod_is_over(pod) && !lw_read_has(pod, "/metadata/deletionTimestamp");
}

bool lw_pod_is_ready(const lw_object *pod, int64_t *since_ns)
{
    size_t at;
    if (!lw_text_is(lw_read_condition(pod, "Ready", &at), "True"))
        return false;
    if (since_ns && !lw_read_moment(pod, since_ns, "/status/conditions/%zu/lastTransitionTime", at))
        *since_ns = 0;
    return true;
}

bool lw_pod_is_available(const lw_object *pod, int64_t min_ready_s, int64_t wall_ns,
                         int64_t *left_ns)
{
    int64_t since = 0;
    if (!lw_pod_is_ready(pod, &since))
        return false;
    if (min_ready_s <= 0)
        return true;
    int64_t left = since + min_ready_s * LW_SECOND_NS - wall_ns;
    if (left <= 0)
        return true;
    *left_ns = left;
    return false;
}
