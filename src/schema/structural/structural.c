/* SPDX-License-Identifier: Apache-2.0 */
/* structural.c -- pruning and defaulting, which precede validation. */
#include "schema/structural/structural.h"

#include "base/alloc.h"
#include "base/str.h"
#include "schema/structural/structural_index.h"

enum {
    PATH_MAX_LEN = 1 << 16, /* bytes of the path of an unknown field */
};

const lw_structural_node *lw_structural_property_of(const lw_structural_node *node, lw_str name)
{
    size_t low = 0, high = node->property_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lw_str_compare(node->properties[middle].name, name);
        if (order == 0)
            return node->properties[middle].schema;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* True for the members that every whole object has. */
static bool is_own(lw_str name)
{
    return lw_str_equal(name, LW_STR("apiVersion")) || lw_str_equal(name, LW_STR("kind")) ||
           lw_str_equal(name, LW_STR("metadata"));
}

/* The current path, and where unknown fields are reported; NULL: nowhere. */
typedef struct pruning {
    lw_buf *unknown;
    lw_buf path;
} pruning;

static void prune(pruning *p, const lw_structural_node *schema, lw_node *value, bool is_root);

/* Appends |name| to the path; returns the previous length. */
static size_t enter(pruning *p, lw_str name)
{
    size_t at = p->path.len;
    if (p->unknown && at > 0)
        lw_buf_append_char(&p->path, '.');
    if (p->unknown)
        lw_buf_append_str(&p->path, name);
    return at;
}

static void report_unknown(pruning *p, lw_str name)
{
    if (!p->unknown)
        return;
    size_t at = enter(p, name);
    lw_str path = lw_buf_view(&p->path);
    lw_buf_printf(p->unknown, "unknown field \"%.*s\"", LW_STR_ARG(path));
    lw_buf_append_char(p->unknown, '\0');
    lw_buf_truncate(&p->path, at);
}

static void prune_below(pruning *p, const lw_structural_node *schema, lw_node *value, lw_str name)
{
    size_t at = enter(p, name);
    prune(p, schema, value, false);
    lw_buf_truncate(&p->path, at);
}

/* The members of one object. */
typedef struct members_pruning {
    pruning *p;
    const lw_structural_node *schema;
    bool is_whole; /* a whole object: the root, or an embedded resource */
} members_pruning;

/* Prunes the member |name|; true if the member is to be removed. */
static bool prune_member(void *arg, lw_str name, lw_node *value)
{
    const members_pruning *m = arg;
    const lw_structural_node *schema = m->schema;
    if (m->is_whole && is_own(name))
        return false;
    const lw_structural_node *known = lw_structural_property_of(schema, name);
    if (!known)
        known = schema->additional;
    if (!known && (schema->preserves || schema->takes_any))
        return false;
    if (!known) {
        report_unknown(m->p, name);
        return true;
    }
    bool is_null = lw_node_type(value) == LW_JSON_NULL;
    if (is_null && !known->is_nullable && known->type != LW_STRUCTURAL_ANY)
        return true;
    prune_below(m->p, known, value, name);
    return false;
}

static void prune_members(pruning *p, const lw_structural_node *schema, lw_node *object,
                          bool is_root)
{
    members_pruning m = { p, schema, is_root || schema->is_embedded };
    lw_node_remove_if(object, prune_member, &m);
}

static void prune_items(pruning *p, const lw_structural_node *schema, lw_node *array)
{
    size_t at = p->path.len;
    for (size_t i = 0; i < lw_node_count(array); i++) {
        if (p->unknown)
            lw_structural_enter_item(&p->path, i);
        prune(p, schema, lw_node_at(array, i), false);
        lw_buf_truncate(&p->path, at);
    }
}

static void prune(pruning *p, const lw_structural_node *schema, lw_node *value, bool is_root)
{
    if (lw_node_is(value, LW_JSON_OBJECT))
        prune_members(p, schema, value, is_root);
    else if (lw_node_is(value, LW_JSON_ARRAY) && schema->items)
        prune_items(p, schema->items, value);
}

void lw_structural_prune_reporting(const lw_structural *schema, lw_node *object, lw_buf *unknown)
{
    pruning p = { .unknown = unknown };
    lw_buf_init(&p.path, PATH_MAX_LEN);
    prune(&p, schema->root, object, true);
    if (p.path.st == LW_ERR_NOMEM && unknown && unknown->st == LW_OK)
        unknown->st = LW_ERR_NOMEM;
    lw_buf_done(&p.path);
}

void lw_structural_prune(const lw_structural *schema, lw_node *object)
{
    lw_structural_prune_reporting(schema, object, NULL);
}

static void fill(const lw_structural_node *schema, lw_tree *tree, lw_node *value, bool is_root);

static void fill_members(const lw_structural_node *schema, lw_tree *tree, lw_node *object,
                         bool is_root)
{
    for (size_t i = 0; i < schema->defaulted_count && lw_tree_status(tree) == LW_OK; i++) {
        const lw_structural_property *property = &schema->properties[schema->defaulted[i]];
        lw_node *made = NULL;
        if ((is_root && is_own(property->name)) || lw_node_get(object, property->name))
            continue;
        if (lw_tree_parse_node(tree, property->schema->fallback, &made, NULL) == LW_OK)
            lw_node_put(tree, object, property->name, made);
    }
    for (size_t i = 0; i < lw_node_count(object) && lw_tree_status(tree) == LW_OK; i++) {
        lw_str name = lw_node_key_at(object, i);
        if (is_root && is_own(name))
            continue;
        const lw_structural_node *below = lw_structural_property_of(schema, name);
        below = below ? below : schema->additional;
        if (below)
            fill(below, tree, lw_node_at(object, i), false);
    }
}

static void fill(const lw_structural_node *schema, lw_tree *tree, lw_node *value, bool is_root)
{
    if (!schema->has_defaults)
        return;
    if (lw_node_is(value, LW_JSON_OBJECT))
        fill_members(schema, tree, value, is_root);
    else if (lw_node_is(value, LW_JSON_ARRAY) && schema->items)
        for (size_t i = 0; i < lw_node_count(value) && lw_tree_status(tree) == LW_OK; i++)
            fill(schema->items, tree, lw_node_at(value, i), false);
}

void lw_structural_default(const lw_structural *schema, lw_tree *tree, lw_node *object)
{
    fill(schema->root, tree, object, true);
}

bool lw_structural_has_defaults(const lw_structural *schema)
{
    return schema->root->has_defaults;
}

static void free_node(lw_structural_node *node);

static void free_list(lw_structural_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_node(list->at[i]);
    lw_free(list->at);
}

static void free_rules(lw_structural_node *node)
{
    for (size_t i = 0; i < node->rule_count; i++) {
        lw_cel_program_free(node->rules[i].program);
        lw_cel_program_free(node->rules[i].words);
    }
    lw_free(node->rules);
}

static void free_node(lw_structural_node *node)
{
    if (!node)
        return;
    free_rules(node);
    for (size_t i = 0; i < node->property_count; i++)
        free_node(node->properties[i].schema);
    lw_free(node->properties);
    lw_free(node->defaulted);
    free_node(node->items);
    free_node(node->additional);
    free_node(node->not_of);
    free_list(&node->all_of);
    free_list(&node->any_of);
    free_list(&node->one_of);
    lw_free(node->required.at);
    lw_free(node->allowed.at);
    lw_structural_enum_free(node->allowed_values);
    lw_free(node->map_keys.at);
    lw_regex_free(node->pattern);
    lw_free(node);
}

const lw_cel_type *lw_structural_rule_type(const lw_structural *schema)
{
    return schema->root->rule_type;
}

void lw_structural_free(lw_structural *schema)
{
    if (!schema)
        return;
    free_node(schema->root);
    lw_tree_free(schema->texts);
    lw_arena_done(&schema->types);
    lw_free(schema);
}
