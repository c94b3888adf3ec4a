/* SPDX-License-Identifier: Apache-2.0 */
/* pod_writer.c -- creates Pods from a template.
 * Names are chosen here, not by the server, so that a Pod whose create reply was lost can be looked
 * up. */
#include "workload/pod_writer.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/fields.h"

enum {
    SUFFIX = 5,
    BASE_MAX = 57, /* with the dash and the suffix it is a DNS label */
    NAMES_MAX = 8, /* names tried: of 27^5, one of 20,000 is taken once in 700 times */
};

static lw_gvr pods(void)
{
    return lw_gvr_make("", "v1", "pods");
}

static void choose_name(char name[LW_NAME_SIZE], const lw_object *owner)
{
    /* The alphabet of Kubernetes: no vowels and no ambiguous characters. */
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    unsigned char random[SUFFIX] = { 0 };
    char suffix[SUFFIX + 1] = "";
    if (getrandom(random, sizeof(random), 0) < 0)
        memset(random, 0, sizeof(random)); /* a name that exists is chosen again */
    for (size_t i = 0; i < SUFFIX; i++)
        suffix[i] = letters[random[i] % (sizeof(letters) - 1)];
    (void)snprintf(name, LW_NAME_SIZE, "%.*s-%s", BASE_MAX, lw_object_name(owner), suffix);
}

static void copy_field(lw_document *doc, const char *to, const lw_object *owner, const char *from)
{
    lw_str json;
    if (lw_object_raw(owner, from, &json) == LW_OK)
        lw_document_set_json(doc, NULL, to, json);
}

/* Makes the pod of |owner| but for its name: a hundred pods are copies of one document. */
static lw_status make_template(lw_document **out, const lw_object *owner, lw_error *err)
{
    lw_document *doc = NULL;
    char base[LW_NAME_SIZE];
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    (void)snprintf(base, sizeof(base), "%.*s-", BASE_MAX, lw_object_name(owner));
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "Pod");
    lw_document_set_string(doc, NULL, "/metadata/name", "");
    lw_document_set_string(doc, NULL, "/metadata/generateName", base);
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(owner));
    copy_field(doc, "/metadata/labels", owner, "/spec/template/metadata/labels");
    copy_field(doc, "/metadata/annotations", owner, "/spec/template/metadata/annotations");
    copy_field(doc, "/metadata/finalizers", owner, "/spec/template/metadata/finalizers");
    lw_owner_add(doc, owner);
    copy_field(doc, "/spec", owner, "/spec/template/spec");
    *out = doc;
    return LW_OK;
}

/* True if the server may have executed the request although it failed. */
static bool is_doubtful(lw_status st)
{
    return st == LW_ERR_TIMEOUT || st == LW_ERR_UNAVAILABLE || st == LW_ERR_IO ||
           st == LW_ERR_INTERNAL || st == LW_ERR_SYNTAX;
}

/* LW_ERR_EXISTS: another Pod has that name; no Event is recorded. */
static lw_status create_named(const lw_pod_writer *w, const lw_object *owner, lw_document *doc,
                              const char *name, lw_error *err)
{
    lw_object *pod = NULL;
    lw_error detail = LW_ERROR_INIT;
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_status st = lw_document_to_object(doc, &pod, err);
    if (st == LW_OK)
        st =
            lw_expectations_add(w->expectations, lw_object_uid(owner), name, LW_EXPECTED_HERE, err);
    if (st < 0) {
        lw_object_unref(pod);
        return st;
    }
    st = lw_client_create(w->env->client, pods(), pod, NULL, NULL, &detail);
    lw_object_unref(pod);
    if (st == LW_OK) {
        lw_control_loop_step(w->loop, "created", "Pod",
                             lw_key_make(lw_object_namespace(owner), name), NULL);
        lw_recorder_event_from(w->env->recorder, w->component, owner, "Normal", "SuccessfulCreate",
                               "Created pod: %s", name);
        return LW_OK;
    }
    if (is_doubtful(st))
        lw_expectations_doubt(w->expectations, lw_object_uid(owner), name, true);
    else
        lw_expectations_strike(w->expectations, lw_object_uid(owner), name);
    if (st != LW_ERR_EXISTS)
        lw_recorder_event_from(w->env->recorder, w->component, owner, "Warning", "FailedCreate",
                               "Error creating: %s", detail.message);
    if (err)
        *err = detail;
    return st;
}

static lw_status create_one(const lw_pod_writer *w, const lw_object *owner, lw_document *doc,
                            lw_error *err)
{
    char name[LW_NAME_SIZE];
    lw_status st = LW_ERR_EXISTS;
    for (int i = 0; st == LW_ERR_EXISTS && i < NAMES_MAX; i++) {
        choose_name(name, owner);
        st = create_named(w, owner, doc, name, err);
    }
    return st;
}

lw_status lw_pod_writer_create(const lw_pod_writer *w, const lw_object *owner, size_t count,
                               lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = make_template(&doc, owner, err);
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = create_one(w, owner, doc, err);
    lw_document_free(doc);
    return st;
}

static lw_status delete_one(const lw_pod_writer *w, const lw_object *owner, const lw_object *pod,
                            lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    const char *uid = lw_object_uid(owner), *name = lw_object_name(pod);
    options.uid = lw_object_uid(pod);
    lw_status st = lw_expectations_add(w->expectations, uid, name, LW_EXPECTED_GONE, err);
    if (st < 0)
        return st;
    st = lw_client_delete(w->env->client, pods(), lw_object_namespace(pod), name, &options, err);
    if (st < 0)
        lw_expectations_strike(w->expectations, uid, name);
    /* Already deleted, or another Pod of that name: the cache will show it. */
    if (st == LW_ERR_NOT_FOUND || st == LW_ERR_CONFLICT)
        return LW_OK;
    if (st < 0)
        return st;
    lw_control_loop_step(w->loop, "deleted", "Pod", lw_object_key(pod), NULL);
    lw_recorder_event_from(w->env->recorder, w->component, owner, "Normal", "SuccessfulDelete",
                           "Deleted pod: %s", name);
    return LW_OK;
}

lw_status lw_pod_writer_delete(const lw_pod_writer *w, const lw_object *owner,
                               const lw_pod_facts *victims, size_t count, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = delete_one(w, owner, victims[i].pod, err);
    return st;
}

lw_status lw_pod_writer_resolve(const lw_pod_writer *w, const lw_object *owner, lw_error *err)
{
    char name[LW_NAME_SIZE];
    const char *uid = lw_object_uid(owner);
    while (lw_expectations_doubtful(w->expectations, uid, name)) {
        lw_object *pod = NULL;
        lw_status st = lw_client_get(w->env->client, pods(), lw_object_namespace(owner), name, NULL,
                                     &pod, err);
        if (st < 0 && st != LW_ERR_NOT_FOUND)
            return st;
        if (pod) /* the cache will show it */
            lw_expectations_doubt(w->expectations, uid, name, false);
        else
            lw_expectations_strike(w->expectations, uid, name);
        lw_object_unref(pod);
    }
    return LW_OK;
}

void lw_pod_writer_saw(const lw_pod_writer *w, const lw_event *event, const lw_owner *owner)
{
    if (!owner)
        return;
    bool is_gone =
        event->type == LW_EVENT_DELETE || lw_read_has(event->object, "/metadata/deletionTimestamp");
    lw_expectations_seen(w->expectations, owner->uid, lw_object_name(event->object),
                         is_gone ? LW_EXPECTED_GONE : LW_EXPECTED_HERE);
}
