/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_limits.c -- defaulting and validation of resource quotas and limit ranges. */
#include <stdio.h>
#include <string.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/resource_amounts.h"
#include "api/pending/text_set.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 512,
    DETAIL_SIZE = 256,
};

#define POD_NAMES     "pods"
#define COMPUTE_NAMES "cpu|memory|requests.cpu|requests.memory|limits.cpu|limits.memory"
#define CLAIM_NAMES   "persistentvolumeclaims|requests.storage"
#define COUNT_NAMES                                                                                \
    "pods|resourcequotas|services|replicationcontrollers|secrets|configmaps|"                      \
    "persistentvolumeclaims|services.nodeports|services.loadbalancers"
#define QUOTA_NAMES                                                                                \
    COUNT_NAMES "|" COMPUTE_NAMES                                                                  \
                "|ephemeral-storage|requests.storage|requests.ephemeral-storage|"                  \
                "limits.ephemeral-storage"
#define SCOPES                                                                                     \
    "Terminating|NotTerminating|BestEffort|NotBestEffort|PriorityClass|"                           \
    "CrossNamespacePodAffinity|VolumeAttributesClass"

static const lw_node *spec_of(const lw_pending_object *pending)
{
    return lw_node_get(pending->root, LW_STR("spec"));
}

static bool is_standard(lw_str name)
{
    return lw_value_is_one_of(name, QUOTA_NAMES) ||
           lw_str_starts_with(name, LW_STR("hugepages-")) ||
           lw_str_starts_with(name, LW_STR("requests.hugepages-"));
}

static bool is_fully_qualified(lw_str name)
{
    return name.len > 0 && memchr(name.ptr, '/', name.len);
}

static void check_hard(const lw_node *hard, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    for (size_t i = 0; i < lw_node_count(hard); i++) {
        lw_str name = lw_node_key_at(hard, i), text = lw_node_text(lw_node_at(hard, i));
        lw_name_problems problems;
        lw_quantity quantity;
        (void)snprintf(field, sizeof(field), "spec.hard[%.*s]", LW_STR_ARG(name));
        if (!lw_name_is_qualified(name, &problems)) {
            for (size_t p = 0; p < problems.count; p++)
                lw_field_error_invalid(errors, field, name, problems.text[p]);
        } else if (!is_fully_qualified(name) && !is_standard(name)) {
            lw_field_error_invalid(errors, field, name, "must be a standard resource for quota");
        }
        if (!lw_quantity_of_node(lw_node_at(hard, i), &quantity))
            continue;
        if (quantity.nanos < 0)
            lw_field_error_invalid(errors, field, text, "must be greater than or equal to 0");
        if (lw_value_is_one_of(name, COUNT_NAMES) &&
            lw_quantity_compare(quantity, lw_quantity_whole(quantity)) != 0)
            lw_field_error_invalid(errors, field, text, "must be an integer");
    }
}

/* Returns true if |scope| can be combined with |resource|. */
static bool is_in_scope(lw_str scope, lw_str resource)
{
    if (!is_standard(resource))
        return true;
    if (lw_str_equal(scope, LW_STR("BestEffort")))
        return lw_value_is_one_of(resource, POD_NAMES);
    if (lw_str_equal(scope, LW_STR("VolumeAttributesClass")))
        return lw_value_is_one_of(resource, CLAIM_NAMES);
    return !lw_value_is_one_of(scope, SCOPES) ||
           lw_value_is_one_of(resource, POD_NAMES "|" COMPUTE_NAMES);
}

enum {
    SCOPES_COUNT = 7, /* number of names in SCOPES */
};

/* The scopes that are present, for those that exclude each other. */
typedef struct scope_set {
    bool best_effort, not_best_effort, terminating, not_terminating;
    lw_str checked[SCOPES_COUNT]; /* known scopes that have been compared with the resources */
    size_t checked_count;
} scope_set;

static void add_scope(scope_set *set, lw_str scope)
{
    set->best_effort |= lw_str_equal(scope, LW_STR("BestEffort"));
    set->not_best_effort |= lw_str_equal(scope, LW_STR("NotBestEffort"));
    set->terminating |= lw_str_equal(scope, LW_STR("Terminating"));
    set->not_terminating |= lw_str_equal(scope, LW_STR("NotTerminating"));
}

static void check_pairs(const scope_set *set, const char *field, const lw_node *shown,
                        lw_api_status *errors)
{
    if (set->best_effort && set->not_best_effort)
        lw_value_error(errors, field, shown, "conflicting scopes");
    if (set->terminating && set->not_terminating)
        lw_value_error(errors, field, shown, "conflicting scopes");
}

/* Returns true if |scope| has not been compared with the resources yet.  Each scope is compared
 * once, so that a long list does not multiply the work; an unknown scope allows all resources. */
static bool is_new_scope(scope_set *set, lw_str scope)
{
    if (!lw_value_is_one_of(scope, SCOPES))
        return false;
    for (size_t i = 0; i < set->checked_count; i++) {
        if (lw_str_equal(set->checked[i], scope))
            return false;
    }
    set->checked[set->checked_count++] = scope;
    return true;
}

static void check_resources(const lw_node *spec, lw_str scope, scope_set *set, const char *field,
                            const lw_node *shown, lw_api_status *errors)
{
    const lw_node *hard = lw_node_get(spec, LW_STR("hard"));
    if (!is_new_scope(set, scope))
        return;
    for (size_t i = 0; i < lw_node_count(hard); i++) {
        if (!is_in_scope(scope, lw_node_key_at(hard, i)))
            lw_value_error(errors, field, shown, "unsupported scope applied to resource");
    }
}

static void check_scopes(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *scopes = lw_node_get(spec, LW_STR("scopes"));
    scope_set set = { .best_effort = false };
    for (size_t i = 0; i < lw_node_count(scopes); i++) {
        lw_str scope = lw_node_text(lw_node_at(scopes, i));
        if (!lw_value_is_one_of(scope, SCOPES))
            lw_value_error(errors, "spec.scopes", scopes, "unsupported scope");
        check_resources(spec, scope, &set, "spec.scopes", scopes, errors);
        add_scope(&set, scope);
    }
    check_pairs(&set, "spec.scopes", scopes, errors);
}

static void check_operator(lw_str scope, const lw_node *selector, lw_api_status *errors)
{
    static const char at[] = "spec.scopeSelector.matchExpressions.operator";
    static const char values_at[] = "spec.scopeSelector.matchExpressions.values";
    lw_str op = lw_fields_text(selector, "operator");
    const lw_node *values = lw_node_get(selector, LW_STR("values"));
    bool is_plain = lw_value_is_one_of(scope, SCOPES) &&
                    !lw_value_is_one_of(scope, "PriorityClass|VolumeAttributesClass");
    if (is_plain && !lw_str_equal(op, LW_STR("Exists")))
        lw_field_error_invalid(
            errors, at, op,
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
            "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
            "ResourceQuotaScopeNotBestEffort or "
            "ResourceQuotaScopeCrossNamespacePodAffinity");
    if (lw_value_is_one_of(op, "In|NotIn")) {
        if (lw_node_count(values) == 0)
            lw_field_error_required(
                errors, values_at,
                "must be at least one value when `operator` is 'In' or 'NotIn' for "
                "scope selector");
    } else if (lw_value_is_one_of(op, "Exists|DoesNotExist")) {
        if (lw_node_count(values) > 0)
            lw_value_error(errors, values_at, values,
                           "must be no value when `operator` is 'Exist' or 'DoesNotExist' for "
                           "scope selector");
    } else {
        lw_field_error_invalid(errors, at, op, "not a valid selector operator");
    }
}

static void check_selectors(const lw_node *spec, lw_api_status *errors)
{
    static const char at[] = "spec.scopeSelector.matchExpressions";
    const lw_node *selector = lw_node_get(spec, LW_STR("scopeSelector"));
    const lw_node *list = lw_node_get(selector, LW_STR("matchExpressions"));
    scope_set set = { .best_effort = false };
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_str scope = lw_fields_text(lw_node_at(list, i), "scopeName");
        if (!lw_value_is_one_of(scope, SCOPES))
            lw_field_error_invalid(errors, "spec.scopeSelector.matchExpressions.scopeName", scope,
                                   "unsupported scope");
        check_resources(spec, scope, &set, at, selector, errors);
        check_operator(scope, lw_node_at(list, i), errors);
        add_scope(&set, scope);
    }
    check_pairs(&set, at, lw_node_get(spec, LW_STR("scopes")), errors);
}

/* Returns true if |scopes| contains all of |of|. */
static bool has_all(const lw_node *scopes, const lw_node *of, lw_api_status *errors)
{
    lw_text_set set;
    bool has = true;
    lw_text_set_init(&set, NULL);
    lw_text_set_add_all(&set, scopes);
    for (size_t i = 0; has && i < lw_node_count(of); i++)
        has = lw_text_set_has(&set, lw_node_text(lw_node_at(of, i)));
    lw_text_set_done(&set, errors);
    return has;
}

static void quota_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = spec_of(pending), *scopes = lw_node_get(spec, LW_STR("scopes"));
    check_hard(lw_node_get(spec, LW_STR("hard")), errors);
    check_scopes(spec, errors);
    check_selectors(spec, errors);
    const lw_node *old = lw_fields_find(pending->old, "/spec/scopes");
    if (pending->old && (!has_all(scopes, old, errors) || !has_all(old, scopes, errors)))
        lw_value_error(errors, "spec.scopes", scopes, "field is immutable");
}

/* Copies the resources that |to| of |item| does not have from |from|. */
static void fill_in(lw_tree *tree, lw_node *item, const char *to, const char *from)
{
    const lw_node *source = lw_node_get(item, lw_str_of(from));
    if (lw_node_count(source) == 0)
        return;
    lw_node *target = lw_fields_object(tree, item, to);
    for (size_t i = 0; target && i < lw_node_count(source); i++) {
        lw_str name = lw_node_key_at(source, i);
        if (!lw_node_get(target, name))
            lw_node_put(tree, target, name, lw_tree_copy(tree, lw_node_at(source, i)));
    }
}

static void range_defaults(lw_pending_object *pending)
{
    const lw_node *items = lw_fields_find(pending->root, "/spec/limits");
    for (size_t i = 0; i < lw_node_count(items); i++) {
        lw_node *item = lw_node_at(items, i);
        if (!lw_str_equal(lw_fields_text(item, "type"), LW_STR("Container")))
            continue;
        fill_in(pending->tree, item, "default", "max");
        fill_in(pending->tree, item, "defaultRequest", "default");
        fill_in(pending->tree, item, "defaultRequest", "min");
    }
}

/* Two bounds of a resource, the first of which must not exceed the second. */
typedef struct bound_pair {
    const char *low, *high; /* member names */
    const char *shown;      /* the member that the error names */
    const char *low_name, *high_name;
} bound_pair;

static const bound_pair bound_pairs[] = {
    { "min", "max", "min", "min", "max" },
    { "min", "defaultRequest", "defaultRequest", "min", "default request" },
    { "defaultRequest", "max", "defaultRequest", "default request", "max" },
    { "defaultRequest", "default", "defaultRequest", "default request", "default limit" },
    { "min", "default", "default", "min", "default" },
    { "default", "max", "default", "default", "max" },
};

static void check_pair(const lw_node *item, size_t index, const bound_pair *pair,
                       lw_api_status *errors)
{
    const lw_node *lows = lw_node_get(item, lw_str_of(pair->low));
    const lw_node *highs = lw_node_get(item, lw_str_of(pair->high));
    char field[FIELD_SIZE], detail[DETAIL_SIZE];
    for (size_t i = 0; i < lw_node_count(lows); i++) {
        lw_str name = lw_node_key_at(lows, i);
        const lw_node *low = lw_node_at(lows, i), *high = lw_node_get(highs, name);
        lw_quantity a, b;
        if (!lw_quantity_of_node(low, &a) || !lw_quantity_of_node(high, &b) ||
            lw_quantity_compare(a, b) <= 0)
            continue;
        (void)snprintf(field, sizeof(field), "spec.limits[%zu].%s[%.*s]", index, pair->shown,
                       LW_STR_ARG(name));
        (void)snprintf(detail, sizeof(detail), "%s value %.*s is greater than %s value %.*s",
                       pair->low_name, LW_STR_ARG(lw_node_text(low)), pair->high_name,
                       LW_STR_ARG(lw_node_text(high)));
        lw_field_error_invalid(errors, field,
                               lw_node_text(
                                   lw_node_get(lw_node_get(item, lw_str_of(pair->shown)), name)),
                               detail);
    }
}

static void check_ratios(const lw_node *item, size_t index, lw_api_status *errors)
{
    const lw_node *ratios = lw_node_get(item, LW_STR("maxLimitRequestRatio"));
    char field[FIELD_SIZE], detail[DETAIL_SIZE];
    for (size_t i = 0; i < lw_node_count(ratios); i++) {
        lw_quantity ratio;
        lw_str text = lw_node_text(lw_node_at(ratios, i));
        if (!lw_quantity_of_node(lw_node_at(ratios, i), &ratio) ||
            lw_quantity_compare(ratio, lw_quantity_of_count(1)) >= 0)
            continue;
        (void)snprintf(field, sizeof(field), "spec.limits[%zu].maxLimitRequestRatio[%.*s]", index,
                       LW_STR_ARG(lw_node_key_at(ratios, i)));
        (void)snprintf(detail, sizeof(detail), "ratio %.*s is less than 1", LW_STR_ARG(text));
        lw_field_error_invalid(errors, field, text, detail);
    }
}

static void check_type(lw_node *item, size_t index, lw_text_set *types, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    lw_str type = lw_fields_text(item, "type");
    (void)snprintf(field, sizeof(field), "spec.limits[%zu].type", index);
    if (!is_fully_qualified(type) &&
        !lw_value_is_one_of(type, "Pod|Container|PersistentVolumeClaim"))
        lw_field_error_invalid(errors, field, type,
                               "must be a standard limit type or fully qualified");
    if (!lw_text_set_add(types, item))
        lw_api_status_add_field_error(errors, LW_FIELD_DUPLICATE, lw_str_of(field), type,
                                      LW_STR(""));
}

static void check_members(const lw_node *item, size_t index, lw_api_status *errors)
{
    static const char *const of_containers[] = { "default", "defaultRequest" };
    char field[FIELD_SIZE];
    lw_str type = lw_fields_text(item, "type");
    for (size_t i = 0; i < 2 && lw_str_equal(type, LW_STR("Pod")); i++) {
        (void)snprintf(field, sizeof(field), "spec.limits[%zu].%s", index, of_containers[i]);
        if (lw_node_count(lw_node_get(item, lw_str_of(of_containers[i]))) > 0)
            lw_field_error_forbidden(errors, field,
                                     LW_STR("may not be specified when `type` is 'Pod'"));
    }
    (void)snprintf(field, sizeof(field), "spec.limits[%zu].limits", index);
    if (lw_str_equal(type, LW_STR("PersistentVolumeClaim")) &&
        !lw_fields_find(item, "/min/storage") && !lw_fields_find(item, "/max/storage"))
        lw_field_error_required(
            errors, field,
            "either minimum or maximum storage value is required, but neither was provided");
}

static void range_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *items = lw_fields_find(pending->root, "/spec/limits");
    lw_text_set types;
    lw_text_set_init(&types, "type");
    for (size_t i = 0; i < lw_node_count(items); i++) {
        lw_node *item = lw_node_at(items, i);
        check_type(item, i, &types, errors);
        check_members(item, i, errors);
        for (size_t p = 0; p < sizeof(bound_pairs) / sizeof(bound_pairs[0]); p++)
            check_pair(item, i, &bound_pairs[p], errors);
        check_ratios(item, i, errors);
    }
    lw_text_set_done(&types, errors);
}

const lw_strategy lw_strategies_limits[] = {
    { .plural = LW_STR_INIT("resourcequotas"), .validate = quota_validate },
    { .plural = LW_STR_INIT("limitranges"),
      .defaults = range_defaults,
      .validate = range_validate },
    { .plural = LW_STR_INIT("") },
};
