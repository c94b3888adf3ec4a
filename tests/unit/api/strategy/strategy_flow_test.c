/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_flow_test.c -- defaulting and validation of the flow control kinds. */
#include "unit/api/sent.h"

#define FLOW              "/apis/flowcontrol.apiserver.k8s.io/v1/"
#define SCHEMAS           FLOW "flowschemas"
#define LEVELS            FLOW "prioritylevelconfigurations"

#define NAMED(name, spec) "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" spec "}}"
#define LIMITED(members)  NAMED("a", "\"type\":\"Limited\",\"limited\":{" members "}")
#define QUEUING(members)  LIMITED("\"limitResponse\":{\"type\":\"Queue\",\"queuing\":{" members "}}")
#define REJECT            "\"limitResponse\":{\"type\":\"Reject\"}"
#define LEVEL_OF_SCHEMA   "\"priorityLevelConfiguration\":{\"name\":\"p\"}"

static void priority_levels_are_defaulted(void **state)
{
    assert_sent_has(*state, "POST", LEVELS, QUEUING("\"queues\":9"), 201,
                    "\"queuing\":{\"queues\":9,\"handSize\":8,\"queueLengthLimit\":50}},"
                    "\"nominalConcurrencyShares\":30,\"lendablePercent\":0}");
    assert_sent_has(*state, "POST", LEVELS, NAMED("exempt", "\"type\":\"Exempt\",\"exempt\":{}"),
                    201, "\"exempt\":{\"nominalConcurrencyShares\":0,\"lendablePercent\":0}");
}

static void flow_schemas_are_defaulted(void **state)
{
    assert_sent_has(*state, "POST", SCHEMAS,
                    NAMED("a", LEVEL_OF_SCHEMA ",\"matchingPrecedence\":0"), 201,
                    "\"matchingPrecedence\":1000");
}

static void the_type_of_a_priority_level_determines_its_members(void **state)
{
    static const struct {
        const char *body, *fault;
    } cases[] = {
        { NAMED("a", "\"type\":\"Limited\",\"limited\":{" REJECT "},\"exempt\":{}"),
          "spec.exempt: Forbidden: must be nil if the type is Limited" },
        { NAMED("a", "\"type\":\"Limited\""),
          "spec.limited: Required value: must not be empty when type is Limited" },
        { NAMED("exempt", "\"type\":\"Exempt\",\"limited\":{" REJECT "}"),
          "spec.limited: Forbidden: must be nil if the type is not Limited" },
        { NAMED("a", "\"type\":\"Exempt\""), "must be 'Exempt' if and only if `name` is 'exempt'" },
        { NAMED("exempt", "\"type\":\"Limited\",\"limited\":{" REJECT "}"),
          "must be 'Exempt' if and only if `name` is 'exempt'" },
        { NAMED("a", "\"type\":\"Qimited\""),
          "spec.type: Unsupported value: \\\"Qimited\\\": supported values: \\\"Exempt\\\", "
          "\\\"Limited\\\"" },
        { NAMED("a", ""), "spec.type: Required value" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has(*state, "POST", LEVELS, cases[i].body, 422, cases[i].fault);
}

static void the_type_of_a_response_determines_its_queues(void **state)
{
    static const struct {
        const char *body, *fault;
    } cases[] = {
        { LIMITED("\"limitResponse\":{\"type\":\"Reject\",\"queuing\":{}}"),
          "spec.limited.limitResponse.queuing: Forbidden: must be nil" },
        { LIMITED("\"limitResponse\":{\"type\":\"Queue\"}"),
          "spec.limited.limitResponse.queuing: Required value: must not be empty" },
        { LIMITED(""), "spec.limited.limitResponse.type: Required value" },
        { LIMITED("\"limitResponse\":{\"type\":\"Wait\"}"),
          "spec.limited.limitResponse.type: Unsupported value: \\\"Wait\\\"" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has(*state, "POST", LEVELS, cases[i].body, 422, cases[i].fault);
}

static void numbers_of_priority_levels_are_validated(void **state)
{
    static const struct {
        const char *body, *fault;
    } cases[] = {
        { QUEUING("\"queues\":-1"), "queuing.queues: Invalid value: -1: must be positive" },
        { QUEUING("\"queues\":10000001,\"handSize\":1"), "must not be greater than 10000000" },
        { QUEUING("\"queues\":7"), "handSize: Invalid value: 8: should not be greater than queues "
                                   "(7)" },
        { QUEUING("\"queues\":256"), "required entropy bits of deckSize 256 and handSize 8" },
        { QUEUING("\"handSize\":-1"), "handSize: Invalid value: -1: must be positive" },
        { QUEUING("\"queueLengthLimit\":-1"), "queueLengthLimit: Invalid value: -1: must be" },
        { LIMITED(REJECT ",\"nominalConcurrencyShares\":-1"), "must be a non-negative integer" },
        { LIMITED(REJECT ",\"lendablePercent\":101"), "must be between 0 and 100, inclusive" },
        { LIMITED(REJECT ",\"borrowingLimitPercent\":-1"),
          "borrowingLimitPercent: Invalid value: -1: if specified, must be" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has(*state, "POST", LEVELS, cases[i].body, 422, cases[i].fault);
    do_send(*state, "POST", LEVELS, QUEUING("\"queues\":128"), 201);
}

static void flow_schemas_require_a_priority_level(void **state)
{
    static const struct {
        const char *body, *fault;
    } cases[] = {
        { NAMED("a", ""), "spec.priorityLevelConfiguration.name: Required value: must reference a "
                          "priority level" },
        { NAMED("a", "\"priorityLevelConfiguration\":{\"name\":\"P\"}"),
          "spec.priorityLevelConfiguration.name: Invalid value: \\\"P\\\"" },
        { NAMED("a", LEVEL_OF_SCHEMA ",\"matchingPrecedence\":-1"), "must be a positive value" },
        { NAMED("a", LEVEL_OF_SCHEMA ",\"matchingPrecedence\":10001"),
          "must not be greater than 10000" },
        { NAMED("a", LEVEL_OF_SCHEMA ",\"matchingPrecedence\":1"),
          "only the schema named 'exempt'" },
        { NAMED("a", LEVEL_OF_SCHEMA ",\"distinguisherMethod\":{\"type\":\"ByLuck\"}"),
          "supported values: \\\"ByNamespace\\\", \\\"ByUser\\\"" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has(*state, "POST", SCHEMAS, cases[i].body, 422, cases[i].fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(priority_levels_are_defaulted),
        SEEDED_TEST(flow_schemas_are_defaulted),
        SEEDED_TEST(the_type_of_a_priority_level_determines_its_members),
        SEEDED_TEST(the_type_of_a_response_determines_its_queues),
        SEEDED_TEST(numbers_of_priority_levels_are_validated),
        SEEDED_TEST(flow_schemas_require_a_priority_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
