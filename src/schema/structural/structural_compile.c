/* SPDX-License-Identifier: Apache-2.0 */
/* structural_compile.c -- compiles openAPIV3Schema, and reports what a definition may not contain.
 *
 * A structural schema declares the type of each value.  Below allOf, anyOf, oneOf and not it
 * contains only value validations. */
#include "schema/structural/structural_node.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/structural/structural_index.h"
#include "schema/structural/structural_rules.h"
#include "json/text.h"

enum {
    PATH_MAX_BYTES = 64 * 1024,
    TEXT_MAX = 1024 * 1024, /* bytes of one string or default */
};

typedef struct compiler {
    lw_tree *texts;
    lw_api_status *errors;
    lw_buf path;
    size_t nodes;
    size_t pattern_steps; /* of all patterns so far */
    unsigned depth;
    unsigned junctors; /* nesting levels of allOf, anyOf, oneOf and not */
    lw_structural_scope rules;
    lw_status st;
} compiler;

static const lw_node *get(const lw_node *object, const char *key)
{
    return lw_node_get(object, lw_str_of(key));
}

static lw_structural_node *compile(compiler *c, const lw_node *schema);
static lw_structural_node *compile_at(compiler *c, const lw_node *schema, const char *member,
                                      const lw_str *name);

static void add_error(compiler *c, lw_field_fault kind, const char *member, lw_str value,
                      const char *detail)
{
    size_t len = c->path.len;
    if (member[0] != '\0')
        lw_buf_append_char(&c->path, '.');
    lw_buf_append_text(&c->path, member);
    if (c->path.st == LW_OK)
        lw_api_status_add_field_error(c->errors, kind, lw_buf_view(&c->path), value,
                                      lw_str_of(detail));
    lw_buf_truncate(&c->path, len);
}

static void forbid(compiler *c, const char *member, const char *detail)
{
    add_error(c, LW_FIELD_FORBIDDEN, member, LW_STR(""), detail);
}

static lw_str keep(compiler *c, lw_str text)
{
    return lw_node_text(lw_tree_string(c->texts, text));
}

/* Copies |node| as JSON. */
static lw_str keep_json(compiler *c, const lw_node *node)
{
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, TEXT_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    if (lw_json_writer_status(&w) < 0 && c->st == LW_OK)
        c->st = lw_json_writer_status(&w);
    lw_str kept = keep(c, lw_buf_view(&json));
    lw_buf_done(&json);
    return kept;
}

static void *make(compiler *c, size_t count, size_t size)
{
    void *block = lw_alloc_zero(count + 1, size);
    if (!block && c->st == LW_OK)
        c->st = LW_ERR_NOMEM;
    return block;
}

static void read_texts(compiler *c, const lw_node *list, bool as_json, lw_structural_texts *out)
{
    size_t count = lw_node_count(list);
    if (!lw_node_is(list, LW_JSON_ARRAY) || !(out->at = make(c, count, sizeof(lw_str))))
        return;
    for (size_t i = 0; i < count; i++) {
        const lw_node *element = lw_node_at(list, i);
        out->at[out->count++] = as_json ? keep_json(c, element) : keep(c, lw_node_text(element));
    }
}

static lw_structural_limit read_limit(compiler *c, const lw_node *schema, const char *key)
{
    const lw_node *node = get(schema, key);
    lw_structural_limit limit = { .is_set = false };
    if (!node)
        return limit;
    if (!lw_node_is(node, LW_JSON_NUMBER)) {
        add_error(c, LW_FIELD_INVALID, key, lw_node_text(node), "must be a number");
        return limit;
    }
    limit.is_set = true;
    limit.text = keep(c, lw_node_text(node));
    limit.value = lw_json_number_to_double(limit.text);
    return limit;
}

static lw_structural_type type_of(lw_str name)
{
    for (lw_structural_type type = LW_STRUCTURAL_OBJECT; type <= LW_STRUCTURAL_BOOLEAN; type++) {
        if (lw_str_equal(name, lw_str_of(lw_structural_type_name(type))))
            return type;
    }
    return LW_STRUCTURAL_ANY;
}

static const char *missing_type(const compiler *c)
{
    if (c->depth == 1)
        return "must not be empty at the root";
    return lw_str_ends_with(lw_buf_view(&c->path), LW_STR(".items"))
               ? "must not be empty for specified array items"
               : "must not be empty for specified object fields";
}

/* Below allOf, anyOf, oneOf and not, a type is allowed only as a part of int-or-string. */
static void read_type(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    lw_str name = lw_node_text(get(schema, "type"));
    node->type = type_of(name);
    node->is_int_or_string = lw_node_bool(get(schema, "x-kubernetes-int-or-string"));
    node->preserves = lw_node_bool(get(schema, "x-kubernetes-preserve-unknown-fields"));
    node->is_embedded = lw_node_bool(get(schema, "x-kubernetes-embedded-resource"));
    node->is_nullable = lw_node_bool(get(schema, "nullable"));
    if (name.len > 0 && node->type == LW_STRUCTURAL_ANY)
        add_error(c, LW_FIELD_NOT_SUPPORTED, "type", name,
                  "supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", "
                  "\"string\"");
    const lw_node *preserves = get(schema, "x-kubernetes-preserve-unknown-fields");
    if (lw_node_is(preserves, LW_JSON_BOOL) && !lw_node_bool(preserves))
        add_error(c, LW_FIELD_INVALID, "x-kubernetes-preserve-unknown-fields", LW_STR("false"),
                  "must be true or undefined");
    if (c->junctors > 0) {
        bool is_half = node->type == LW_STRUCTURAL_INTEGER || node->type == LW_STRUCTURAL_STRING;
        if (name.len > 0 && !is_half)
            forbid(c, "type", "must be empty to be structural");
        return;
    }
    if (node->is_embedded && node->type != LW_STRUCTURAL_OBJECT)
        add_error(c, LW_FIELD_INVALID, "type", name,
                  "must be object if x-kubernetes-embedded-resource is true");
    if (name.len == 0 && !node->is_int_or_string && !node->preserves)
        add_error(c, LW_FIELD_REQUIRED, "type", LW_STR(""), missing_type(c));
    if (c->depth == 1 && name.len > 0 && node->type != LW_STRUCTURAL_OBJECT)
        add_error(c, LW_FIELD_INVALID, "type", name, "must be object at the root");
}

/* Reports keywords that a structural schema must not have. */
static void check_forbidden(compiler *c, const lw_node *schema)
{
    static const struct {
        const char *member, *detail;
    } never[] = {
        { "$ref", "$ref is not supported" },
        { "$schema", "$schema is not supported" },
        { "id", "id is not supported" },
        { "definitions", "definitions is not supported" },
        { "dependencies", "dependencies is not supported" },
        { "patternProperties", "patternProperties is not supported" },
        { "additionalItems", "additionalItems is not supported" },
    };
    static const char *const only_outside[] = { "default",
                                                "nullable",
                                                "additionalProperties",
                                                "description",
                                                "title",
                                                "x-kubernetes-preserve-unknown-fields",
                                                "x-kubernetes-embedded-resource",
                                                "x-kubernetes-int-or-string",
                                                "x-kubernetes-validations" };
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        if (get(schema, never[i].member))
            forbid(c, never[i].member, never[i].detail);
    }
    if (lw_node_bool(get(schema, "uniqueItems")))
        forbid(c, "uniqueItems",
               "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    for (size_t i = 0; c->junctors > 0 && i < sizeof(only_outside) / sizeof(only_outside[0]); i++) {
        if (get(schema, only_outside[i]))
            forbid(c, only_outside[i], "must be undefined to be structural");
    }
}

/* Multiplies |cardinality| by the number of elements that a list or map can have. */
static uint64_t times(uint64_t cardinality, const lw_node *schema, const char *limit)
{
    const lw_node *most = get(schema, limit);
    double value =
        lw_node_is(most, LW_JSON_NUMBER) ? lw_json_number_to_double(lw_node_text(most)) : -1;
    if (cardinality == LW_CEL_UNBOUNDED || value < 0 || value * (double)cardinality > 1e15)
        return LW_CEL_UNBOUNDED;
    return cardinality * (uint64_t)value;
}

/* Compiles the schema of the elements of a list or map. */
static lw_structural_node *compile_elements(compiler *c, const lw_node *schema, const char *member,
                                            const char *limit, bool has_names)
{
    lw_structural_scope before = c->rules;
    c->rules.cardinality = times(before.cardinality, schema, limit);
    if (!has_names && before.uncorrelated_len == 0)
        c->rules.uncorrelated_len = c->path.len;
    lw_structural_node *node = compile_at(c, get(schema, member), member, NULL);
    c->rules.cardinality = before.cardinality;
    c->rules.uncorrelated_len = before.uncorrelated_len;
    return node;
}

/* Compiles a nested schema at |member| of the path, or at "member[name]". */
static lw_structural_node *compile_at(compiler *c, const lw_node *schema, const char *member,
                                      const lw_str *name)
{
    size_t len = c->path.len;
    lw_buf_append_char(&c->path, '.');
    lw_buf_append_text(&c->path, member);
    if (name) {
        lw_buf_append_char(&c->path, '[');
        lw_buf_append_str(&c->path, *name);
        lw_buf_append_char(&c->path, ']');
    }
    if (c->path.st < 0 && c->st == LW_OK)
        c->st = c->path.st;
    lw_structural_node *node = compile(c, schema);
    if (c->path.st == LW_OK)
        lw_buf_truncate(&c->path, len);
    return node;
}

static int compare_properties(const void *a, const void *b)
{
    const lw_structural_property *pa = a, *pb = b;
    return lw_str_compare(pa->name, pb->name);
}

static void read_properties(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    const lw_node *properties = get(schema, "properties");
    const lw_node *additional = get(schema, "additionalProperties");
    size_t count = lw_node_count(properties);
    if (count > 0 && (node->properties = make(c, count, sizeof(*node->properties)))) {
        for (size_t i = 0; c->st == LW_OK && i < count; i++) {
            lw_str name = lw_node_key_at(properties, i);
            lw_structural_node *made =
                compile_at(c, lw_node_at(properties, i), "properties", &name);
            if (made)
                node->properties[node->property_count++] =
                    (lw_structural_property){ .name = keep(c, name), .schema = made };
        }
        qsort(node->properties, node->property_count, sizeof(*node->properties),
              compare_properties);
    }
    if (!additional || c->junctors > 0)
        return;
    if (count > 0)
        forbid(c, "additionalProperties",
               "additionalProperties and properties are mutual exclusive");
    node->takes_any = lw_node_bool(additional);
    if (lw_node_is(additional, LW_JSON_OBJECT))
        node->additional =
            compile_elements(c, schema, "additionalProperties", "maxProperties", true);
    else if (!node->takes_any)
        forbid(c, "additionalProperties", "additionalProperties cannot be set to false");
}

/* Reads how apply treats an object. */
static void read_map_type(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    lw_str type = lw_node_text(get(schema, "x-kubernetes-map-type"));
    if (type.len == 0)
        return;
    node->is_atomic = lw_str_equal(type, LW_STR("atomic"));
    if (node->type != LW_STRUCTURAL_OBJECT)
        add_error(c, LW_FIELD_INVALID, "type", lw_node_text(get(schema, "type")),
                  "must be object if x-kubernetes-map-type is specified");
    if (!node->is_atomic && !lw_str_equal(type, LW_STR("granular")))
        add_error(c, LW_FIELD_NOT_SUPPORTED, "x-kubernetes-map-type", type,
                  "supported values: \"atomic\", \"granular\"");
}

static void read_items(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    const lw_node *items = get(schema, "items");
    lw_str type = lw_node_text(get(schema, "x-kubernetes-list-type"));
    if (lw_node_is(items, LW_JSON_ARRAY))
        forbid(c, "items", "items must be a schema object and not an array");
    else if (items)
        node->items =
            compile_elements(c, schema, "items", "maxItems", lw_str_equal(type, LW_STR("map")));
    else if (node->type == LW_STRUCTURAL_ARRAY && c->junctors == 0)
        add_error(c, LW_FIELD_REQUIRED, "items", LW_STR(""), "must be specified");
    read_texts(c, get(schema, "x-kubernetes-list-map-keys"), false, &node->map_keys);
    if (lw_str_equal(type, LW_STR("set")))
        node->list_type = LW_LIST_SET;
    else if (lw_str_equal(type, LW_STR("map")))
        node->list_type = LW_LIST_MAP;
    else if (type.len > 0 && !lw_str_equal(type, LW_STR("atomic")))
        add_error(c, LW_FIELD_NOT_SUPPORTED, "x-kubernetes-list-type", type,
                  "supported values: \"atomic\", \"map\", \"set\"");
    if (node->list_type == LW_LIST_MAP && node->map_keys.count == 0)
        add_error(c, LW_FIELD_REQUIRED, "x-kubernetes-list-map-keys", LW_STR(""),
                  "must not be empty if x-kubernetes-list-type is map");
    if (node->list_type != LW_LIST_MAP && node->map_keys.count > 0)
        add_error(c, LW_FIELD_INVALID, "x-kubernetes-list-type", type,
                  "must be map if x-kubernetes-list-map-keys is non-empty");
}

static void read_pattern(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    lw_error err = LW_ERROR_INIT;
    lw_str text = lw_node_text(get(schema, "pattern"));
    if (text.len == 0)
        return;
    node->pattern_text = keep(c, text);
    if (c->pattern_steps > LW_STRUCTURAL_PATTERNS_MAX) {
        add_error(
            c, LW_FIELD_INVALID, "pattern", text,
            "the patterns of the schema are too large in total: use fewer or shorter patterns");
        return;
    }
    lw_status st = lw_regex_new(&node->pattern, text, &err);
    if (st == LW_ERR_NOMEM && c->st == LW_OK)
        c->st = st;
    else if (st < 0)
        add_error(c, LW_FIELD_INVALID, "pattern", text, err.message);
    /* A rejected pattern counts as much as the largest that is accepted. */
    c->pattern_steps += st == LW_OK ? lw_regex_size(node->pattern) : LW_REGEX_PROGRAM_MAX;
}

static void read_limits(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    node->minimum = read_limit(c, schema, "minimum");
    node->maximum = read_limit(c, schema, "maximum");
    node->multiple_of = read_limit(c, schema, "multipleOf");
    node->min_length = read_limit(c, schema, "minLength");
    node->max_length = read_limit(c, schema, "maxLength");
    node->min_items = read_limit(c, schema, "minItems");
    node->max_items = read_limit(c, schema, "maxItems");
    node->min_properties = read_limit(c, schema, "minProperties");
    node->max_properties = read_limit(c, schema, "maxProperties");
    node->excludes_minimum = lw_node_bool(get(schema, "exclusiveMinimum"));
    node->excludes_maximum = lw_node_bool(get(schema, "exclusiveMaximum"));
    if (node->multiple_of.is_set && node->multiple_of.value <= 0) {
        add_error(c, LW_FIELD_INVALID, "multipleOf", node->multiple_of.text,
                  "must be greater than 0");
        node->multiple_of.is_set = false;
    }
}

static void read_junctor(compiler *c, const lw_node *schema, const char *key,
                         lw_structural_list *out)
{
    const lw_node *list = get(schema, key);
    size_t count = lw_node_count(list);
    if (!lw_node_is(list, LW_JSON_ARRAY) || !(out->at = make(c, count, sizeof(*out->at))))
        return;
    c->junctors++;
    for (size_t i = 0; c->st == LW_OK && i < count; i++) {
        char digits[24];
        lw_buf number = { .data = digits, .cap = sizeof(digits) - 1, .limit = sizeof(digits) - 1 };
        lw_buf_append_uint(&number, i);
        lw_str index = lw_buf_view(&number);
        lw_structural_node *made = compile_at(c, lw_node_at(list, i), key, &index);
        if (made)
            out->at[out->count++] = made;
    }
    c->junctors--;
}

static void read_junctors(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    read_junctor(c, schema, "allOf", &node->all_of);
    read_junctor(c, schema, "anyOf", &node->any_of);
    read_junctor(c, schema, "oneOf", &node->one_of);
    if (!get(schema, "not"))
        return;
    c->junctors++;
    node->not_of = compile_at(c, get(schema, "not"), "not", NULL);
    c->junctors--;
}

static void read_rules(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    for (size_t i = 0; i < node->property_count; i++)
        node->has_rules = node->has_rules || node->properties[i].schema->has_rules;
    node->has_rules = node->has_rules || (node->items && node->items->has_rules) ||
                      (node->additional && node->additional->has_rules);
    lw_structural_set_rule_type(&c->rules, node, c->depth == 1);
    lw_structural_read_rules(&c->rules, schema, node);
    if (c->rules.st < 0 && c->st == LW_OK)
        c->st = c->rules.st;
    if (c->rules.types->st < 0 && c->st == LW_OK)
        c->st = c->rules.types->st;
}

static void read_enum(compiler *c, const lw_node *list, lw_structural_node *node)
{
    read_texts(c, list, true, &node->allowed);
    node->has_enum = lw_node_is(list, LW_JSON_ARRAY);
    lw_status st = lw_structural_enum_new(&node->allowed_values, c->texts, list);
    if (st < 0 && c->st == LW_OK)
        c->st = st;
}

/* Records which properties have a default, so that defaulting skips the others. */
static void note_defaults(compiler *c, lw_structural_node *node)
{
    size_t count = node->property_count;
    node->has_defaults = (node->items && node->items->has_defaults) ||
                         (node->additional && node->additional->has_defaults);
    if (count > 0 && !(node->defaulted = make(c, count, sizeof(*node->defaulted))))
        return;
    for (size_t i = 0; i < count; i++) {
        const lw_structural_node *below = node->properties[i].schema;
        if (below->fallback.len > 0)
            node->defaulted[node->defaulted_count++] = (uint32_t)i;
        node->has_defaults = node->has_defaults || below->fallback.len > 0 || below->has_defaults;
    }
}

static void read_node(compiler *c, const lw_node *schema, lw_structural_node *node)
{
    const lw_node *fallback = get(schema, "default");
    check_forbidden(c, schema);
    read_type(c, schema, node);
    read_properties(c, schema, node);
    read_map_type(c, schema, node);
    read_items(c, schema, node);
    read_texts(c, get(schema, "required"), false, &node->required);
    read_enum(c, get(schema, "enum"), node);
    node->format = keep(c, lw_node_text(get(schema, "format")));
    read_limits(c, schema, node);
    read_pattern(c, schema, node);
    read_junctors(c, schema, node);
    if (fallback && c->junctors == 0)
        node->fallback = keep_json(c, fallback);
    note_defaults(c, node);
    if (c->junctors == 0 && c->st == LW_OK)
        read_rules(c, schema, node);
}

static lw_structural_node *compile(compiler *c, const lw_node *schema)
{
    if (!lw_node_is(schema, LW_JSON_OBJECT)) {
        add_error(c, LW_FIELD_INVALID, "", LW_STR(""), "must be a schema");
        return NULL;
    }
    if (c->depth == LW_STRUCTURAL_DEPTH_MAX || c->nodes == LW_STRUCTURAL_NODES_MAX) {
        c->st = LW_ERR_LIMIT;
        return NULL;
    }
    lw_structural_node *node = make(c, 1, sizeof(*node));
    if (!node)
        return NULL;
    c->nodes++;
    c->depth++;
    read_node(c, schema, node);
    c->depth--;
    return node;
}

lw_status lw_structural_new(lw_structural **out, const lw_node *schema, lw_str path,
                            lw_api_status *errors)
{
    compiler c = { .errors = errors };
    lw_structural *made = lw_alloc_zero(1, sizeof(*made));
    if (!made)
        return LW_ERR_NOMEM;
    lw_buf_init(&c.path, PATH_MAX_BYTES);
    lw_buf_append_str(&c.path, path);
    lw_status st = lw_tree_new(&made->texts, LW_STRUCTURAL_TEXTS_MAX);
    c.texts = made->texts;
    lw_arena_init(&made->types, LW_STRUCTURAL_TEXTS_MAX);
    c.rules = (lw_structural_scope){ .types = &made->types,
                                     .texts = made->texts,
                                     .errors = errors,
                                     .path = &c.path,
                                     .cardinality = 1 };
    if (st == LW_OK) {
        made->root = compile(&c, schema);
        lw_structural_check_total(&c.rules);
        st = c.st < 0 ? c.st : lw_tree_status(made->texts);
    }
    lw_buf_done(&c.path);
    if (st < 0 || !made->root) {
        lw_structural_free(made);
        return st < 0 ? st : LW_ERR_INVALID;
    }
    *out = made;
    return LW_OK;
}
