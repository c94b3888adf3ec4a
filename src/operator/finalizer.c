/* SPDX-License-Identifier: Apache-2.0 */
/* finalizer.c -- reads, adds and removes finalizers. */
#include <listwatch/finalizer.h>

#include <stdio.h>
#include <string.h>

#include <listwatch/object_iter.h>

static const char finalizers_pointer[] = "/metadata/finalizers";

bool lw_finalizer_has(const lw_object *obj, const char *name)
{
    lw_iter at = lw_object_iter(obj, finalizers_pointer);
    while (lw_iter_next(&at)) {
        if (strcmp(lw_iter_string(&at, "", ""), name) == 0)
            return true;
    }
    return false;
}

bool lw_object_is_deleting(const lw_object *obj)
{
    lw_str time;
    return lw_object_raw(obj, "/metadata/deletionTimestamp", &time) == LW_OK &&
           !lw_str_equal(time, lw_str_of("null"));
}

/* Whether the finalizer at |index| is |name|. */
static bool is_at(lw_document *doc, size_t index, const char *name)
{
    const lw_value *all = lw_document_find(doc, NULL, finalizers_pointer);
    return strcmp(lw_document_string(doc, lw_document_item(all, index), "", ""), name) == 0;
}

static size_t count_of(const lw_document *doc)
{
    return lw_document_count(lw_document_find(doc, NULL, finalizers_pointer));
}

bool lw_finalizer_add(lw_document *doc, const char *name)
{
    for (size_t i = count_of(doc); i-- > 0;) {
        if (is_at(doc, i, name))
            return false;
    }
    return lw_document_set_string(doc, NULL, "/metadata/finalizers/-", name) != NULL;
}

bool lw_finalizer_remove(lw_document *doc, const char *name)
{
    char pointer[64];
    bool is_changed = false;
    for (size_t i = count_of(doc); i-- > 0;) {
        (void)snprintf(pointer, sizeof(pointer), "%s/%zu", finalizers_pointer, i);
        if (is_at(doc, i, name))
            is_changed |= lw_document_remove(doc, NULL, pointer);
    }
    return is_changed;
}

lw_status lw_finalizer_patch(const lw_object *obj, const char *name, bool is_wanted,
                             lw_document **out, lw_error *err)
{
    lw_document *doc = NULL;
    lw_str all;
    if (lw_finalizer_has(obj, name) == is_wanted) {
        *out = NULL;
        return LW_OK;
    }
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_document_set_string(doc, NULL, "/metadata/uid", lw_object_uid(obj));
    lw_document_set_string(doc, NULL, "/metadata/resourceVersion", lw_object_resource_version(obj));
    lw_document_set_array(doc, NULL, finalizers_pointer);
    if (lw_object_raw(obj, finalizers_pointer, &all) == LW_OK)
        lw_document_set_json(doc, NULL, finalizers_pointer, all);
    (void)(is_wanted ? lw_finalizer_add(doc, name) : lw_finalizer_remove(doc, name));
    st = lw_document_status(doc);
    if (st < 0) {
        lw_document_free(doc);
        return lw_error_set(err, st, "cannot make the patch of a finalizer: %s",
                            lw_status_name(st));
    }
    *out = doc;
    return LW_OK;
}

lw_status lw_finalizer_write(lw_client *client, lw_gvr gvr, const lw_object *obj, const char *name,
                             bool is_wanted, bool *is_changed, lw_error *err)
{
    lw_document *doc = NULL;
    lw_str patch = { NULL, 0 };
    lw_status st = lw_finalizer_patch(obj, name, is_wanted, &doc, err);
    bool is_needed = st == LW_OK && doc;
    if (is_needed)
        st = lw_document_json(doc, NULL, &patch, err);
    if (is_needed && st == LW_OK) {
        lw_error failed = LW_ERROR_INIT;
        st = lw_client_patch(client, gvr, lw_object_namespace(obj), lw_object_name(obj), patch,
                             NULL, NULL, &failed);
        if (st == LW_ERR_NOT_FOUND && !is_wanted)
            st = LW_OK;
        else if (st < 0 && err)
            *err = failed;
    }
    if (st == LW_OK && is_changed)
        *is_changed = is_needed;
    lw_document_free(doc);
    return st;
}
