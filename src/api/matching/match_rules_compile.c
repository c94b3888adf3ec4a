/* SPDX-License-Identifier: Apache-2.0 */
/* match_rules_compile.c -- reads rules and selectors from the JSON of a webhook or a policy. */
#include "api/matching/match_rules_internal.h"
#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

static lw_match_texts read_texts(lw_arena *arena, const lw_node *list)
{
    lw_match_texts texts = { .count = count_of(list) };
    lw_str *copies = lw_arena_take_zero(arena, texts.count + 1, sizeof(*copies));
    for (size_t i = 0; copies && i < texts.count; i++)
        copies[i] = lw_arena_copy(arena, lw_node_text(lw_node_at(list, i)));
    texts.list = copies;
    return texts;
}

static unsigned read_operations(const lw_node *list)
{
    unsigned operations = 0;
    for (size_t i = 0; i < count_of(list); i++) {
        lw_str name = lw_node_text(lw_node_at(list, i));
        if (lw_str_equal(name, LW_STR("*")))
            operations |= LW_OPERATION_ALL;
        for (unsigned bit = 1; bit & LW_OPERATION_ALL; bit <<= 1) {
            if (lw_str_equal(name, lw_operation_name(bit)))
                operations |= bit;
        }
    }
    return operations;
}

static lw_match_scope read_scope(lw_str text)
{
    if (lw_str_equal(text, LW_STR("Namespaced")))
        return LW_MATCH_SCOPE_NAMESPACED;
    return lw_str_equal(text, LW_STR("Cluster")) ? LW_MATCH_SCOPE_CLUSTER : LW_MATCH_SCOPE_ALL;
}

static void read_resources(lw_arena *arena, const lw_node *list, lw_match_rule *rule)
{
    lw_match_resource *resources;
    rule->resource_count = count_of(list);
    resources = lw_arena_take_zero(arena, rule->resource_count + 1, sizeof(*resources));
    for (size_t i = 0; resources && i < rule->resource_count; i++)
        (void)lw_str_cut(lw_arena_copy(arena, lw_node_text(lw_node_at(list, i))), '/',
                         &resources[i].resource, &resources[i].subresource);
    rule->resources = resources;
}

static void read_rule(lw_arena *arena, const lw_node *node, lw_match_rule *rule)
{
    rule->operations = read_operations(lw_node_get(node, LW_STR("operations")));
    rule->scope = read_scope(lw_fields_text(node, "scope"));
    rule->groups = read_texts(arena, lw_node_get(node, LW_STR("apiGroups")));
    rule->versions = read_texts(arena, lw_node_get(node, LW_STR("apiVersions")));
    rule->names = read_texts(arena, lw_node_get(node, LW_STR("resourceNames")));
    read_resources(arena, lw_node_get(node, LW_STR("resources")), rule);
}

static void read_rules(lw_arena *arena, const lw_node *list, lw_match_rule_list *out)
{
    size_t count = count_of(list);
    lw_match_rule *rules = lw_arena_take_zero(arena, count + 1, sizeof(*rules));
    for (size_t i = 0; rules && i < count; i++)
        read_rule(arena, lw_node_at(list, i), &rules[i]);
    out->rules = rules;
    out->count = rules ? count : 0;
}

static lw_status read_selector(const lw_node *node, lw_label_selector **out, lw_error *err)
{
    lw_buf json;
    lw_json_writer w;
    if (!node || lw_node_is(node, LW_JSON_NULL))
        return LW_OK; /* NULL selects everything */
    lw_buf_init(&json, LW_MATCH_RULES_BYTES_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    lw_status st =
        json.st < 0 ? json.st : lw_label_selector_from_json(out, lw_buf_view(&json), err);
    lw_buf_done(&json);
    return st;
}

static lw_status compile(lw_match_rules **out, const lw_node *node, const char *included,
                         const char *excluded, lw_error *err)
{
    lw_match_rules *rules = lw_alloc_zero(1, sizeof(*rules));
    if (!rules)
        return LW_ERR_NOMEM;
    lw_arena_init(&rules->arena, LW_MATCH_RULES_BYTES_MAX);
    rules->is_exact = lw_str_equal(lw_fields_text(node, "matchPolicy"), LW_STR("Exact"));
    read_rules(&rules->arena, lw_node_get(node, lw_str_of(included)), &rules->included);
    if (excluded) {
        read_rules(&rules->arena, lw_node_get(node, lw_str_of(excluded)), &rules->excluded);
        rules->matches_all = rules->included.count == 0;
    }
    lw_status st = rules->arena.st;
    if (st == LW_OK)
        st = read_selector(lw_node_get(node, LW_STR("namespaceSelector")), &rules->namespaces, err);
    if (st == LW_OK)
        st = read_selector(lw_node_get(node, LW_STR("objectSelector")), &rules->objects, err);
    if (st < 0)
        lw_match_rules_free(rules);
    else
        *out = rules;
    return st;
}

lw_status lw_match_rules_of_webhook(lw_match_rules **out, const lw_node *webhook, lw_error *err)
{
    return compile(out, webhook, "rules", NULL, err);
}

lw_status lw_match_rules_of_resources(lw_match_rules **out, const lw_node *resources, lw_error *err)
{
    return compile(out, resources, "resourceRules", "excludeResourceRules", err);
}

void lw_match_rules_free(lw_match_rules *rules)
{
    if (!rules)
        return;
    lw_label_selector_free(rules->namespaces);
    lw_label_selector_free(rules->objects);
    lw_arena_done(&rules->arena);
    lw_free(rules);
}
