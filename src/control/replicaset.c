/* SPDX-License-Identifier: Apache-2.0 */
/* replicaset.c -- the controller of ReplicaSets, and of ReplicationControllers, which are the same
 * with an older selector: as many Pods as are wanted, no more, no fewer.
 *
 * Level-triggered: each run looks at the cache alone.  What keeps a cache that lags behind from
 * leading to a Pod too many is in expectations.h. */
#include <stdlib.h>
#include <string.h>

#include "controller.h"
#include "expectations.h"
#include "loop.h"
#include "moment.h"
#include "owner.h"
#include "patch.h"
#include "pod.h"
#include "pod_writer.h"
#include "reading.h"
#include "report.h"

enum {
    WORKERS = 4,
};

/* In what the two kinds differ. */
typedef struct flavour {
    const char *name, *component;
    const char *group, *plural, *kind;
    const char *resource; /* for the factory */
} flavour;

static const flavour replicaset = {
    .name = "replicaset",
    .component = "replicaset-controller",
    .group = "apps",
    .plural = "replicasets",
    .kind = "ReplicaSet",
    .resource = "replicasets.apps",
};

static const flavour replication = {
    .name = "replication",
    .component = "replication-controller",
    .group = "",
    .plural = "replicationcontrollers",
    .kind = "ReplicationController",
    .resource = "replicationcontrollers",
};

typedef struct controller {
    const lw_control_env *env;
    const flavour *flavour;
    lw_control_loop *loop;
    lw_expectations *expectations;
    lw_informer *sets;
    lw_informer *pods;
    lw_pod_writer writer;
} controller;

/* The Pods of one set, counted. */
typedef struct tally {
    int64_t replicas, labelled, ready, available;
    int64_t left_ns; /* until the next of them becomes available; INT64_MAX: none waits for that */
} tally;

static lw_gvr gvr_of(const controller *c)
{
    return lw_gvr_make(c->flavour->group, "v1", c->flavour->plural);
}

/* Whether |pod| has every label of the template. */
static bool is_labelled(const lw_object *pod, lw_document *set)
{
    const lw_value *labels = lw_document_find(set, NULL, "/spec/template/metadata/labels");
    for (size_t i = 0; i < lw_document_count(labels); i++) {
        char key[512];
        lw_str name = lw_document_key(labels, i);
        if (name.len >= sizeof(key))
            return false;
        memcpy(key, name.ptr, name.len);
        key[name.len] = '\0';
        const char *value = lw_object_label(pod, key);
        const char *wanted = lw_document_string(set, lw_document_item(labels, i), "", "");
        if (!value || strcmp(value, wanted) != 0)
            return false;
    }
    return true;
}

static tally count_pods(const controller *c, lw_document *set, const lw_object *const *pods,
                        size_t count)
{
    int64_t now = c->env->clock->wall_ns(c->env->clock->arg);
    int64_t min_ready_s = lw_document_int(set, NULL, "/spec/minReadySeconds", 0);
    tally t = { .replicas = (int64_t)count, .left_ns = INT64_MAX };
    for (size_t i = 0; i < count; i++) {
        int64_t left_ns = INT64_MAX;
        t.labelled += is_labelled(pods[i], set);
        t.ready += lw_pod_is_ready(pods[i], NULL);
        t.available += lw_pod_is_available(pods[i], min_ready_s, now, &left_ns);
        if (left_ns < t.left_ns)
            t.left_ns = left_ns;
    }
    return t;
}

static bool is_told(const lw_object *set, const tally *t)
{
    return lw_object_int(set, "/status/replicas", -1) == t->replicas &&
           lw_object_int(set, "/status/fullyLabeledReplicas", 0) == t->labelled &&
           lw_object_int(set, "/status/readyReplicas", 0) == t->ready &&
           lw_object_int(set, "/status/availableReplicas", 0) == t->available &&
           lw_object_int(set, "/status/observedGeneration", 0) ==
               lw_object_int(set, "/metadata/generation", 0);
}

static lw_status tell_status(const controller *c, const lw_object *set, const tally *t,
                             lw_error *err)
{
    lw_document *patch = NULL;
    if (is_told(set, t))
        return LW_OK;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    lw_document_set_int(patch, NULL, "/status/replicas", t->replicas);
    lw_document_set_int(patch, NULL, "/status/fullyLabeledReplicas", t->labelled);
    lw_document_set_int(patch, NULL, "/status/readyReplicas", t->ready);
    lw_document_set_int(patch, NULL, "/status/availableReplicas", t->available);
    lw_document_set_int(patch, NULL, "/status/observedGeneration",
                        lw_object_int(set, "/metadata/generation", 0));
    st = lw_patch_send(c->env->client, gvr_of(c), set, "status", patch, err);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* Creates what is missing, deletes what is too many. */
static lw_status manage(const controller *c, const lw_object *set, const lw_object **active,
                        size_t count, lw_error *err)
{
    int64_t replicas = lw_object_int(set, "/spec/replicas", 1);
    size_t wanted = replicas > 0 ? (size_t)replicas : 0;
    size_t missing = wanted > count ? wanted - count : 0;
    size_t surplus = count > wanted ? count - wanted : 0;
    if (missing > 0)
        return lw_pod_writer_create(&c->writer, set,
                                    missing < LW_POD_BURST ? missing : LW_POD_BURST, err);
    if (surplus == 0)
        return LW_OK;
    lw_status st = lw_pod_sort_for_deletion(active, count, err);
    return st < 0 ? st
                  : lw_pod_writer_delete(&c->writer, set, active,
                                         surplus < LW_POD_BURST ? surplus : LW_POD_BURST, err);
}

/* The Pods of |pods| that are active, as an array to free. */
static const lw_object **active_of(const lw_object_list *pods, size_t *count)
{
    size_t all = lw_object_list_count(pods);
    const lw_object **active = calloc(all ? all : 1, sizeof(*active));
    *count = 0;
    for (size_t i = 0; active && i < all; i++) {
        const lw_object *pod = lw_object_list_at(pods, i);
        if (lw_pod_is_active(pod))
            active[(*count)++] = pod;
    }
    return active;
}

/* Counts first, so that the status is told also where a write is refused. */
static lw_status sync_pods(const controller *c, const lw_object *set, const lw_object_list *pods,
                           lw_reconcile_result *result, lw_error *err)
{
    lw_document *doc = NULL;
    size_t count = 0;
    const lw_object **active = active_of(pods, &count);
    lw_status st = active ? lw_document_from_object(&doc, set, err) : lw_report_nomem(err);
    if (st == LW_OK) {
        lw_status managed = LW_OK;
        tally t = count_pods(c, doc, active, count);
        if (!lw_expectations_are_met(c->expectations, lw_object_uid(set)))
            result->again_after_ns = LW_EXPECTATION_S * LW_SECOND_NS; /* events come before */
        else if (!lw_read_has(set, "/metadata/deletionTimestamp"))
            managed = manage(c, set, active, count, err);
        st = tell_status(c, set, &t, managed < 0 ? NULL : err);
        st = managed < 0 ? managed : st;
        if (t.left_ns != INT64_MAX)
            result->again_after_ns = t.left_ns;
    }
    lw_document_free(doc);
    free(active);
    return st;
}

static lw_status sync_set(const controller *c, const lw_object *set, lw_reconcile_result *result,
                          lw_error *err)
{
    const lw_claim claim = { c->env->client, set, gvr_of(c), c->pods,
                             lw_gvr_make("", "v1", "pods") };
    lw_object_list *pods = NULL;
    lw_status st = lw_pod_writer_settle(&c->writer, set, err);
    if (st == LW_OK)
        st = lw_owner_claim(&claim, &pods, err);
    if (st == LW_OK)
        st = sync_pods(c, set, pods, result, err);
    lw_object_list_free(pods);
    return st;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *c = arg;
    lw_object *set = lw_lister_get(lw_informer_lister(c->sets), key.ns.ptr, key.name.ptr);
    if (!set)
        return LW_OK;
    lw_status st = sync_set(c, set, result, err);
    lw_object_unref(set);
    return st;
}

static void on_set(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const controller *c = arg;
    lw_key key = lw_object_key(event->object);
    lw_expectations_saw_owner(c->expectations, event);
    lw_control_loop_add(loop, key.ns, key.name);
}

/* A Pod that nobody owns may be wanted by a set. */
static void offer(const controller *c, const lw_object *pod)
{
    lw_object_list *sets =
        lw_lister_list(lw_informer_lister(c->sets), lw_object_namespace(pod), NULL);
    for (size_t i = 0; i < lw_object_list_count(sets); i++) {
        const lw_object *set = lw_object_list_at(sets, i);
        lw_label_selector *selector = NULL;
        if (lw_owner_selector(&selector, set, NULL) == LW_OK &&
            lw_label_selector_matches(selector, pod))
            lw_control_loop_add(c->loop, lw_object_key(set).ns, lw_object_key(set).name);
        lw_label_selector_free(selector);
    }
    lw_object_list_free(sets);
}

static void add_owner(const controller *c, const lw_object *pod)
{
    lw_owner owner;
    if (!lw_owner_of(pod, &owner))
        offer(c, pod);
    else if (strcmp(owner.kind, c->flavour->kind) == 0)
        lw_control_loop_add(c->loop, lw_object_key(pod).ns, lw_str_of(owner.name));
}

static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const controller *c = arg;
    (void)loop;
    lw_pod_writer_saw(&c->writer, event);
    if (event->old_object)
        add_owner(c, event->old_object);
    add_owner(c, event->object);
}

static void controller_free(void *self)
{
    controller *c = self;
    if (!c)
        return;
    lw_control_loop_free(c->loop);
    lw_expectations_free(c->expectations);
    free(c);
}

static lw_status controller_make(void **out, const lw_control_env *env, const flavour *kind,
                                 lw_error *err)
{
    controller *c = calloc(1, sizeof(*c));
    if (!c)
        return lw_report_nomem(err);
    c->env = env;
    c->flavour = kind;
    lw_status st = lw_expectations_new(&c->expectations, env->clock, err);
    if (st == LW_OK)
        st = lw_control_loop_new(&c->loop, env, kind->name, WORKERS, reconcile, c, err);
    c->writer = (lw_pod_writer){ env, c->loop, c->expectations, kind->component };
    if (st == LW_OK)
        st = lw_control_loop_watch_with(c->loop, kind->resource, on_set, c, &c->sets, err);
    if (st == LW_OK)
        st = lw_factory_informer(env->factory, "pods", &c->pods, err);
    if (st == LW_OK)
        st = lw_control_add_index(c->pods, LW_OWNER_INDEX, lw_owner_index, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(c->loop, "pods", on_pod, c, NULL, err);
    if (st < 0)
        controller_free(c);
    else
        *out = c;
    return st;
}

static lw_status replicaset_make(void **out, const lw_control_env *env, lw_error *err)
{
    return controller_make(out, env, &replicaset, err);
}

static lw_status replication_make(void **out, const lw_control_env *env, lw_error *err)
{
    return controller_make(out, env, &replication, err);
}

static lw_status controller_start(void *self, lw_error *err)
{
    controller *c = self;
    return lw_control_loop_start(c->loop, err);
}

const lw_controller_type lw_replicaset_controller = {
    .name = "replicaset",
    .needs_lease = true,
    .make = replicaset_make,
    .start = controller_start,
    .free = controller_free,
};

const lw_controller_type lw_replication_controller = {
    .name = "replication",
    .needs_lease = true,
    .make = replication_make,
    .start = controller_start,
    .free = controller_free,
};
