/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_placing.c -- the scheduler with any node and pod: the input is a node, a NUL byte, a pod.
 * The scheduler's sums are correct at every step; a scheduled pod counts, and a second one does not
 * overcommit its node; the same pod behind a service makes endpoint slices. */
#include <stdlib.h>

#include "control/endpoints/slice_plan.h"
#include "control/scheduler/scheduler_select.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool is_overfilled(const lw_node_record *node)
{
    return node->pod_count > node->pods_max ||
           (node->used.cpu > node->allocatable.cpu && node->used.cpu > 0) ||
           (node->used.memory > node->allocatable.memory && node->used.memory > 0);
}

/* Schedules the pod as a scheduler does, and adds the watch event after the binding. */
static void place(const lw_object *node, const lw_object *pod)
{
    lw_scheduler_cache cache = { .node_count = 0 };
    lw_scheduler_select selection;
    char message[LW_SCHEDULER_SELECT_MESSAGE_SIZE];
    must(lw_scheduler_cache_set_pod(&cache, pod, NULL) == LW_OK &&
         lw_scheduler_cache_check(&cache));
    must(lw_scheduler_cache_set_node(&cache, node, NULL) == LW_OK &&
         lw_scheduler_cache_check(&cache));
    lw_scheduler_cache_remove_pod(&cache, pod, NULL);
    must(lw_scheduler_cache_check(&cache));
    must(lw_scheduler_select_find(&selection, &cache, pod) == LW_OK);
    lw_scheduler_select_message(&selection, &cache, message);
    if (selection.node) {
        must(lw_scheduler_cache_assume(&cache, pod, selection.node) == LW_OK &&
             lw_scheduler_cache_check(&cache));
        must(!is_overfilled(selection.node));
        must(lw_scheduler_select_find(&selection, &cache, pod) == LW_OK);
        lw_scheduler_cache_forget(&cache, pod);
        must(lw_scheduler_cache_check(&cache) && cache.pod_names.count == 0);
    }
    lw_scheduler_cache_done(&cache);
}

static void slice(const lw_object *service, const lw_object *pod)
{
    lw_object_list *pods = NULL, *none = NULL;
    lw_backends backends;
    lw_slice_plan plan;
    lw_document *doc = NULL;
    lw_str json;
    must(lw_object_list_new(&pods, 0) == LW_OK && lw_object_list_new(&none, 0) == LW_OK);
    must(lw_object_list_append(pods, pod) == LW_OK);
    must(lw_backends_read(&backends, service, pods) == LW_OK);
    must(lw_slice_plan_make(&plan, service, &backends, none) == LW_OK && plan.count == 1);
    must(plan.slices[0].count == backends.count);
    must(lw_document_new(&doc, NULL) == LW_OK);
    lw_slice_write(&plan.slices[0], service, &backends, doc);
    (void)lw_document_json(doc, NULL, &json, NULL);
    lw_document_free(doc);
    lw_slice_plan_done(&plan);
    lw_backends_done(&backends);
    lw_object_list_free(none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size > 0 ? memchr(text, '\0', size) : NULL;
    lw_object *node = NULL, *pod = NULL;
    if (!end)
        return 0;
    if (lw_object_from_json(&node, text, (size_t)(end - text), NULL) == LW_OK &&
        lw_object_from_json(&pod, end + 1, size - (size_t)(end - text) - 1, NULL) == LW_OK) {
        place(node, pod);
        slice(node, pod);
    }
    lw_object_unref(pod);
    lw_object_unref(node);
    return 0;
}
