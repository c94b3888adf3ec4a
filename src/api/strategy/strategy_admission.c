/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_admission.c -- defaulting and validation of webhook configurations. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    TIMEOUT_MAX = 30, /* seconds */
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

static void check_webhook(const lw_node *webhook, size_t at, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    const lw_node *config = lw_node_get(webhook, LW_STR("clientConfig"));
    const lw_node *timeout = lw_node_get(webhook, LW_STR("timeoutSeconds"));
    int64_t seconds = lw_fields_int(webhook, "timeoutSeconds", 1);
    (void)snprintf(field, sizeof(field), "webhooks[%zu].admissionReviewVersions", at);
    if (lw_node_count(lw_node_get(webhook, LW_STR("admissionReviewVersions"))) == 0)
        lw_field_error_required(errors, field, "must specify one of v1, v1beta1");
    (void)snprintf(field, sizeof(field), "webhooks[%zu].sideEffects", at);
    if (lw_fields_text(webhook, "sideEffects").len == 0)
        lw_field_error_required(errors, field, "must specify one of None, NoneOnDryRun");
    (void)snprintf(field, sizeof(field), "webhooks[%zu].timeoutSeconds", at);
    if (seconds < 1 || seconds > TIMEOUT_MAX)
        lw_field_error_plain(errors, field, lw_node_text(timeout),
                             "the timeout value must be between 1 and 30 seconds");
    (void)snprintf(field, sizeof(field), "webhooks[%zu].clientConfig", at);
    if (!lw_node_get(config, LW_STR("url")) == !lw_node_get(config, LW_STR("service")))
        lw_field_error_required(errors, field, "exactly one of url or service is required");
}

static void webhooks_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "webhooks[].failurePolicy", LW_VALUE_ONE_OF, "Fail|Ignore" },
        { "webhooks[].matchPolicy", LW_VALUE_ONE_OF, "Equivalent|Exact" },
        { "webhooks[].sideEffects", LW_VALUE_ONE_OF, "None|NoneOnDryRun" },
        { "webhooks[].reinvocationPolicy", LW_VALUE_ONE_OF, "IfNeeded|Never" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *webhooks = lw_node_get(pending->root, LW_STR("webhooks"));
    lw_value_validate(rules, pending->root, "", errors);
    for (size_t i = 0; i < lw_node_count(webhooks); i++)
        check_webhook(lw_node_at(webhooks, i), i, errors);
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
