/* SPDX-License-Identifier: Apache-2.0 */
/* rollout_status.c -- the status of a Deployment: counts, and the conditions Available and
 * Progressing, which `kubectl rollout status` uses. */
#include <stdio.h>
#include <string.h>

#include "deployment/rollout.h"
#include "runtime/fields.h"
#include "runtime/patch.h"

typedef struct counts {
    int64_t replicas, updated, ready, available;
} counts;

static counts count_all(const lw_rollout *r)
{
    counts n = { 0, 0, 0, 0 };
    if (r->fresh.set)
        n = (counts){ r->fresh.actual, r->fresh.actual, r->fresh.ready, r->fresh.size.available };
    for (size_t i = 0; i < r->old_count; i++) {
        n.replicas += r->old[i].actual;
        n.ready += r->old[i].ready;
        n.available += r->old[i].size.available;
    }
    return n;
}

static counts counts_in_status(const lw_rollout *r)
{
    return (counts){ lw_document_int(r->doc, NULL, "/status/replicas", 0),
                     lw_document_int(r->doc, NULL, "/status/updatedReplicas", 0),
                     lw_document_int(r->doc, NULL, "/status/readyReplicas", 0),
                     lw_document_int(r->doc, NULL, "/status/availableReplicas", 0) };
}

static bool is_complete(const lw_rollout *r, const counts *n)
{
    int64_t wanted = r->bounds.replicas;
    return n->updated == wanted && n->replicas == wanted && n->available == wanted;
}

/* True if there was progress since the last status. */
static bool has_progressed(const counts *now, const counts *before)
{
    return now->updated > before->updated || now->ready > before->ready ||
           now->available > before->available ||
           now->replicas - now->updated < before->replicas - before->updated;
}

static void set_available(const lw_rollout *r, lw_document *doc, lw_value *conditions,
                          const counts *n, int64_t now)
{
    static const lw_patch_condition yes = { "Available", "True", "MinimumReplicasAvailable",
                                            "Deployment has minimum availability." };
    static const lw_patch_condition no = { "Available", "False", "MinimumReplicasUnavailable",
                                           "Deployment does not have minimum availability." };
    bool is_available = n->available >= r->bounds.replicas - r->bounds.unavailable;
    lw_patch_condition_set(doc, conditions, is_available ? &yes : &no, "/lastUpdateTime", now,
                           false);
}

static void set_progressing(const lw_rollout *r, lw_document *doc, lw_value *conditions,
                            const char *status, const char *reason, const char *format, int64_t now)
{
    char message[LW_ERROR_MESSAGE_SIZE];
    const char *name = r->fresh.set ? lw_object_name(r->fresh.set) : "";
    (void)snprintf(message, sizeof(message), "%s \"%s\" %s",
                   strcmp(reason, "NewReplicaSetCreated") == 0 ? "Created new replica set"
                   : strcmp(reason, "FoundNewReplicaSet") == 0 ? "Found new replica set"
                                                               : "ReplicaSet",
                   name, format);
    size_t len = strlen(message);
    if (len > 0 && message[len - 1] == ' ')
        message[len - 1] = '\0';
    const lw_patch_condition condition = { "Progressing", status, reason, message };
    lw_patch_condition_set(doc, conditions, &condition, "/lastUpdateTime", now, true);
}

/* Returns the time until the deadline, from the last progress; <= 0: it has passed. */
static int64_t until_deadline(const lw_rollout *r, lw_document *doc, const lw_value *conditions,
                              int64_t now)
{
    int64_t deadline_s = lw_object_int(r->deployment, "/spec/progressDeadlineSeconds", 600);
    const lw_value *at = lw_patch_condition_find(doc, conditions, "Progressing");
    lw_str updated = lw_str_of(lw_document_string(doc, at, "/lastUpdateTime", NULL));
    int64_t since;
    if (!lw_time_parse_ns(updated, &since))
        since = now;
    return since + deadline_s * LW_NS_PER_S - now;
}

static void set_paused(lw_document *doc, lw_value *conditions, bool is_paused, int64_t now)
{
    static const lw_patch_condition paused = { "Progressing", "Unknown", "DeploymentPaused",
                                               "Deployment is paused" };
    static const lw_patch_condition resumed = { "Progressing", "Unknown", "DeploymentResumed",
                                                "Deployment is resumed" };
    bool was_paused =
        lw_patch_condition_has_reason(doc, conditions, "Progressing", "DeploymentPaused");
    if (is_paused)
        lw_patch_condition_set(doc, conditions, &paused, "/lastUpdateTime", now, false);
    else if (was_paused)
        lw_patch_condition_set(doc, conditions, &resumed, "/lastUpdateTime", now, false);
}

/* Sets the condition Progressing. */
static void judge_progress(lw_rollout *r, lw_document *doc, lw_value *conditions, const counts *n,
                           int64_t now)
{
    const counts before = counts_in_status(r);
    bool is_paused = lw_object_bool(r->deployment, "/spec/paused", false);
    bool was_done =
        lw_patch_condition_has_reason(doc, conditions, "Progressing", "NewReplicaSetAvailable");
    set_paused(doc, conditions, is_paused, now);
    if (is_paused || !r->fresh.set)
        return;
    if (r->has_created) {
        set_progressing(r, doc, conditions, "True", "NewReplicaSetCreated", "", now);
    } else if (was_done && n->replicas == n->updated) {
        return; /* scaled, or Pods were replaced: not a rollout */
    } else if (is_complete(r, n)) {
        set_progressing(r, doc, conditions, "True", "NewReplicaSetAvailable",
                        "has successfully progressed.", now);
        return;
    } else if (has_progressed(n, &before)) {
        set_progressing(r, doc, conditions, "True", "ReplicaSetUpdated", "is progressing.", now);
    } else if (!lw_patch_condition_find(doc, conditions, "Progressing")) {
        set_progressing(r, doc, conditions, "True", "FoundNewReplicaSet", "", now);
    }
    int64_t left_ns = until_deadline(r, doc, conditions, now);
    bool is_over = left_ns <= 0 && !was_done;
    if (is_over &&
        !lw_patch_condition_has_reason(doc, conditions, "Progressing", "ProgressDeadlineExceeded"))
        set_progressing(r, doc, conditions, "False", "ProgressDeadlineExceeded",
                        "has timed out progressing.", now);
    else if (!is_over)
        r->again_ns = left_ns > 0 ? left_ns + LW_NS_PER_S : 0;
}

/* 0 is written as absent, as Go does. */
static void set_count(lw_document *patch, const char *pointer, int64_t value)
{
    if (value == 0)
        lw_document_set_null(patch, NULL, pointer);
    else
        lw_document_set_int(patch, NULL, pointer, value);
}

static void write_counts(const lw_rollout *r, lw_document *patch, const counts *n)
{
    int64_t unavailable = n->replicas - n->available;
    set_count(patch, "/status/replicas", n->replicas);
    set_count(patch, "/status/updatedReplicas", n->updated);
    set_count(patch, "/status/readyReplicas", n->ready);
    set_count(patch, "/status/availableReplicas", n->available);
    set_count(patch, "/status/unavailableReplicas", unavailable > 0 ? unavailable : 0);
    lw_document_set_int(patch, NULL, "/status/observedGeneration",
                        lw_object_int(r->deployment, "/metadata/generation", 0));
}

/* True if |patch| would change nothing. */
static bool is_status_current(const lw_rollout *r, const lw_document *patch)
{
    const lw_value *status = lw_document_find(patch, NULL, "/status");
    for (size_t i = 0; i < lw_document_count(status); i++) {
        char pointer[64];
        lw_str key = lw_document_key(status, i);
        (void)snprintf(pointer, sizeof(pointer), "/status/%.*s", (int)key.len, key.ptr);
        const lw_value *now = lw_document_find(r->doc, NULL, pointer);
        int64_t count = lw_document_int(patch, lw_document_item(status, i), "", 0);
        bool is_conditions = lw_str_equal(key, lw_str_of("conditions"));
        if (is_conditions ? !lw_document_equal(now, lw_document_item(status, i))
                          : lw_document_int(r->doc, now, "", 0) != count || (!now && count != 0))
            return false;
    }
    return true;
}

lw_status lw_rollout_update_status(lw_rollout *r, bool *complete, lw_error *err)
{
    lw_document *patch = NULL;
    const counts n = count_all(r);
    int64_t now = r->env->clock->wall_ns(r->env->clock->arg);
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    write_counts(r, patch, &n);
    lw_value *conditions = lw_document_set_array(patch, NULL, "/status/conditions");
    const lw_value *before = lw_document_find(r->doc, NULL, "/status/conditions");
    if (lw_document_count(before) > 0)
        conditions = lw_document_set_copy(patch, NULL, "/status/conditions", before);
    set_available(r, patch, conditions, &n, now);
    judge_progress(r, patch, conditions, &n, now);
    st = lw_document_status(patch);
    if (st == LW_OK && !is_status_current(r, patch))
        st = lw_patch_send(r->env->client, lw_gvr_make("apps", "v1", "deployments"), r->deployment,
                           "status", patch, err);
    lw_document_free(patch);
    *complete = is_complete(r, &n);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}
