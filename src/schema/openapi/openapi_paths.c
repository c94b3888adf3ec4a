/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_paths.c -- the paths of a kind and their methods. */
#include "schema/openapi/openapi_paths.h"

#include "base/str.h"
#include "schema/kinds/subresource.h"
#include "schema/openapi/openapi_operation.h"

static const char *const no_params[] = { NULL };
static const char *const write_params[] = { "dryRun", "fieldManager", "fieldValidation", NULL };
static const char *const patch_params[] = { "dryRun", "fieldManager", "fieldValidation", "force",
                                            NULL };
static const char *const delete_params[] = { "dryRun", "gracePeriodSeconds", "orphanDependents",
                                             "propagationPolicy", NULL };
static const char *const list_params[] = {
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
    NULL,
};

/* Sorted by method, as in Kubernetes. */
static const lw_openapi_operation collection_operations[] = {
    { LW_VERB_DELETE_COLLECTION, "delete", "deletecollection", "200", false, list_params },
    { LW_VERB_LIST, "get", "list", "200", false, list_params },
    { LW_VERB_CREATE, "post", "post", "201", true, write_params },
    { 0, NULL, NULL, NULL, false, NULL },
};
static const lw_openapi_operation object_operations[] = {
    { LW_VERB_DELETE, "delete", "delete", "200", false, delete_params },
    { LW_VERB_GET, "get", "get", "200", false, no_params },
    { LW_VERB_PATCH, "patch", "patch", "200", true, patch_params },
    { LW_VERB_CREATE, "post", "post", "201", true, write_params },
    { LW_VERB_UPDATE, "put", "put", "200", true, write_params },
    { 0, NULL, NULL, NULL, false, NULL },
};

/* A path below its group and version. */
typedef struct openapi_path {
    bool in_namespace;
    bool has_name;
    lw_str subresource;
} openapi_path;

static void write_path_key(lw_openapi_writer *o, const lw_kind *kind, const openapi_path *path)
{
    lw_buf *text = &o->text;
    lw_buf_reset(text);
    lw_buf_append_text(text, kind->group.len > 0 ? "/apis/" : "/api");
    lw_buf_append_str(text, kind->group);
    lw_buf_append_char(text, '/');
    lw_buf_append_str(text, kind->version);
    lw_buf_append_text(text, path->in_namespace ? "/namespaces/{namespace}/" : "/");
    lw_buf_append_str(text, kind->plural);
    if (path->has_name)
        lw_buf_append_text(text, "/{name}");
    if (path->subresource.len > 0)
        lw_buf_append_char(text, '/');
    lw_buf_append_str(text, path->subresource);
    lw_openapi_write_text_key(o);
}

/* Returns the type of the response to |op|, whose request body is |gvk|. */
static lw_gvk reply_of(const lw_kind *kind, const lw_openapi_operation *op, lw_gvk gvk)
{
    const lw_gvk status = { .version = LW_STR("v1"), .kind = LW_STR("Status") };
    const lw_gvk list = { kind->group, kind->version, kind->list_kind };
    if (op->verb == LW_VERB_LIST)
        return list;
    if (op->verb == LW_VERB_DELETE_COLLECTION)
        return status;
    return op->verb == LW_VERB_DELETE && !(kind->flags & LW_KIND_DELETE_RETURNS) ? status : gvk;
}

static void write_path(lw_openapi_writer *o, const lw_kind *kind, const openapi_path *path,
                       unsigned verbs, lw_gvk gvk)
{
    const lw_openapi_operation *op = path->has_name ? object_operations : collection_operations;
    /* A named object itself is not created by POST; its subresources are. */
    if (path->has_name && path->subresource.len == 0)
        verbs &= ~(unsigned)LW_VERB_CREATE;
    write_path_key(o, kind, path);
    lw_json_write_object_begin(o->w);
    for (; op->verb; op++) {
        const lw_openapi_subject subject = { gvk, reply_of(kind, op, gvk), !kind->custom };
        if (verbs & op->verb)
            lw_openapi_write_operation(o, op, &subject);
    }
    lw_json_write_key(o->w, LW_STR("parameters"));
    lw_json_write_array_begin(o->w);
    if (path->has_name)
        lw_openapi_write_param(o, "name", true);
    if (path->in_namespace)
        lw_openapi_write_param(o, "namespace", true);
    lw_openapi_write_param(o, "pretty", false);
    lw_json_write_array_end(o->w);
    lw_json_write_object_end(o->w);
}

void lw_openapi_write_paths(lw_openapi_writer *o, const lw_kind *kind)
{
    const lw_gvk gvk = { kind->group, kind->version, kind->kind };
    openapi_path path = { .in_namespace = kind->is_namespaced };
    if (kind->is_namespaced && kind->verbs & LW_VERB_LIST) /* across all namespaces */
        write_path(o, kind, &(openapi_path){ .in_namespace = false }, LW_VERB_LIST, gvk);
    write_path(o, kind, &path, kind->verbs, gvk);
    path.has_name = true;
    if (kind->verbs & LW_VERBS_OF_OBJECT)
        write_path(o, kind, &path, kind->verbs, gvk);
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        path.subresource = sub->name;
        if (kind->subresources & sub->bit & ~(unsigned)LW_SUBS_CONNECTED)
            write_path(o, kind, &path, sub->verbs, lw_subresource_gvk(sub, kind));
    }
}
