/* SPDX-License-Identifier: Apache-2.0 */
/* pod.c -- facts of a Pod, read from its JSON. */
#include "pod.h"

#include <stdio.h>

#include "field.h"
#include "moment.h"

bool lw_pod_is_over(const lw_object *pod)
{
    return lw_field_is(pod, "/status/phase", "Succeeded") ||
           lw_field_is(pod, "/status/phase", "Failed");
}

bool lw_pod_is_active(const lw_object *pod)
{
    return !lw_pod_is_over(pod) && !lw_field_exists(pod, "/metadata/deletionTimestamp");
}

bool lw_pod_is_ready(const lw_object *pod, int64_t *since_ns)
{
    char pointer[64];
    int at = lw_field_condition(pod, "Ready");
    if (at < 0)
        return false;
    (void)snprintf(pointer, sizeof(pointer), "/status/conditions/%d/status", at);
    if (!lw_field_is(pod, pointer, "True"))
        return false;
    (void)snprintf(pointer, sizeof(pointer), "/status/conditions/%d/lastTransitionTime", at);
    if (since_ns && !lw_field_moment(pod, pointer, since_ns))
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
