/* SPDX-License-Identifier: Apache-2.0 */
/* structural_rule_types.c -- the CEL types of a schema, and how large its values can be in a
 * request. */
#include <stdlib.h>

#include "base/str.h"
#include "schema/structural/structural_rules.h"

#define REQUEST_MAX UINT64_C(3145728) /* bytes of a request, as in Kubernetes */

enum {
    SIZE_TEXT = 2, /* "" */
    SIZE_BOOL = 4,
    SIZE_TIME = 21, /* including the quotes */
    SIZE_DATE = 12,
    SIZE_DURATION = 3,
    RUNE_BYTES = 4,
    TIME_MAX = 32, /* the longest, including the quotes */
    NAME_RUNES_MAX = 253,
    NAME_MAX_BYTES = 64 * 1024,
    OWN_FIELDS = 3, /* apiVersion, kind, metadata */
};

static lw_cel_type *make(lw_structural_scope *scope, lw_cel_kind kind, uint64_t max_size)
{
    lw_cel_type *type = lw_arena_take_zero(scope->types, 1, sizeof(*type));
    if (type)
        *type = (lw_cel_type){ .kind = kind, .max_size = max_size };
    return type;
}

/* Returns the limit, or how many fit into a request. */
static uint64_t limit_or(const lw_structural_limit *limit, uint64_t times, uint64_t fallback)
{
    if (!limit->is_set)
        return fallback;
    if (limit->value < 0)
        return 0;
    double value = limit->value * (double)times;
    return value < (double)UINT32_MAX ? (uint64_t)value : UINT32_MAX;
}

/* Returns the length of the longest string value, without quotes. */
static uint64_t longest_enum(const lw_structural_texts *allowed)
{
    uint64_t longest = 0;
    for (size_t i = 0; i < allowed->count; i++) {
        lw_str json = allowed->at[i];
        bool is_text = json.len >= SIZE_TEXT && json.ptr[0] == '"';
        if (is_text && json.len - SIZE_TEXT > longest)
            longest = json.len - SIZE_TEXT;
    }
    return longest;
}

static lw_cel_type *text_type(lw_structural_scope *scope, lw_structural_node *node)
{
    static const struct {
        const char *format;
        lw_cel_kind kind;
        uint64_t min_size, max_size;
    } formats[] = {
        { "duration", LW_CEL_DURATION, SIZE_DURATION, TIME_MAX },
        { "date", LW_CEL_TIMESTAMP, SIZE_DATE, SIZE_DATE },
        { "date-time", LW_CEL_TIMESTAMP, SIZE_TIME, TIME_MAX },
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (!lw_str_equal(node->format, lw_str_of(formats[i].format)))
            continue;
        node->min_size = formats[i].min_size;
        return make(scope, formats[i].kind, formats[i].max_size);
    }
    node->min_size = SIZE_TEXT;
    if (lw_str_equal(node->format, LW_STR("byte")))
        return make(scope, LW_CEL_BYTES, limit_or(&node->max_length, 1, REQUEST_MAX - 2));
    uint64_t most =
        node->has_enum && !node->max_length.is_set ? longest_enum(&node->allowed) : REQUEST_MAX - 2;
    return make(scope, LW_CEL_STRING, limit_or(&node->max_length, RUNE_BYTES, most));
}

static lw_cel_type *list_type(lw_structural_scope *scope, lw_structural_node *node)
{
    static const lw_cel_list_rule rules[] = {
        [LW_LIST_ATOMIC] = LW_CEL_LIST_BY_PLACE,
        [LW_LIST_SET] = LW_CEL_LIST_BY_VALUE,
        [LW_LIST_MAP] = LW_CEL_LIST_BY_KEYS,
    };
    if (!node->items || !node->items->rule_type)
        return NULL;
    node->min_size = 2;
    uint64_t most = (REQUEST_MAX - 2) / (node->items->min_size + 1);
    lw_cel_type *type = make(scope, LW_CEL_LIST, limit_or(&node->max_items, 1, most));
    if (!type)
        return NULL;
    type->elem = node->items->rule_type;
    type->list_rule = rules[node->list_type];
    type->list_keys = node->map_keys.at;
    type->list_key_count = node->map_keys.count;
    return type;
}

/* Map keys: Kubernetes estimates their size as zero. */
static const lw_cel_type map_key = { .kind = LW_CEL_STRING, .max_size = 0 };

static lw_cel_type *map_type(lw_structural_scope *scope, lw_structural_node *node)
{
    if (!node->additional->rule_type)
        return NULL;
    node->min_size = 2;
    uint64_t most = (REQUEST_MAX - 2) / (node->additional->min_size + 6);
    lw_cel_type *type = make(scope, LW_CEL_MAP, limit_or(&node->max_properties, 1, most));
    if (!type)
        return NULL;
    type->key = &map_key;
    type->elem = node->additional->rule_type;
    return type;
}

static int compare_fields(const void *a, const void *b)
{
    const lw_cel_field *fa = a, *fb = b;
    return lw_str_compare(fa->name, fb->name);
}

/* Adds a field if its name can be written in CEL and was not added before. */
static void add_field(lw_structural_scope *scope, lw_cel_field *fields, size_t *count, lw_str key,
                      const lw_cel_type *type)
{
    lw_buf name;
    for (size_t i = 0; i < *count && i < OWN_FIELDS; i++) {
        if (lw_str_equal(fields[i].key, key))
            return;
    }
    lw_buf_init(&name, NAME_MAX_BYTES);
    if (lw_cel_escape(key, &name) && name.st == LW_OK)
        fields[(*count)++] =
            (lw_cel_field){ lw_arena_copy(scope->types, lw_buf_view(&name)), key, type };
    if (name.st == LW_ERR_NOMEM)
        scope->st = LW_ERR_NOMEM;
    lw_buf_done(&name);
}

static int compare_name(const void *name, const void *property)
{
    return lw_str_compare(*(const lw_str *)name, ((const lw_structural_property *)property)->name);
}

static void mark_required(lw_structural_node *node)
{
    for (size_t i = 0; i < node->required.count && node->property_count > 0; i++) {
        lw_structural_property *property =
            bsearch(&node->required.at[i], node->properties, node->property_count,
                    sizeof(*node->properties), compare_name);
        if (property)
            property->is_required = true;
    }
}

/* A string without a limit. */
static const lw_cel_type plain_text = { .kind = LW_CEL_STRING, .max_size = REQUEST_MAX - 2 };

static bool is_text(const lw_structural_node *node, lw_str name)
{
    const lw_structural_node *property = node ? lw_structural_property_of(node, name) : NULL;
    return property && property->type == LW_STRUCTURAL_STRING;
}

/* True if the schema declares all of the metadata that rules see. */
static bool declares_metadata(const lw_structural_node *node)
{
    const lw_structural_node *metadata = lw_structural_property_of(node, LW_STR("metadata"));
    return is_text(node, LW_STR("kind")) && is_text(node, LW_STR("apiVersion")) && metadata &&
           metadata->type == LW_STRUCTURAL_OBJECT && is_text(metadata, LW_STR("name")) &&
           is_text(metadata, LW_STR("generateName"));
}

/* The length is at most |most|, or the limit in the schema if that is smaller. */
static const lw_cel_type *name_type(lw_structural_scope *scope, const lw_structural_node *metadata,
                                    lw_str name, uint64_t most)
{
    const lw_structural_node *own = metadata ? lw_structural_property_of(metadata, name) : NULL;
    uint64_t runes = own ? limit_or(&own->max_length, 1, most) : most;
    return make(scope, LW_CEL_STRING, (runes < most ? runes : most) * RUNE_BYTES);
}

/* Returns the type of metadata as rules see it: name and generateName. */
static const lw_cel_type *metadata_type(lw_structural_scope *scope, const lw_structural_node *node)
{
    const lw_structural_node *own = lw_structural_property_of(node, LW_STR("metadata"));
    lw_cel_type *type = make(scope, LW_CEL_OBJECT, 0);
    lw_cel_field *fields = lw_arena_take_zero(scope->types, 2, sizeof(*fields));
    if (!type || !fields)
        return NULL;
    lw_str generated = LW_STR("generateName"), name = LW_STR("name");
    fields[0] = (lw_cel_field){ generated, generated,
                                name_type(scope, own, generated, NAME_RUNES_MAX - 1) };
    fields[1] = (lw_cel_field){ name, name, name_type(scope, own, name, NAME_RUNES_MAX) };
    type->fields = fields;
    type->field_count = 2;
    return type;
}

static lw_cel_type *object_type(lw_structural_scope *scope, lw_structural_node *node, bool is_whole)
{
    lw_cel_type *type = make(scope, LW_CEL_OBJECT, 0);
    lw_cel_field *fields =
        lw_arena_take_zero(scope->types, node->property_count + OWN_FIELDS, sizeof(*fields));
    size_t count = 0;
    if (!type || !fields)
        return NULL;
    node->min_size = 2;
    mark_required(node);
    if (is_whole && !declares_metadata(node)) {
        const lw_cel_type *metadata = metadata_type(scope, node);
        if (!metadata)
            return NULL;
        add_field(scope, fields, &count, LW_STR("apiVersion"), &plain_text);
        add_field(scope, fields, &count, LW_STR("kind"), &plain_text);
        add_field(scope, fields, &count, LW_STR("metadata"), metadata);
    }
    for (size_t i = 0; i < node->property_count; i++) {
        const lw_structural_property *property = &node->properties[i];
        if (!property->schema->rule_type)
            continue;
        add_field(scope, fields, &count, property->name, property->schema->rule_type);
        if (property->is_required && property->schema->fallback.len == 0)
            node->min_size += property->name.len + property->schema->min_size + 4;
    }
    qsort(fields, count, sizeof(*fields), compare_fields);
    type->fields = fields;
    type->field_count = count;
    return type;
}

void lw_structural_set_rule_type(lw_structural_scope *scope, lw_structural_node *node, bool is_root)
{
    node->min_size = 1;
    if (node->is_int_or_string) {
        node->rule_type =
            make(scope, LW_CEL_DYN, limit_or(&node->max_length, RUNE_BYTES, REQUEST_MAX - 2));
        return;
    }
    switch (node->type) {
    case LW_STRUCTURAL_ANY: break;
    case LW_STRUCTURAL_OBJECT:
        node->rule_type = node->additional ? map_type(scope, node)
                                           : object_type(scope, node, is_root || node->is_embedded);
        break;
    case LW_STRUCTURAL_ARRAY: node->rule_type = list_type(scope, node); break;
    case LW_STRUCTURAL_STRING: node->rule_type = text_type(scope, node); break;
    case LW_STRUCTURAL_INTEGER: node->rule_type = &lw_cel_int; break;
    case LW_STRUCTURAL_NUMBER: node->rule_type = &lw_cel_double; break;
    case LW_STRUCTURAL_BOOLEAN:
        node->rule_type = &lw_cel_bool;
        node->min_size = SIZE_BOOL;
        break;
    }
}
