/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_flow.c -- defaulting and validation of the flow control kinds, FlowSchema and
 * PriorityLevelConfiguration.
 *
 * The type of a priority level, and that of its limitResponse, decide which other members are
 * required and which are forbidden. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    PRECEDENCE_DEFAULT = 1000,
    PRECEDENCE_MAX = 10000,
    QUEUES_MAX = 10 * 1000 * 1000,
    HASH_BITS = 60, /* hash bits that select the queues of a flow */
    DETAIL_SIZE = 128,
};

/* Sets a default for a number that is not a pointer in Go: 0 counts as missing. */
static void default_number(lw_tree *tree, lw_node *object, const char *key, int64_t value)
{
    if (lw_fields_int(object, key, 0) == 0)
        lw_fields_set_int(tree, object, key, value);
}

static void flow_schema_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    default_number(pending->tree, spec, "matchingPrecedence", PRECEDENCE_DEFAULT);
}

static void priority_level_defaults(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *limited = lw_fields_find(pending->root, "/spec/limited");
    lw_node *exempt = lw_fields_find(pending->root, "/spec/exempt");
    lw_node *queuing = lw_fields_find(pending->root, "/spec/limited/limitResponse/queuing");
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

static void add_number_error(lw_api_status *errors, const char *field, int64_t value,
                             const char *detail)
{
    char shown[32];
    (void)snprintf(shown, sizeof(shown), "%lld", (long long)value);
    lw_field_error_plain(errors, field, lw_str_of(shown), detail);
}

/* Adds an error: the type |word| at |field| is not one of |words|. */
static void add_type_error(lw_api_status *errors, const char *field, lw_str word, const char *words)
{
    if (word.len == 0)
        lw_field_error_required(errors, field, "");
    else
        lw_value_error_unsupported(errors, field, word, words);
}

static void check_precedence(const lw_node *spec, lw_str name, lw_api_status *errors)
{
    static const char field[] = "spec.matchingPrecedence";
    int64_t precedence = lw_fields_int(spec, "matchingPrecedence", 0);
    if (precedence <= 0)
        add_number_error(errors, field, precedence, "must be a positive value");
    if (precedence > PRECEDENCE_MAX)
        add_number_error(errors, field, precedence, "must not be greater than 10000");
    if (precedence == 1 && !lw_str_equal(name, LW_STR("exempt")))
        add_number_error(errors, field, precedence,
                         "only the schema named 'exempt' may have matchingPrecedence 1");
}

static void flow_schema_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char methods[] = "ByNamespace|ByUser";
    static const lw_value_rule rules[] = {
        { "priorityLevelConfiguration.name", LW_VALUE_SUBDOMAIN, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *method = lw_node_get(spec, LW_STR("distinguisherMethod"));
    check_precedence(spec, lw_fields_text(pending->metadata, "name"), errors);
    if (method && !lw_value_is_one_of(lw_fields_text(method, "type"), methods))
        lw_value_error_unsupported_node(errors, "spec.distinguisherMethod.type", method, methods);
    if (lw_fields_text_at(spec, "/priorityLevelConfiguration/name").len == 0)
        lw_field_error_required(errors, "spec.priorityLevelConfiguration.name",
                                "must reference a priority level");
    lw_value_validate(rules, spec, "spec", errors);
}

/* Returns true if selecting |hand| of |queues| needs more bits than the hash of a flow has. */
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

static void check_hand(int64_t queues, int64_t hand, lw_api_status *errors)
{
    static const char field[] = "spec.limited.limitResponse.queuing.handSize";
    char detail[DETAIL_SIZE];
    if (hand <= 0) {
        add_number_error(errors, field, hand, "must be positive");
    } else if (hand > queues) {
        (void)snprintf(detail, sizeof(detail), "should not be greater than queues (%lld)",
                       (long long)queues);
        add_number_error(errors, field, hand, detail);
    } else if (needs_more_bits(queues, hand)) {
        (void)snprintf(detail, sizeof(detail),
                       "required entropy bits of deckSize %lld and handSize %lld should not be "
                       "greater than %d",
                       (long long)queues, (long long)hand, HASH_BITS);
        add_number_error(errors, field, hand, detail);
    }
}

static void check_queuing(const lw_node *queuing, lw_api_status *errors)
{
    int64_t limit = lw_fields_int(queuing, "queueLengthLimit", 0);
    int64_t queues = lw_fields_int(queuing, "queues", 0);
    if (limit <= 0)
        add_number_error(errors, "spec.limited.limitResponse.queuing.queueLengthLimit", limit,
                         "must be positive");
    if (queues <= 0)
        add_number_error(errors, "spec.limited.limitResponse.queuing.queues", queues,
                         "must be positive");
    else if (queues > QUEUES_MAX)
        add_number_error(errors, "spec.limited.limitResponse.queuing.queues", queues,
                         "must not be greater than 10000000");
    check_hand(queues, lw_fields_int(queuing, "handSize", 0), errors);
}

static void check_limit_response(const lw_node *response, lw_api_status *errors)
{
    static const char queuing_field[] = "spec.limited.limitResponse.queuing";
    const lw_node *queuing = lw_node_get(response, LW_STR("queuing"));
    lw_str type = lw_fields_text(response, "type");
    if (lw_str_equal(type, LW_STR("Reject"))) {
        if (queuing)
            lw_field_error_forbidden(
                errors, queuing_field,
                LW_STR("must be nil if limited.limitResponse.type is not Limited"));
    } else if (!lw_str_equal(type, LW_STR("Queue"))) {
        add_type_error(errors, "spec.limited.limitResponse.type", type, "Queue|Reject");
    } else if (!queuing) {
        lw_field_error_required(errors, queuing_field,
                                "must not be empty if limited.limitResponse.type is Limited");
    } else {
        check_queuing(queuing, errors);
    }
}

/* Checks the members that both types of priority level have; |path| is their path. */
static void check_shares(const lw_node *level, const char *path, lw_api_status *errors)
{
    char field[DETAIL_SIZE];
    int64_t shares = lw_fields_int(level, "nominalConcurrencyShares", 0);
    int64_t lendable = lw_fields_int(level, "lendablePercent", 0);
    (void)snprintf(field, sizeof(field), "%s.nominalConcurrencyShares", path);
    if (shares < 0)
        add_number_error(errors, field, shares, "must be a non-negative integer");
    (void)snprintf(field, sizeof(field), "%s.lendablePercent", path);
    if (lendable < 0 || lendable > 100)
        add_number_error(errors, field, lendable, "must be between 0 and 100, inclusive");
}

static void check_limited(const lw_node *limited, lw_api_status *errors)
{
    int64_t borrowing = lw_fields_int(limited, "borrowingLimitPercent", 0);
    check_shares(limited, "spec.limited", errors);
    check_limit_response(lw_node_get(limited, LW_STR("limitResponse")), errors);
    if (borrowing < 0)
        add_number_error(errors, "spec.limited.borrowingLimitPercent", borrowing,
                         "if specified, must be a non-negative integer");
}

static void priority_level_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *limited = lw_node_get(spec, LW_STR("limited"));
    const lw_node *exempt = lw_node_get(spec, LW_STR("exempt"));
    lw_str type = lw_fields_text(spec, "type");
    bool is_exempt = lw_str_equal(type, LW_STR("Exempt"));
    bool is_named_exempt =
        lw_str_equal(lw_fields_text(pending->metadata, "name"), LW_STR("exempt"));
    if (is_exempt != is_named_exempt)
        lw_field_error_invalid(errors, "spec.type", type,
                               "must be 'Exempt' if and only if `name` is 'exempt'");
    if (is_exempt) {
        if (limited)
            lw_field_error_forbidden(errors, "spec.limited",
                                     LW_STR("must be nil if the type is not Limited"));
        check_shares(exempt, "spec.exempt", errors);
    } else if (!lw_str_equal(type, LW_STR("Limited"))) {
        add_type_error(errors, "spec.type", type, "Exempt|Limited");
    } else {
        if (exempt)
            lw_field_error_forbidden(errors, "spec.exempt",
                                     LW_STR("must be nil if the type is Limited"));
        if (limited)
            check_limited(limited, errors);
        else
            lw_field_error_required(errors, "spec.limited",
                                    "must not be empty when type is Limited");
    }
}

#define FLOW LW_STR_INIT("flowcontrol.apiserver.k8s.io")

const lw_strategy lw_strategies_flow[] = {
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
