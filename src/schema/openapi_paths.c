/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_paths.c -- what may be asked of a kind, as OpenAPI operations.
 *
 * kubectl looks at the PATCH operations alone: which kind they are for, whether they take
 * fieldValidation, and which sorts of patch. */
#include "schema/openapi_paths.h"

#include "base/str.h"
#include "schema/discovery_parts.h"
#include "schema/subresource.h"

/* One method of a path. */
typedef struct openapi_operation {
    unsigned verb;             /* LW_VERB_: offered when the resource has it */
    const char *method;        /* "get" */
    const char *action;        /* x-kubernetes-action */
    const char *status;        /* of success */
    bool has_body;             /* takes an object */
    const char *const *params; /* in the query; ends with NULL */
} openapi_operation;

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

/* In the order of the methods' names, as Kubernetes writes them. */
static const openapi_operation collection_operations[] = {
    { LW_VERB_DELETE_COLLECTION, "delete", "deletecollection", "200", false, list_params },
    { LW_VERB_LIST, "get", "list", "200", false, list_params },
    { LW_VERB_CREATE, "post", "post", "201", true, write_params },
    { 0, NULL, NULL, NULL, false, NULL },
};
static const openapi_operation object_operations[] = {
    { LW_VERB_DELETE, "delete", "delete", "200", false, delete_params },
    { LW_VERB_GET, "get", "get", "200", false, no_params },
    { LW_VERB_PATCH, "patch", "patch", "200", true, patch_params },
    { LW_VERB_CREATE, "post", "post", "201", true, write_params },
    { LW_VERB_UPDATE, "put", "put", "200", true, write_params },
    { 0, NULL, NULL, NULL, false, NULL },
};

void lw_openapi_append_schema_name(lw_gvk gvk, lw_buf *out)
{
    lw_str first, rest;
    (void)lw_str_cut(gvk.group, '.', &first, &rest);
    lw_buf_append_text(out, "io.k8s.api.");
    lw_buf_append_str(out, first.len > 0 ? first : LW_STR("core"));
    lw_buf_append_char(out, '.');
    lw_buf_append_str(out, gvk.version);
    lw_buf_append_char(out, '.');
    lw_buf_append_str(out, gvk.kind);
}

static const char *param_type(const char *name)
{
    static const char *const booleans[] = { "allowWatchBookmarks", "force", "orphanDependents",
                                            "sendInitialEvents", "watch" };
    static const char *const integers[] = { "gracePeriodSeconds", "limit", "timeoutSeconds" };
    for (size_t i = 0; i < sizeof(booleans) / sizeof(booleans[0]); i++) {
        if (strcmp(name, booleans[i]) == 0)
            return "boolean";
    }
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        if (strcmp(name, integers[i]) == 0)
            return "integer";
    }
    return "string";
}

static void write_param(const char *name, bool is_in_path, lw_json_writer *w)
{
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "name", lw_str_of(name));
    lw_json_write_member_string(w, "in", is_in_path ? LW_STR("path") : LW_STR("query"));
    if (is_in_path) {
        lw_json_write_key(w, LW_STR("required"));
        lw_json_write_bool(w, true);
    }
    lw_json_write_key(w, LW_STR("schema"));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "type", lw_str_of(param_type(name)));
    lw_json_write_key(w, LW_STR("uniqueItems"));
    lw_json_write_bool(w, true);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

/* "application/json":{"schema":{...}}; of any object when |gvk| is NULL. */
static void write_media(const char *type, const lw_gvk *gvk, lw_json_writer *w)
{
    lw_json_write_key(w, lw_str_of(type));
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("schema"));
    lw_json_write_object_begin(w);
    if (gvk) {
        lw_buf ref;
        lw_buf_init(&ref, LW_DISCOVERY_NAME_MAX);
        lw_buf_append_text(&ref, "#/components/schemas/");
        lw_openapi_append_schema_name(*gvk, &ref);
        lw_json_write_key(w, LW_STR("$ref"));
        lw_discovery_write_text(&ref, w);
    } else {
        lw_json_write_member_string(w, "type", LW_STR("object"));
    }
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

/* Strategic merge patches are taken, too, but not named here: kubectl would then look for merge
 * keys in the schemas and, not finding them, warn before it falls back to those it knows by itself.
 */
static void write_patch_media(lw_json_writer *w)
{
    write_media("application/apply-patch+yaml", NULL, w);
    write_media("application/json-patch+json", NULL, w);
    write_media("application/merge-patch+json", NULL, w);
}

static void write_body(const openapi_operation *op, lw_gvk gvk, lw_json_writer *w)
{
    lw_json_write_key(w, LW_STR("requestBody"));
    lw_json_write_object_begin(w);
    lw_json_write_key(w, LW_STR("content"));
    lw_json_write_object_begin(w);
    if (op->verb == LW_VERB_PATCH)
        write_patch_media(w);
    else
        write_media("application/json", &gvk, w);
    lw_json_write_object_end(w);
    lw_json_write_key(w, LW_STR("required"));
    lw_json_write_bool(w, true);
    lw_json_write_object_end(w);
}

static void write_responses(const openapi_operation *op, lw_gvk gvk, lw_json_writer *w)
{
    bool is_list = op->verb == LW_VERB_LIST || op->verb == LW_VERB_DELETE_COLLECTION;
    lw_json_write_key(w, LW_STR("responses"));
    lw_json_write_object_begin(w);
    lw_json_write_key(w, lw_str_of(op->status));
    lw_json_write_object_begin(w);
    lw_json_write_member_string(w, "description", LW_STR("OK"));
    lw_json_write_key(w, LW_STR("content"));
    lw_json_write_object_begin(w);
    write_media("application/json", is_list ? NULL : &gvk, w);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
    lw_json_write_object_end(w);
}

static void write_operation(const openapi_operation *op, lw_gvk gvk, lw_json_writer *w)
{
    lw_json_write_key(w, lw_str_of(op->method));
    lw_json_write_object_begin(w);
    if (op->params[0]) {
        lw_json_write_key(w, LW_STR("parameters"));
        lw_json_write_array_begin(w);
        for (const char *const *name = op->params; *name; name++)
            write_param(*name, false, w);
        lw_json_write_array_end(w);
    }
    if (op->has_body)
        write_body(op, gvk, w);
    write_responses(op, gvk, w);
    lw_json_write_member_string(w, "x-kubernetes-action", lw_str_of(op->action));
    lw_discovery_write_gvk("x-kubernetes-group-version-kind", gvk, w);
    lw_json_write_object_end(w);
}

/* Where a path stands below its group and version. */
typedef struct openapi_path {
    bool in_namespace;
    bool has_name;
    lw_str subresource;
} openapi_path;

static void write_path_key(const lw_kind *kind, const openapi_path *path, lw_json_writer *w)
{
    lw_buf text;
    lw_buf_init(&text, LW_DISCOVERY_NAME_MAX);
    lw_buf_append_text(&text, kind->group.len > 0 ? "/apis/" : "/api");
    lw_buf_append_str(&text, kind->group);
    lw_buf_append_char(&text, '/');
    lw_buf_append_str(&text, kind->version);
    lw_buf_append_text(&text, path->in_namespace ? "/namespaces/{namespace}/" : "/");
    lw_buf_append_str(&text, kind->plural);
    if (path->has_name)
        lw_buf_append_text(&text, "/{name}");
    if (path->subresource.len > 0)
        lw_buf_append_char(&text, '/');
    lw_buf_append_str(&text, path->subresource);
    lw_discovery_write_key(&text, w);
}

static void write_path(const lw_kind *kind, const openapi_path *path, unsigned verbs, lw_gvk gvk,
                       lw_json_writer *w)
{
    const openapi_operation *op = path->has_name ? object_operations : collection_operations;
    /* Of an object that has a name, only subresources are created. */
    if (path->has_name && path->subresource.len == 0)
        verbs &= ~(unsigned)LW_VERB_CREATE;
    write_path_key(kind, path, w);
    lw_json_write_object_begin(w);
    for (; op->verb; op++) {
        if (verbs & op->verb)
            write_operation(op, gvk, w);
    }
    lw_json_write_key(w, LW_STR("parameters"));
    lw_json_write_array_begin(w);
    if (path->has_name)
        write_param("name", true, w);
    if (path->in_namespace)
        write_param("namespace", true, w);
    write_param("pretty", false, w);
    lw_json_write_array_end(w);
    lw_json_write_object_end(w);
}

void lw_openapi_write_paths(const lw_kind *kind, lw_json_writer *w)
{
    const lw_gvk gvk = { kind->group, kind->version, kind->kind };
    openapi_path path = { .in_namespace = kind->is_namespaced };
    if (kind->is_namespaced) /* over all namespaces */
        write_path(kind, &(openapi_path){ .in_namespace = false }, LW_VERB_LIST, gvk, w);
    write_path(kind, &path, kind->verbs, gvk, w);
    path.has_name = true;
    write_path(kind, &path, kind->verbs, gvk, w);
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        path.subresource = sub->name;
        if (kind->subresources & sub->bit)
            write_path(kind, &path, sub->verbs, lw_subresource_gvk(sub, kind), w);
    }
}
