/* SPDX-License-Identifier: Apache-2.0 */
/* applied.c -- applies one object of a file to the server, with server-side apply.
 *
 * Server-side apply removes the fields that its manager applied before and that are no longer in
 * the file.  kubectl's client-side apply owns its fields by the operation "Update" instead, which
 * is never removed: its entry of managedFields is changed to "Apply" first, if the manager has no
 * entry of its own yet. */
#include "applied.h"

#include <stdio.h>
#include <string.h>

#include "fetch.h"
#include "targets.h"
#include "text.h"

static const char default_manager[] = "listwatch";

static lw_status read_object(lw_document **out, connection *conn, const placed *place,
                             lw_error *err)
{
    text_buf path = { 0 };
    lw_error missing = LW_ERROR_INIT;
    target_path(&place->resource, place->ns, lw_object_name(place->object), NULL, &path);
    lw_status st = text_status(&path);
    if (st == LW_OK)
        st = fetch_document(conn->client, text_of(&path), NULL, out, &missing);
    text_done(&path);
    if (st == LW_ERR_NOT_FOUND)
        return LW_OK;
    if (st < 0)
        *err = missing;
    return st;
}

static bool is_entry(lw_document *doc, const lw_value *entry, const char *manager,
                     const char *operation)
{
    return strcmp(lw_document_string(doc, entry, "/manager", ""), manager) == 0 &&
           strcmp(lw_document_string(doc, entry, "/operation", ""), operation) == 0 &&
           !lw_document_string(doc, entry, "/subresource", "")[0];
}

/* Returns the index of the entry to take over, or -1. */
static int find_entry(lw_document *doc, const char *manager)
{
    const lw_value *entries = lw_document_find(doc, NULL, "/metadata/managedFields");
    int found = -1;
    for (size_t i = 0; i < lw_document_count(entries); i++) {
        const lw_value *entry = lw_document_item(entries, i);
        if (is_entry(doc, entry, manager, "Apply"))
            return -1;
        if (found < 0 && is_entry(doc, entry, "kubectl-client-side-apply", "Update"))
            found = (int)i;
    }
    return found;
}

static lw_status take_over(connection *conn, const placed *place, lw_document *doc,
                           const char *manager, lw_error *err)
{
    lw_document *patch = NULL;
    char pointer[64];
    lw_str json;
    int index = find_entry(doc, manager);
    if (index < 0)
        return LW_OK;
    lw_status st = lw_document_from_json(&patch, "[{},{},{}]", sizeof("[{},{},{}]") - 1, err);
    if (st < 0)
        return st;
    const char *version = lw_document_string(doc, NULL, "/metadata/resourceVersion", "");
    (void)lw_document_set_string(patch, NULL, "/0/op", "test");
    (void)lw_document_set_string(patch, NULL, "/0/path", "/metadata/resourceVersion");
    (void)lw_document_set_string(patch, NULL, "/0/value", version);
    (void)snprintf(pointer, sizeof(pointer), "/metadata/managedFields/%d/operation", index);
    (void)lw_document_set_string(patch, NULL, "/1/op", "replace");
    (void)lw_document_set_string(patch, NULL, "/1/path", pointer);
    (void)lw_document_set_string(patch, NULL, "/1/value", "Apply");
    (void)snprintf(pointer, sizeof(pointer), "/metadata/managedFields/%d/manager", index);
    (void)lw_document_set_string(patch, NULL, "/2/op", "replace");
    (void)lw_document_set_string(patch, NULL, "/2/path", pointer);
    (void)lw_document_set_string(patch, NULL, "/2/value", manager);
    st = lw_document_json(patch, NULL, &json, err);
    lw_patch_options options = LW_PATCH_OPTIONS_INIT;
    options.type = LW_PATCH_JSON;
    if (st == LW_OK)
        st = lw_client_patch(conn->client, place->resource.gvr, place->ns,
                             lw_object_name(place->object), json, &options, NULL, err);
    lw_document_free(patch);
    return st;
}

static lw_status send(connection *conn, const placed *place, const applied_options *options,
                      const char *manager, lw_object **now, lw_error *err)
{
    lw_str json = lw_object_json(place->object);
    lw_apply_options apply = LW_APPLY_OPTIONS_INIT;
    apply.field_manager = manager;
    apply.force = options->forces_conflicts;
    apply.dry_run = options->is_dry_run;
    apply.field_validation = options->validation;
    return lw_client_apply(conn->client, place->resource.gvr, place->ns,
                           lw_object_name(place->object), json, &apply, now, err);
}

lw_status applied_send(applied *out, connection *conn, const placed *place,
                       const applied_options *options, lw_error *err)
{
    const char *manager = options->field_manager ? options->field_manager : default_manager;
    lw_object *now = NULL;
    *out = (applied){ NULL, NULL };
    lw_status st = read_object(&out->before, conn, place, err);
    if (st == LW_OK && out->before && options->takes_over && !options->is_dry_run)
        st = take_over(conn, place, out->before, manager, err);
    if (st == LW_OK)
        st = send(conn, place, options, manager, &now, err);
    if (st == LW_OK)
        st = lw_document_from_object(&out->after, now, err);
    lw_object_unref(now);
    return st;
}

void applied_done(applied *a)
{
    lw_document_free(a->before);
    lw_document_free(a->after);
    *a = (applied){ NULL, NULL };
}

static void drop_bookkeeping(lw_document *doc)
{
    (void)lw_document_remove(doc, NULL, "/metadata/managedFields");
    (void)lw_document_remove(doc, NULL, "/metadata/resourceVersion");
    (void)lw_document_remove(doc, NULL, "/metadata/generation");
}

bool applied_is_same(const applied *a)
{
    if (!a->before || !a->after)
        return false;
    drop_bookkeeping(a->before);
    drop_bookkeeping(a->after);
    return lw_document_equal(lw_document_find(a->before, NULL, ""),
                             lw_document_find(a->after, NULL, ""));
}
