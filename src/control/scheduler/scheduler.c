/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler.c -- assigns pods to nodes.
 *
 * Handlers update the scheduler cache; workers take one pod after the other, select its node and
 * assume it there (under the lock), and then write the binding (outside the lock).  Pods without a
 * suitable node wait; they are tried again when resources were freed, at the latest after a
 * while. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "runtime/controller.h"
#include "runtime/fields.h"
#include "runtime/loop.h"
#include "runtime/report.h"
#include "scheduler/scheduler_select.h"

#define COMPONENT "default-scheduler"

enum {
    /* They wait for the server most of the time: with a few, the store commits a few writes at a
     * time, and each waits for the disk. */
    WORKERS = 32,
    RETRY_MAX_S = 10, /* maximum time after which a waiting pod checks for changes */
};

/* A pod without a suitable node. */
typedef struct waiting_pod {
    lw_named named;
    unsigned attempts;
    uint64_t change; /* value of scheduler.change at its last try */
    char key[];
} waiting_pod;

typedef struct scheduler {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_informer *pods;
    pthread_mutex_t mu; /* guards the members below */
    lw_scheduler_cache cache;
    lw_names waiting;
    uint64_t change; /* incremented whenever a waiting pod might be schedulable */
    int64_t woken_ns;
} scheduler;

/* True if this scheduler is responsible for |pod|.  Most pods have a node, so that is read first.
 */
static bool is_ours(const lw_object *pod)
{
    if (lw_read_text(pod, "/spec/nodeName").len > 0)
        return false;
    lw_str name = lw_read_text(pod, "/spec/schedulerName");
    lw_str phase = lw_read_text(pod, "/status/phase");
    return (name.len == 0 || lw_text_is(name, COMPONENT)) && !lw_text_is(phase, "Succeeded") &&
           !lw_text_is(phase, "Failed") && !lw_read_has(pod, "/metadata/deletionTimestamp") &&
           !lw_read_has(pod, "/spec/schedulingGates/0");
}

/* Adds all waiting pods, at most once per second: in between, their own timers add them. */
static void wake_locked(scheduler *s)
{
    int64_t now = s->env->clock->now_ns(s->env->clock->arg);
    lw_key key;
    s->change++;
    if (s->woken_ns != 0 && now - s->woken_ns < LW_NS_PER_S)
        return;
    s->woken_ns = now;
    for (waiting_pod *w = lw_names_next(&s->waiting, NULL); w;
         w = lw_names_next(&s->waiting, &w->named)) {
        if (lw_key_parse(w->named.name, &key, NULL) == LW_OK)
            lw_control_loop_add(s->loop, key.ns, key.name);
    }
}

static void say_lost(const scheduler *s, lw_status st, const lw_object *obj)
{
    if (st < 0)
        lw_report_log(s->env->logger, LW_LOG_ERROR, "scheduler",
                      "cannot add %s to the scheduler cache; it is ignored until it changes: %s",
                      lw_object_name(obj), lw_status_name(st));
}

/* A waiting pod that was changed is tried again. */
static void look_at_change_locked(scheduler *s, const lw_event *event)
{
    char text[512];
    if (event->type != LW_EVENT_UPDATE || s->waiting.count == 0 ||
        lw_str_equal(lw_read_raw(event->object, "/spec"), lw_read_raw(event->old_object, "/spec")))
        return;
    size_t len = lw_key_print(lw_object_key(event->object), text, sizeof(text));
    waiting_pod *w = len < sizeof(text) ? lw_names_get(&s->waiting, lw_str_make(text, len)) : NULL;
    if (w)
        w->change = s->change - 1;
}

static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    scheduler *s = arg;
    bool is_better = false;
    (void)pthread_mutex_lock(&s->mu);
    if (event->type == LW_EVENT_DELETE)
        lw_scheduler_cache_remove_pod(&s->cache, event->object, &is_better);
    else
        say_lost(s, lw_scheduler_cache_set_pod(&s->cache, event->object, &is_better),
                 event->object);
    if (is_better)
        wake_locked(s);
    look_at_change_locked(s, event);
    (void)pthread_mutex_unlock(&s->mu);
    if (event->type == LW_EVENT_DELETE || is_ours(event->object)) {
        lw_key key = lw_object_key(event->object);
        lw_control_loop_add(loop, key.ns, key.name);
    }
}

static void on_node(const lw_event *event, lw_control_loop *loop, void *arg)
{
    scheduler *s = arg;
    bool is_better = false;
    (void)loop;
    (void)pthread_mutex_lock(&s->mu);
    if (event->type == LW_EVENT_DELETE)
        lw_scheduler_cache_remove_node(&s->cache, lw_object_key(event->object).name);
    else
        say_lost(s, lw_scheduler_cache_set_node(&s->cache, event->object, &is_better),
                 event->object);
    if (is_better)
        wake_locked(s);
    (void)pthread_mutex_unlock(&s->mu);
}

static void stop_waiting_locked(scheduler *s, waiting_pod *w)
{
    if (!w)
        return;
    lw_names_remove(&s->waiting, &w->named);
    free(w);
}

/* Records that |key| waits; NULL: out of memory, then only its timer adds it again. */
static waiting_pod *wait_locked(scheduler *s, lw_str key)
{
    waiting_pod *w = lw_names_get(&s->waiting, key);
    if (!w) {
        w = calloc(1, sizeof(*w) + key.len + 1);
        if (!w)
            return NULL;
        memcpy(w->key, key.ptr, key.len);
        w->named.name = lw_str_make(w->key, key.len);
        if (lw_names_add(&s->waiting, &w->named) < 0) {
            free(w);
            return NULL;
        }
    }
    w->attempts++;
    w->change = s->change;
    return w;
}

/* Returns when a waiting pod is tried again: soon after the first tries. */
static int64_t retry_ns(const waiting_pod *w)
{
    int64_t after_s = w && w->attempts < 4 ? INT64_C(1) << w->attempts : RETRY_MAX_S;
    return after_s * LW_NS_PER_S;
}

static lw_status write_binding(scheduler *s, const lw_object *pod, const char *node, lw_error *err)
{
    lw_document *doc = NULL;
    lw_object *binding = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "Binding");
    lw_document_set_string(doc, NULL, "/metadata/name", lw_object_name(pod));
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(pod));
    lw_document_set_string(doc, NULL, "/metadata/uid", lw_object_uid(pod));
    lw_document_set_string(doc, NULL, "/target/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/target/kind", "Node");
    lw_document_set_string(doc, NULL, "/target/name", node);
    st = lw_document_to_object(doc, &binding, err);
    if (st == LW_OK)
        st = lw_client_create(s->env->client, lw_gvr_make("", "v1", "pods"), binding,
                              &(const lw_create_options){ .size = sizeof(lw_create_options),
                                                          .ns = lw_object_namespace(pod),
                                                          .name = lw_object_name(pod),
                                                          .subresource = "binding" },
                              NULL, err);
    lw_object_unref(binding);
    lw_document_free(doc);
    return st;
}

static lw_status bind(scheduler *s, const lw_object *pod, const char *node, lw_error *err)
{
    char detail[300];
    lw_status st = write_binding(s, pod, node, err);
    if (st < 0) {
        (void)pthread_mutex_lock(&s->mu);
        lw_scheduler_cache_forget(&s->cache, pod);
        (void)pthread_mutex_unlock(&s->mu);
        /* It was deleted, or bound by another scheduler: its events follow. */
        return st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT ? LW_OK : st;
    }
    (void)snprintf(detail, sizeof(detail), "to %s", node);
    lw_control_loop_step(s->loop, "bound", "Pod", lw_object_key(pod), detail);
    lw_recorder_event_from(s->env->recorder, COMPONENT, pod, "Normal", "Scheduled",
                           "Successfully assigned %s/%s to %s", lw_object_namespace(pod),
                           lw_object_name(pod), node);
    return LW_OK;
}

static bool is_reported(const lw_object *pod, const char *message)
{
    size_t at = 0;
    return lw_text_is(lw_read_condition(pod, "PodScheduled", &at), "False") &&
           lw_text_is(lw_read_text(pod, "/status/conditions/%zu/message", at), message);
}

/* Reports in the pod's status and in an Event why it has no node. */
static lw_status report_unschedulable(scheduler *s, const lw_object *pod, const char *message,
                                      lw_error *err)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_document *doc = NULL;
    lw_str patch;
    if (is_reported(pod, message))
        return LW_OK;
    lw_recorder_event_from(s->env->recorder, COMPONENT, pod, "Warning", "FailedScheduling", "%s",
                           message);
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_time_format_ns(now, s->env->clock->wall_ns(s->env->clock->arg));
    lw_document_set_string(doc, NULL, "/metadata/uid", lw_object_uid(pod));
    lw_value *condition = lw_document_set_object(doc, NULL, "/status/conditions/-");
    lw_document_set_string(doc, condition, "/type", "PodScheduled");
    lw_document_set_string(doc, condition, "/status", "False");
    lw_document_set_string(doc, condition, "/reason", "Unschedulable");
    lw_document_set_string(doc, condition, "/message", message);
    lw_document_set_string(doc, condition, "/lastTransitionTime", now);
    st = lw_document_json(doc, NULL, &patch, err);
    if (st == LW_OK)
        st = lw_client_patch(s->env->client, lw_gvr_make("", "v1", "pods"),
                             lw_object_namespace(pod), lw_object_name(pod), patch,
                             &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                        .type = LW_PATCH_STRATEGIC,
                                                        .subresource = "status" },
                             NULL, err);
    lw_document_free(doc);
    return st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT ? LW_OK : st;
}

/* The decision about one pod. */
typedef enum verdict {
    PLACED,
    NO_PLACE,
    NOTHING_NEW, /* still unschedulable, and nothing has changed since */
    DONE,        /* already being handled */
    OUT_OF_MEMORY,
} verdict;

static verdict decide_locked(scheduler *s, const lw_object *pod, lw_str key,
                             lw_scheduler_select *selection)
{
    waiting_pod *w = lw_names_get(&s->waiting, key);
    if (lw_scheduler_cache_has_pod(&s->cache, pod))
        return DONE;
    if (w && w->change == s->change)
        return NOTHING_NEW;
    if (lw_scheduler_select_find(selection, &s->cache, pod) < 0)
        return OUT_OF_MEMORY;
    if (!selection->node)
        return NO_PLACE;
    if (lw_scheduler_cache_assume(&s->cache, pod, selection->node) < 0)
        return OUT_OF_MEMORY;
    stop_waiting_locked(s, w);
    return PLACED;
}

static lw_status schedule(scheduler *s, const lw_object *pod, lw_str key,
                          lw_reconcile_result *result, lw_error *err)
{
    lw_scheduler_select selection;
    /* The node's name, or the reason why there is none. */
    char text[LW_SCHEDULER_SELECT_MESSAGE_SIZE] = "";
    (void)pthread_mutex_lock(&s->mu);
    verdict v = decide_locked(s, pod, key, &selection);
    if (v == PLACED)
        (void)snprintf(text, sizeof(text), "%s", selection.node->name);
    if (v == NO_PLACE) {
        lw_scheduler_select_message(&selection, &s->cache, text);
        result->again_after_ns = retry_ns(wait_locked(s, key));
    }
    (void)pthread_mutex_unlock(&s->mu);
    switch (v) {
    case PLACED: return bind(s, pod, text, err);
    case NO_PLACE: return report_unschedulable(s, pod, text, err);
    case NOTHING_NEW: result->again_after_ns = RETRY_MAX_S * LW_NS_PER_S; return LW_OK;
    case OUT_OF_MEMORY: return lw_report_nomem(err);
    case DONE: return LW_OK;
    }
    return LW_OK;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    scheduler *s = arg;
    char text[512];
    lw_status st = LW_OK;
    size_t len = lw_key_print(key, text, sizeof(text));
    lw_str name = lw_str_make(text, len < sizeof(text) ? len : sizeof(text) - 1);
    lw_object *pod = lw_lister_get(lw_informer_lister(s->pods), key.ns.ptr, key.name.ptr);
    if (pod && is_ours(pod)) {
        st = schedule(s, pod, name, result, err);
    } else {
        (void)pthread_mutex_lock(&s->mu);
        stop_waiting_locked(s, lw_names_get(&s->waiting, name));
        (void)pthread_mutex_unlock(&s->mu);
    }
    lw_object_unref(pod);
    return st;
}

static void scheduler_free(void *self)
{
    scheduler *s = self;
    waiting_pod *w = NULL;
    lw_control_loop_free(s->loop);
    while ((w = lw_names_next(&s->waiting, NULL)))
        stop_waiting_locked(s, w);
    lw_names_done(&s->waiting);
    lw_scheduler_cache_done(&s->cache);
    (void)pthread_mutex_destroy(&s->mu);
    free(s);
}

static lw_status scheduler_make(void **out, const lw_control_env *env, lw_error *err)
{
    scheduler *s = calloc(1, sizeof(*s));
    if (!s)
        return lw_report_nomem(err);
    s->env = env;
    (void)pthread_mutex_init(&s->mu, NULL);
    lw_status st = lw_control_loop_new(&s->loop, env, "scheduler", WORKERS, reconcile, s, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(s->loop, "nodes", on_node, s, NULL, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(s->loop, "pods", on_pod, s, &s->pods, err);
    if (st < 0) {
        scheduler_free(s);
        return st;
    }
    *out = s;
    return LW_OK;
}

static lw_status scheduler_start(void *self, lw_error *err)
{
    scheduler *s = self;
    return lw_control_loop_start(s->loop, err);
}

const lw_controller_type lw_scheduler = {
    .name = "scheduler",
    .user = "system:kube-scheduler",
    .needs_lease = true,
    .make = scheduler_make,
    .start = scheduler_start,
    .free = scheduler_free,
};
