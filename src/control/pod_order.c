/* SPDX-License-Identifier: Apache-2.0 */
/* pod_order.c -- which Pod goes first: each is read once into a record, and records are sorted. */
#include <stdlib.h>
#include <string.h>

#include "pod.h"
#include "reading.h"
#include "report.h"

typedef struct record {
    const lw_object *pod;
    char node[254];
    int phase;     /* Pending, Unknown, Running */
    bool is_ready; /* and since when */
    int64_t ready_ns;
    int64_t cost;       /* controller.kubernetes.io/pod-deletion-cost */
    int64_t neighbours; /* of these Pods, on the same node */
    int64_t restarts;
    int64_t created_ns;
} record;

static int phase_of(const lw_object *pod)
{
    if (lw_text_is(lw_read_text(pod, "/status/phase"), "Running"))
        return 2;
    return lw_text_is(lw_read_text(pod, "/status/phase"), "Unknown") ? 1 : 0;
}

static int64_t cost_of(const lw_object *pod)
{
    char text[24];
    lw_text_copy(lw_read_text(pod,
                              "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost"),
                 text, sizeof(text));
    return strtoll(text, NULL, 10);
}

static void read_record(record *r, const lw_object *pod)
{
    *r = (record){ .pod = pod, .phase = phase_of(pod), .cost = cost_of(pod) };
    lw_text_copy(lw_read_text(pod, "/spec/nodeName"), r->node, sizeof(r->node));
    r->is_ready = lw_pod_is_ready(pod, &r->ready_ns);
    r->restarts = lw_object_int(pod, "/status/containerStatuses/0/restartCount", 0);
    (void)lw_read_moment(pod, &r->created_ns, "/metadata/creationTimestamp");
}

static int by_node(const void *a, const void *b)
{
    return strcmp(((const record *)a)->node, ((const record *)b)->node);
}

/* Counts those on the same node; |records| are in the order of their nodes. */
static void count_neighbours(record *records, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && by_node(&records[first], &records[end]) == 0; end++)
            ;
        for (size_t i = first; i < end; i++)
            records[i].neighbours = (int64_t)(end - first);
    }
}

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int for_deletion(const void *left, const void *right)
{
    const record *a = left, *b = right;
    int order = compare(a->node[0] != '\0', b->node[0] != '\0');
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

lw_status lw_pod_sort_for_deletion(const lw_object **pods, size_t count, lw_error *err)
{
    record *records = calloc(count ? count : 1, sizeof(*records));
    if (!records)
        return lw_report_nomem(err);
    for (size_t i = 0; i < count; i++)
        read_record(&records[i], pods[i]);
    qsort(records, count, sizeof(*records), by_node);
    count_neighbours(records, count);
    qsort(records, count, sizeof(*records), for_deletion);
    for (size_t i = 0; i < count; i++)
        pods[i] = records[i].pod;
    free(records);
    return LW_OK;
}
