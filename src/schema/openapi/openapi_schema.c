/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_schema.c -- writes fields as properties: type, description, and how they are merged. */
#include "schema/openapi/openapi_schema.h"

#include "base/str.h"
#include "schema/openapi/openapi_leaf.h"
#include "schema/types/type_table.h"

/* The JSON type of a value without a model. */
typedef struct plain_type {
    const char *type;
    const char *format; /* NULL: none */
} plain_type;

static plain_type plain_of(lw_type_form form)
{
    switch (form) {
    case LW_TYPE_BOOL: return (plain_type){ "boolean", NULL };
    case LW_TYPE_INT32: return (plain_type){ "integer", "int32" };
    case LW_TYPE_INT64: return (plain_type){ "integer", "int64" };
    case LW_TYPE_DOUBLE: return (plain_type){ "number", "double" };
    case LW_TYPE_BYTES: return (plain_type){ "string", "byte" };
    case LW_TYPE_LIST: return (plain_type){ "array", NULL };
    case LW_TYPE_MAP: return (plain_type){ "object", NULL };
    default: return (plain_type){ "string", NULL };
    }
}

static bool has_model(const lw_type *type)
{
    return type->form == LW_TYPE_STRUCT || type->form == LW_TYPE_EITHER ||
           lw_openapi_leaf_of(type) >= 0;
}

static void write_ref(lw_openapi_writer *o, const lw_type *type)
{
    int leaf = lw_openapi_leaf_of(type);
    if (leaf >= 0)
        lw_openapi_write_ref(o, lw_openapi_leaves[leaf].name);
    else
        lw_openapi_write_ref_type(o, type);
}

static void write_element(lw_openapi_writer *o, const char *key, const lw_type *element);

/* Writes the schema of |type|, which has no model. */
static void write_plain(lw_openapi_writer *o, const lw_type *type)
{
    plain_type plain = plain_of(type->form);
    if (type->form == LW_TYPE_LIST)
        write_element(o, "items", type->element);
    else if (type->form == LW_TYPE_MAP)
        write_element(o, "additionalProperties", type->element);
    lw_json_write_member_string(o->w, "type", lw_str_of(plain.type));
    if (plain.format)
        lw_json_write_member_string(o->w, "format", lw_str_of(plain.format));
}

static void write_element(lw_openapi_writer *o, const char *key, const lw_type *element)
{
    const lw_type *type = lw_type_in_json(element);
    lw_json_write_key(o->w, lw_str_of(key));
    lw_json_write_object_begin(o->w);
    if (has_model(type))
        write_ref(o, type);
    else
        write_plain(o, type);
    lw_json_write_object_end(o->w);
}

/* In OpenAPI 3.0 a reference must have no siblings, so it is written as the only item of allOf. */
static void write_property_ref(lw_openapi_writer *o, const lw_type *type)
{
    if (o->dialect == LW_OPENAPI_2) {
        write_ref(o, type);
        return;
    }
    lw_json_write_key(o->w, LW_STR("allOf"));
    lw_json_write_array_begin(o->w);
    lw_json_write_object_begin(o->w);
    write_ref(o, type);
    lw_json_write_object_end(o->w);
    lw_json_write_array_end(o->w);
}

static void write_list_rules(lw_openapi_writer *o, const lw_field *field)
{
    const char *type = NULL;
    if (field->flags & LW_FIELD_LIST_ATOMIC)
        type = "atomic";
    else if (field->flags & LW_FIELD_LIST_SET)
        type = "set";
    else if (field->flags & LW_FIELD_LIST_MAP)
        type = "map";
    if (field->flags & LW_FIELD_LIST_MAP) {
        lw_json_write_key(o->w, LW_STR("x-kubernetes-list-map-keys"));
        lw_json_write_array_begin(o->w);
        for (const lw_str *key = field->rules->list_keys; key->len > 0; key++)
            lw_json_write_string(o->w, *key);
        lw_json_write_array_end(o->w);
    }
    if (type)
        lw_json_write_member_string(o->w, "x-kubernetes-list-type", lw_str_of(type));
    if (field->flags & LW_FIELD_ATOMIC)
        lw_json_write_member_string(o->w, "x-kubernetes-map-type", LW_STR("atomic"));
}

static void write_patch_rules(lw_openapi_writer *o, const lw_field *field)
{
    unsigned merges = field->flags & (LW_FIELD_PATCH_MERGE | LW_FIELD_RETAIN_KEYS);
    const char *strategy = NULL;
    if (merges == (LW_FIELD_PATCH_MERGE | LW_FIELD_RETAIN_KEYS))
        strategy = "merge,retainKeys";
    else if (merges)
        strategy = merges & LW_FIELD_PATCH_MERGE ? "merge" : "retainKeys";
    else if (field->flags & LW_FIELD_PATCH_REPLACE)
        strategy = "replace";
    if (field->rules && field->rules->patch_key.len > 0)
        lw_json_write_member_string(o->w, "x-kubernetes-patch-merge-key", field->rules->patch_key);
    if (strategy)
        lw_json_write_member_string(o->w, "x-kubernetes-patch-strategy", lw_str_of(strategy));
}

static void write_description(lw_openapi_writer *o, uint32_t description)
{
    lw_str text = lw_type_text(description);
    if (text.len > 0)
        lw_json_write_member_string(o->w, "description", text);
}

static void write_property(lw_openapi_writer *o, const lw_field *field)
{
    const lw_type *type = lw_type_in_json(field->type);
    lw_json_write_key(o->w, field->name);
    lw_json_write_object_begin(o->w);
    write_description(o, field->description);
    if (has_model(type))
        write_property_ref(o, type);
    else
        write_plain(o, type);
    /* Kubernetes writes defaults only in OpenAPI 3.0. */
    if (o->dialect == LW_OPENAPI_3 && field->rules && field->rules->fallback.len > 0) {
        lw_json_write_key(o->w, LW_STR("default"));
        lw_json_write_raw(o->w, field->rules->fallback);
    }
    write_list_rules(o, field);
    write_patch_rules(o, field);
    lw_json_write_object_end(o->w);
}

static void write_required(lw_openapi_writer *o, const lw_type *type)
{
    bool has_one = false;
    for (size_t i = 0; i < type->member_count; i++) {
        const lw_field *field = type->members[i].field;
        if (!(field->flags & LW_FIELD_IS_REQUIRED))
            continue;
        if (!has_one) {
            lw_json_write_key(o->w, LW_STR("required"));
            lw_json_write_array_begin(o->w);
        }
        has_one = true;
        lw_json_write_string(o->w, field->name);
    }
    if (has_one)
        lw_json_write_array_end(o->w);
}

/* Writes the kinds of an object.  DeleteOptions has several. */
static void write_gvks(lw_openapi_writer *o, const lw_type *type)
{
    bool has_one = false;
    for (size_t i = 0; i < lw_type_kind_count; i++) {
        if (lw_type_kinds[i].type != type)
            continue;
        if (!has_one)
            lw_openapi_write_gvk_begin(o);
        has_one = true;
        lw_openapi_write_gvk_next(o, lw_type_kinds[i].gvk);
    }
    if (has_one)
        lw_openapi_write_gvk_end(o);
}

static void write_struct(lw_openapi_writer *o, const lw_type *type)
{
    lw_json_write_member_string(o->w, "type", LW_STR("object"));
    if (type->member_count > 0) { /* kubectl rejects all members if the list is empty */
        lw_json_write_key(o->w, LW_STR("properties"));
        lw_json_write_object_begin(o->w);
        for (size_t i = 0; i < type->member_count; i++)
            write_property(o, type->members[i].field);
        lw_json_write_object_end(o->w);
    }
    write_required(o, type);
    write_gvks(o, type);
    if (type->is_atomic)
        lw_json_write_member_string(o->w, "x-kubernetes-map-type", LW_STR("atomic"));
}

void lw_openapi_write_model(lw_openapi_writer *o, const lw_type *type)
{
    lw_buf_reset(&o->text);
    lw_openapi_append_type(type, &o->text);
    lw_openapi_write_text_key(o);
    lw_json_write_object_begin(o->w);
    write_description(o, type->description);
    if (type->form == LW_TYPE_STRUCT)
        write_struct(o, type);
    lw_json_write_object_end(o->w);
}
