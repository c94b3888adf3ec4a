/* SPDX-License-Identifier: Apache-2.0 */
/* workload.c -- owners, their Pods, and expectations. */
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/owner.h"
#include "runtime/report.h"

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    lw_workload *w = arg;
    lw_object *owner = lw_lister_get(lw_informer_lister(w->owners), key.ns.ptr, key.name.ptr);
    if (!owner)
        return LW_OK;
    lw_status st = w->type->sync(w, owner, result, err);
    lw_object_unref(owner);
    return st;
}

static void on_owner(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const lw_workload *w = arg;
    lw_key key = lw_object_key(event->object);
    lw_expectations_saw_owner(w->expectations, event);
    lw_control_loop_add(loop, key.ns, key.name);
}

/* An owner may want to adopt a Pod without an owner. */
static void offer(const lw_workload *w, const lw_object *pod)
{
    lw_object_list *owners =
        lw_lister_list(lw_informer_lister(w->owners), lw_object_namespace(pod), NULL);
    for (size_t i = 0; i < lw_object_list_count(owners); i++) {
        const lw_object *owner = lw_object_list_at(owners, i);
        lw_label_selector *selector = NULL;
        if (lw_owner_selector(&selector, owner, NULL) == LW_OK &&
            lw_label_selector_matches(selector, pod))
            lw_control_loop_add(w->loop, lw_object_key(owner).ns, lw_object_key(owner).name);
        lw_label_selector_free(selector);
    }
    lw_object_list_free(owners);
}

static void add_owner(const lw_workload *w, const lw_object *pod, const lw_owner *owner)
{
    if (!owner)
        offer(w, pod);
    else if (strcmp(owner->kind, w->type->kind) == 0)
        lw_control_loop_add(w->loop, lw_object_key(pod).ns, lw_str_of(owner->name));
}

static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const lw_workload *w = arg;
    lw_owner now, before;
    const lw_owner *owner = lw_owner_of(event->object, &now) ? &now : NULL;
    (void)loop;
    /* First, so that a worker which finds its expectations fulfilled counts it. */
    lw_pod_tracker_saw(w->tracker, event, owner);
    lw_pod_writer_saw(&w->writer, event, owner);
    if (event->old_object)
        add_owner(w, event->old_object, lw_owner_of(event->old_object, &before) ? &before : NULL);
    add_owner(w, event->object, owner);
}

void lw_workload_free(void *self)
{
    lw_workload *w = self;
    if (!w)
        return;
    lw_control_loop_free(w->loop);
    lw_expectations_free(w->expectations);
    lw_pod_tracker_free(w->tracker);
    free(w);
}

static lw_status make_parts(lw_workload *w, lw_error *err)
{
    const lw_workload_type *type = w->type;
    lw_status st = lw_expectations_new(&w->expectations, w->env->clock, err);
    if (st == LW_OK)
        st = lw_pod_tracker_new(&w->tracker, type->kind, err);
    if (st == LW_OK)
        st = lw_control_loop_new(&w->loop, w->env, type->name, type->workers, reconcile, w, err);
    w->writer = (lw_pod_writer){ w->env, w->loop, w->expectations, type->component };
    if (st == LW_OK)
        st = lw_control_loop_watch_with(w->loop, type->resource, on_owner, w, &w->owners, err);
    if (st == LW_OK)
        st = lw_factory_informer(w->env->factory, "pods", &w->pods, err);
    if (st == LW_OK)
        st = lw_control_add_index(w->pods, LW_OWNER_INDEX, lw_owner_index, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(w->loop, "pods", on_pod, w, NULL, err);
    return st == LW_OK && type->watch ? type->watch(w, err) : st;
}

lw_status lw_workload_make(void **out, const lw_control_env *env, const lw_workload_type *type,
                           lw_error *err)
{
    lw_workload *w = calloc(1, sizeof(*w));
    if (!w)
        return lw_report_nomem(err);
    w->env = env;
    w->type = type;
    lw_status st = make_parts(w, err);
    if (st < 0)
        lw_workload_free(w);
    else
        *out = w;
    return st;
}

lw_status lw_workload_start(void *self, lw_error *err)
{
    lw_workload *w = self;
    return lw_control_loop_start(w->loop, err);
}

lw_gvr lw_workload_gvr(const lw_workload *w)
{
    return lw_gvr_make(w->type->group, "v1", w->type->plural);
}

int64_t lw_workload_wall_ns(const lw_workload *w)
{
    return w->env->clock->wall_ns(w->env->clock->arg);
}

static lw_status adopt(lw_workload *w, const lw_object *owner, lw_error *err)
{
    const lw_claim claim = {
        .client = w->env->client,
        .owner = owner,
        .owner_gvr = lw_workload_gvr(w),
        .informer = w->pods,
        .gvr = lw_gvr_make("", "v1", "pods"),
        .expectations = w->expectations,
    };
    uint64_t generation;
    if (!lw_pod_tracker_must_look(w->tracker, owner, &generation))
        return LW_OK;
    lw_status st = lw_owner_adopt_orphans(&claim, NULL, err);
    if (st == LW_OK)
        lw_pod_tracker_looked(w->tracker, owner, generation);
    return st;
}

static lw_status release(lw_workload *w, const lw_object *owner, lw_error *err)
{
    lw_pod_list strays;
    lw_status st = lw_pod_tracker_list(w->tracker, owner, LW_POD_TRACKER_STRAYS, &strays, err);
    for (size_t i = 0; st == LW_OK && i < strays.count; i++)
        st = lw_owner_release(w->env->client, lw_gvr_make("", "v1", "pods"), strays.items[i].pod,
                              owner, err);
    lw_pod_list_done(&strays);
    return st;
}

static lw_status rebuild_tracker(lw_workload *w, lw_error *err)
{
    if (!lw_pod_tracker_is_incomplete(w->tracker))
        return LW_OK;
    lw_object_list *all = lw_lister_list(lw_informer_lister(w->pods), NULL, NULL);
    lw_status st = all ? lw_pod_tracker_rebuild(w->tracker, all, err) : lw_report_nomem(err);
    lw_object_list_free(all);
    return st;
}

lw_status lw_workload_claim(lw_workload *w, const lw_object *owner, int64_t min_ready_s,
                            lw_tally *tally, lw_error *err)
{
    lw_status st = lw_pod_writer_resolve(&w->writer, owner, err);
    if (st == LW_OK)
        st = adopt(w, owner, err);
    if (st == LW_OK)
        st = rebuild_tracker(w, err);
    if (st == LW_OK)
        st = lw_pod_tracker_count(w->tracker, owner, min_ready_s, lw_workload_wall_ns(w), tally,
                                  err);
    if (st == LW_OK && tally->strays > 0 && !lw_read_has(owner, "/metadata/deletionTimestamp"))
        st = release(w, owner, err);
    return st;
}

bool lw_workload_is_up_to_date(lw_workload *w, const lw_object *owner, lw_reconcile_result *result)
{
    if (lw_expectations_are_met(w->expectations, lw_object_uid(owner)))
        return true;
    result->again_after_ns = LW_EXPECTATION_S * LW_NS_PER_S; /* events come before */
    return false;
}

static lw_status delete_surplus(lw_workload *w, const lw_object *owner, size_t wanted,
                                lw_error *err)
{
    lw_pod_list active;
    lw_status st = lw_pod_tracker_list(w->tracker, owner, LW_POD_TRACKER_ACTIVE, &active, err);
    /* Some may have been deleted since they were counted. */
    size_t surplus = active.count > wanted ? active.count - wanted : 0;
    if (st == LW_OK) {
        lw_pod_sort_for_deletion(active.items, active.count);
        st = lw_pod_writer_delete(&w->writer, owner, active.items,
                                  surplus < LW_POD_BURST ? surplus : LW_POD_BURST, err);
    }
    lw_pod_list_done(&active);
    return st;
}

lw_status lw_workload_scale(lw_workload *w, const lw_object *owner, const lw_tally *tally,
                            int64_t wanted, lw_error *err)
{
    int64_t missing = (wanted > 0 ? wanted : 0) - tally->active;
    if (missing > 0)
        return lw_pod_writer_create(&w->writer, owner,
                                    missing < LW_POD_BURST ? (size_t)missing : LW_POD_BURST, err);
    return missing < 0 ? delete_surplus(w, owner, wanted > 0 ? (size_t)wanted : 0, err) : LW_OK;
}
