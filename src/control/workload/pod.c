/* SPDX-License-Identifier: Apache-2.0 */
/* pod.c -- reads the facts of a Pod from its JSON. */
#include "workload/pod.h"

#include <stdlib.h>

#include "runtime/fields.h"

static lw_pod_phase phase_of(const lw_object *pod)
{
    static const struct {
        const char *name;
        lw_pod_phase phase;
    } phases[] = { { "Running", LW_POD_RUNNING },
                   { "Succeeded", LW_POD_SUCCEEDED },
                   { "Failed", LW_POD_FAILED },
                   { "Unknown", LW_POD_UNKNOWN } };
    lw_str text = lw_read_text(pod, "/status/phase");
    for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        if (lw_text_is(text, phases[i].name))
            return phases[i].phase;
    }
    return LW_POD_PENDING;
}

static int64_t ended_at(const lw_object *pod)
{
    int64_t when = 0;
    if (!lw_read_timestamp(pod, &when, "/status/containerStatuses/0/state/terminated/finishedAt") &&
        !lw_read_timestamp(pod, &when, "/status/conditions/0/lastTransitionTime"))
        (void)lw_read_timestamp(pod, &when, "/metadata/creationTimestamp");
    return when;
}

static int64_t cost_of(const lw_object *pod)
{
    char text[24];
    lw_text_copy(lw_read_text(pod,
                              "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost"),
                 text, sizeof(text));
    return strtoll(text, NULL, 10);
}

static bool is_over(lw_pod_phase phase)
{
    return phase == LW_POD_SUCCEEDED || phase == LW_POD_FAILED;
}

void lw_pod_read(lw_pod_facts *f, const lw_object *pod)
{
    size_t at;
    *f = (lw_pod_facts){ .pod = pod, .phase = phase_of(pod), .cost = cost_of(pod) };
    f->node = lw_read_text(pod, "/spec/nodeName");
    f->is_leaving = lw_read_has(pod, "/metadata/deletionTimestamp");
    f->is_ready = lw_text_is(lw_read_condition(pod, "Ready", &at), "True");
    if (f->is_ready)
        (void)lw_read_timestamp(pod, &f->ready_ns, "/status/conditions/%zu/lastTransitionTime", at);
    if (is_over(f->phase))
        f->ended_ns = ended_at(pod);
    f->restarts = lw_object_int(pod, "/status/containerStatuses/0/restartCount", 0);
    (void)lw_read_timestamp(pod, &f->created_ns, "/metadata/creationTimestamp");
}

bool lw_pod_is_over(const lw_object *pod)
{
    return is_over(phase_of(pod));
}

bool lw_pod_is_active(const lw_pod_facts *f)
{
    return !is_over(f->phase) && !f->is_leaving;
}

bool lw_pod_is_available(const lw_pod_facts *f, int64_t min_ready_s, int64_t wall_ns,
                         int64_t *left_ns)
{
    if (!f->is_ready)
        return false;
    if (min_ready_s <= 0)
        return true;
    int64_t left = f->ready_ns + min_ready_s * LW_NS_PER_S - wall_ns;
    if (left <= 0)
        return true;
    *left_ns = left;
    return false;
}
