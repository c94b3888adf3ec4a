/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_custom.c -- writes the schema of a definition as a model.
 *
 * The schema is read from the stored definition for each document, so that descriptions are
 * complete and no memory is used between requests.  Schemas are OpenAPI 3.0.  What OpenAPI 2.0 or
 * old versions of kubectl do not support is removed, so the model may be weaker than the schema but
 * not wrong. */
#include "schema/openapi/openapi_custom.h"

#include "base/str.h"
#include "schema/kinds/definition.h"
#include "json/tree.h"

enum {
    SOURCE_MAX = 64 * 1024 * 1024, /* bytes of the parsed definition */
};

#define OBJECT_META "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
#define LIST_META   "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta"

/* An edit of a schema, applied to it and then to the schemas in it. */
typedef void (*schema_edit)(lw_openapi_dialect dialect, lw_tree *tree, lw_node *schema);

static lw_node *get(const lw_node *object, const char *key)
{
    return lw_node_get(object, lw_str_of(key));
}

/* Returns the member |key| if it has |type|.  Another server may have stored an invalid schema. */
static lw_node *get_as(const lw_node *object, const char *key, lw_json_type type)
{
    lw_node *value = get(object, key);
    return lw_node_is(value, type) ? value : NULL;
}

static void put(lw_tree *tree, lw_node *object, const char *key, const char *json)
{
    lw_node *value = NULL;
    if (lw_tree_parse_node(tree, lw_str_of(json), &value, NULL) == LW_OK)
        lw_node_put(tree, object, lw_str_of(key), value);
}

static void take_out(lw_node *schema, const char *key)
{
    (void)lw_node_remove(schema, lw_str_of(key));
}

static bool has_type(const lw_node *schema, const char *type)
{
    return lw_str_equal(lw_node_text(get(schema, "type")), lw_str_of(type));
}

static void edit_all(lw_openapi_dialect dialect, lw_tree *tree, lw_node *schema, schema_edit edit)
{
    if (!lw_node_is(schema, LW_JSON_OBJECT))
        return;
    edit(dialect, tree, schema);
    const lw_node *properties = get_as(schema, "properties", LW_JSON_OBJECT);
    for (size_t i = 0; i < lw_node_count(properties); i++)
        edit_all(dialect, tree, lw_node_at(properties, i), edit);
    edit_all(dialect, tree, get(schema, "items"), edit);
    edit_all(dialect, tree, get(schema, "additionalProperties"), edit);
}

/* For clients without null, a nullable property becomes an optional one. */
static void forgive_nullable(lw_node *schema)
{
    const lw_node *properties = get_as(schema, "properties", LW_JSON_OBJECT);
    lw_node *required = get_as(schema, "required", LW_JSON_ARRAY);
    for (size_t i = lw_node_count(required); i > 0; i--) {
        const lw_node *property =
            lw_node_get(properties, lw_node_text(lw_node_at(required, i - 1)));
        if (lw_node_bool(get(property, "nullable")))
            lw_node_remove_at(required, i - 1);
    }
    if (required && lw_node_count(required) == 0)
        take_out(schema, "required");
}

/* Old versions of kubectl treat schemas with properties as complete, and support lists of one type
 * only. */
static void weaken(lw_openapi_dialect dialect, lw_tree *tree, lw_node *schema)
{
    static const char *const junctors[] = { "allOf", "anyOf", "oneOf", "not" };
    bool preserves = lw_node_bool(get(schema, "x-kubernetes-preserve-unknown-fields"));
    bool is_nullable = lw_node_bool(get(schema, "nullable"));
    (void)dialect;
    (void)tree;
    for (size_t i = 0; i < sizeof(junctors) / sizeof(junctors[0]); i++)
        take_out(schema, junctors[i]);
    take_out(schema, "nullable");
    if (is_nullable || (preserves && has_type(schema, "object")))
        take_out(schema, "type");
    if (is_nullable || preserves) {
        take_out(schema, "items");
        take_out(schema, "properties");
    }
    if (has_type(schema, "array") && !get(schema, "items"))
        take_out(schema, "type");
    forgive_nullable(schema);
}

/* Adds the members that every object has. */
static void add_object_members(lw_openapi_dialect dialect, lw_tree *tree, lw_node *schema)
{
    if (!get_as(schema, "properties", LW_JSON_OBJECT))
        lw_node_put(tree, schema, LW_STR("properties"), lw_tree_object(tree));
    lw_node *properties = get_as(schema, "properties", LW_JSON_OBJECT);
    if (!properties)
        return; /* out of memory; the failure is sticky in the tree */
    put(tree, properties, "apiVersion",
        "{\"description\":\"APIVersion defines the group and version of the object.\",\"type\":"
        "\"string\"}");
    put(tree, properties, "kind", "{\"description\":\"Kind of the object.\",\"type\":\"string\"}");
    put(tree, properties, "metadata",
        dialect == LW_OPENAPI_2 ? "{\"$ref\":\"#/definitions/" OBJECT_META
                                  "\",\"description\":\"Standard object's metadata.\"}"
                                : "{\"allOf\":[{\"$ref\":\"#/components/schemas/" OBJECT_META
                                  "\"}],\"description\":\"Standard object's metadata.\"}");
}

static void complete_embedded(lw_openapi_dialect dialect, lw_tree *tree, lw_node *schema)
{
    bool takes_any = lw_node_bool(get(schema, "x-kubernetes-preserve-unknown-fields"));
    if (lw_node_bool(get(schema, "x-kubernetes-embedded-resource")) &&
        (dialect == LW_OPENAPI_3 || !takes_any))
        add_object_members(dialect, tree, schema);
}

/* Returns the schema of the version of |kind|; NULL: none. */
static lw_node *find_schema(const lw_tree *tree, const lw_kind *kind)
{
    const lw_node *versions = get(get(lw_tree_root(tree), "spec"), "versions");
    for (size_t i = 0; i < lw_node_count(versions); i++) {
        const lw_node *version = lw_node_at(versions, i);
        if (lw_str_equal(lw_node_text(get(version, "name")), kind->version))
            return get_as(get(version, "schema"), "openAPIV3Schema", LW_JSON_OBJECT);
    }
    return NULL;
}

/* Completes |schema| as the schema of whole objects. */
static void complete(lw_openapi_dialect dialect, lw_tree *tree, lw_node *schema)
{
    if (dialect == LW_OPENAPI_2)
        edit_all(dialect, tree, schema, weaken);
    edit_all(dialect, tree, schema, complete_embedded);
    put(tree, schema, "type", "\"object\"");
    add_object_members(dialect, tree, schema);
    lw_node_sort_keys(schema);
}

static void write_schema(lw_openapi_writer *o, const lw_node *schema, lw_gvk gvk)
{
    lw_json_write_object_begin(o->w);
    for (size_t i = 0; i < lw_node_count(schema); i++) {
        lw_json_write_key(o->w, lw_node_key_at(schema, i));
        lw_node_write(lw_node_at(schema, i), o->w);
    }
    if (!schema)
        lw_json_write_member_string(o->w, "type", LW_STR("object"));
    lw_openapi_write_gvk_begin(o);
    lw_openapi_write_gvk_next(o, gvk);
    lw_openapi_write_gvk_end(o);
    lw_json_write_object_end(o->w);
}

static void write_key(lw_openapi_writer *o, lw_gvk gvk)
{
    lw_buf_reset(&o->text);
    lw_openapi_append_object(gvk, &o->text);
    lw_openapi_write_text_key(o);
}

static void write_object(lw_openapi_writer *o, const lw_kind *kind, lw_gvk gvk)
{
    lw_tree *tree = NULL;
    const lw_object *crd = lw_definition_object(kind->custom->definition);
    lw_status st = lw_tree_parse(&tree, lw_object_json(crd), SOURCE_MAX, NULL);
    lw_openapi_fail(o, st);
    if (st < 0)
        return;
    lw_node *schema = find_schema(tree, kind);
    /* In OpenAPI 2.0, a root schema that preserves unknown fields is written without properties;
     * else kubectl would reject unknown members.  As in kube-apiserver, its description is omitted
     * too. */
    if (o->dialect == LW_OPENAPI_2 &&
        lw_node_bool(get(schema, "x-kubernetes-preserve-unknown-fields")))
        schema = NULL;
    if (schema)
        complete(o->dialect, tree, schema);
    lw_openapi_fail(o, lw_tree_status(tree));
    write_key(o, gvk);
    write_schema(o, schema, gvk);
    lw_tree_free(tree);
}

static void write_property(lw_openapi_writer *o, const char *name, const char *description)
{
    lw_json_write_key(o->w, lw_str_of(name));
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "description", lw_str_of(description));
    lw_json_write_member_string(o->w, "type", LW_STR("string"));
    lw_json_write_object_end(o->w);
}

static void write_list_properties(lw_openapi_writer *o, lw_gvk item)
{
    write_property(o, "apiVersion", "APIVersion defines the group and version of the object.");
    lw_json_write_key(o->w, LW_STR("items"));
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "description", LW_STR("The objects."));
    lw_json_write_key(o->w, LW_STR("items"));
    lw_json_write_object_begin(o->w);
    lw_openapi_write_ref_object(o, item);
    lw_json_write_object_end(o->w);
    lw_json_write_member_string(o->w, "type", LW_STR("array"));
    lw_json_write_object_end(o->w);
    write_property(o, "kind", "Kind of the object.");
    lw_json_write_key(o->w, LW_STR("metadata"));
    lw_json_write_object_begin(o->w);
    lw_openapi_write_ref(o, LW_STR(LIST_META));
    lw_json_write_object_end(o->w);
}

static void write_list(lw_openapi_writer *o, lw_gvk item, lw_gvk list)
{
    write_key(o, list);
    lw_json_write_object_begin(o->w);
    lw_json_write_member_string(o->w, "description", LW_STR("A list of custom resources."));
    lw_json_write_key(o->w, LW_STR("properties"));
    lw_json_write_object_begin(o->w);
    write_list_properties(o, item);
    lw_json_write_object_end(o->w);
    lw_json_write_key(o->w, LW_STR("required"));
    lw_json_write_raw(o->w, LW_STR("[\"items\"]"));
    lw_json_write_member_string(o->w, "type", LW_STR("object"));
    lw_openapi_write_gvk_begin(o);
    lw_openapi_write_gvk_next(o, list);
    lw_openapi_write_gvk_end(o);
    lw_json_write_object_end(o->w);
}

void lw_openapi_write_custom(lw_openapi_writer *o, const lw_kind *kind)
{
    const lw_gvk item = { kind->group, kind->version, kind->kind };
    const lw_gvk list = { kind->group, kind->version, kind->list_kind };
    write_object(o, kind, item);
    write_list(o, item, list);
}
