/* SPDX-License-Identifier: Apache-2.0 */
/* upsert.c -- create or update, create or apply, update if changed. */
#include <listwatch/upsert.h>

#include <stdio.h>
#include <string.h>

#include <listwatch/retry.h>

#include "base/error.h"
#include "base/str.h"

/* One call of lw_create_or_update. */
typedef struct upsert {
    lw_client *client;
    lw_gvr gvr;
    const char *ns, *name;
    lw_mutate_fn mutate;
    void *arg;
    lw_object *result;
    lw_change change;
} upsert;

enum {
    RESOURCE_SIZE = 640, /* enough for every name that Kubernetes accepts */
};

/* Finds the kind of |gvr|, e.g. "deployments.v1.apps". */
static lw_status find_kind(lw_client *client, lw_gvr gvr, lw_resource *out, lw_error *err)
{
    char name[RESOURCE_SIZE];
    int len = gvr.group.len > 0
                  ? snprintf(name, sizeof(name), "%.*s.%.*s.%.*s", LW_STR_ARG(gvr.resource),
                             LW_STR_ARG(gvr.version), LW_STR_ARG(gvr.group))
                  : snprintf(name, sizeof(name), "%.*s", LW_STR_ARG(gvr.resource));
    if (len < 0 || (size_t)len >= sizeof(name))
        return lw_error_set(err, LW_ERR_INVALID, "the name of a resource is too long");
    lw_status st = lw_client_find_resource(client, name, out, err);
    if (st == LW_OK && !lw_str_equal(out->gvr.group, gvr.group))
        st = lw_error_set(err, LW_ERR_NOT_FOUND, "the server doesn't have a resource type \"%s\"",
                          name);
    return st;
}

/* A new object with its identity. */
static lw_status begin_new(const upsert *u, lw_document **out, lw_error *err)
{
    char api_version[RESOURCE_SIZE];
    lw_resource resource;
    lw_document *doc = NULL;
    lw_status st = find_kind(u->client, u->gvr, &resource, err);
    if (st == LW_OK)
        st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    (void)snprintf(api_version, sizeof(api_version), "%.*s%s%.*s", LW_STR_ARG(u->gvr.group),
                   u->gvr.group.len > 0 ? "/" : "", LW_STR_ARG(u->gvr.version));
    lw_document_set_string(doc, NULL, "/apiVersion", api_version);
    lw_document_set_string(doc, NULL, "/kind", resource.kind.ptr);
    if (u->ns && u->ns[0])
        lw_document_set_string(doc, NULL, "/metadata/namespace", u->ns);
    lw_document_set_string(doc, NULL, "/metadata/name", u->name);
    *out = doc;
    return LW_OK;
}

static lw_status mutate(const upsert *u, lw_document *doc, lw_error *err)
{
    lw_status st = u->mutate(doc, u->arg, err);
    if (st < 0)
        return st;
    if (strcmp(lw_document_string(doc, NULL, "/metadata/name", ""), u->name) != 0 ||
        strcmp(lw_document_string(doc, NULL, "/metadata/namespace", ""), u->ns ? u->ns : "") != 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the name and the namespace of an object cannot be changed");
    return LW_OK;
}

static lw_status create(upsert *u, lw_error *err)
{
    lw_document *doc = NULL;
    lw_object *wanted = NULL;
    lw_status st = begin_new(u, &doc, err);
    if (st == LW_OK)
        st = mutate(u, doc, err);
    if (st == LW_OK)
        st = lw_document_to_object(doc, &wanted, err);
    if (st == LW_OK) {
        st = lw_client_create(u->client, u->gvr, wanted, NULL, &u->result, err);
        u->change = LW_CHANGE_CREATED;
    }
    lw_object_unref(wanted);
    lw_document_free(doc);
    /* Somebody else was faster: begin again. */
    return st == LW_ERR_EXISTS ? LW_ERR_CONFLICT : st;
}

static lw_status update(upsert *u, const lw_object *before, lw_error *err)
{
    lw_document *doc = NULL;
    lw_status st = lw_document_from_object(&doc, before, err);
    if (st == LW_OK)
        st = mutate(u, doc, err);
    if (st == LW_OK)
        st =
            lw_update_if_changed(u->client, u->gvr, before, doc, NULL, &u->result, &u->change, err);
    lw_document_free(doc);
    return st == LW_ERR_NOT_FOUND ? LW_ERR_CONFLICT : st; /* it was deleted: begin again */
}

static lw_status attempt(void *arg, lw_error *err)
{
    upsert *u = arg;
    lw_object *before = NULL;
    lw_error failed = LW_ERROR_INIT;
    lw_status st = lw_client_get(u->client, u->gvr, u->ns, u->name, NULL, &before, &failed);
    if (st == LW_ERR_NOT_FOUND)
        return create(u, err);
    if (st == LW_OK)
        st = update(u, before, err);
    else if (err)
        *err = failed;
    lw_object_unref(before);
    return st;
}

lw_status lw_create_or_update(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                              lw_mutate_fn fn, void *arg, lw_object **out, lw_change *change,
                              lw_error *err)
{
    upsert u = { .client = client, .gvr = gvr, .ns = ns, .name = name, .mutate = fn, .arg = arg };
    lw_status st = lw_retry_on_conflict(NULL, attempt, &u, err);
    if (st < 0)
        return st;
    if (change)
        *change = u.change;
    if (out)
        *out = u.result;
    else
        lw_object_unref(u.result);
    return LW_OK;
}

lw_status lw_update_if_changed(lw_client *client, lw_gvr gvr, const lw_object *before,
                               lw_document *doc, const lw_update_options *options, lw_object **out,
                               lw_change *change, lw_error *err)
{
    lw_document *old = NULL;
    lw_object *wanted = NULL;
    lw_status st = lw_document_status(doc);
    if (st < 0)
        return lw_error_set(err, st, "a change of the document has failed: %s", lw_status_name(st));
    st = lw_document_from_object(&old, before, err);
    if (st < 0)
        return st;
    bool is_equal =
        lw_document_equal(lw_document_find(old, NULL, ""), lw_document_find(doc, NULL, ""));
    lw_document_free(old);
    if (!is_equal)
        st = lw_document_to_object(doc, &wanted, err);
    if (!is_equal && st == LW_OK)
        st = lw_client_update(client, gvr, wanted, options, out, err);
    else if (st == LW_OK && out)
        *out = lw_object_ref(before);
    lw_object_unref(wanted);
    if (st == LW_OK && change)
        *change = is_equal ? LW_CHANGE_NONE : LW_CHANGE_UPDATED;
    return st;
}

/* Gets the current object if it exists; |*out| is NULL if it does not. */
static lw_status look_up(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                         lw_object **out, lw_error *err)
{
    lw_error failed = LW_ERROR_INIT;
    lw_get_options options = LW_GET_OPTIONS_INIT;
    options.is_metadata_only = true;
    lw_status st = lw_client_get(client, gvr, ns, name, &options, out, &failed);
    if (st == LW_ERR_NOT_FOUND)
        return LW_OK;
    if (st < 0 && err)
        *err = failed;
    return st;
}

lw_status lw_create_or_apply(lw_client *client, lw_gvr gvr, lw_document *wanted,
                             const lw_object *cached, const char *field_manager, lw_object **out,
                             lw_change *change, lw_error *err)
{
    const char *ns = lw_document_string(wanted, NULL, "/metadata/namespace", "");
    const char *name = lw_document_string(wanted, NULL, "/metadata/name", "");
    lw_apply_options options = LW_APPLY_OPTIONS_INIT;
    lw_object *found = NULL, *made = NULL;
    lw_str configuration = { NULL, 0 };
    options.field_manager = field_manager;
    options.force = true;
    lw_status st = lw_document_json(wanted, NULL, &configuration, err);
    if (st == LW_OK && !cached && change)
        st = look_up(client, gvr, ns, name, &found, err);
    if (st == LW_OK)
        st = lw_client_apply(client, gvr, ns, name, configuration, &options, &made, err);
    const lw_object *before = cached ? cached : found;
    if (st == LW_OK && change)
        *change =
            !before ? LW_CHANGE_CREATED
            : strcmp(lw_object_resource_version(before), lw_object_resource_version(made)) == 0
                ? LW_CHANGE_NONE
                : LW_CHANGE_UPDATED;
    lw_object_unref(found);
    if (st == LW_OK && out)
        *out = made;
    else
        lw_object_unref(made);
    return st;
}
