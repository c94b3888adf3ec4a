/* SPDX-License-Identifier: Apache-2.0 */
/* pod_order.c -- sorts Pods in the order of deletion. */
#include <stdlib.h>
#include <string.h>

#include "workload/pod.h"

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
