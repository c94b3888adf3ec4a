/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_admission_policy.c -- defaulting and validation of admission policies and their
 * bindings. */
#include <stdio.h>
#include <string.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/policies/policy_check.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    ACTIONS_MAX = 64, /* they are compared with each other */
    KEY_SIZE = 512,
};

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

static const lw_node *spec_of(const lw_pending_object *pending)
{
    return lw_node_get(pending->root, LW_STR("spec"));
}

static void default_scopes(lw_tree *tree, const lw_node *rules)
{
    for (size_t i = 0; lw_node_is(rules, LW_JSON_ARRAY) && i < lw_node_count(rules); i++)
        lw_fields_default_text(tree, lw_node_at(rules, i), "scope", "*");
}

/* Sets the defaults that determine which requests match. */
static void default_match(lw_tree *tree, lw_node *match)
{
    if (!lw_node_is(match, LW_JSON_OBJECT))
        return;
    lw_fields_default_text(tree, match, "matchPolicy", "Equivalent");
    (void)lw_fields_object(tree, match, "namespaceSelector");
    (void)lw_fields_object(tree, match, "objectSelector");
    default_scopes(tree, lw_node_get(match, LW_STR("resourceRules")));
    default_scopes(tree, lw_node_get(match, LW_STR("excludeResourceRules")));
}

static void policy_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_fields_default_text(pending->tree, spec, "failurePolicy", "Fail");
    default_match(pending->tree, lw_node_get(spec, LW_STR("matchConstraints")));
}

static void binding_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    default_match(pending->tree, lw_node_get(spec, LW_STR("matchResources")));
}

static void check_match(const lw_node *match, const char *path, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "matchPolicy", LW_VALUE_ONE_OF, "Equivalent|Exact" },
        { "resourceRules[].operations", LW_VALUE_ITEMS, NULL },
        { "resourceRules[].operations[]", LW_VALUE_ONE_OF, "*|CONNECT|CREATE|DELETE|UPDATE" },
        { "resourceRules[].apiGroups", LW_VALUE_ITEMS, NULL },
        { "resourceRules[].apiVersions", LW_VALUE_ITEMS, NULL },
        { "resourceRules[].resources", LW_VALUE_ITEMS, NULL },
        { "resourceRules[].scope", LW_VALUE_ONE_OF, "*|Cluster|Namespaced" },
        { "excludeResourceRules[].operations", LW_VALUE_ITEMS, NULL },
        { "excludeResourceRules[].operations[]", LW_VALUE_ONE_OF,
          "*|CONNECT|CREATE|DELETE|UPDATE" },
        { "excludeResourceRules[].apiGroups", LW_VALUE_ITEMS, NULL },
        { "excludeResourceRules[].apiVersions", LW_VALUE_ITEMS, NULL },
        { "excludeResourceRules[].resources", LW_VALUE_ITEMS, NULL },
        NO_RULE,
    };
    lw_value_validate(rules, match, path, errors);
}

/* What both kinds of policies have. */
static void check_policy(const lw_node *spec, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "failurePolicy", LW_VALUE_ONE_OF, "Fail|Ignore" },
        { "matchConstraints", LW_VALUE_PRESENT, NULL },
        { "matchConstraints.resourceRules", LW_VALUE_ITEMS, NULL },
        { "matchConditions", LW_VALUE_AT_MOST, "64" },
        NO_RULE,
    };
    static const lw_value_rule param_rules[] = {
        { "paramKind.apiVersion", LW_VALUE_REQUIRED, NULL },
        { "paramKind.kind", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    lw_value_validate(rules, spec, "spec", errors);
    lw_value_validate(param_rules, spec, "spec", errors);
    check_match(lw_node_get(spec, LW_STR("matchConstraints")), "spec.matchConstraints", errors);
}

/* The key of an annotation comes after the name of the policy. */
static void check_annotations(const lw_pending_object *pending, const lw_node *annotations,
                              lw_api_status *errors)
{
    lw_str policy = lw_fields_text(pending->metadata, "name");
    for (size_t i = 0; i < lw_node_count(annotations); i++) {
        char key[KEY_SIZE];
        lw_str name = lw_fields_text(lw_node_at(annotations, i), "key");
        lw_name_problems problems = { 0 };
        lw_field_path at = lw_field_path_item(NULL, LW_STR("spec.auditAnnotations"), i);
        lw_field_path key_at = lw_field_path_in(&at, LW_STR("key"));
        if (policy.len + name.len + 2 > sizeof(key))
            continue; /* the name of the policy is refused */
        (void)snprintf(key, sizeof(key), "%.*s/%.*s", LW_STR_ARG(policy), LW_STR_ARG(name));
        (void)lw_name_is_qualified(lw_str_of(key), &problems);
        lw_value_errors_of_name(errors, &key_at, lw_str_of(key), &problems);
    }
}

static void validating_policy_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char needed[] = "validations or auditAnnotations must contain at least one item";
    static const lw_value_rule rules[] = {
        { "auditAnnotations", LW_VALUE_AT_MOST, "20" },
        { "auditAnnotations[].valueExpression", LW_VALUE_REQUIRED,
          "valueExpression is not specified" },
        NO_RULE,
    };
    const lw_node *spec = spec_of(pending);
    const lw_node *validations = lw_node_get(spec, LW_STR("validations"));
    const lw_node *annotations = lw_node_get(spec, LW_STR("auditAnnotations"));
    check_policy(spec, errors);
    if (lw_node_count(validations) == 0 && lw_node_count(annotations) == 0) {
        lw_field_error_required(errors, "spec.validations", needed);
        lw_field_error_required(errors, "spec.auditAnnotations", needed);
    }
    lw_value_validate(rules, spec, "spec", errors);
    check_annotations(pending, annotations, errors);
    lw_policy_check(LW_POLICY_VALIDATING, pending->root, errors);
}

/* |type| requires the member |own| of |mutation| and excludes |other|. */
static void check_patch(const lw_node *mutation, const char *type, const char *own,
                        const char *other, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE], detail[KEY_SIZE];
    if (!lw_node_get(mutation, lw_str_of(own))) {
        (void)snprintf(detail, sizeof(detail), "must be specified when patchType is %s", type);
        lw_field_error_required(errors,
                                lw_field_path_text(field, lw_field_path_in(at, lw_str_of(own))),
                                detail);
    }
    if (lw_node_get(mutation, lw_str_of(other))) {
        char shown[KEY_SIZE];
        (void)snprintf(shown, sizeof(shown), "{%s}", other);
        (void)snprintf(detail, sizeof(detail), "must not be specified when patchType is %s", type);
        lw_field_error_invalid(errors,
                               lw_field_path_text(field, lw_field_path_in(at, lw_str_of(other))),
                               lw_str_of(shown), detail);
    }
}

static void mutating_policy_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "mutations", LW_VALUE_ITEMS, "mutations must contain at least one item" },
        { "mutations[].patchType", LW_VALUE_REQUIRED, NULL },
        { "mutations[].patchType", LW_VALUE_ONE_OF, "ApplyConfiguration|JSONPatch" },
        { "reinvocationPolicy", LW_VALUE_REQUIRED, NULL },
        { "reinvocationPolicy", LW_VALUE_ONE_OF, "IfNeeded|Never" },
        NO_RULE,
    };
    const lw_node *spec = spec_of(pending);
    const lw_node *mutations = lw_node_get(spec, LW_STR("mutations"));
    check_policy(spec, errors);
    lw_value_validate(rules, spec, "spec", errors);
    for (size_t i = 0; i < lw_node_count(mutations); i++) {
        const lw_node *mutation = lw_node_at(mutations, i);
        lw_str type = lw_fields_text(mutation, "patchType");
        lw_field_path at = lw_field_path_item(NULL, LW_STR("spec.mutations"), i);
        if (lw_str_equal(type, LW_STR("ApplyConfiguration")))
            check_patch(mutation, "ApplyConfiguration", "applyConfiguration", "jsonPatch", &at,
                        errors);
        if (lw_str_equal(type, LW_STR("JSONPatch")))
            check_patch(mutation, "JSONPatch", "jsonPatch", "applyConfiguration", &at, errors);
    }
    lw_policy_check(LW_POLICY_MUTATING, pending->root, errors);
}

static void check_param_ref(const lw_node *ref, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "parameterNotFoundAction", LW_VALUE_REQUIRED, NULL },
        { "parameterNotFoundAction", LW_VALUE_ONE_OF, "Deny|Allow" },
        { "name", LW_VALUE_PATH_SEGMENT, NULL },
        NO_RULE,
    };
    static const char both[] = "name and selector are mutually exclusive";
    bool has_name = lw_fields_text(ref, "name").len > 0;
    bool has_selector = lw_node_get(ref, LW_STR("selector")) != NULL;
    if (!ref)
        return;
    if (!has_name && !has_selector)
        lw_field_error_required(errors, "spec.paramRef",
                                "one of name or selector must be specified");
    if (has_name && has_selector) {
        lw_field_error_forbidden(errors, "spec.paramRef.name", lw_str_of(both));
        lw_field_error_forbidden(errors, "spec.paramRef.selector", lw_str_of(both));
    }
    lw_value_validate(rules, ref, "spec.paramRef", errors);
}

static void mutating_binding_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "policyName", LW_VALUE_REQUIRED, NULL },
        { "policyName", LW_VALUE_SUBDOMAIN, NULL },
        NO_RULE,
    };
    const lw_node *spec = spec_of(pending);
    lw_value_validate(rules, spec, "spec", errors);
    check_param_ref(lw_node_get(spec, LW_STR("paramRef")), errors);
    check_match(lw_node_get(spec, LW_STR("matchResources")), "spec.matchResources", errors);
}

static void check_actions(const lw_node *actions, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "validationActions", LW_VALUE_ITEMS, NULL },
        { "validationActions[]", LW_VALUE_ONE_OF, "Audit|Deny|Warn" },
        NO_RULE,
    };
    const lw_node *list = lw_node_get(actions, LW_STR("validationActions"));
    lw_value_validate(rules, actions, "spec", errors);
    if (lw_node_count(list) > ACTIONS_MAX) {
        lw_value_error_too_many(errors, "spec.validationActions", lw_node_count(list), ACTIONS_MAX);
        return;
    }
    for (size_t i = 1; i < lw_node_count(list); i++) {
        for (size_t before = 0; before < i; before++) {
            char field[LW_FIELD_PATH_SIZE];
            if (!lw_node_equal(lw_node_at(list, i), lw_node_at(list, before)))
                continue;
            (void)snprintf(field, sizeof(field), "spec.validationActions[%zu]", i);
            lw_value_error_duplicate(errors, field, lw_node_at(list, i));
            break;
        }
    }
    if (lw_fields_list_has(list, LW_STR("Deny")) && lw_fields_list_has(list, LW_STR("Warn")))
        lw_value_error(errors, "spec.validationActions", list,
                       "must not contain both Deny and Warn (repeating the same validation failure "
                       "information in the API response and headers serves no purpose)");
}

static void validating_binding_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    mutating_binding_validate(pending, errors);
    check_actions(spec_of(pending), errors);
}

#define ADMISSION .group = LW_STR_INIT("admissionregistration.k8s.io")

const lw_strategy lw_strategies_admission_policy[] = {
    { ADMISSION, .plural = LW_STR_INIT("validatingadmissionpolicies"), .defaults = policy_defaults,
      .validate = validating_policy_validate },
    { ADMISSION, .plural = LW_STR_INIT("validatingadmissionpolicybindings"),
      .defaults = binding_defaults, .validate = validating_binding_validate },
    { ADMISSION, .plural = LW_STR_INIT("mutatingadmissionpolicies"), .defaults = policy_defaults,
      .validate = mutating_policy_validate },
    { ADMISSION, .plural = LW_STR_INIT("mutatingadmissionpolicybindings"),
      .defaults = binding_defaults, .validate = mutating_binding_validate },
    { .plural = LW_STR_INIT("") },
};
