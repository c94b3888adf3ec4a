/* SPDX-License-Identifier: Apache-2.0 */
/* rollout_new.c -- creates the ReplicaSet of the current template if there is none, and gives it
 * the newest revision.  Its name is derived from the template, so that a stale cache cannot lead to
 * a second one. */
#include <stdio.h>
#include <string.h>

#include "deployment/rollout.h"
#include "deployment/template_hash.h"
#include "runtime/fields.h"
#include "runtime/owner.h"
#include "runtime/patch.h"
#include "runtime/report.h"

static lw_gvr replicasets(void)
{
    return lw_gvr_make("apps", "v1", "replicasets");
}

static lw_gvr deployments(void)
{
    return lw_gvr_make("apps", "v1", "deployments");
}

static void set_number(lw_document *doc, const char *key, int64_t number)
{
    char pointer[128], text[24];
    (void)snprintf(pointer, sizeof(pointer), "/metadata/annotations/deployment.kubernetes.io~1%s",
                   key);
    (void)snprintf(text, sizeof(text), "%lld", (long long)number);
    lw_document_set_string(doc, NULL, pointer, text);
}

/* Copies the annotations of the Deployment that do not concern only itself. */
static void copy_annotations(lw_document *to, const lw_rollout *r)
{
    static const char *const own[] = {
        "kubectl.kubernetes.io/last-applied-configuration",
        LW_REVISION_ANNOTATION,
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    };
    const lw_value *from = lw_document_find(r->doc, NULL, "/metadata/annotations");
    lw_value *into = lw_document_set_object(to, NULL, "/metadata/annotations");
    for (size_t i = 0; i < lw_document_count(from); i++) {
        lw_str key = lw_document_key(from, i);
        bool is_own = false;
        for (size_t j = 0; j < sizeof(own) / sizeof(own[0]); j++)
            is_own = is_own || lw_str_equal(key, lw_str_of(own[j]));
        if (!is_own)
            lw_document_put(to, into, key, lw_document_item(from, i));
    }
}

static lw_status build(lw_object **out, const lw_rollout *r, const char *hash, int64_t size,
                       lw_error *err)
{
    lw_document *doc = NULL;
    char name[LW_NAME_SIZE];
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    (void)snprintf(name, sizeof(name), "%.240s-%s", lw_object_name(r->deployment), hash);
    lw_document_set_string(doc, NULL, "/apiVersion", "apps/v1");
    lw_document_set_string(doc, NULL, "/kind", "ReplicaSet");
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(r->deployment));
    lw_document_set_copy(doc, NULL, "/metadata/labels",
                         lw_document_find(r->doc, NULL, "/spec/template/metadata/labels"));
    lw_document_set_string(doc, NULL, "/metadata/labels/" LW_TEMPLATE_LABEL, hash);
    copy_annotations(doc, r);
    set_number(doc, "revision", r->revision);
    set_number(doc, "desired-replicas", r->bounds.replicas);
    set_number(doc, "max-replicas", r->bounds.replicas + r->bounds.surge);
    lw_owner_add(doc, r->deployment);
    lw_document_set_int(doc, NULL, "/spec/replicas", size);
    lw_document_set_int(doc, NULL, "/spec/minReadySeconds",
                        lw_document_int(r->doc, NULL, "/spec/minReadySeconds", 0));
    lw_document_set_copy(doc, NULL, "/spec/selector",
                         lw_document_find(r->doc, NULL, "/spec/selector"));
    lw_document_set_string(doc, NULL, "/spec/selector/matchLabels/" LW_TEMPLATE_LABEL, hash);
    lw_document_set_copy(doc, NULL, "/spec/template",
                         lw_document_find(r->doc, NULL, "/spec/template"));
    lw_document_set_string(doc, NULL, "/spec/template/metadata/labels/" LW_TEMPLATE_LABEL, hash);
    st = lw_document_to_object(doc, out, err);
    lw_document_free(doc);
    return st;
}

/* A ReplicaSet with that name exists: ours, which the cache will show soon, or one of another
 * template, so that another name is needed. */
static lw_status meet(lw_rollout *r, const char *name, lw_error *err)
{
    lw_object *found = NULL;
    lw_document *doc = NULL;
    lw_owner owner = { .uid = "" };
    lw_status st = lw_client_get(r->env->client, replicasets(), lw_object_namespace(r->deployment),
                                 name, NULL, &found, err);
    if (st == LW_OK)
        st = lw_document_from_object(&doc, found, err);
    if (st == LW_OK) {
        bool is_same =
            lw_template_hash(doc, lw_document_find(doc, NULL, "/spec/template")) == r->template;
        bool is_ours =
            lw_owner_of(found, &owner) && strcmp(owner.uid, lw_object_uid(r->deployment)) == 0;
        lw_document *patch = NULL;
        if (!(is_same && is_ours) && (st = lw_document_new(&patch, err)) == LW_OK) {
            lw_document_set_int(patch, NULL, "/status/collisionCount",
                                lw_document_int(r->doc, NULL, "/status/collisionCount", 0) + 1);
            st = lw_patch_send(r->env->client, deployments(), r->deployment, "status", patch, err);
        }
        lw_document_free(patch);
    }
    lw_document_free(doc);
    lw_object_unref(found);
    /* In both cases the cache is stale: retry. */
    return st < 0 ? st
                  : lw_report_error(err, LW_ERR_CONFLICT, "ReplicaSet %s already exists", name);
}

static lw_status create(lw_rollout *r, int64_t size, lw_error *err)
{
    char hash[LW_TEMPLATE_HASH_SIZE];
    lw_object *wanted = NULL, *made = NULL;
    lw_template_hash_text(hash, r->template,
                          lw_document_int(r->doc, NULL, "/status/collisionCount", 0));
    lw_status st = build(&wanted, r, hash, size, err);
    if (st < 0)
        return st;
    st = lw_client_create(r->env->client, replicasets(), wanted, NULL, &made, err);
    if (st == LW_ERR_EXISTS)
        st = meet(r, lw_object_name(wanted), err);
    if (st == LW_OK)
        st = lw_object_list_append(r->claimed, made); /* lives as long as the rollout */
    if (st == LW_OK) {
        r->fresh =
            (lw_rollout_set){ .set = made,
                              .size = { .replicas = size,
                                        .max_replicas = r->bounds.replicas + r->bounds.surge },
                              .revision = r->revision,
                              .desired = r->bounds.replicas };
        r->has_created = true;
        lw_control_loop_step(r->loop, "created", "ReplicaSet", lw_object_key(made), NULL);
        lw_recorder_event_from(r->env->recorder, "deployment-controller", r->deployment, "Normal",
                               "ScalingReplicaSet", "Scaled up replica set %s from 0 to %lld",
                               lw_object_name(made), (long long)size);
    }
    lw_object_unref(made);
    lw_object_unref(wanted);
    return st;
}

/* Gives the ReplicaSet the newest revision if it is an older one that is used again. */
static lw_status renumber(lw_rollout *r, lw_error *err)
{
    lw_document *patch = NULL;
    int64_t min_ready_s = lw_document_int(r->doc, NULL, "/spec/minReadySeconds", 0);
    bool is_newest = r->fresh.revision >= r->revision;
    if (is_newest && lw_object_int(r->fresh.set, "/spec/minReadySeconds", 0) == min_ready_s)
        return LW_OK;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    copy_annotations(patch, r);
    if (!is_newest) {
        set_number(patch, "revision", r->revision);
        r->fresh.revision = r->revision;
    }
    lw_document_set_int(patch, NULL, "/spec/minReadySeconds", min_ready_s);
    st = lw_patch_send(r->env->client, replicasets(), r->fresh.set, NULL, patch, err);
    lw_document_free(patch);
    return st;
}

static lw_status number_deployment(lw_rollout *r, lw_error *err)
{
    lw_document *patch = NULL;
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", (long long)r->fresh.revision);
    if (lw_text_is(lw_read_text(r->deployment,
                                "/metadata/annotations/deployment.kubernetes.io~1revision"),
                   text))
        return LW_OK;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    set_number(patch, "revision", r->fresh.revision);
    st = lw_patch_send(r->env->client, deployments(), r->deployment, NULL, patch, err);
    lw_document_free(patch);
    return st;
}

lw_status lw_rollout_ensure_fresh(lw_rollout *r, int64_t size, lw_error *err)
{
    lw_status st = r->fresh.set ? renumber(r, err) : create(r, size, err);
    return st < 0 ? st : number_deployment(r, err);
}
