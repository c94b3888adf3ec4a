/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_nodes.c -- simulated nodes: they register, send heartbeats, and run the pods bound to
 * them.
 *
 * Regardless of the number of nodes there are two loops: one for the nodes, whose keys are requeued
 * for the next heartbeat, and one for the pods of all nodes.  A node annotated as stopped does
 * nothing any more, and neither do its pods. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "node/hollow.h"
#include "runtime/client_set.h"
#include "runtime/controller.h"
#include "runtime/fields.h"
#include "runtime/loop.h"
#include "runtime/report.h"

#define INDEX       "spec.nodeName"
#define USER_PREFIX "system:node:"
#define GROUP       "system:nodes"

enum {
    /* Of all nodes; they wait for the server most of the time.  More of them would have more
     * sessions of the same node at a time, and these are kept. */
    POD_WORKERS = 16,
    NODE_WORKERS = 2,
    STATUS_S = 300, /* interval of heartbeats in the status, like kubelets */
    RETRY_S = 2,
    NAME_SIZE = 256,
};

typedef struct hollow_node {
    lw_client *client;  /* of the node's own user, belongs to env->clients; NULL: none yet */
    bool is_registered; /* used only by its worker */
    int64_t status_ns;  /* when its status was written, monotonic; 0: never */
    lw_hollow_range range;
} hollow_node;

typedef struct hollow_nodes {
    const lw_control_env *env;
    lw_control_loop *node_loop, *pod_loop; /* NULL: there are no nodes */
    lw_informer *nodes, *pods;
    pthread_mutex_t mu; /* guards the ranges and the clients */
    hollow_node *all;   /* indexed by number */
} hollow_nodes;

static int64_t wall_now(const hollow_nodes *h)
{
    return h->env->clock->wall_ns(h->env->clock->arg);
}

static int64_t beat_ns(const hollow_nodes *h)
{
    return h->env->node_grace_ns / 4;
}

/* Parses the number in "prefix-N", from 0 on; false: not one of our nodes. */
static bool number_of(const hollow_nodes *h, lw_str name, unsigned *number)
{
    char text[NAME_SIZE];
    char *end = NULL;
    size_t len = strlen(h->env->node_prefix);
    if (name.len <= len + 1 || name.len >= sizeof(text) ||
        memcmp(name.ptr, h->env->node_prefix, len) != 0 || name.ptr[len] != '-' ||
        name.ptr[len + 1] < '1' || name.ptr[len + 1] > '9')
        return false;
    (void)snprintf(text, sizeof(text), "%.*s", (int)(name.len - len - 1), name.ptr + len + 1);
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value > h->env->nodes)
        return false;
    *number = (unsigned)value - 1;
    return true;
}

/* Gets the client with which the node acts, as kubelets do: the server lets a node change only
 * itself, its lease and its pods. */
static lw_status client_of(hollow_nodes *h, unsigned number, lw_client **out, lw_error *err)
{
    hollow_node *node = &h->all[number];
    char user[NAME_SIZE + sizeof(USER_PREFIX)];
    (void)pthread_mutex_lock(&h->mu);
    *out = node->client;
    (void)pthread_mutex_unlock(&h->mu);
    if (*out)
        return LW_OK;
    (void)snprintf(user, sizeof(user), USER_PREFIX "%s-%u", h->env->node_prefix, number + 1);
    lw_status st = lw_client_set_make(h->env->clients, user, GROUP, out, err);
    if (st < 0)
        return st;
    (void)pthread_mutex_lock(&h->mu);
    if (node->client)
        *out = node->client; /* another worker was first */
    node->client = *out;
    (void)pthread_mutex_unlock(&h->mu);
    return LW_OK;
}

/* Creates |doc| on the server.  An existing Lease or Node is not an error. */
static lw_status send_new(lw_client *client, lw_gvr gvr, lw_document *doc, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_document_to_object(doc, &obj, err);
    if (st == LW_OK)
        st = lw_client_create(client, gvr, obj, NULL, NULL, err);
    lw_object_unref(obj);
    return st == LW_ERR_EXISTS ? LW_OK : st;
}

static lw_status register_node(hollow_nodes *h, lw_client *client, const char *name,
                               unsigned number, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_hollow_write_node(doc, name, number, wall_now(h));
    st = send_new(client, lw_gvr_make("", "v1", "nodes"), doc, err);
    lw_document_free(doc);
    if (st == LW_OK)
        lw_control_loop_step(h->node_loop, "registered", "Node", lw_key_make("", name), NULL);
    return st;
}

static lw_status renew_lease(hollow_nodes *h, lw_client *client, const char *name, lw_error *err)
{
    const lw_gvr leases = lw_gvr_make("coordination.k8s.io", "v1", "leases");
    lw_document *doc = NULL;
    lw_str patch;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_hollow_write_lease(doc, name, (int)(h->env->node_grace_ns / LW_NS_PER_S), wall_now(h));
    st = lw_document_json(doc, NULL, &patch, err);
    if (st == LW_OK)
        st = lw_client_patch(client, leases, LW_NODE_LEASES, name, patch, NULL, NULL, err);
    if (st == LW_ERR_NOT_FOUND)
        st = send_new(client, leases, doc, err);
    lw_document_free(doc);
    return st;
}

static lw_status write_status(hollow_nodes *h, lw_client *client, const char *name, bool is_new,
                              lw_error *err)
{
    lw_document *doc = NULL;
    lw_str patch;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_hollow_write_beat(doc, is_new, wall_now(h));
    st = lw_document_json(doc, NULL, &patch, err);
    if (st == LW_OK)
        st = lw_client_patch(client, lw_gvr_make("", "v1", "nodes"), "", name, patch,
                             &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                        .type = LW_PATCH_STRATEGIC,
                                                        .subresource = "status" },
                             NULL, err);
    lw_document_free(doc);
    return st;
}

/* Sends one heartbeat of a node that exists and is not stopped. */
static lw_status beat(hollow_nodes *h, lw_client *client, const lw_object *object,
                      hollow_node *node, lw_error *err)
{
    const char *name = lw_object_name(object);
    int64_t now = h->env->clock->now_ns(h->env->clock->arg);
    bool is_new = !lw_text_is(lw_read_condition(object, "Ready", NULL), "True");
    lw_status st = renew_lease(h, client, name, err);
    if (st < 0)
        return st;
    if (is_new || now - node->status_ns > STATUS_S * LW_NS_PER_S) {
        st = write_status(h, client, name, is_new, err);
        if (st == LW_OK)
            node->status_ns = now;
    }
    return st;
}

static lw_status reconcile_node(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    hollow_nodes *h = arg;
    unsigned number = 0;
    lw_error why = LW_ERROR_INIT;
    lw_status st = LW_OK;
    (void)err;
    if (!number_of(h, key.name, &number))
        return LW_OK;
    hollow_node *node = &h->all[number];
    lw_client *client = NULL;
    lw_object *object = lw_lister_get(lw_informer_lister(h->nodes), NULL, key.name.ptr);
    st = client_of(h, number, &client, &why);
    if (st < 0) {
        /* retried below */
    } else if (object && !lw_hollow_is_stopped(object)) {
        node->is_registered = true;
        st = beat(h, client, object, node, &why);
        result->again_after_ns = beat_ns(h);
    } else if (!object && !node->is_registered) {
        st =
            register_node(h, client, key.name.ptr, number, &why); /* its event adds the key again */
        node->is_registered = st == LW_OK;
    }
    lw_object_unref(object);
    if (st < 0) { /* retry soon, however often it fails: other components wait for the heartbeat */
        lw_report_log(h->env->logger, LW_LOG_WARN, "hollow", "%s: %s", key.name.ptr, why.message);
        result->again_after_ns = RETRY_S * LW_NS_PER_S;
    }
    return LW_OK;
}

static lw_status send_status(hollow_nodes *h, lw_client *client, const lw_object *pod,
                             unsigned number, lw_hollow_action action, lw_error *err)
{
    char host[LW_HOLLOW_ADDRESS_SIZE], address[LW_HOLLOW_ADDRESS_SIZE];
    lw_document *doc = NULL;
    lw_str patch;
    (void)pthread_mutex_lock(&h->mu);
    bool has_one = lw_hollow_range_take(&h->all[number].range, number, lw_object_uid(pod), address);
    (void)pthread_mutex_unlock(&h->mu);
    if (!has_one)
        return lw_report_error(err, LW_ERR_LIMIT, "node %s has no pod addresses left",
                               lw_object_string(pod, "/spec/nodeName", ""));
    lw_hollow_node_address(host, number);
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_hollow_write_status(doc, pod, action, host, address, wall_now(h));
    st = lw_document_json(doc, NULL, &patch, err);
    if (st == LW_OK)
        st = lw_client_patch(client, lw_gvr_make("", "v1", "pods"), lw_object_namespace(pod),
                             lw_object_name(pod), patch,
                             &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                        .type = LW_PATCH_STRATEGIC,
                                                        .subresource = "status" },
                             NULL, err);
    lw_document_free(doc);
    return st;
}

static lw_status delete_pod(lw_client *client, const lw_object *pod, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.grace_period_s = 0;
    options.uid = lw_object_uid(pod);
    return lw_client_delete(client, lw_gvr_make("", "v1", "pods"), lw_object_namespace(pod),
                            lw_object_name(pod), &options, err);
}

static const char *const steps[] = {
    [LW_HOLLOW_NOTHING] = "",          [LW_HOLLOW_START] = "started",
    [LW_HOLLOW_SET_READY] = "updated", [LW_HOLLOW_FINISH] = "finished",
    [LW_HOLLOW_DELETE] = "deleted",
};

static lw_status live(hollow_nodes *h, const lw_object *pod, unsigned number,
                      lw_reconcile_result *result, lw_error *err)
{
    lw_hollow_action action = lw_hollow_decide(pod, wall_now(h), &result->again_after_ns);
    lw_client *client = NULL;
    if (action == LW_HOLLOW_NOTHING)
        return LW_OK;
    lw_status st = client_of(h, number, &client, err);
    if (st == LW_OK && action == LW_HOLLOW_DELETE)
        st = delete_pod(client, pod, err);
    else if (st == LW_OK)
        st = send_status(h, client, pod, number, action, err);
    if (st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT)
        return LW_OK; /* the name is used by another pod now; its events follow */
    if (st < 0)
        return st;
    lw_control_loop_step(h->pod_loop, steps[action], "Pod", lw_object_key(pod), NULL);
    if (action == LW_HOLLOW_START)
        lw_recorder_event_from(h->env->recorder, "kubelet", pod, "Normal", "Started",
                               "Started containers");
    return LW_OK;
}

static lw_status reconcile_pod(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    hollow_nodes *h = arg;
    unsigned number = 0;
    lw_status st = LW_OK;
    lw_object *node = NULL;
    lw_object *pod = lw_lister_get(lw_informer_lister(h->pods), key.ns.ptr, key.name.ptr);
    if (pod && number_of(h, lw_read_text(pod, "/spec/nodeName"), &number))
        node = lw_lister_get(lw_informer_lister(h->nodes), NULL,
                             lw_object_string(pod, "/spec/nodeName", ""));
    if (node && !lw_hollow_is_stopped(node))
        st = live(h, pod, number, result, err);
    lw_object_unref(node);
    lw_object_unref(pod);
    return st;
}

static bool has_ended(const lw_object *pod)
{
    lw_str phase = lw_read_text(pod, "/status/phase");
    return lw_text_is(phase, "Succeeded") || lw_text_is(phase, "Failed");
}

static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    hollow_nodes *h = arg;
    const lw_object *pod = event->object;
    unsigned number = 0;
    if (!number_of(h, lw_read_text(pod, "/spec/nodeName"), &number))
        return;
    (void)pthread_mutex_lock(&h->mu);
    if (event->is_uid_changed)
        lw_hollow_range_release(&h->all[number].range, lw_object_uid(event->old_object));
    if (event->type == LW_EVENT_DELETE || has_ended(pod))
        lw_hollow_range_release(&h->all[number].range, lw_object_uid(pod));
    else
        lw_hollow_range_note(&h->all[number].range, number, lw_object_uid(pod),
                             lw_read_text(pod, "/status/podIP"));
    (void)pthread_mutex_unlock(&h->mu);
    lw_key key = lw_object_key(pod);
    if (event->type != LW_EVENT_DELETE)
        lw_control_loop_add(loop, key.ns, key.name);
}

/* Adds the pods that waited for their node to come back. */
static void add_pods_of(hollow_nodes *h, const char *node)
{
    lw_object_list *pods = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_lister_by_index(lw_informer_lister(h->pods), INDEX, node, &pods, &err) < 0) {
        lw_report_log(h->env->logger, LW_LOG_ERROR, "hollow", "cannot list the pods of node %s: %s",
                      node, err.message);
        return;
    }
    for (size_t i = 0; i < lw_object_list_count(pods); i++) {
        lw_key key = lw_object_key(lw_object_list_at(pods, i));
        lw_control_loop_add(h->pod_loop, key.ns, key.name);
    }
    lw_object_list_free(pods);
}

/* Ignores heartbeats of a healthy node. */
static void on_node(const lw_event *event, lw_control_loop *loop, void *arg)
{
    hollow_nodes *h = arg;
    unsigned number = 0;
    lw_str name = lw_object_key(event->object).name;
    if (!number_of(h, name, &number) || event->type == LW_EVENT_DELETE)
        return;
    bool is_stopped = lw_hollow_is_stopped(event->object);
    bool was_stopped = !event->old_object || lw_hollow_is_stopped(event->old_object);
    bool is_ready = lw_text_is(lw_read_condition(event->object, "Ready", NULL), "True");
    if (!is_stopped && was_stopped)
        add_pods_of(h, lw_object_name(event->object));
    if (!is_stopped && (was_stopped || !is_ready))
        lw_control_loop_add(loop, lw_str_make("", 0), name);
}

static void hollow_free(void *self)
{
    hollow_nodes *h = self;
    lw_control_loop_free(h->node_loop); /* first: its handler adds to the other */
    lw_control_loop_free(h->pod_loop);
    (void)pthread_mutex_destroy(&h->mu);
    free(h->all);
    free(h);
}

static lw_status make_loops(hollow_nodes *h, lw_error *err)
{
    lw_status st =
        lw_control_loop_new(&h->pod_loop, h->env, "hollow-pod", POD_WORKERS, reconcile_pod, h, err);
    if (st == LW_OK)
        st = lw_factory_informer(h->env->factory, "nodes", &h->nodes, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(h->pod_loop, "pods", on_pod, h, &h->pods, err);
    if (st == LW_OK)
        st = lw_control_add_index_path(h->pods, INDEX, "/spec/nodeName", err);
    if (st == LW_OK)
        st = lw_control_loop_new(&h->node_loop, h->env, "hollow-node", NODE_WORKERS, reconcile_node,
                                 h, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(h->node_loop, "nodes", on_node, h, NULL, err);
    return st;
}

static lw_status hollow_make(void **out, const lw_control_env *env, lw_error *err)
{
    if (env->nodes > LW_HOLLOW_NODES_MAX)
        return lw_report_error(err, LW_ERR_INVALID, "%u hollow nodes requested; the limit is %d",
                               env->nodes, LW_HOLLOW_NODES_MAX);
    hollow_nodes *h = calloc(1, sizeof(*h));
    if (!h)
        return lw_report_nomem(err);
    h->env = env;
    (void)pthread_mutex_init(&h->mu, NULL);
    lw_status st = LW_OK;
    if (env->nodes > 0) {
        h->all = calloc(env->nodes, sizeof(*h->all));
        st = h->all ? make_loops(h, err) : lw_report_nomem(err);
    }
    if (st < 0) {
        hollow_free(h);
        return st;
    }
    *out = h;
    return LW_OK;
}

static lw_status hollow_start(void *self, lw_error *err)
{
    hollow_nodes *h = self;
    char name[NAME_SIZE];
    if (!h->node_loop)
        return LW_OK;
    for (unsigned i = 0; i < h->env->nodes; i++) {
        int len = snprintf(name, sizeof(name), "%s-%u", h->env->node_prefix, i + 1);
        if (len >= (int)sizeof(name))
            return lw_report_error(err, LW_ERR_INVALID, "the prefix of the node names is too long");
        lw_control_loop_add(h->node_loop, lw_str_make("", 0), lw_str_make(name, (size_t)len));
    }
    lw_status st = lw_control_loop_start(h->pod_loop, err);
    return st < 0 ? st : lw_control_loop_start(h->node_loop, err);
}

const lw_controller_type lw_hollow_nodes = {
    .name = "hollow-nodes",
    .user = NULL, /* each node has its own */
    .needs_lease = false,
    .make = hollow_make,
    .start = hollow_start,
    .free = hollow_free,
};
