/* SPDX-License-Identifier: Apache-2.0 */
/* match_rules.c -- decides whether a request matches.  The order is that of Kubernetes: namespace
 * selector, object selector, excluded rules, rules; a failure of a selector counts only if the
 * rules match. */
#include "api/matching/match_rules.h"

#include <listwatch/match.h>

#include "api/context/cache_lookup.h"
#include "api/matching/match_rules_internal.h"
#include "base/str.h"
#include "object/selector/label_selector.h"
#include "schema/kinds/kinds.h"
#include "schema/kinds/subresource.h"
#include "json/fields.h"

lw_str lw_operation_name(unsigned operation)
{
    switch (operation) {
    case LW_OPERATION_CREATE: return LW_STR("CREATE");
    case LW_OPERATION_UPDATE: return LW_STR("UPDATE");
    case LW_OPERATION_DELETE: return LW_STR("DELETE");
    default: return LW_STR("CONNECT");
    }
}

void lw_match_request_done(lw_match_request *request)
{
    lw_object_unref(request->ns_object);
    request->ns_object = NULL;
}

lw_status lw_match_request_namespace(lw_match_request *request, const lw_object **out)
{
    const lw_key key = { LW_STR(""), request->ns };
    if (!request->ns_object && request->ns.len > 0) {
        lw_status st =
            lw_lookup(lw_api_resource(request->api, &lw_kind_namespaces), key, &request->ns_object);
        if (st < 0)
            return st;
    }
    *out = request->ns_object;
    return LW_OK;
}

static bool has(const lw_match_texts *texts, lw_str text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (lw_str_equal(texts->list[i], LW_STR("*")) || lw_str_equal(texts->list[i], text))
            return true;
    }
    return false;
}

static bool scope_matches(const lw_match_rule *rule, const lw_kind *kind)
{
    return rule->scope == LW_MATCH_SCOPE_ALL ||
           (rule->scope == LW_MATCH_SCOPE_NAMESPACED) == kind->is_namespaced;
}

static bool resource_matches(const lw_match_rule *rule, const lw_kind *kind, lw_str subresource)
{
    for (size_t i = 0; i < rule->resource_count; i++) {
        const lw_match_resource *r = &rule->resources[i];
        bool has_resource =
            lw_str_equal(r->resource, LW_STR("*")) || lw_str_equal(r->resource, kind->plural);
        if (has_resource && (lw_str_equal(r->subresource, LW_STR("*")) ||
                             lw_str_equal(r->subresource, subresource)))
            return true;
    }
    return false;
}

static bool name_matches(const lw_match_rule *rule, lw_str name)
{
    for (size_t i = 0; i < rule->names.count; i++) {
        if (lw_str_equal(rule->names.list[i], name))
            return true;
    }
    return rule->names.count == 0;
}

static bool rule_matches(const lw_match_rule *rule, const lw_match_request *request,
                         const lw_kind *kind)
{
    return (rule->operations & request->operation) != 0 && has(&rule->groups, kind->group) &&
           has(&rule->versions, kind->version) &&
           resource_matches(rule, kind, request->subresource) && scope_matches(rule, kind) &&
           name_matches(rule, request->name);
}

/* Returns true if |a| and |b| are versions or groups of one resource: their objects are the same.
 */
static bool is_equivalent(const lw_kind *a, const lw_kind *b)
{
    bool is_other = !lw_str_equal(a->version, b->version) || !lw_str_equal(a->group, b->group);
    return is_other && a->storage.len > 0 &&
           lw_str_equal(lw_kind_stored(a)->storage, lw_kind_stored(b)->storage);
}

static bool has_subresource(const lw_kind *kind, lw_str name)
{
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        if (lw_str_equal(sub->name, name))
            return kind->subresources & sub->bit;
    }
    return name.len == 0;
}

/* Returns the kind that a rule of the list names; NULL: none matches. */
static const lw_kind *find_match(const lw_match_rule_list *list, bool is_exact,
                                 const lw_match_request *request)
{
    size_t count;
    for (size_t i = 0; i < list->count; i++) {
        if (rule_matches(&list->rules[i], request, request->kind))
            return request->kind;
    }
    if (is_exact || list->count == 0)
        return NULL;
    const lw_kind *const *kinds = lw_registry_kinds(request->registry, &count);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (is_equivalent(request->kind, kinds[k]) &&
                has_subresource(kinds[k], request->subresource) &&
                rule_matches(&list->rules[i], request, kinds[k]))
                return kinds[k];
        }
    }
    return NULL;
}

static bool get_label(const void *labels, lw_str key, lw_str *value)
{
    const lw_node *label = lw_node_get(labels, key);
    *value = lw_node_text(label);
    return label != NULL;
}

static bool object_matches(const lw_label_selector *selector, const lw_node *object)
{
    return object && lw_label_selector__matches(selector, get_label,
                                                lw_fields_find(object, "/metadata/labels"));
}

static lw_match_verdict fail_namespace(lw_status st, lw_str name, lw_api_status *status)
{
    if (st < 0)
        lw_api_status_internal(status, LW_STR("the namespace of the request cannot be read"));
    else
        lw_api_status_not_found(status, lw_kind_gvr(&lw_kind_namespaces), name);
    return LW_MATCH_ERROR;
}

/* A request for a cluster-scoped object is never exempted; a namespace that is written is matched
 * by the labels it gets. */
static lw_match_verdict match_namespace(const lw_match_rules *rules, lw_match_request *request,
                                        lw_api_status *status)
{
    const lw_label_selector *selector = rules->namespaces;
    const lw_object *ns = NULL;
    bool is_namespace = request->kind == &lw_kind_namespaces;
    if (lw_label_selector_is_everything(selector) || (request->ns.len == 0 && !is_namespace))
        return LW_MATCH_FOUND;
    if (is_namespace && request->subresource.len == 0 &&
        (request->operation & (LW_OPERATION_CREATE | LW_OPERATION_UPDATE)))
        return object_matches(selector, request->object) ? LW_MATCH_FOUND : LW_MATCH_NONE;
    lw_status st = lw_match_request_namespace(request, &ns);
    if (!ns)
        return fail_namespace(st, request->ns, status);
    return lw_label_selector_matches(selector, ns) ? LW_MATCH_FOUND : LW_MATCH_NONE;
}

const lw_kind *lw_match_rules_find(const lw_match_rules *rules, const lw_match_request *request)
{
    return rules->matches_all ? request->kind
                              : find_match(&rules->included, rules->is_exact, request);
}

const lw_label_selector *lw_match_rules_namespaces(const lw_match_rules *rules)
{
    return rules->namespaces;
}

const lw_label_selector *lw_match_rules_objects(const lw_match_rules *rules)
{
    return rules->objects;
}

lw_match_verdict lw_match_rules_decide(const lw_match_rules *rules, lw_match_request *request,
                                       const lw_kind **matched, lw_api_status *status)
{
    /* Rules first: they need no lookup and leave out most requests. */
    const lw_kind *kind = lw_match_rules_find(rules, request);
    if (!kind || find_match(&rules->excluded, rules->is_exact, request))
        return LW_MATCH_NONE;
    if (!lw_label_selector_is_everything(rules->objects) &&
        !object_matches(rules->objects, request->object) &&
        !object_matches(rules->objects, request->old))
        return LW_MATCH_NONE;
    lw_match_verdict verdict = match_namespace(rules, request, status);
    if (verdict == LW_MATCH_FOUND)
        *matched = kind;
    return verdict;
}

static bool rule_may_match(const lw_match_rule *rule, const lw_kind *kind)
{
    if (!has(&rule->groups, kind->group) || !has(&rule->versions, kind->version))
        return false;
    for (size_t i = 0; i < rule->resource_count; i++) {
        if (lw_str_equal(rule->resources[i].resource, LW_STR("*")) ||
            lw_str_equal(rule->resources[i].resource, kind->plural))
            return true;
    }
    return false;
}

bool lw_match_rules_may_match(const lw_match_rules *rules, const lw_registry *registry,
                              const lw_kind *kind)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    if (rules->matches_all)
        return true;
    for (size_t i = 0; i < rules->included.count; i++) {
        if (rule_may_match(&rules->included.rules[i], kind))
            return true;
        for (size_t k = 0; !rules->is_exact && k < count; k++) {
            if (is_equivalent(kind, kinds[k]) &&
                rule_may_match(&rules->included.rules[i], kinds[k]))
                return true;
        }
    }
    return false;
}

bool lw_match_is_exempt(const lw_kind *kind)
{
    static const char *const kinds[] = {
        "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",      "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",        "MutatingAdmissionPolicyBinding",
    };
    if (!lw_str_equal(kind->group, LW_STR("admissionregistration.k8s.io")))
        return false;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (lw_str_equal(kind->kind, lw_str_of(kinds[i])))
            return true;
    }
    return false;
}
