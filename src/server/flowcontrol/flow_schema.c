/* SPDX-License-Identifier: Apache-2.0 */
/* flow_schema.c -- reads FlowSchema and PriorityLevelConfiguration objects. */
#include "server/flowcontrol/flow_schema.h"

#include "base/str.h"
#include "json/fields.h"

static const char exempt_name[] = "exempt";

/* Returns |count| zeroed items; NULL also for 0. */
static void *take_items(lw_arena *arena, size_t count, size_t size)
{
    return count > 0 ? lw_arena_take_zero(arena, count, size) : NULL;
}

static lw_flow_names read_names(const lw_node *list, lw_arena *arena)
{
    size_t count = lw_node_count(list);
    lw_str *at = take_items(arena, count, sizeof(*at));
    if (!at)
        return (lw_flow_names){ NULL, 0, false };
    for (size_t i = 0; i < count; i++)
        at[i] = lw_arena_copy(arena, lw_node_text(lw_node_at(list, i)));
    return (lw_flow_names){ at, count, count == 1 && lw_str_equal(at[0], LW_STR("*")) };
}

/* False: a subject of an unknown kind, which matches nobody. */
static bool read_subject(lw_flow_subject *subject, const lw_node *node, lw_arena *arena)
{
    static const struct {
        const char *kind, *member;
    } kinds[] = { [LW_FLOW_USER] = { "User", "user" },
                  [LW_FLOW_GROUP] = { "Group", "group" },
                  [LW_FLOW_SERVICE_ACCOUNT] = { "ServiceAccount", "serviceAccount" } };
    lw_str kind = lw_fields_text(node, "kind");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const lw_node *member = lw_node_get(node, lw_str_of(kinds[i].member));
        if (!lw_str_equal(kind, lw_str_of(kinds[i].kind)) || !member)
            continue;
        subject->kind = (lw_flow_subject_kind)i;
        subject->name = lw_arena_copy(arena, lw_fields_text(member, "name"));
        subject->ns = lw_arena_copy(arena, lw_fields_text(member, "namespace"));
        subject->is_any = lw_str_equal(subject->name, LW_STR("*"));
        return true;
    }
    return false;
}

static void read_resource_rule(lw_flow_resource_rule *rule, const lw_node *node, lw_arena *arena)
{
    rule->verbs = read_names(lw_node_get(node, LW_STR("verbs")), arena);
    rule->groups = read_names(lw_node_get(node, LW_STR("apiGroups")), arena);
    rule->resources = read_names(lw_node_get(node, LW_STR("resources")), arena);
    rule->namespaces = read_names(lw_node_get(node, LW_STR("namespaces")), arena);
    rule->has_cluster_scope = lw_node_bool(lw_node_get(node, LW_STR("clusterScope")));
}

static void read_path_rule(lw_flow_path_rule *rule, const lw_node *node, lw_arena *arena)
{
    rule->verbs = read_names(lw_node_get(node, LW_STR("verbs")), arena);
    rule->paths = read_names(lw_node_get(node, LW_STR("nonResourceURLs")), arena);
}

static void read_rule(lw_flow_rule *rule, const lw_node *node, lw_arena *arena)
{
    const lw_node *subjects = lw_node_get(node, LW_STR("subjects"));
    const lw_node *resources = lw_node_get(node, LW_STR("resourceRules"));
    const lw_node *paths = lw_node_get(node, LW_STR("nonResourceRules"));
    size_t subject_count = lw_node_count(subjects);
    rule->subjects = take_items(arena, subject_count, sizeof(*rule->subjects));
    rule->resource_rules =
        take_items(arena, lw_node_count(resources), sizeof(*rule->resource_rules));
    rule->path_rules = take_items(arena, lw_node_count(paths), sizeof(*rule->path_rules));
    for (size_t i = 0; rule->subjects && i < subject_count; i++) {
        if (read_subject(&rule->subjects[rule->subject_count], lw_node_at(subjects, i), arena))
            rule->subject_count++;
    }
    rule->resource_rule_count = rule->resource_rules ? lw_node_count(resources) : 0;
    for (size_t i = 0; i < rule->resource_rule_count; i++)
        read_resource_rule(&rule->resource_rules[i], lw_node_at(resources, i), arena);
    rule->path_rule_count = rule->path_rules ? lw_node_count(paths) : 0;
    for (size_t i = 0; i < rule->path_rule_count; i++)
        read_path_rule(&rule->path_rules[i], lw_node_at(paths, i), arena);
}

static lw_flow_distinguisher read_distinguisher(const lw_node *spec)
{
    lw_str type = lw_fields_text_at(spec, "/distinguisherMethod/type");
    if (lw_str_equal(type, LW_STR("ByUser")))
        return LW_FLOW_BY_USER;
    return lw_str_equal(type, LW_STR("ByNamespace")) ? LW_FLOW_BY_NAMESPACE : LW_FLOW_ONE;
}

lw_status lw_flow_schema_read(lw_flow_schema *schema, lw_str json, lw_arena *arena)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st < 0)
        return st;
    const lw_node *root = lw_tree_root(tree), *spec = lw_node_get(root, LW_STR("spec"));
    const lw_node *rules = lw_node_get(spec, LW_STR("rules"));
    *schema = (lw_flow_schema){
        .name = lw_arena_copy(arena, lw_fields_text_at(root, "/metadata/name")),
        .uid = lw_arena_copy(arena, lw_fields_text_at(root, "/metadata/uid")),
        .level_name =
            lw_arena_copy(arena, lw_fields_text_at(spec, "/priorityLevelConfiguration/name")),
        .precedence = lw_fields_int(spec, "matchingPrecedence", 0),
        .distinguisher = read_distinguisher(spec),
        .rules = take_items(arena, lw_node_count(rules), sizeof(lw_flow_rule)),
    };
    schema->rule_count = schema->rules ? lw_node_count(rules) : 0;
    for (size_t i = 0; i < schema->rule_count; i++)
        read_rule(&schema->rules[i], lw_node_at(rules, i), arena);
    lw_tree_free(tree);
    return arena->st;
}

static uint32_t read_count(const lw_node *object, const char *key)
{
    int64_t value = lw_fields_int(object, key, 0);
    return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Validation keeps percentages in range; a store that others write to may not. */
static int64_t read_in_range(const lw_node *object, const char *key, int64_t fallback, int64_t max)
{
    int64_t value = lw_fields_int(object, key, fallback);
    return value > max ? max : value < 0 && fallback >= 0 ? 0 : value;
}

static bool read_limited(lw_flow_level_spec *spec, const lw_node *limited)
{
    const lw_node *response = lw_node_get(limited, LW_STR("limitResponse"));
    const lw_node *queuing = lw_node_get(response, LW_STR("queuing"));
    bool is_reject = lw_str_equal(lw_fields_text(response, "type"), LW_STR("Reject"));
    spec->shares = read_in_range(limited, "nominalConcurrencyShares", 30, INT32_MAX);
    spec->lendable_percent = read_in_range(limited, "lendablePercent", 0, 100);
    spec->borrowing_percent = read_in_range(limited, "borrowingLimitPercent", -1, INT32_MAX);
    if (queuing) {
        spec->queues = read_count(queuing, "queues");
        spec->hand_size = read_count(queuing, "handSize");
        spec->length_limit = read_count(queuing, "queueLengthLimit");
    }
    if (queuing && (spec->queues == 0 || spec->hand_size == 0 || spec->hand_size > spec->queues))
        return false;
    return is_reject == !queuing;
}

static bool read_level(lw_flow_level_spec *spec, const lw_node *node)
{
    const lw_node *limited = lw_node_get(node, LW_STR("limited"));
    const lw_node *exempt = lw_node_get(node, LW_STR("exempt"));
    bool has_exempt_name = lw_str_equal(spec->name, lw_str_of(exempt_name));
    spec->is_exempt = lw_str_equal(lw_fields_text(node, "type"), LW_STR("Exempt"));
    if (spec->is_exempt != has_exempt_name || spec->is_exempt == !!limited)
        return false;
    if (limited)
        return !exempt && read_limited(spec, limited);
    spec->shares = read_in_range(exempt, "nominalConcurrencyShares", 0, INT32_MAX);
    spec->lendable_percent = read_in_range(exempt, "lendablePercent", 0, 100);
    spec->borrowing_percent = -1;
    return true;
}

lw_status lw_flow_level_spec_read(lw_flow_level_spec *spec, lw_str json, lw_arena *arena)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st < 0)
        return st;
    const lw_node *root = lw_tree_root(tree);
    *spec = (lw_flow_level_spec){
        .name = lw_arena_copy(arena, lw_fields_text_at(root, "/metadata/name")),
        .uid = lw_arena_copy(arena, lw_fields_text_at(root, "/metadata/uid")),
    };
    bool is_good = read_level(spec, lw_node_get(root, LW_STR("spec")));
    lw_tree_free(tree);
    if (arena->st < 0)
        return arena->st;
    return is_good ? LW_OK : LW_ERR_INVALID;
}
