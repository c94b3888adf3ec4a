/* SPDX-License-Identifier: Apache-2.0 */
/* rules_admission.c -- webhooks and flow control: what is filled in. */
#include "api/fields.h"
#include "api/kind_rules.h"
#include "base/str.h"

static void default_scopes(lw_tree *tree, lw_node *rules)
{
    for (size_t i = 0; i < lw_node_count(rules); i++)
        lw_fields_default_text(tree, lw_node_at(rules, i), "scope", "*");
}

/* For what a webhook is called when it does not say. */
static void default_match(lw_tree *tree, lw_node *match)
{
    lw_fields_default_text(tree, match, "matchPolicy", "Equivalent");
    (void)lw_fields_object(tree, match, "namespaceSelector");
    (void)lw_fields_object(tree, match, "objectSelector");
}

static void default_webhooks(lw_draft *draft, bool is_mutating)
{
    const lw_node *webhooks = lw_node_get(draft->root, LW_STR("webhooks"));
    for (size_t i = 0; i < lw_node_count(webhooks); i++) {
        lw_node *webhook = lw_node_at(webhooks, i);
        lw_node *service = lw_fields_find(webhook, "/clientConfig/service");
        lw_fields_default_text(draft->tree, webhook, "failurePolicy", "Fail");
        default_match(draft->tree, webhook);
        lw_fields_default_int(draft->tree, webhook, "timeoutSeconds", 10);
        if (is_mutating)
            lw_fields_default_text(draft->tree, webhook, "reinvocationPolicy", "Never");
        if (service)
            lw_fields_default_int(draft->tree, service, "port", 443);
        default_scopes(draft->tree, lw_node_get(webhook, LW_STR("rules")));
    }
}

static void mutating_webhook_defaults(lw_draft *draft)
{
    default_webhooks(draft, true);
}

static void validating_webhook_defaults(lw_draft *draft)
{
    default_webhooks(draft, false);
}

/* A number that is no pointer in Go: zero counts as nothing said. */
static void default_number(lw_tree *tree, lw_node *object, const char *key, int64_t value)
{
    if (lw_fields_int(object, key, 0) == 0)
        lw_fields_set_int(tree, object, key, value);
}

static void flow_schema_defaults(lw_draft *draft)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    default_number(draft->tree, spec, "matchingPrecedence", 1000);
}

static void priority_level_defaults(lw_draft *draft)
{
    lw_tree *tree = draft->tree;
    lw_node *limited = lw_fields_find(draft->root, "/spec/limited");
    lw_node *exempt = lw_fields_find(draft->root, "/spec/exempt");
    lw_node *queuing = lw_fields_find(draft->root, "/spec/limited/limitResponse/queuing");
    if (limited) {
        lw_fields_default_int(tree, limited, "nominalConcurrencyShares", 30);
        lw_fields_default_int(tree, limited, "lendablePercent", 0);
    }
    if (exempt) {
        lw_fields_default_int(tree, exempt, "nominalConcurrencyShares", 0);
        lw_fields_default_int(tree, exempt, "lendablePercent", 0);
    }
    if (queuing) {
        default_number(tree, queuing, "queues", 64);
        default_number(tree, queuing, "handSize", 8);
        default_number(tree, queuing, "queueLengthLimit", 50);
    }
}

#define ADMISSION LW_STR_INIT("admissionregistration.k8s.io")
#define FLOW      LW_STR_INIT("flowcontrol.apiserver.k8s.io")

const lw_kind_rules lw_rules_admission[] = {
    { .group = ADMISSION,
      .plural = LW_STR_INIT("mutatingwebhookconfigurations"),
      .defaults = mutating_webhook_defaults },
    { .group = ADMISSION,
      .plural = LW_STR_INIT("validatingwebhookconfigurations"),
      .defaults = validating_webhook_defaults },
    { .group = FLOW, .plural = LW_STR_INIT("flowschemas"), .defaults = flow_schema_defaults },
    { .group = FLOW,
      .plural = LW_STR_INIT("prioritylevelconfigurations"),
      .defaults = priority_level_defaults },
    { .defaults = NULL },
};
