/* SPDX-License-Identifier: Apache-2.0 */
/* service_loop.c -- watches services and their pods, and reconciles services. */
#include "endpoints/service_loop.h"

#include <stdlib.h>
#include <time.h>

#include "runtime/report.h"

static void add_found(lw_str ns, lw_str name, void *arg)
{
    lw_control_loop_add(arg, ns, name);
}

static void on_service(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lw_service_loop *s = arg;
    lw_key key = lw_object_key(event->object);
    if (event->type == LW_EVENT_DELETE)
        lw_service_table_remove(s->table, event->object);
    else if (lw_service_table_set(s->table, event->object) < 0)
        lw_report_log(s->env->logger, LW_LOG_ERROR, "endpoints",
                      "out of memory: pods are not matched to service %s", key.name.ptr);
    lw_control_loop_add(loop, key.ns, key.name);
}

/* Adds the services that select the pod now, and those that selected it before. */
static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lw_service_loop *s = arg;
    lw_service_table_match(s->table, event->object, add_found, loop);
    if (event->old_object)
        lw_service_table_match(s->table, event->old_object, add_found, loop);
}

static lw_status sync_backends(lw_service_loop *s, lw_key key, const lw_object *service,
                               lw_error *err)
{
    lw_label_selector *selector = NULL;
    lw_object_list *pods = NULL;
    lw_backends backends;
    lw_status st = lw_service_selector(service, &selector);
    if (st < 0)
        return lw_report_error(err, st, "cannot read the selector of service %s", key.name.ptr);
    st = lw_lister_select(lw_informer_lister(s->pods), key.ns.ptr, selector, &pods, err);
    if (st == LW_OK) {
        st = lw_backends_read(&backends, service, pods);
        if (st < 0)
            (void)lw_report_nomem(err);
    }
    if (st == LW_OK) {
        st = s->sync(s, key, service, &backends, err);
        lw_backends_done(&backends);
    }
    lw_label_selector_free(selector);
    return st;
}

/* Returns the CPU time of this thread: waiting for the server is not counted. */
static int64_t work_ns(void)
{
    struct timespec used = { 0, 0 };
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * LW_NS_PER_S + used.tv_nsec;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    lw_service_loop *s = arg;
    const lw_clock *clock = s->env->clock;
    result->again_after_ns = lw_service_table_rest(s->table, key, clock->now_ns(clock->arg));
    if (result->again_after_ns > 0)
        return LW_OK;
    int64_t start = work_ns();
    lw_object *service = lw_lister_get(lw_informer_lister(s->services), key.ns.ptr, key.name.ptr);
    lw_status st = service && lw_service_has_backends(service)
                       ? sync_backends(s, key, service, err)
                       : s->sync(s, key, service, NULL, err);
    lw_service_table_ran(s->table, key, work_ns() - start, clock->now_ns(clock->arg));
    lw_object_unref(service);
    /* The cache did not show our own write yet: its event adds the key again. */
    return st == LW_ERR_CONFLICT || st == LW_ERR_EXISTS ? LW_OK : st;
}

lw_status lw_service_loop_new(lw_service_loop **out, const lw_control_env *env, const char *name,
                              lw_service_sync_fn sync, const char *made,
                              lw_control_loop_event_fn key_of_made, lw_error *err)
{
    enum {
        WORKERS = 2
    };
    lw_service_loop *s = calloc(1, sizeof(*s));
    if (!s)
        return lw_report_nomem(err);
    s->env = env;
    s->sync = sync;
    lw_status st = lw_service_table_new(&s->table, err);
    if (st == LW_OK)
        st = lw_control_loop_new(&s->loop, env, name, WORKERS, reconcile, s, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(s->loop, made, key_of_made, s, &s->made, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(s->loop, "pods", on_pod, s, &s->pods, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(s->loop, "services", on_service, s, &s->services, err);
    if (st < 0) {
        lw_service_loop_free(s);
        return st;
    }
    *out = s;
    return LW_OK;
}

lw_status lw_service_loop_start(void *self, lw_error *err)
{
    lw_service_loop *s = self;
    return lw_control_loop_start(s->loop, err);
}

void lw_service_loop_free(void *self)
{
    lw_service_loop *s = self;
    lw_control_loop_free(s->loop);
    lw_service_table_free(s->table);
    free(s);
}
