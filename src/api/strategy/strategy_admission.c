/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_admission.c -- defaulting and validation of webhook configurations. */
#include "api/pending/metadata_validation.h"
#include "api/pending/text_set.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "api/webhooks/validate.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    TIMEOUT_MAX = 30,  /* seconds */
    VERSIONS_MAX = 64, /* that are looked at */
};

static void default_scopes(lw_tree *tree, lw_node *rules)
{
    for (size_t i = 0; i < lw_node_count(rules); i++)
        lw_fields_default_text(tree, lw_node_at(rules, i), "scope", "*");
}

/* Sets the defaults that determine for which requests a webhook is called. */
static void default_match(lw_tree *tree, lw_node *match)
{
    lw_fields_default_text(tree, match, "matchPolicy", "Equivalent");
    (void)lw_fields_object(tree, match, "namespaceSelector");
    (void)lw_fields_object(tree, match, "objectSelector");
}

static void default_webhooks(lw_pending_object *pending, bool is_mutating)
{
    const lw_node *webhooks = lw_node_get(pending->root, LW_STR("webhooks"));
    for (size_t i = 0; i < lw_node_count(webhooks); i++) {
        lw_node *webhook = lw_node_at(webhooks, i);
        lw_node *service = lw_fields_find(webhook, "/clientConfig/service");
        lw_fields_default_text(pending->tree, webhook, "failurePolicy", "Fail");
        default_match(pending->tree, webhook);
        lw_fields_default_int(pending->tree, webhook, "timeoutSeconds", 10);
        if (is_mutating)
            lw_fields_default_text(pending->tree, webhook, "reinvocationPolicy", "Never");
        if (service)
            lw_fields_default_int(pending->tree, service, "port", 443);
        default_scopes(pending->tree, lw_node_get(webhook, LW_STR("rules")));
    }
}

static void mutating_webhook_defaults(lw_pending_object *pending)
{
    default_webhooks(pending, true);
}

static void validating_webhook_defaults(lw_pending_object *pending)
{
    default_webhooks(pending, false);
}

/* A domain with at least three labels. */
static void check_name(const lw_node *webhook, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_name_problems problems;
    lw_str name = lw_fields_text(webhook, "name");
    size_t dots = 0;
    lw_field_path path = lw_field_path_in(at, LW_STR("name"));
    for (size_t i = 0; i < name.len; i++)
        dots += name.ptr[i] == '.';
    if (name.len == 0)
        lw_field_error_required(errors, lw_field_path_text(field, path), "");
    else if (!lw_name_is_dns1123_subdomain(name, &problems))
        lw_value_errors_of_name(errors, &path, name, &problems);
    else if (dots < 2)
        lw_field_error_invalid(errors, lw_field_path_text(field, path), name,
                               "should be a domain with at least three segments separated by dots");
}

static bool has_before(const lw_node *list, size_t end, lw_str text)
{
    for (size_t i = 0; i < end; i++) {
        if (lw_str_equal(lw_node_text(lw_node_at(list, i)), text))
            return true;
    }
    return false;
}

static void check_versions(const lw_node *webhook, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_name_problems problems;
    const lw_node *list = lw_node_get(webhook, LW_STR("admissionReviewVersions"));
    lw_field_path path = lw_field_path_in(at, LW_STR("admissionReviewVersions"));
    size_t count = lw_node_count(list);
    bool is_known = false, is_valid = true;
    if (count == 0)
        lw_field_error_required(errors, lw_field_path_text(field, path),
                                "must specify one of v1, v1beta1");
    for (size_t i = 0; i < count && i < VERSIONS_MAX; i++) {
        lw_str version = lw_node_text(lw_node_at(list, i));
        lw_field_path item = lw_field_path_item(at, LW_STR("admissionReviewVersions"), i);
        is_known |= lw_value_is_one_of(version, "v1|v1beta1") && version.len > 0;
        if (has_before(list, i, version)) {
            lw_field_error_invalid(errors, lw_field_path_text(field, item), version,
                                   "duplicate version");
        } else if (!lw_name_is_dns1035_label(version, &problems)) {
            lw_value_errors_of_name(errors, &item, version, &problems);
            is_valid = false;
        }
    }
    if (count > 0 && is_valid && !is_known)
        lw_value_error(errors, lw_field_path_text(field, path), list,
                       "must include at least one of v1, v1beta1");
}

static void check_webhook(const lw_node *webhook, size_t index, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "failurePolicy", LW_VALUE_ONE_OF, "Fail|Ignore" },
        { "matchPolicy", LW_VALUE_ONE_OF, "Equivalent|Exact" },
        { "sideEffects", LW_VALUE_ONE_OF, "None|NoneOnDryRun" },
        { "reinvocationPolicy", LW_VALUE_ONE_OF, "IfNeeded|Never" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    char field[LW_FIELD_PATH_SIZE];
    const lw_field_path top = { NULL, LW_STR("webhooks"), index };
    const lw_node *timeout = lw_node_get(webhook, LW_STR("timeoutSeconds"));
    int64_t seconds = lw_fields_int(webhook, "timeoutSeconds", 1);
    check_name(webhook, &top, errors);
    lw_webhook_validate_rules(webhook, &top, errors);
    lw_value_validate_at(rules, webhook, &top, errors);
    if (lw_fields_text(webhook, "sideEffects").len == 0)
        lw_field_error_required(errors,
                                lw_field_path_text(field,
                                                   lw_field_path_in(&top, LW_STR("sideEffects"))),
                                "must specify one of None, NoneOnDryRun");
    if (seconds < 1 || seconds > TIMEOUT_MAX)
        lw_field_error_plain(
            errors, lw_field_path_text(field, lw_field_path_in(&top, LW_STR("timeoutSeconds"))),
            lw_node_text(timeout), "the timeout value must be between 1 and 30 seconds");
    lw_webhook_validate_selectors(webhook, &top, errors);
    lw_webhook_validate_client(webhook, &top, errors);
    check_versions(webhook, &top, errors);
    lw_webhook_validate_conditions(webhook, &top, errors);
}

/* Names are unique; compared with a set, because there may be many. */
static void check_unique(const lw_node *webhooks, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_text_set names;
    lw_text_set_init(&names, "name");
    for (size_t i = 0; i < lw_node_count(webhooks); i++) {
        const lw_node *name = lw_node_get(lw_node_at(webhooks, i), LW_STR("name"));
        const lw_field_path top = { NULL, LW_STR("webhooks"), i };
        if (lw_text_set_add(&names, lw_node_at(webhooks, i)))
            continue;
        lw_value_error_duplicate(errors,
                                 lw_field_path_text(field, lw_field_path_in(&top, LW_STR("name"))),
                                 name);
    }
    lw_text_set_done(&names, errors);
}

static void webhooks_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *webhooks = lw_node_get(pending->root, LW_STR("webhooks"));
    for (size_t i = 0; i < lw_node_count(webhooks); i++)
        check_webhook(lw_node_at(webhooks, i), i, errors);
    check_unique(webhooks, errors);
}

#define ADMISSION LW_STR_INIT("admissionregistration.k8s.io")

const lw_strategy lw_strategies_admission[] = {
    { .group = ADMISSION,
      .plural = LW_STR_INIT("mutatingwebhookconfigurations"),
      .defaults = mutating_webhook_defaults,
      .validate = webhooks_validate },
    { .group = ADMISSION,
      .plural = LW_STR_INIT("validatingwebhookconfigurations"),
      .defaults = validating_webhook_defaults,
      .validate = webhooks_validate },
    { .defaults = NULL },
};
