/* SPDX-License-Identifier: Apache-2.0 */
/* validate_rules.c -- validates rules, selectors and conditions of webhooks. */
#include "api/webhooks/validate.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/text_set.h"
#include "api/pending/value_validation.h"
#include "api/webhooks/conditions.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    WHY_MAX = 64 * 1024,
    DETAIL_SIZE = 1024,
};

static bool has(const lw_node *list, lw_str text)
{
    return lw_fields_list_has(list, text);
}

static void add_required(lw_api_status *errors, lw_field_path at)
{
    char text[LW_FIELD_PATH_SIZE];
    lw_field_error_required(errors, lw_field_path_text(text, at), "");
}

/* A list must not be empty, and an asterisk must stand alone. */
static bool check_list(const lw_node *rule, const char *member, const char *what, bool has_empty,
                       const lw_field_path *at, lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE], detail[DETAIL_SIZE];
    const lw_node *list = lw_node_get(rule, lw_str_of(member));
    lw_field_path path = lw_field_path_in(at, lw_str_of(member));
    if (lw_node_count(list) == 0) {
        add_required(errors, path);
        return false;
    }
    if (what && has(list, LW_STR("*")) && lw_node_count(list) > 1) {
        (void)snprintf(detail, sizeof(detail), "if '*' is present, must not specify other %s",
                       what);
        lw_value_error(errors, lw_field_path_text(text, path), list, detail);
    }
    for (size_t i = 0; !has_empty && i < lw_node_count(list); i++) {
        if (lw_node_text(lw_node_at(list, i)).len == 0)
            add_required(errors, lw_field_path_item(at, lw_str_of(member), i));
    }
    return true;
}

static void check_operations(const lw_node *rule, const lw_field_path *at, lw_api_status *errors)
{
    static const char words[] = "*|CONNECT|CREATE|DELETE|UPDATE";
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *list = lw_node_get(rule, LW_STR("operations"));
    if (!check_list(rule, "operations", "operations", true, at, errors))
        return;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_str operation = lw_node_text(lw_node_at(list, i));
        lw_field_path path = lw_field_path_item(at, LW_STR("operations"), i);
        if (!lw_value_is_one_of(operation, words))
            lw_value_error_unsupported(errors, lw_field_path_text(text, path), operation, words);
    }
}

/* True if the list has "NAME/SUB" made of these. */
static bool has_pair(const lw_text_set *all, lw_str name, lw_str sub)
{
    char text[DETAIL_SIZE];
    int len = snprintf(text, sizeof(text), "%.*s/%.*s", LW_STR_ARG(name), LW_STR_ARG(sub));
    return len > 0 && (size_t)len < sizeof(text) &&
           lw_text_set_has(all, lw_str_make(text, (size_t)len));
}

/* "pods/status" says nothing beside "pods/" with an asterisk, or the other way round. */
static void check_subresource(const lw_text_set *all, lw_str whole, const lw_field_path *path,
                              lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE], detail[DETAIL_SIZE];
    lw_str name, sub;
    if (!lw_str_cut(whole, '/', &name, &sub))
        return;
    bool is_any_sub = !lw_str_equal(sub, LW_STR("*")) && has_pair(all, name, LW_STR("*"));
    bool is_any_name = !lw_str_equal(name, LW_STR("*")) && has_pair(all, LW_STR("*"), sub);
    if (is_any_sub) {
        (void)snprintf(detail, sizeof(detail), "if '%.*s/*' is present, must not specify %.*s",
                       LW_STR_ARG(name), LW_STR_ARG(whole));
        lw_field_error_invalid(errors, lw_field_path_text(text, *path), whole, detail);
    }
    if (is_any_name) {
        (void)snprintf(detail, sizeof(detail), "if '*/%.*s' is present, must not specify %.*s",
                       LW_STR_ARG(sub), LW_STR_ARG(whole));
        lw_field_error_invalid(errors, lw_field_path_text(text, *path), whole, detail);
    }
}

static void check_subresources(const lw_node *list, const lw_field_path *at, lw_api_status *errors)
{
    lw_text_set all;
    lw_text_set_init(&all, NULL);
    lw_text_set_add_all(&all, list);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_field_path path = lw_field_path_item(at, LW_STR("resources"), i);
        check_subresource(&all, lw_node_text(lw_node_at(list, i)), &path, errors);
    }
    lw_text_set_done(&all, errors);
}

static bool has_plain(const lw_node *list)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_str name, sub, whole = lw_node_text(lw_node_at(list, i));
        if (!lw_str_cut(whole, '/', &name, &sub) && !lw_str_equal(whole, LW_STR("*")))
            return true;
    }
    return false;
}

static void check_resources(const lw_node *rule, const lw_field_path *at, lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *list = lw_node_get(rule, LW_STR("resources"));
    lw_field_path path = lw_field_path_in(at, LW_STR("resources"));
    if (!check_list(rule, "resources", NULL, false, at, errors))
        return;
    check_subresources(list, at, errors);
    if (has(list, LW_STR("*/*")) && lw_node_count(list) > 1)
        lw_value_error(errors, lw_field_path_text(text, path), list,
                       "if '*/*' is present, must not specify other resources");
    else if (has(list, LW_STR("*")) && has_plain(list))
        lw_value_error(errors, lw_field_path_text(text, path), list,
                       "if '*' is present, must not specify other resources without subresources");
}

void lw_webhook_validate_rules(const lw_node *webhook, const lw_field_path *at,
                               lw_api_status *errors)
{
    static const char scopes[] = "*|Cluster|Namespaced";
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *rules = lw_node_get(webhook, LW_STR("rules"));
    for (size_t i = 0; i < lw_node_count(rules); i++) {
        const lw_node *rule = lw_node_at(rules, i);
        const lw_field_path path = lw_field_path_item(at, LW_STR("rules"), i);
        lw_str scope = lw_fields_text(rule, "scope");
        check_operations(rule, &path, errors);
        (void)check_list(rule, "apiGroups", "API groups", true, &path, errors);
        (void)check_list(rule, "apiVersions", "API versions", false, &path, errors);
        check_resources(rule, &path, errors);
        if (!lw_value_is_one_of(scope, scopes))
            lw_value_error_unsupported(errors,
                                       lw_field_path_text(text,
                                                          lw_field_path_in(&path, LW_STR("scope"))),
                                       scope, scopes);
    }
}

static void check_requirement(const lw_node *requirement, const lw_field_path *at,
                              lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    lw_name_problems problems;
    lw_str op = lw_fields_text(requirement, "operator"), key = lw_fields_text(requirement, "key");
    size_t values = lw_node_count(lw_node_get(requirement, LW_STR("values")));
    const lw_field_path key_path = lw_field_path_in(at, LW_STR("key"));
    const lw_field_path value_path = lw_field_path_in(at, LW_STR("values"));
    bool is_set = lw_value_is_one_of(op, "In|NotIn");
    if (op.len == 0 || !lw_value_is_one_of(op, "DoesNotExist|Exists|In|NotIn"))
        lw_field_error_invalid(errors,
                               lw_field_path_text(text, lw_field_path_in(at, LW_STR("operator"))),
                               op, "not a valid selector operator");
    else if (is_set && values == 0)
        lw_field_error_required(errors, lw_field_path_text(text, value_path),
                                "must be specified when `operator` is 'In' or 'NotIn'");
    else if (!is_set && values > 0)
        lw_field_error_forbidden(
            errors, lw_field_path_text(text, value_path),
            LW_STR("may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    if (!lw_name_is_qualified(key, &problems))
        lw_value_errors_of_name(errors, &key_path, key, &problems);
}

static void check_selector(const lw_node *selector, const lw_field_path *at, lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *list = lw_node_get(selector, LW_STR("matchExpressions"));
    lw_validate_labels(lw_node_get(selector, LW_STR("matchLabels")),
                       lw_str_of(
                           lw_field_path_text(text, lw_field_path_in(at, LW_STR("matchLabels")))),
                       errors);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        const lw_field_path path = lw_field_path_item(at, LW_STR("matchExpressions"), i);
        check_requirement(lw_node_at(list, i), &path, errors);
    }
}

void lw_webhook_validate_selectors(const lw_node *webhook, const lw_field_path *at,
                                   lw_api_status *errors)
{
    static const lw_str names[] = { LW_STR_INIT("namespaceSelector"),
                                    LW_STR_INIT("objectSelector") };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const lw_field_path path = lw_field_path_in(at, names[i]);
        check_selector(lw_node_get(webhook, names[i]), &path, errors);
    }
}

static void check_condition_name(const lw_node *list, size_t i, const lw_field_path *path,
                                 lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    lw_name_problems problems;
    const lw_node *node = lw_node_get(lw_node_at(list, i), LW_STR("name"));
    lw_str name = lw_node_text(node);
    lw_field_path at = lw_field_path_in(path, LW_STR("name"));
    if (name.len == 0) {
        add_required(errors, at);
        return;
    }
    if (!lw_name_is_qualified(name, &problems))
        lw_value_errors_of_name(errors, &at, name, &problems);
    for (size_t j = 0; j < i; j++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(list, j), "name"), name)) {
            lw_value_error_duplicate(errors, lw_field_path_text(text, at), node);
            return;
        }
    }
}

/* Compiles one expression alone. */
static void check_expression(const lw_node *condition, const lw_field_path *path,
                             lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    lw_buf why;
    lw_str expression = lw_fields_text(condition, "expression");
    lw_field_path at = lw_field_path_in(path, LW_STR("expression"));
    if (lw_str_trim(expression).len == 0) {
        add_required(errors, at);
        return;
    }
    lw_buf_init(&why, WHY_MAX);
    lw_status st = lw_hook_condition_check(expression, &why);
    if (st == LW_ERR_INVALID)
        lw_api_status_add_field_error(errors, LW_FIELD_INVALID,
                                      lw_str_of(lw_field_path_text(text, at)), expression,
                                      lw_buf_view(&why));
    else if (st < 0 && errors->st == LW_OK)
        errors->st = st;
    lw_buf_done(&why);
}

void lw_webhook_validate_conditions(const lw_node *webhook, const lw_field_path *at,
                                    lw_api_status *errors)
{
    char text[LW_FIELD_PATH_SIZE];
    const lw_node *list = lw_node_get(webhook, LW_STR("matchConditions"));
    size_t count = lw_node_count(list);
    if (count > LW_HOOK_CONDITIONS_MAX) {
        lw_value_error_too_many(errors,
                                lw_field_path_text(text,
                                                   lw_field_path_in(at, LW_STR("matchConditions"))),
                                count, LW_HOOK_CONDITIONS_MAX);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const lw_field_path path = lw_field_path_item(at, LW_STR("matchConditions"), i);
        check_expression(lw_node_at(list, i), &path, errors);
        check_condition_name(list, i, &path, errors);
    }
}
