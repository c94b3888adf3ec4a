/* SPDX-License-Identifier: Apache-2.0 */
/* node_lifecycle.c -- marks nodes without heartbeats and evicts their pods.
 *
 * One worker checks nodes one after the other: when a node changes, when its next heartbeat is
 * overdue, and when a pod has to leave it.  Missing heartbeats lead to no evictions while there are
 * no heartbeats at all, or while our informers fail: then it is probably us who are
 * disconnected. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "node/eviction.h"
#include "node/hollow.h"
#include "node/node_health.h"
#include "runtime/controller.h"
#include "runtime/fields.h"
#include "runtime/loop.h"
#include "runtime/report.h"

#define COMPONENT "node-controller"
#define INDEX     "spec.nodeName"

enum {
    EVICTIONS_S = 20, /* maximum evictions per second ... */
    EVICTIONS_BURST = 100,
    PAUSE_MS = 200, /* ... and how long to wait when it is exceeded; also added to deadlines */
};

typedef struct lifecycle {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_informer *nodes, *leases, *pods;
    double tokens; /* evictions allowed now (token bucket); used only by the worker */
    int64_t tokens_ns;
    pthread_mutex_t mu; /* guards the members below */
    lw_node_health health;
} lifecycle;

/* State of one check of a node. */
typedef struct look {
    lifecycle *l;
    lw_object *node; /* NULL: deleted */
    const char *name;
    lw_node_state state;
    bool may_evict;
    int64_t tainted_ns; /* wall clock */
    int64_t after_ns;   /* when to check again; 0: not by time */
} look;

static int64_t now_of(const lifecycle *l)
{
    return l->env->clock->now_ns(l->env->clock->arg);
}

static int64_t wall_of(const lifecycle *l)
{
    return l->env->clock->wall_ns(l->env->clock->arg);
}

static void look_after(look *k, int64_t after_ns)
{
    if (after_ns > 0 && (k->after_ns == 0 || after_ns < k->after_ns))
        k->after_ns = after_ns;
}

/* Handlers of nodes, leases and pods. */

static void on_node(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lifecycle *l = arg;
    lw_str name = lw_object_key(event->object).name;
    (void)pthread_mutex_lock(&l->mu);
    lw_node_heartbeat *beat = lw_node_health_of(&l->health, name, now_of(l));
    if (beat && event->type == LW_EVENT_DELETE)
        beat->is_there = false;
    else if (beat)
        lw_node_health_node(beat, event->object, now_of(l));
    (void)pthread_mutex_unlock(&l->mu);
    lw_control_loop_add(loop, lw_str_make("", 0), name);
}

static void on_lease(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lifecycle *l = arg;
    lw_str name = lw_object_key(event->object).name;
    bool has_trouble = false;
    if (event->type == LW_EVENT_DELETE ||
        !lw_text_is(lw_object_key(event->object).ns, LW_NODE_LEASES))
        return;
    (void)pthread_mutex_lock(&l->mu);
    lw_node_heartbeat *beat = lw_node_health_of(&l->health, name, now_of(l));
    if (beat) {
        lw_node_health_lease(beat, event->object, now_of(l));
        has_trouble = beat->has_trouble;
    }
    (void)pthread_mutex_unlock(&l->mu);
    if (has_trouble)
        lw_control_loop_add(loop, lw_str_make("", 0), name);
}

/* A pod on a node with problems, or on an unknown node. */
static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lifecycle *l = arg;
    lw_str name = lw_read_text(event->object, "/spec/nodeName");
    if (event->type == LW_EVENT_DELETE || name.len == 0)
        return;
    (void)pthread_mutex_lock(&l->mu);
    const lw_node_heartbeat *beat = lw_names_get(&l->health.names, name);
    bool is_of_interest = !beat || !beat->is_there || beat->has_trouble;
    (void)pthread_mutex_unlock(&l->mu);
    if (is_of_interest)
        lw_control_loop_add(loop, lw_str_make("", 0), name);
}

/* Writes to nodes. */

static lw_status patch(lifecycle *l, lw_gvr gvr, const lw_object *obj, const char *subresource,
                       lw_patch_type type, lw_document *doc, lw_error *err)
{
    lw_str text;
    lw_status st = lw_document_json(doc, NULL, &text, err);
    if (st == LW_OK)
        st = lw_client_patch(l->env->client, gvr, lw_object_namespace(obj), lw_object_name(obj),
                             text,
                             &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                        .type = type,
                                                        .subresource = subresource },
                             NULL, err);
    return st;
}

/* Sets the condition Ready in the status of |obj|. */
static lw_status write_ready(lifecycle *l, lw_gvr gvr, const lw_object *obj, const char *status,
                             const char *reason, const char *message, lw_error *err)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_time_format_ns(now, wall_of(l));
    lw_document_set_string(doc, NULL, "/metadata/uid", lw_object_uid(obj));
    lw_value *condition = lw_document_set_object(doc, NULL, "/status/conditions/-");
    lw_document_set_string(doc, condition, "/type", "Ready");
    lw_document_set_string(doc, condition, "/status", status);
    lw_document_set_string(doc, condition, "/reason", reason);
    lw_document_set_string(doc, condition, "/message", message);
    lw_document_set_string(doc, condition, "/lastTransitionTime", now);
    st = patch(l, gvr, obj, "status", LW_PATCH_STRATEGIC, doc, err);
    lw_document_free(doc);
    return st;
}

static lw_status mark_unknown(look *k, lw_error *err)
{
    if (k->state != LW_NODE_UNREACHABLE ||
        lw_text_is(lw_read_condition(k->node, "Ready", NULL), "Unknown"))
        return LW_OK;
    lw_status st = write_ready(k->l, lw_gvr_make("", "v1", "nodes"), k->node, "Unknown",
                               "NodeStatusUnknown", "Kubelet stopped posting node status.", err);
    if (st < 0)
        return st;
    lw_control_loop_step(k->l->loop, "marked", "Node", lw_object_key(k->node), "unreachable");
    lw_recorder_event_from(k->l->env->recorder, COMPONENT, k->node, "Normal", "NodeNotReady",
                           "Node %s status is now: NodeNotReady", k->name);
    return LW_OK;
}

/* Sets |*is_right| if the node has the correct taints.  Otherwise they are written, and nothing is
 * decided about its pods until the cache has them. */
static lw_status write_taints(look *k, bool *is_right, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    /* The whole list is written: only over the version that was read. */
    lw_document_set_string(doc, NULL, "/metadata/resourceVersion",
                           lw_object_resource_version(k->node));
    *is_right = !lw_node_health_write_taints(doc, k->node, k->state, wall_of(k->l));
    if (!*is_right)
        st = patch(k->l, lw_gvr_make("", "v1", "nodes"), k->node, NULL, LW_PATCH_MERGE, doc, err);
    lw_document_free(doc);
    /* The node is changing: the event adds the key again, as that of our own write does. */
    return st == LW_ERR_CONFLICT ? LW_OK : st;
}

/* Operations on pods. */

static bool may_evict_one(lifecycle *l)
{
    int64_t now = now_of(l);
    double passed = (double)(now - l->tokens_ns) / (double)LW_NS_PER_S;
    l->tokens += passed * EVICTIONS_S;
    if (l->tokens > EVICTIONS_BURST || l->tokens_ns == 0)
        l->tokens = EVICTIONS_BURST;
    l->tokens_ns = now;
    if (l->tokens < 1)
        return false;
    l->tokens -= 1;
    return true;
}

static lw_status evict(look *k, const lw_object *pod, lw_eviction what, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.uid = lw_object_uid(pod);
    if (!may_evict_one(k->l)) {
        look_after(k, PAUSE_MS * (LW_NS_PER_S / 1000));
        return LW_OK;
    }
    if (what == LW_EVICTION_FORCE)
        options.grace_period_s = 0;
    lw_status st = lw_client_delete(k->l->env->client, lw_gvr_make("", "v1", "pods"),
                                    lw_object_namespace(pod), lw_object_name(pod), &options, err);
    if (st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT)
        return LW_OK;
    if (st < 0)
        return st;
    lw_control_loop_step(k->l->loop, what == LW_EVICTION_FORCE ? "deleted" : "evicted", "Pod",
                         lw_object_key(pod), k->name);
    lw_recorder_event_from(k->l->env->recorder, "taint-eviction-controller", pod, "Normal",
                           "TaintManagerEviction", "Marking for deletion Pod %s/%s",
                           lw_object_namespace(pod), lw_object_name(pod));
    return LW_OK;
}

/* A pod on an unreachable node must not get traffic. */
static lw_status mark_not_ready(look *k, const lw_object *pod, lw_error *err)
{
    if (k->state != LW_NODE_UNREACHABLE || !k->node ||
        !lw_text_is(lw_read_condition(pod, "Ready", NULL), "True"))
        return LW_OK;
    lw_status st = write_ready(k->l, lw_gvr_make("", "v1", "pods"), pod, "False", "NodeNotReady",
                               "the pod's node is not ready", err);
    return st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT ? LW_OK : st;
}

static lw_status look_at_pod(look *k, const lw_object *pod, lw_error *err)
{
    const lw_eviction_rules rules = { k->node, k->state == LW_NODE_UNREACHABLE, k->tainted_ns,
                                      k->l->env->pod_eviction_ns };
    int64_t after_ns = 0;
    lw_eviction what = lw_eviction_decide(&rules, pod, wall_of(k->l), &after_ns);
    lw_status st = mark_not_ready(k, pod, err);
    look_after(k, after_ns);
    if (st < 0 || what == LW_EVICTION_STAY || !k->may_evict)
        return st;
    return evict(k, pod, what, err);
}

static lw_status look_at_pods(look *k, size_t *count, lw_error *err)
{
    lw_object_list *pods = NULL;
    lw_status st = lw_lister_by_index(lw_informer_lister(k->l->pods), INDEX, k->name, &pods, err);
    if (st < 0)
        return st;
    *count = lw_object_list_count(pods);
    for (size_t i = 0; st == LW_OK && i < *count; i++)
        st = look_at_pod(k, lw_object_list_at(pods, i), err);
    lw_object_list_free(pods);
    return st;
}

/* True if the informers fail, so that missing heartbeats mean nothing. */
static bool is_deaf(const lifecycle *l)
{
    lw_error err = LW_ERROR_INIT;
    return lw_informer_last_error(l->leases, &err) < 0 ||
           lw_informer_last_error(l->nodes, &err) < 0;
}

/* Reads the records of the node; false: out of memory. */
static bool judge(look *k, lw_str name)
{
    lifecycle *l = k->l;
    int64_t now = now_of(l), grace = l->env->node_grace_ns;
    bool deaf = is_deaf(l);
    (void)pthread_mutex_lock(&l->mu);
    lw_node_heartbeat *beat = lw_node_health_of(&l->health, name, now);
    if (beat) {
        if (deaf)
            lw_node_health_excuse(&l->health, now);
        k->state = k->node ? lw_node_health_state(beat, k->node, grace, now) : LW_NODE_UNREACHABLE;
        bool drives_off = k->node && lw_eviction_drives_off(k->node);
        if (!drives_off)
            beat->tainted_ns = 0;
        else if (beat->tainted_ns == 0)
            beat->tainted_ns = now;
        beat->is_there = k->node != NULL;
        beat->has_trouble = k->state != LW_NODE_WELL || drives_off;
        k->tainted_ns = wall_of(l) - (now - beat->tainted_ns);
        int64_t missed_ns = beat->renewed_ns + grace, left = missed_ns - now;
        if (!k->node)
            k->may_evict = left < 0; /* it may only be missing in our cache */
        else                         /* other nodes must have sent heartbeats since it was missed */
            k->may_evict =
                k->state != LW_NODE_UNREACHABLE || !lw_node_health_is_silent(&l->health, missed_ns);
        look_after(k, left < 0 ? 0 : left + PAUSE_MS * (LW_NS_PER_S / 1000));
    }
    (void)pthread_mutex_unlock(&l->mu);
    return beat != NULL;
}

static void forget(lifecycle *l, lw_str name)
{
    (void)pthread_mutex_lock(&l->mu);
    lw_node_heartbeat *beat = lw_names_get(&l->health.names, name);
    if (beat && !beat->is_there)
        lw_node_health_drop(&l->health, beat);
    (void)pthread_mutex_unlock(&l->mu);
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    lifecycle *l = arg;
    look k = { .l = l, .name = key.name.ptr };
    size_t pod_count = 0;
    bool is_right = true;
    k.node = lw_lister_get(lw_informer_lister(l->nodes), NULL, key.name.ptr);
    lw_status st = judge(&k, key.name) ? LW_OK : lw_report_nomem(err);
    if (st == LW_OK && k.node)
        st = mark_unknown(&k, err);
    if (st == LW_OK && k.node)
        st = write_taints(&k, &is_right, err);
    if (st == LW_OK && is_right &&
        (!k.node || k.state != LW_NODE_WELL || lw_eviction_drives_off(k.node)))
        st = look_at_pods(&k, &pod_count, err);
    if (st == LW_OK && !k.node && pod_count == 0)
        forget(l, key.name);
    else if (k.state == LW_NODE_UNREACHABLE && !k.may_evict)
        look_after(&k, l->env->node_grace_ns / 4); /* until it is clear who is disconnected */
    lw_object_unref(k.node);
    result->again_after_ns = k.after_ns;
    return st;
}

static void lifecycle_free(void *self)
{
    lifecycle *l = self;
    lw_control_loop_free(l->loop);
    lw_node_health_done(&l->health);
    (void)pthread_mutex_destroy(&l->mu);
    free(l);
}

static lw_status lifecycle_make(void **out, const lw_control_env *env, lw_error *err)
{
    lifecycle *l = calloc(1, sizeof(*l));
    if (!l)
        return lw_report_nomem(err);
    l->env = env;
    (void)pthread_mutex_init(&l->mu, NULL);
    lw_status st = lw_control_loop_new(&l->loop, env, "node-lifecycle", 1, reconcile, l, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(l->loop, "nodes", on_node, l, &l->nodes, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(l->loop, "leases.coordination.k8s.io", on_lease, l,
                                        &l->leases, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(l->loop, "pods", on_pod, l, &l->pods, err);
    if (st == LW_OK)
        st = lw_control_add_index_path(l->pods, INDEX, "/spec/nodeName", err);
    if (st < 0) {
        lifecycle_free(l);
        return st;
    }
    *out = l;
    return LW_OK;
}

/* While another copy was active, or none, we may have missed heartbeats. */
static lw_status lifecycle_start(void *self, lw_error *err)
{
    lifecycle *l = self;
    (void)pthread_mutex_lock(&l->mu);
    lw_node_health_excuse(&l->health, now_of(l));
    (void)pthread_mutex_unlock(&l->mu);
    return lw_control_loop_start(l->loop, err);
}

const lw_controller_type lw_node_lifecycle_controller = {
    .name = "node-lifecycle",
    .user = LW_CONTROL_ACCOUNT "node-controller",
    .needs_lease = true,
    .make = lifecycle_make,
    .start = lifecycle_start,
    .free = lifecycle_free,
};
