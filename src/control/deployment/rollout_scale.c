/* SPDX-License-Identifier: Apache-2.0 */
/* rollout_scale.c -- scales ReplicaSets, one by one or in proportion, and deletes the oldest. */
#include <stdio.h>
#include <stdlib.h>

#include "deployment/rollout.h"
#include "runtime/fields.h"
#include "runtime/patch.h"
#include "runtime/report.h"

static lw_gvr replicasets(void)
{
    return lw_gvr_make("apps", "v1", "replicasets");
}

static lw_status write_size(lw_rollout *r, const lw_rollout_set *s, int64_t size, lw_error *err)
{
    lw_document *patch = NULL;
    char desired[24], most[24];
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    (void)snprintf(desired, sizeof(desired), "%lld", (long long)r->bounds.replicas);
    (void)snprintf(most, sizeof(most), "%lld", (long long)(r->bounds.replicas + r->bounds.surge));
    lw_document_set_string(patch, NULL, "/metadata/uid", lw_object_uid(s->set));
    lw_document_set_string(patch, NULL,
                           "/metadata/annotations/deployment.kubernetes.io~1desired-replicas",
                           desired);
    lw_document_set_string(patch, NULL,
                           "/metadata/annotations/deployment.kubernetes.io~1max-replicas", most);
    lw_document_set_int(patch, NULL, "/spec/replicas", size);
    st = lw_patch_send(r->env->client, replicasets(), s->set, NULL, patch, err);
    lw_document_free(patch);
    return st;
}

lw_status lw_rollout_scale(lw_rollout *r, lw_rollout_set *s, int64_t size, bool *has_scaled,
                           lw_error *err)
{
    char detail[64];
    int64_t before = s->size.replicas;
    bool is_noted = s->desired == r->bounds.replicas &&
                    s->size.max_replicas == r->bounds.replicas + r->bounds.surge;
    if (before == size && (is_noted || size == 0))
        return LW_OK;
    lw_status st = write_size(r, s, size, err);
    if (st < 0 || before == size)
        return st;
    s->size.replicas = size;
    *has_scaled = true;
    (void)snprintf(detail, sizeof(detail), "from %lld to %lld", (long long)before, (long long)size);
    lw_control_loop_step(r->loop, "scaled", "ReplicaSet", lw_object_key(s->set), detail);
    lw_recorder_event_from(r->env->recorder, "deployment-controller", r->deployment, "Normal",
                           "ScalingReplicaSet", "Scaled %s replica set %s %s",
                           size > before ? "up" : "down", lw_object_name(s->set), detail);
    return LW_OK;
}

static bool is_behind(const lw_rollout *r, const lw_rollout_set *s)
{
    return s->set && s->size.replicas > 0 && s->desired >= 0 && s->desired != r->bounds.replicas;
}

bool lw_rollout_is_scaled(const lw_rollout *r)
{
    bool is_scaled = is_behind(r, &r->fresh);
    for (size_t i = 0; i < r->old_count; i++)
        is_scaled = is_scaled || is_behind(r, &r->old[i]);
    return is_scaled;
}

/* Largest first; newest first if equal. */
static int by_size(const void *left, const void *right)
{
    const lw_rollout_set *a = *(lw_rollout_set *const *)left, *b = *(lw_rollout_set *const *)right;
    if (a->size.replicas != b->size.replicas)
        return a->size.replicas > b->size.replicas ? -1 : 1;
    return a->created_ns > b->created_ns ? -1 : a->created_ns < b->created_ns;
}

/* Returns those that have replicas; if there are none, the new one, or else the newest. */
static size_t active_sets(lw_rollout *r, lw_rollout_set **active)
{
    size_t count = 0;
    for (size_t i = 0; i < r->old_count; i++) {
        if (r->old[i].size.replicas > 0)
            active[count++] = &r->old[i];
    }
    if (r->fresh.set && (r->fresh.size.replicas > 0 || count == 0))
        active[count++] = &r->fresh;
    if (count == 0 && r->old_count > 0)
        active[count++] = &r->old[r->old_count - 1];
    return count;
}

static lw_status share(lw_rollout *r, lw_rollout_set **active, size_t count, lw_error *err)
{
    lw_rolling_set *sizes = calloc(count, sizeof(*sizes));
    int64_t *wanted = calloc(count, sizeof(*wanted));
    bool has_scaled = false;
    lw_status st = sizes && wanted ? LW_OK : lw_report_nomem(err);
    if (st == LW_OK) {
        qsort(active, count, sizeof(lw_rollout_set *), by_size);
        for (size_t i = 0; i < count; i++)
            sizes[i] = active[i]->size;
        lw_rolling_shares(&r->bounds, sizes, count, wanted);
        for (size_t i = 0; st == LW_OK && i < count; i++)
            st = lw_rollout_scale(r, active[i], wanted[i], &has_scaled, err);
    }
    free(sizes);
    free(wanted);
    return st;
}

lw_status lw_rollout_follow_scale(lw_rollout *r, lw_error *err)
{
    bool has_scaled = false;
    lw_status st = LW_OK;
    lw_rollout_set **active = calloc(r->old_count + 1, sizeof(*active));
    if (!active)
        return lw_report_nomem(err);
    size_t count = active_sets(r, active);
    bool is_saturated = r->fresh.set && r->fresh.size.replicas == r->bounds.replicas &&
                        r->fresh.size.available == r->bounds.replicas;
    if (count == 1) {
        st = lw_rollout_scale(r, active[0], r->bounds.replicas, &has_scaled, err);
    } else if (is_saturated) {
        for (size_t i = 0; st == LW_OK && i < r->old_count; i++)
            st = lw_rollout_scale(r, &r->old[i], 0, &has_scaled, err);
    } else if (count > 1) {
        st = share(r, active, count, err);
    }
    free(active);
    return st;
}

lw_status lw_rollout_trim_history(lw_rollout *r, lw_error *err)
{
    int64_t limit = lw_object_int(r->deployment, "/spec/revisionHistoryLimit", 10);
    lw_status st = LW_OK;
    size_t surplus =
        (int64_t)r->old_count > limit ? r->old_count - (size_t)(limit > 0 ? limit : 0) : 0;
    for (size_t i = 0; st == LW_OK && i < surplus; i++) {
        const lw_rollout_set *s = &r->old[i];
        lw_delete_options options = LW_DELETE_OPTIONS_INIT;
        if (s->size.replicas != 0 || s->actual != 0 ||
            lw_read_has(s->set, "/metadata/deletionTimestamp") ||
            lw_object_int(s->set, "/metadata/generation", 0) >
                lw_object_int(s->set, "/status/observedGeneration", 0))
            continue;
        options.uid = lw_object_uid(s->set);
        st = lw_client_delete(r->env->client, replicasets(), lw_object_namespace(s->set),
                              lw_object_name(s->set), &options, err);
        if (st == LW_OK)
            lw_control_loop_step(r->loop, "deleted", "ReplicaSet", lw_object_key(s->set), NULL);
        else if (st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT)
            st = LW_OK;
    }
    return st;
}
