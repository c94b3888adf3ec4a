/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_flow.c -- defaulting and validation of the flow control kinds, FlowSchema and
 * PriorityLevelConfiguration.
 *
 * The type of a priority level and of its limitResponse each decide which of the other members must
 * be there and which must not. */
#include <stdio.h>

#include "json/fields.h"
#include "api/strategy/strategy.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "base/str.h"

enum {
    PRECEDENCE_DEFAULT = 1000,
    PRECEDENCE_MAX = 10000,
    QUEUES_MAX = 10 * 1000 * 1000,
    HASH_BITS = 60, /* that choose the queues of one flow */
    DETAIL_SIZE = 128,
};

/* A number that is no pointer in Go: zero counts as nothing said. */
static void default_number(lw_tree *tree, lw_node *object, const char *key, int64_t value)
{
    if (lw_fields_int(object, key, 0) == 0)
        lw_fields_set_int(tree, object, key, value);
}

static void flow_schema_defaults(lw_draft *draft)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    default_number(draft->tree, spec, "matchingPrecedence", PRECEDENCE_DEFAULT);
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

static void fault_number(lw_api_status *faults, const char *field, int64_t value,
                         const char *detail)
{
    char shown[32];
    (void)snprintf(shown, sizeof(shown), "%lld", (long long)value);
    lw_fault_plain(faults, field, lw_str_of(shown), detail);
}

/* The type |word| at |field| is none of |words|. */
static void fault_type(lw_api_status *faults, const char *field, lw_str word, const char *words)
{
    if (word.len == 0)
        lw_fault_required(faults, field, "");
    else
        lw_value_fault_words(faults, field, word, words);
}

static void check_precedence(const lw_node *spec, lw_str name, lw_api_status *faults)
{
    static const char field[] = "spec.matchingPrecedence";
    int64_t precedence = lw_fields_int(spec, "matchingPrecedence", 0);
    if (precedence <= 0)
        fault_number(faults, field, precedence, "must be a positive value");
    if (precedence > PRECEDENCE_MAX)
        fault_number(faults, field, precedence, "must not be greater than 10000");
    if (precedence == 1 && !lw_str_equal(name, LW_STR("exempt")))
        fault_number(faults, field, precedence,
                     "only the schema named 'exempt' may have matchingPrecedence 1");
}

static void flow_schema_validate(const lw_draft *draft, lw_api_status *faults)
{
    static const char methods[] = "ByNamespace|ByUser";
    static const lw_value_rule rules[] = {
        { "priorityLevelConfiguration.name", LW_VALUE_SUBDOMAIN, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *spec = lw_node_get(draft->root, LW_STR("spec"));
    const lw_node *method = lw_node_get(spec, LW_STR("distinguisherMethod"));
    check_precedence(spec, lw_fields_text(draft->metadata, "name"), faults);
    if (method && !lw_value_is_one_of(lw_fields_text(method, "type"), methods))
        lw_value_fault_node_words(faults, "spec.distinguisherMethod.type", method, methods);
    if (lw_fields_text_at(spec, "/priorityLevelConfiguration/name").len == 0)
        lw_fault_required(faults, "spec.priorityLevelConfiguration.name",
                          "must reference a priority level");
    lw_value_rules_check(rules, spec, "spec", faults);
}

/* Whether |queues| to the power of |hand| is more than the hash of a flow can tell apart. */
static bool needs_more_bits(int64_t queues, int64_t hand)
{
    int64_t hands = 1;
    for (int64_t i = 0; i < hand && queues > 1; i++) {
        if (hands > (INT64_C(1) << HASH_BITS) / queues)
            return true;
        hands *= queues;
    }
    return false;
}

static void check_hand(int64_t queues, int64_t hand, lw_api_status *faults)
{
    static const char field[] = "spec.limited.limitResponse.queuing.handSize";
    char detail[DETAIL_SIZE];
    if (hand <= 0) {
        fault_number(faults, field, hand, "must be positive");
    } else if (hand > queues) {
        (void)snprintf(detail, sizeof(detail), "should not be greater than queues (%lld)",
                       (long long)queues);
        fault_number(faults, field, hand, detail);
    } else if (needs_more_bits(queues, hand)) {
        (void)snprintf(detail, sizeof(detail),
                       "required entropy bits of deckSize %lld and handSize %lld should not be "
                       "greater than %d",
                       (long long)queues, (long long)hand, HASH_BITS);
        fault_number(faults, field, hand, detail);
    }
}

static void check_queuing(const lw_node *queuing, lw_api_status *faults)
{
    int64_t limit = lw_fields_int(queuing, "queueLengthLimit", 0);
    int64_t queues = lw_fields_int(queuing, "queues", 0);
    if (limit <= 0)
        fault_number(faults, "spec.limited.limitResponse.queuing.queueLengthLimit", limit,
                     "must be positive");
    if (queues <= 0)
        fault_number(faults, "spec.limited.limitResponse.queuing.queues", queues,
                     "must be positive");
    else if (queues > QUEUES_MAX)
        fault_number(faults, "spec.limited.limitResponse.queuing.queues", queues,
                     "must not be greater than 10000000");
    check_hand(queues, lw_fields_int(queuing, "handSize", 0), faults);
}

static void check_limit_response(const lw_node *response, lw_api_status *faults)
{
    static const char queuing_field[] = "spec.limited.limitResponse.queuing";
    const lw_node *queuing = lw_node_get(response, LW_STR("queuing"));
    lw_str type = lw_fields_text(response, "type");
    if (lw_str_equal(type, LW_STR("Reject"))) {
        if (queuing)
            lw_fault_forbidden(faults, queuing_field,
                               LW_STR("must be nil if limited.limitResponse.type is not Limited"));
    } else if (!lw_str_equal(type, LW_STR("Queue"))) {
        fault_type(faults, "spec.limited.limitResponse.type", type, "Queue|Reject");
    } else if (!queuing) {
        lw_fault_required(faults, queuing_field,
                          "must not be empty if limited.limitResponse.type is Limited");
    } else {
        check_queuing(queuing, faults);
    }
}

/* What a priority level of either type has: |path| is where it is. */
static void check_shares(const lw_node *level, const char *path, lw_api_status *faults)
{
    char field[DETAIL_SIZE];
    int64_t shares = lw_fields_int(level, "nominalConcurrencyShares", 0);
    int64_t lendable = lw_fields_int(level, "lendablePercent", 0);
    (void)snprintf(field, sizeof(field), "%s.nominalConcurrencyShares", path);
    if (shares < 0)
        fault_number(faults, field, shares, "must be a non-negative integer");
    (void)snprintf(field, sizeof(field), "%s.lendablePercent", path);
    if (lendable < 0 || lendable > 100)
        fault_number(faults, field, lendable, "must be between 0 and 100, inclusive");
}

static void check_limited(const lw_node *limited, lw_api_status *faults)
{
    int64_t borrowing = lw_fields_int(limited, "borrowingLimitPercent", 0);
    check_shares(limited, "spec.limited", faults);
    check_limit_response(lw_node_get(limited, LW_STR("limitResponse")), faults);
    if (borrowing < 0)
        fault_number(faults, "spec.limited.borrowingLimitPercent", borrowing,
                     "if specified, must be a non-negative integer");
}

static void priority_level_validate(const lw_draft *draft, lw_api_status *faults)
{
    const lw_node *spec = lw_node_get(draft->root, LW_STR("spec"));
    const lw_node *limited = lw_node_get(spec, LW_STR("limited"));
    const lw_node *exempt = lw_node_get(spec, LW_STR("exempt"));
    lw_str type = lw_fields_text(spec, "type");
    bool is_exempt = lw_str_equal(type, LW_STR("Exempt"));
    bool is_named_exempt = lw_str_equal(lw_fields_text(draft->metadata, "name"), LW_STR("exempt"));
    if (is_exempt != is_named_exempt)
        lw_fault_invalid(faults, "spec.type", type,
                         "must be 'Exempt' if and only if `name` is 'exempt'");
    if (is_exempt) {
        if (limited)
            lw_fault_forbidden(faults, "spec.limited",
                               LW_STR("must be nil if the type is not Limited"));
        check_shares(exempt, "spec.exempt", faults);
    } else if (!lw_str_equal(type, LW_STR("Limited"))) {
        fault_type(faults, "spec.type", type, "Exempt|Limited");
    } else {
        if (exempt)
            lw_fault_forbidden(faults, "spec.exempt", LW_STR("must be nil if the type is Limited"));
        if (limited)
            check_limited(limited, faults);
        else
            lw_fault_required(faults, "spec.limited", "must not be empty when type is Limited");
    }
}

#define FLOW LW_STR_INIT("flowcontrol.apiserver.k8s.io")

const lw_kind_rules lw_rules_flow[] = {
    { .group = FLOW,
      .plural = LW_STR_INIT("flowschemas"),
      .defaults = flow_schema_defaults,
      .validate = flow_schema_validate },
    { .group = FLOW,
      .plural = LW_STR_INIT("prioritylevelconfigurations"),
      .defaults = priority_level_defaults,
      .validate = priority_level_validate },
    { .defaults = NULL },
};
