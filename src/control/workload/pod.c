/* SPDX-License-Identifier: Apache-2.0 */
/* pod.c -- reads the facts of a Pod from its JSON, and sorts Pods in the order of deletion. */
#include "workload/pod.h"

#include <stdlib.h>
#include <string.h>

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

static int by_node(const void *left, const void *right)
{
    const lw_pod_facts *a = left, *b = right;
    size_t least = a->node.len < b->node.len ? a->node.len : b->node.len;
    int order = memcmp(a->node.ptr, b->node.ptr, least);
    if (order == 0 && a->node.len != b->node.len)
        order = a->node.len < b->node.len ? -1 : 1;
    return order;
}

/* Counts the Pods on the same node; |pods| are sorted by node. */
static void count_neighbours(lw_pod_facts *pods, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && by_node(&pods[first], &pods[end]) == 0; end++)
            ;
        for (size_t i = first; i < end; i++)
            pods[i].neighbours = (int64_t)(end - first);
    }
}

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int for_deletion(const void *left, const void *right)
{
    const lw_pod_facts *a = left, *b = right;
    int order = compare(a->node.len > 0, b->node.len > 0);
    if (order == 0)
        order = compare(a->phase, b->phase);
    if (order == 0)
        order = compare(a->is_ready, b->is_ready);
    if (order == 0)
        order = compare(a->cost, b->cost);
    if (order == 0)
        order = compare(b->neighbours, a->neighbours);
    if (order == 0)
        order = compare(b->ready_ns, a->ready_ns);
    if (order == 0)
        order = compare(b->restarts, a->restarts);
    if (order == 0)
        order = compare(b->created_ns, a->created_ns);
    return order ? order : lw_key_compare(lw_object_key(a->pod), lw_object_key(b->pod));
}

void lw_pod_sort_for_deletion(lw_pod_facts *pods, size_t count)
{
    qsort(pods, count, sizeof(*pods), by_node);
    count_neighbours(pods, count);
    qsort(pods, count, sizeof(*pods), for_deletion);
}
