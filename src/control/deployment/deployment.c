/* SPDX-License-Identifier: Apache-2.0 */
/* deployment.c -- the controller of Deployments: creates and scales ReplicaSets while one template
 * replaces another. */
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "deployment/rollout.h"
#include "runtime/controller.h"
#include "runtime/fields.h"
#include "runtime/loop.h"
#include "runtime/owner.h"
#include "runtime/report.h"
#include "workload/pod.h"

enum {
    WORKERS = 2,
};

typedef struct controller {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_informer *deployments;
    lw_informer *sets;
    lw_informer *pods;
} controller;

/* Rolling update: scales the new ReplicaSet up as allowed, then the old ones down as long as enough
 * Pods are available. */
static lw_status roll(lw_rollout *r, lw_error *err)
{
    int64_t fresh = r->fresh.set ? r->fresh.size.replicas : 0;
    int64_t size = lw_rolling_fresh_size(&r->bounds, fresh, lw_rollout_total(r));
    bool has_scaled = false;
    lw_status st = lw_rollout_ensure_fresh(r, size, err);
    if (st == LW_OK)
        st = lw_rollout_scale(r, &r->fresh, size, &has_scaled, err);
    if (st < 0 || has_scaled || r->old_count == 0)
        return st;
    lw_rolling_set *old = calloc(r->old_count, sizeof(*old));
    int64_t *sizes = calloc(r->old_count, sizeof(*sizes));
    st = old && sizes ? LW_OK : lw_report_nomem(err);
    for (size_t i = 0; st == LW_OK && i < r->old_count; i++)
        old[i] = r->old[i].size;
    if (st == LW_OK)
        lw_rolling_old_sizes(&r->bounds, &r->fresh.size, old, r->old_count, sizes);
    for (size_t i = 0; st == LW_OK && i < r->old_count; i++)
        st = lw_rollout_scale(r, &r->old[i], sizes[i], &has_scaled, err);
    free(old);
    free(sizes);
    return st;
}

/* Determines whether Pods of old ReplicaSets still run. */
static lw_status has_old_pods(const lw_rollout *r, bool *has, lw_error *err)
{
    const lw_lister *lister = lw_informer_lister(r->pods);
    lw_status st = LW_OK;
    *has = false;
    for (size_t i = 0; i < r->old_count; i++)
        *has = *has || r->old[i].actual > 0; /* avoids listing them */
    for (size_t i = 0; st == LW_OK && i < r->old_count && !*has; i++) {
        lw_object_list *pods = NULL;
        st = lw_lister_by_index(lister, LW_OWNER_INDEX, lw_object_uid(r->old[i].set), &pods, err);
        for (size_t j = 0; j < lw_object_list_count(pods) && !*has; j++)
            *has = !lw_pod_is_over(lw_object_list_at(pods, j));
        lw_object_list_free(pods);
    }
    return st;
}

/* Recreate: removes all old Pods first, then creates the new ones. */
static lw_status recreate(lw_rollout *r, lw_error *err)
{
    bool has_scaled = false, is_busy = false;
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < r->old_count; i++)
        st = lw_rollout_scale(r, &r->old[i], 0, &has_scaled, err);
    if (st == LW_OK && !has_scaled)
        st = has_old_pods(r, &is_busy, err);
    if (st < 0 || has_scaled || is_busy)
        return st;
    st = lw_rollout_ensure_fresh(r, r->bounds.replicas, err);
    return st < 0 ? st : lw_rollout_scale(r, &r->fresh, r->bounds.replicas, &has_scaled, err);
}

static lw_status advance(lw_rollout *r, lw_error *err)
{
    if (lw_read_has(r->deployment, "/metadata/deletionTimestamp"))
        return LW_OK;
    if (lw_object_bool(r->deployment, "/spec/paused", false) || lw_rollout_is_scaled(r))
        return lw_rollout_follow_scale(r, err);
    if (lw_text_is(lw_read_text(r->deployment, "/spec/strategy/type"), "Recreate"))
        return recreate(r, err);
    return roll(r, err);
}

/* Updates the status even if a step failed. */
static lw_status sync_rollout(lw_rollout *r, lw_error *err)
{
    bool is_complete = false;
    lw_status st = advance(r, err);
    lw_status updated = lw_rollout_update_status(r, &is_complete, st < 0 ? NULL : err);
    if (st == LW_OK && updated == LW_OK && is_complete)
        return lw_rollout_trim_history(r, err);
    return st < 0 ? st : updated;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *c = arg;
    lw_object_list *sets = NULL;
    lw_object *deployment =
        lw_lister_get(lw_informer_lister(c->deployments), key.ns.ptr, key.name.ptr);
    if (!deployment)
        return LW_OK;
    lw_rollout r = { .env = c->env, .loop = c->loop, .pods = c->pods, .deployment = deployment };
    const lw_claim claim = { c->env->client,
                             deployment,
                             lw_gvr_make("apps", "v1", "deployments"),
                             c->sets,
                             lw_gvr_make("apps", "v1", "replicasets"),
                             NULL };
    lw_status st = lw_owner_claim(&claim, &sets, err);
    if (st == LW_OK) {
        st = lw_rollout_init(&r, sets, err);
        if (st == LW_OK)
            st = sync_rollout(&r, err);
        result->again_after_ns = r.again_ns;
        lw_rollout_done(&r);
    }
    lw_object_unref(deployment);
    return st;
}

/* A ReplicaSet concerns the Deployment that owns it; one without an owner may concern any. */
static void on_set(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const controller *c = arg;
    lw_owner owner;
    lw_key key = lw_object_key(event->object);
    if (lw_owner_of(event->object, &owner)) {
        if (strcmp(owner.kind, "Deployment") == 0)
            lw_control_loop_add(loop, key.ns, lw_str_of(owner.name));
        return;
    }
    if (event->type == LW_EVENT_DELETE)
        return;
    lw_object_list *all = lw_lister_list(lw_informer_lister(c->deployments),
                                         lw_object_namespace(event->object), NULL);
    for (size_t i = 0; i < lw_object_list_count(all); i++)
        lw_control_loop_add(loop, key.ns, lw_object_key(lw_object_list_at(all, i)).name);
    lw_object_list_free(all);
}

/* A Deployment with strategy Recreate waits for the last Pod to be deleted. */
static void on_pod(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const controller *c = arg;
    lw_owner owner;
    const char *ns = lw_object_namespace(event->object);
    if (event->type != LW_EVENT_DELETE || !lw_owner_of(event->object, &owner) ||
        strcmp(owner.kind, "ReplicaSet") != 0)
        return;
    lw_object *set = lw_lister_get(lw_informer_lister(c->sets), ns, owner.name);
    lw_object *deployment = NULL;
    if (set && lw_owner_of(set, &owner) && strcmp(owner.kind, "Deployment") == 0)
        deployment = lw_lister_get(lw_informer_lister(c->deployments), ns, owner.name);
    if (deployment && lw_text_is(lw_read_text(deployment, "/spec/strategy/type"), "Recreate"))
        lw_control_loop_add(loop, lw_str_of(ns), lw_str_of(owner.name));
    lw_object_unref(deployment);
    lw_object_unref(set);
}

static void controller_free(void *self)
{
    controller *c = self;
    if (!c)
        return;
    lw_control_loop_free(c->loop);
    free(c);
}

static lw_status make_indexes(controller *c, lw_error *err)
{
    lw_status st = lw_factory_informer(c->env->factory, "pods", &c->pods, err);
    if (st == LW_OK)
        st = lw_factory_informer(c->env->factory, "replicasets.apps", &c->sets, err);
    if (st == LW_OK)
        st = lw_control_add_index(c->pods, LW_OWNER_INDEX, lw_owner_index, err);
    return st < 0 ? st : lw_control_add_index(c->sets, LW_OWNER_INDEX, lw_owner_index, err);
}

static lw_status controller_make(void **out, const lw_control_env *env, lw_error *err)
{
    controller *c = calloc(1, sizeof(*c));
    if (!c)
        return lw_report_nomem(err);
    c->env = env;
    lw_status st = make_indexes(c, err);
    if (st == LW_OK)
        st = lw_control_loop_new(&c->loop, env, "deployment", WORKERS, reconcile, c, err);
    if (st == LW_OK)
        st = lw_control_loop_watch(c->loop, "deployments.apps", &c->deployments, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(c->loop, "replicasets.apps", on_set, c, NULL, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_with(c->loop, "pods", on_pod, c, NULL, err);
    if (st < 0)
        controller_free(c);
    else
        *out = c;
    return st;
}

static lw_status controller_start(void *self, lw_error *err)
{
    controller *c = self;
    return lw_control_loop_start(c->loop, err);
}

const lw_controller_type lw_deployment_controller = {
    .name = "deployment",
    .user = LW_CONTROL_ACCOUNT "deployment-controller",
    .needs_lease = true,
    .make = controller_make,
    .start = controller_start,
    .free = controller_free,
};
