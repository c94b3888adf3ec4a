/* SPDX-License-Identifier: Apache-2.0 */
/* structural_types.c -- makes types from a compiled schema. */
#include "schema/structural/structural_types.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/structural/structural_node.h"

enum {
    OWN_MEMBERS = 3, /* apiVersion, kind, metadata */
};

/* A block of the memory of the types. */
typedef struct block {
    struct block *next;
    max_align_t bytes[];
} block;

struct lw_structural_types {
    block *blocks;
    const lw_type *root;
};

static void *make(lw_structural_types *types, size_t size)
{
    block *made = lw_alloc_zero(1, sizeof(*made) + size);
    if (!made)
        return NULL;
    made->next = types->blocks;
    types->blocks = made;
    return made->bytes;
}

static bool fill_field(lw_structural_types *types, const lw_structural_node *node, lw_field *field);

/* The metadata field of every object. */
static lw_field metadata_field(void)
{
    const lw_type *any = lw_type_of_kind((lw_gvk){ LW_STR(""), LW_STR("v1"), LW_STR("ConfigMap") });
    return *lw_type_field(any, LW_STR("metadata"));
}

/* The fields that every whole object has, whatever its schema declares. */
static void own_fields(lw_field out[OWN_MEMBERS])
{
    static const lw_type text = { .form = LW_TYPE_STRING };
    out[0] = (lw_field){ .name = LW_STR("apiVersion"), .type = &text, .flags = LW_FIELD_POINTER };
    out[1] = (lw_field){ .name = LW_STR("kind"), .type = &text, .flags = LW_FIELD_POINTER };
    out[2] = metadata_field();
}

static bool is_own(lw_str name)
{
    return lw_str_equal(name, LW_STR("apiVersion")) || lw_str_equal(name, LW_STR("kind")) ||
           lw_str_equal(name, LW_STR("metadata"));
}

static int compare_fields(const void *a, const void *b)
{
    const lw_field *fa = a, *fb = b;
    return lw_str_compare(fa->name, fb->name);
}

/* Makes |type| a struct of the properties of |node| (NULL: none), plus the fields of every object
 * if |is_whole|. */
static bool fill_struct(lw_structural_types *types, const lw_structural_node *node, bool is_whole,
                        lw_type *type)
{
    size_t count = 0, known = node ? node->property_count : 0;
    lw_field *fields = make(types, (known + OWN_MEMBERS) * sizeof(*fields));
    lw_member *members = make(types, (known + OWN_MEMBERS) * sizeof(*members));
    if (!fields || !members)
        return false;
    if (is_whole) {
        own_fields(fields);
        count = OWN_MEMBERS;
    }
    for (size_t i = 0; i < known; i++) {
        const lw_structural_property *property = &node->properties[i];
        if (is_whole && is_own(property->name))
            continue;
        if (!fill_field(types, property->schema, &fields[count]))
            return false;
        fields[count++].name = property->name;
    }
    qsort(fields, count, sizeof(*fields), compare_fields);
    for (size_t i = 0; i < count; i++)
        members[i] = (lw_member){ &fields[i], NULL, lw_type_name_start(fields[i].name) };
    type->form = LW_TYPE_STRUCT;
    type->takes_others = !node || node->preserves || node->is_embedded;
    type->fields = fields;
    type->members = members;
    type->field_count = type->member_count = (uint16_t)count;
    return true;
}

/* Makes |type| a list or map of elements of |node| (NULL: any). */
static bool fill_container(lw_structural_types *types, lw_type_form form,
                           const lw_structural_node *node, lw_type *type)
{
    type->form = form;
    if (!node)
        return true;
    lw_field *element = make(types, sizeof(*element));
    if (!element || !fill_field(types, node, element))
        return false;
    type->element = element->type;
    type->fields = element;
    type->field_count = 1;
    return true;
}

static bool fill_object(lw_structural_types *types, const lw_structural_node *node, lw_type *type)
{
    type->is_atomic = node->is_atomic;
    if (node->property_count > 0 || node->is_embedded)
        return fill_struct(types, node, node->is_embedded, type);
    if (node->additional || node->takes_any || node->preserves)
        return fill_container(types, LW_TYPE_MAP, node->additional, type);
    return fill_struct(types, node, false, type);
}

static bool fill_type(lw_structural_types *types, const lw_structural_node *node, lw_type *type)
{
    switch (node->type) {
    case LW_STRUCTURAL_OBJECT: return fill_object(types, node, type);
    case LW_STRUCTURAL_ARRAY: return fill_container(types, LW_TYPE_LIST, node->items, type);
    case LW_STRUCTURAL_STRING: type->form = LW_TYPE_STRING; break;
    case LW_STRUCTURAL_INTEGER: type->form = LW_TYPE_INT64; break;
    case LW_STRUCTURAL_NUMBER: type->form = LW_TYPE_DOUBLE; break;
    case LW_STRUCTURAL_BOOLEAN: type->form = LW_TYPE_BOOL; break;
    case LW_STRUCTURAL_ANY: type->form = LW_TYPE_INT_OR_STRING; break;
    }
    return true;
}

/* True if the schema has no information for apply. */
static bool is_unknown(const lw_structural_node *node)
{
    return (node->type == LW_STRUCTURAL_ANY && !node->is_int_or_string) ||
           node->property_count > LW_TYPE_MEMBERS_MAX - OWN_MEMBERS;
}

static bool fill_rules(lw_structural_types *types, const lw_structural_node *node, lw_field *field)
{
    bool is_keyed = node->list_type == LW_LIST_MAP && node->map_keys.count > 0;
    if (!is_keyed && node->fallback.len == 0)
        return true;
    lw_field_rules *rules = make(types, sizeof(*rules));
    if (!rules)
        return false;
    field->rules = rules;
    rules->fallback = node->fallback;
    if (is_keyed)
        rules->list_keys = node->map_keys.at; /* the list is terminated by an empty string */
    return true;
}

/* There is no Go type: a field is present or absent as written, and zero is a value. */
static bool fill_field(lw_structural_types *types, const lw_structural_node *node, lw_field *field)
{
    field->flags = LW_FIELD_POINTER;
    if (is_unknown(node))
        return true;
    lw_type *type = make(types, sizeof(*type));
    if (!type || !fill_type(types, node, type) || !fill_rules(types, node, field))
        return false;
    field->type = type;
    if (node->type != LW_STRUCTURAL_ARRAY)
        return true;
    if (node->list_type == LW_LIST_SET)
        field->flags |= LW_FIELD_LIST_SET;
    else if (node->list_type == LW_LIST_MAP && field->rules && field->rules->list_keys)
        field->flags |= LW_FIELD_LIST_MAP;
    else
        field->flags |= LW_FIELD_LIST_ATOMIC;
    return true;
}

lw_status lw_structural_types_new(lw_structural_types **out, const lw_structural *schema)
{
    lw_structural_types *types = lw_alloc_zero(1, sizeof(*types));
    lw_type *root = types ? make(types, sizeof(*root)) : NULL;
    const lw_structural_node *node = schema && !is_unknown(schema->root) ? schema->root : NULL;
    if (!root || !fill_struct(types, node, true, root)) {
        lw_structural_types_free(types);
        return LW_ERR_NOMEM;
    }
    if (node)
        root->takes_others = node->preserves || node->takes_any || node->additional;
    types->root = root;
    *out = types;
    return LW_OK;
}

void lw_structural_types_free(lw_structural_types *types)
{
    if (!types)
        return;
    for (block *each = types->blocks, *next; each; each = next) {
        next = each->next;
        lw_free(each);
    }
    lw_free(types);
}

const lw_type *lw_structural_types_root(const lw_structural_types *types)
{
    return types->root;
}
