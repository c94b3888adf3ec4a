/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c -- a reconciler that knows the resource of each watch, and indexes of informers that
 * outlive the controllers. */
#include "runtime/loop.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/controller.h"
#include "runtime/report.h"
#include "runtime/trace.h"

enum {
    WATCHES_MAX = 8,
    KEY_SIZE = 512, /* namespace (63), name (253), and some room */
};

typedef struct watch {
    lw_control_loop *loop;
    const char *resource;
    lw_control_loop_event_fn on_event; /* NULL: adds the object's own key */
    void *arg;
} watch;

struct lw_control_loop {
    const lw_control_env *env;
    const char *name;
    lw_reconcile_fn reconcile;
    void *arg;
    lw_reconciler *reconciler;
    watch watches[WATCHES_MAX];
    unsigned watch_count;
};

/* The resource whose event is being handled on this thread. */
static _Thread_local const char *cause_here;

static lw_status loop_reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    lw_control_loop *loop = arg;
    lw_trace_begin(loop->env->trace, loop->name, key);
    return loop->reconcile(key, result, loop->arg, err);
}

lw_status lw_control_loop_new(lw_control_loop **out, const lw_control_env *env, const char *name,
                              unsigned workers, lw_reconcile_fn reconcile, void *arg, lw_error *err)
{
    lw_control_loop *loop = calloc(1, sizeof(*loop));
    if (!loop)
        return lw_report_nomem(err);
    loop->env = env;
    loop->name = name;
    loop->reconcile = reconcile;
    loop->arg = arg;
    const lw_reconciler_options options = {
        .size = sizeof(lw_reconciler_options),
        .name = name,
        .reconcile = loop_reconcile,
        .arg = loop,
        .workers = workers,
        .queue = &(const lw_workqueue_options){ .size = sizeof(lw_workqueue_options),
                                                .max_delay_ns = INT64_C(30) * 1000000000,
                                                .rate = 100,
                                                .burst = 1000 },
        .logger = env->logger,
    };
    lw_status st = lw_reconciler_new(&loop->reconciler, &options, err);
    if (st < 0) {
        free(loop);
        return st;
    }
    *out = loop;
    return LW_OK;
}

void lw_control_loop_free(lw_control_loop *loop)
{
    if (!loop)
        return;
    lw_reconciler_free(loop->reconciler);
    free(loop);
}

static void on_watched(const lw_event *event, lw_workqueue *queue, void *arg)
{
    const watch *w = arg;
    (void)queue; /* the loop has its own queue */
    cause_here = w->resource;
    if (w->on_event) {
        w->on_event(event, w->loop, w->arg);
    } else {
        lw_key key = lw_object_key(event->object);
        lw_control_loop_add(w->loop, key.ns, key.name);
    }
    cause_here = NULL;
}

lw_status lw_control_loop_watch(lw_control_loop *loop, const char *resource, lw_informer **informer,
                                lw_error *err)
{
    return lw_control_loop_watch_with(loop, resource, NULL, NULL, informer, err);
}

lw_status lw_control_loop_watch_with(lw_control_loop *loop, const char *resource,
                                     lw_control_loop_event_fn on_event, void *arg,
                                     lw_informer **informer, lw_error *err)
{
    return lw_control_loop_watch_some(loop, resource, NULL, on_event, arg, informer, err);
}

lw_status lw_control_loop_watch_some(lw_control_loop *loop, const char *resource,
                                     const char *field_selector, lw_control_loop_event_fn on_event,
                                     void *arg, lw_informer **informer, lw_error *err)
{
    const lw_informer_options options = { .size = sizeof(lw_informer_options),
                                          .field_selector = field_selector };
    lw_informer *found = NULL;
    if (loop->watch_count == WATCHES_MAX)
        return lw_report_error(err, LW_ERR_LIMIT, "%s watches too many resources", loop->name);
    lw_status st = lw_factory_informer_with(loop->env->factory, resource, &options, &found, err);
    if (st < 0)
        return st;
    watch *w = &loop->watches[loop->watch_count++];
    *w = (watch){ loop, resource, on_event, arg };
    if (informer)
        *informer = found; /* set before events arrive */
    return lw_reconciler_watch_mapped(loop->reconciler, found, on_watched, w, err);
}

void lw_control_loop_add(lw_control_loop *loop, lw_str ns, lw_str name)
{
    char text[KEY_SIZE];
    const lw_key key = { ns, name };
    if (lw_key_print(key, text, sizeof(text)) >= sizeof(text))
        return;
    if (cause_here)
        lw_trace_note(loop->env->trace, loop->name, cause_here, text);
    (void)lw_reconciler_add(loop->reconciler, key);
}

lw_status lw_control_loop_start(lw_control_loop *loop, lw_error *err)
{
    return lw_reconciler_start(loop->reconciler, err);
}

void lw_control_loop_step(lw_control_loop *loop, const char *action, const char *kind, lw_key key,
                          const char *detail)
{
    lw_trace_step(loop->env->trace, loop->name, action, kind, key, detail);
}

lw_status lw_control_add_index(lw_informer *informer, const char *name, lw_index_fn fn,
                               lw_error *err)
{
    lw_status st = lw_informer_add_index(informer, name, fn, NULL, err);
    return st == LW_ERR_EXISTS ? LW_OK : st;
}

lw_status lw_control_add_index_path(lw_informer *informer, const char *name, const char *pointer,
                                    lw_error *err)
{
    lw_status st = lw_informer_add_index_path(informer, name, pointer, err);
    return st == LW_ERR_EXISTS ? LW_OK : st;
}
