/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c -- reads and matches rules. */
#include "api/webhooks/rules.h"

#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

typedef enum rule_scope {
    SCOPE_ALL,
    SCOPE_CLUSTER,
    SCOPE_NAMESPACED,
} rule_scope;

/* A part of lw_hook_rules.texts. */
typedef struct text_range {
    size_t at, count;
} text_range;

typedef struct rule {
    unsigned operations;
    rule_scope scope;
    text_range groups, versions, resources;
} rule;

struct lw_hook_rules {
    size_t count;
    rule *rules;
    lw_str *texts; /* of all rules */
};

static const struct {
    lw_str name;
    unsigned bit;
} operations[] = {
    { LW_STR_INIT("CREATE"), LW_HOOK_CREATE },
    { LW_STR_INIT("UPDATE"), LW_HOOK_UPDATE },
    { LW_STR_INIT("DELETE"), LW_HOOK_DELETE },
    { LW_STR_INIT("CONNECT"), LW_HOOK_CONNECT },
};

enum {
    OPERATIONS = sizeof(operations) / sizeof(operations[0]),
};

lw_str lw_hook_operation_name(unsigned operation)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (operations[i].bit == operation)
            return operations[i].name;
    }
    return LW_STR("");
}

static unsigned read_operations(const lw_node *list)
{
    unsigned bits = 0;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_str text = lw_node_text(lw_node_at(list, i));
        for (size_t j = 0; j < OPERATIONS; j++) {
            if (lw_str_equal(text, LW_STR("*")) || lw_str_equal(text, operations[j].name))
                bits |= operations[j].bit;
        }
    }
    return bits;
}

static rule_scope read_scope(lw_str text)
{
    if (lw_str_equal(text, LW_STR("Cluster")))
        return SCOPE_CLUSTER;
    return lw_str_equal(text, LW_STR("Namespaced")) ? SCOPE_NAMESPACED : SCOPE_ALL;
}

static const char *const lists[] = { "apiGroups", "apiVersions", "resources" };

static text_range read_texts(lw_hook_rules *rules, size_t *used, const lw_node *list)
{
    text_range range = { *used, lw_node_count(list) };
    for (size_t i = 0; i < range.count; i++)
        rules->texts[(*used)++] = lw_node_text(lw_node_at(list, i));
    return range;
}

static size_t count_texts(const lw_node *list)
{
    size_t count = 0;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        for (size_t j = 0; j < sizeof(lists) / sizeof(lists[0]); j++)
            count += lw_node_count(lw_node_get(lw_node_at(list, i), lw_str_of(lists[j])));
    }
    return count;
}

lw_status lw_hook_rules_new(lw_hook_rules **out, const lw_node *list)
{
    size_t used = 0, count = lw_node_count(list);
    lw_hook_rules *rules = lw_alloc_zero(1, sizeof(*rules));
    if (!rules)
        return LW_ERR_NOMEM;
    rules->rules = lw_alloc_zero(count + 1, sizeof(*rules->rules));
    rules->texts = lw_alloc_zero(count_texts(list) + 1, sizeof(*rules->texts));
    if (!rules->rules || !rules->texts) {
        lw_hook_rules_free(rules);
        return LW_ERR_NOMEM;
    }
    for (; rules->count < count; rules->count++) {
        const lw_node *from = lw_node_at(list, rules->count);
        rule *to = &rules->rules[rules->count];
        to->operations = read_operations(lw_node_get(from, LW_STR("operations")));
        to->scope = read_scope(lw_fields_text(from, "scope"));
        to->groups = read_texts(rules, &used, lw_node_get(from, LW_STR("apiGroups")));
        to->versions = read_texts(rules, &used, lw_node_get(from, LW_STR("apiVersions")));
        to->resources = read_texts(rules, &used, lw_node_get(from, LW_STR("resources")));
    }
    *out = rules;
    return LW_OK;
}

void lw_hook_rules_free(lw_hook_rules *rules)
{
    if (!rules)
        return;
    lw_free(rules->rules);
    lw_free(rules->texts);
    lw_free(rules);
}

size_t lw_hook_rules_count(const lw_hook_rules *rules)
{
    return rules->count;
}

static bool is_or_any(lw_str text, lw_str wanted)
{
    return lw_str_equal(text, wanted) || lw_str_equal(text, LW_STR("*"));
}

static bool range_has(const lw_hook_rules *rules, text_range range, lw_str wanted)
{
    for (size_t i = 0; i < range.count; i++) {
        if (is_or_any(rules->texts[range.at + i], wanted))
            return true;
    }
    return false;
}

/* "pods" is the object alone, "pods/status" one subresource, "pods/" followed by an asterisk all
 * of them. */
static bool range_has_resource(const lw_hook_rules *rules, text_range range, lw_str plural,
                               lw_str subresource)
{
    for (size_t i = 0; i < range.count; i++) {
        lw_str resource, sub;
        (void)lw_str_cut(rules->texts[range.at + i], '/', &resource, &sub);
        if (is_or_any(resource, plural) && is_or_any(sub, subresource))
            return true;
    }
    return false;
}

bool lw_hook_rule_matches(const lw_hook_rules *rules, size_t index, const lw_kind *kind,
                          lw_str subresource, unsigned operation)
{
    const rule *r = &rules->rules[index];
    if (r->scope != SCOPE_ALL && (r->scope == SCOPE_NAMESPACED) != kind->is_namespaced)
        return false;
    return (r->operations & operation) && range_has(rules, r->groups, kind->group) &&
           range_has(rules, r->versions, kind->version) &&
           range_has_resource(rules, r->resources, kind->plural, subresource);
}

bool lw_hook_is_exempt(const lw_kind *kind)
{
    static const lw_str exempt[] = {
        LW_STR_INIT("validatingwebhookconfigurations"),
        LW_STR_INIT("mutatingwebhookconfigurations"),
        LW_STR_INIT("validatingadmissionpolicies"),
        LW_STR_INIT("validatingadmissionpolicybindings"),
        LW_STR_INIT("mutatingadmissionpolicies"),
        LW_STR_INIT("mutatingadmissionpolicybindings"),
    };
    if (!lw_str_equal(kind->group, LW_STR("admissionregistration.k8s.io")))
        return false;
    for (size_t i = 0; i < sizeof(exempt) / sizeof(exempt[0]); i++) {
        if (lw_str_equal(kind->plural, exempt[i]))
            return true;
    }
    return false;
}
