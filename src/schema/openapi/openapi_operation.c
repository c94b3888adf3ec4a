/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_operation.c -- parameters, request bodies and responses.
 *
 * kubectl reads only the PATCH operations: their kind, whether they take dryRun and
 * fieldValidation, and the patch types. */
#include "schema/openapi/openapi_operation.h"

#include "base/str.h"
#include "schema/openapi/openapi_leaf.h"

static const char *const object_types[] = { "application/json",
                                            "application/vnd.kubernetes.protobuf",
                                            "application/yaml", NULL };
static const char *const custom_types[] = { "application/json", "application/yaml", NULL };
static const char *const patch_types[] = { "application/apply-patch+yaml",
                                           "application/json-patch+json",
                                           "application/merge-patch+json", NULL };
static const char *const strategic_types[] = { "application/apply-patch+yaml",
                                               "application/json-patch+json",
                                               "application/merge-patch+json",
                                               "application/strategic-merge-patch+json", NULL };

/* Returns the media types of objects. */
static const char *const *forms_of(const lw_openapi_subject *subject)
{
    return subject->is_builtin ? object_types : custom_types;
}

static const char *const *body_types(const lw_openapi_operation *op,
                                     const lw_openapi_subject *subject)
{
    if (op->verb != LW_VERB_PATCH)
        return forms_of(subject);
    return subject->is_builtin ? strategic_types : patch_types;
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

static void write_true(lw_openapi_writer *o, const char *key)
{
    lw_json_write_key(o->w, lw_str_of(key));
    lw_json_write_bool(o->w, true);
}

static void write_param_type(lw_openapi_writer *o, const char *name)
{
    lw_json_write_member_string(o->w, "type", lw_str_of(param_type(name)));
    write_true(o, "uniqueItems");
}

void lw_openapi_write_param(lw_openapi_writer *o, const char *name, bool is_in_path)
{
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "name", lw_str_of(name));
    lw_json_write_member_string(o->w, "in", is_in_path ? LW_STR("path") : LW_STR("query"));
    if (is_in_path)
        write_true(o, "required");
    if (o->dialect == LW_OPENAPI_2) {
        write_param_type(o, name);
    } else {
        lw_json_write_key(o->w, LW_STR("schema"));
        lw_json_write_object_begin(o->w);
        write_param_type(o, name);
        lw_json_write_object_end(o->w);
    }
    lw_json_write_object_end(o->w);
}

static void write_types(lw_openapi_writer *o, const char *key, const char *const *types)
{
    lw_json_write_key(o->w, lw_str_of(key));
    lw_json_write_array_begin(o->w);
    for (; *types; types++)
        lw_json_write_string(o->w, lw_str_of(*types));
    lw_json_write_array_end(o->w);
}

/* Writes "schema":{"$ref":...}; of a patch if |gvk| is NULL. */
static void write_schema(lw_openapi_writer *o, const lw_gvk *gvk)
{
    lw_json_write_key(o->w, LW_STR("schema"));
    lw_json_write_object_begin(o->w);
    if (gvk)
        lw_openapi_write_ref_object(o, *gvk);
    else
        lw_openapi_write_ref(o, lw_openapi_leaves[LW_OPENAPI_PATCH].name);
    lw_json_write_object_end(o->w);
}

/* OpenAPI 3.0: "content":{"application/json":{"schema":...},...} */
static void write_content(lw_openapi_writer *o, const char *const *types, const lw_gvk *gvk)
{
    lw_json_write_key(o->w, LW_STR("content"));
    lw_json_write_object_begin(o->w);
    for (; *types; types++) {
        lw_json_write_key(o->w, lw_str_of(*types));
        lw_json_write_object_begin(o->w);
        write_schema(o, gvk);
        lw_json_write_object_end(o->w);
    }
    lw_json_write_object_end(o->w);
}

/* OpenAPI 2.0: the body is one of the parameters. */
static void write_body_param(lw_openapi_writer *o, const lw_gvk *gvk)
{
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "name", LW_STR("body"));
    lw_json_write_member_string(o->w, "in", LW_STR("body"));
    write_true(o, "required");
    write_schema(o, gvk);
    lw_json_write_object_end(o->w);
}

static void write_params(lw_openapi_writer *o, const lw_openapi_operation *op, const lw_gvk *body)
{
    bool has_body_param = op->has_body && o->dialect == LW_OPENAPI_2;
    if (!op->params[0] && !has_body_param)
        return;
    lw_json_write_key(o->w, LW_STR("parameters"));
    lw_json_write_array_begin(o->w);
    if (has_body_param)
        write_body_param(o, body);
    for (const char *const *name = op->params; *name; name++)
        lw_openapi_write_param(o, *name, false);
    lw_json_write_array_end(o->w);
}

static void write_responses(lw_openapi_writer *o, const lw_openapi_operation *op,
                            const lw_openapi_subject *subject)
{
    lw_json_write_key(o->w, LW_STR("responses"));
    lw_json_write_object_begin(o->w);
    lw_json_write_key(o->w, lw_str_of(op->status));
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "description", LW_STR("OK"));
    if (o->dialect == LW_OPENAPI_2)
        write_schema(o, &subject->reply);
    else
        write_content(o, forms_of(subject), &subject->reply);
    lw_json_write_object_end(o->w);
    lw_json_write_object_end(o->w);
}

void lw_openapi_write_operation(lw_openapi_writer *o, const lw_openapi_operation *op,
                                const lw_openapi_subject *subject)
{
    const lw_gvk *body = op->verb == LW_VERB_PATCH ? NULL : &subject->gvk;
    const char *const *types = body_types(op, subject);
    lw_json_write_key(o->w, lw_str_of(op->method));
    lw_json_write_object_begin(o->w);
    if (o->dialect == LW_OPENAPI_2) {
        if (op->has_body)
            write_types(o, "consumes", types);
        write_types(o, "produces", forms_of(subject));
    }
    write_params(o, op, body);
    if (op->has_body && o->dialect == LW_OPENAPI_3) {
        lw_json_write_key(o->w, LW_STR("requestBody"));
        lw_json_write_object_begin(o->w);
        write_content(o, types, body);
        write_true(o, "required");
        lw_json_write_object_end(o->w);
    }
    write_responses(o, op, subject);
    lw_json_write_member_string(o->w, "x-kubernetes-action", lw_str_of(op->action));
    lw_openapi_write_gvk(o, subject->gvk);
    lw_json_write_object_end(o->w);
}
