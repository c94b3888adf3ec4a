/* SPDX-License-Identifier: Apache-2.0 */
/* control_scenarios.c -- what controllers read and plan, with every allocation failing in turn. */
#include "base/error.h"
#include "base/str.h"
#include "control/endpoints/service_table.h"
#include "control/endpoints/slice_plan.h"
#include "control/node/node_health.h"
#include "control/scheduler/scheduler_select.h"
#include "control/workload/pod_tracker.h"
#include "oom/oom.h"

static const char pod_json[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\","
    "\"labels\":{\"app\":\"web\"}},\"spec\":{\"nodeName\":\"n1\",\"nodeSelector\":{\"a\":\"b\"},"
    "\"tolerations\":[{\"operator\":\"Exists\"}],\"affinity\":{\"nodeAffinity\":{"
    "\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{"
    "\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"b\"]}]}]}},"
    "\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{\"labelSelector\":{"
    "\"matchLabels\":{\"app\":\"db\"}},\"topologyKey\":\"kubernetes.io/hostname\"}]}},"
    "\"containers\":[{\"ports\":[{\"name\":\"http\",\"containerPort\":80,\"hostPort\":80}],"
    "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"podIP\":\"10.0.0.1\"}}";
static const char other_json[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"q\",\"namespace\":\"default\",\"uid\":\"v\"},"
    "\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}";
static const char node_json[] =
    "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"labels\":{\"a\":\"b\"}},\"spec\":{"
    "\"taints\":[{\"key\":\"k\",\"effect\":\"PreferNoSchedule\"}]},\"status\":{\"allocatable\":{"
    "\"cpu\":\"4\",\"memory\":\"1Gi\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}";
static const char service_json[] =
    "{\"kind\":\"Service\",\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"uid\":\"s\"},"
    "\"spec\":{\"selector\":{\"app\":\"web\"},\"ports\":[{\"port\":80,\"targetPort\":\"http\"}]}}";

static const char set_json[] =
    "{\"kind\":\"ReplicaSet\",\"metadata\":{\"name\":\"r\",\"namespace\":\"default\",\"uid\":"
    "\"set\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"web\"}}}}";
static const char owned_json[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\",\"uid\":\"u\","
    "\"labels\":{\"app\":\"web\"},\"ownerReferences\":[{\"kind\":\"ReplicaSet\",\"name\":\"r\","
    "\"uid\":\"set\",\"controller\":true}]},\"status\":{\"phase\":\"Running\"}}";

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "%s is wrong", what);
}

static lw_status object_of(lw_object **out, const char *json, lw_error *err)
{
    return lw_object_from_json(out, json, strlen(json), err);
}

/* The sums must stay correct, whatever fails. */
static lw_status pods_are_counted_and_scheduled(lw_error *err)
{
    lw_scheduler_cache cache = { .node_count = 0 };
    lw_scheduler_select selection = { .node = NULL };
    lw_object *pod = NULL, *other = NULL, *node = NULL;
    lw_status st = object_of(&pod, pod_json, err);
    if (st == LW_OK)
        st = object_of(&other, other_json, err);
    if (st == LW_OK)
        st = object_of(&node, node_json, err);
    if (st == LW_OK)
        st = lw_scheduler_cache_set_pod(&cache, pod, NULL); /* before its node is known */
    if (!lw_scheduler_cache_check(&cache))
        st = wrong(err, "the count of a pod");
    if (st == LW_OK)
        st = lw_scheduler_cache_set_node(&cache, node, NULL);
    if (!lw_scheduler_cache_check(&cache))
        st = wrong(err, "the count of a node");
    if (st == LW_OK)
        st = lw_scheduler_select_find(&selection, &cache, other);
    if (st == LW_OK && !selection.node)
        st = wrong(err, "the place");
    if (st == LW_OK)
        st = lw_scheduler_cache_assume(&cache, other, selection.node);
    if (!lw_scheduler_cache_check(&cache))
        st = wrong(err, "the count of an assumed pod");
    if (st == LW_OK)
        st = lw_scheduler_select_find(&selection, &cache, pod); /* with all rules */
    if (st == LW_OK && selection.node)
        st = wrong(err, "a port that is taken");
    lw_scheduler_cache_done(&cache);
    lw_object_unref(node);
    lw_object_unref(other);
    lw_object_unref(pod);
    return st;
}

/* Plans the slices of the service with the pod. */
static lw_status plan_one(const lw_object *service, const lw_object *pod, lw_error *err)
{
    lw_object_list *pods = NULL, *there = NULL;
    lw_backends backends = { .pods = NULL };
    lw_slice_plan plan = { NULL, 0 };
    lw_document *doc = NULL;
    lw_object *slice = NULL;
    lw_status st = lw_object_list_new(&pods, 0);
    if (st == LW_OK)
        st = lw_object_list_append(pods, pod);
    if (st == LW_OK)
        st = lw_backends_read(&backends, service, pods);
    else
        lw_object_list_free(pods);
    if (st == LW_OK)
        st = lw_object_list_new(&there, 0);
    if (st == LW_OK)
        st = lw_slice_plan_make(&plan, service, &backends, there);
    if (st == LW_OK)
        st = lw_document_new(&doc, err);
    if (st == LW_OK) {
        lw_slice_write(&plan.slices[0], service, &backends, doc);
        st = lw_document_to_object(doc, &slice, err);
    }
    if (st == LW_OK &&
        strcmp(lw_object_string(slice, "/endpoints/0/addresses/0", "10.0.0.1"), "10.0.0.1") != 0)
        st = wrong(err, "the slice");
    lw_object_unref(slice);
    lw_document_free(doc);
    lw_slice_plan_done(&plan);
    lw_backends_done(&backends);
    lw_object_list_free(there);
    return st;
}

static lw_status slices_are_planned(lw_error *err)
{
    lw_object *service = NULL, *pod = NULL;
    lw_status st = object_of(&service, service_json, err);
    if (st == LW_OK)
        st = object_of(&pod, pod_json, err);
    if (st == LW_OK)
        st = plan_one(service, pod, err);
    lw_object_unref(pod);
    lw_object_unref(service);
    return st;
}

static void count_found(lw_str ns, lw_str name, void *arg)
{
    (void)ns;
    (void)name;
    ++*(int *)arg;
}

static lw_status services_are_found(lw_error *err)
{
    lw_service_table *table = NULL;
    lw_object *service = NULL, *pod = NULL;
    int found = 0;
    lw_status st = object_of(&service, service_json, err);
    if (st == LW_OK)
        st = object_of(&pod, pod_json, err);
    if (st == LW_OK)
        st = lw_service_table_new(&table, err);
    if (st == LW_OK)
        st = lw_service_table_set(table, service);
    if (st == LW_OK) {
        lw_service_table_match(table, pod, count_found, &found);
        if (found != 1)
            st = wrong(err, "the services of a pod");
    }
    lw_service_table_free(table);
    lw_object_unref(pod);
    lw_object_unref(service);
    return st;
}

static lw_status node_health_is_tracked(lw_error *err)
{
    lw_node_health health = { { NULL, 0, 0 } };
    lw_document *doc = NULL;
    lw_str json;
    lw_object *node = NULL;
    lw_status st = object_of(&node, node_json, err);
    if (st == LW_OK && !lw_node_health_of(&health, LW_STR("n1"), 1))
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = lw_document_new(&doc, err);
    if (st == LW_OK && !lw_node_health_write_taints(doc, node, LW_NODE_UNREACHABLE, 0))
        st = wrong(err, "whether taints change");
    if (st == LW_OK)
        st = lw_document_json(doc, NULL, &json, err);
    lw_document_free(doc);
    lw_node_health_done(&health);
    lw_object_unref(node);
    return st;
}

static lw_status count_owned(lw_pod_tracker *tracker, const lw_object *set, const lw_object *pod,
                             lw_error *err)
{
    const lw_event event = { .type = LW_EVENT_ADD, .object = pod };
    lw_object_list *all = NULL;
    lw_pod_list active = { NULL, NULL, 0 };
    lw_tally tally;
    lw_owner owner;
    lw_pod_tracker_saw(tracker, &event, lw_owner_of(pod, &owner) ? &owner : NULL);
    lw_status st = lw_object_list_new(&all, 0);
    if (st == LW_OK)
        st = lw_object_list_append(all, pod);
    if (st == LW_OK && lw_pod_tracker_is_incomplete(tracker))
        st = lw_pod_tracker_rebuild(tracker, all, err);
    if (st == LW_OK)
        st = lw_pod_tracker_count(tracker, set, 0, 0, &tally, err);
    if (st == LW_OK && tally.active != 1)
        st = wrong(err, "the count of an owner's pods");
    if (st == LW_OK)
        st = lw_pod_tracker_list(tracker, set, LW_POD_TRACKER_ACTIVE, &active, err);
    lw_pod_list_done(&active);
    lw_object_list_free(all);
    return st;
}

/* A pod whose event found no memory is counted later, and once. */
static lw_status owners_have_their_pods_counted(lw_error *err)
{
    lw_pod_tracker *tracker = NULL;
    lw_object *set = NULL, *pod = NULL;
    lw_status st = object_of(&set, set_json, err);
    if (st == LW_OK)
        st = object_of(&pod, owned_json, err);
    if (st == LW_OK)
        st = lw_pod_tracker_new(&tracker, "ReplicaSet", err);
    if (st == LW_OK)
        st = count_owned(tracker, set, pod, err);
    if (tracker && !lw_pod_tracker_check(tracker))
        st = wrong(err, "the sum of an owner's pods");
    lw_pod_tracker_free(tracker);
    lw_object_unref(pod);
    lw_object_unref(set);
    return st;
}

const oom_scenario control_scenarios[] = {
    { "pods are counted and scheduled", pods_are_counted_and_scheduled },
    { "slices are planned", slices_are_planned },
    { "services are found", services_are_found },
    { "node health is tracked", node_health_is_tracked },
    { "owners have their pods counted", owners_have_their_pods_counted },
};
const size_t control_scenario_count = sizeof(control_scenarios) / sizeof(control_scenarios[0]);
