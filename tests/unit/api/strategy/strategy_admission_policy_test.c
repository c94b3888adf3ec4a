/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_admission_policy_test.c -- admission policies and their bindings. */
#include "unit/api/sent.h"

#define ADMISSION   "/apis/admissionregistration.k8s.io/v1/"
#define VALIDATING  ADMISSION "validatingadmissionpolicies"
#define BINDINGS    ADMISSION "validatingadmissionpolicybindings"
#define MUTATING    ADMISSION "mutatingadmissionpolicies"
#define TABLE       "application/json;as=Table;v=v1;g=meta.k8s.io"

#define NAMED(spec) "{\"metadata\":{\"name\":\"a\"},\"spec\":{" spec "}}"
#define MATCH                                                                                      \
    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"apps\"],\"apiVersions\":[\"v1\"]," \
    "\"operations\":[\"CREATE\"],\"resources\":[\"deployments\"]}]}"
#define TRUE_RULE ",\"validations\":[{\"expression\":\"true\"}]"

typedef struct faulty {
    const char *body, *fault;
} faulty;

static void assert_faults(void *world, const char *path, const faulty *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_sent_has(world, "POST", path, cases[i].body, 422, cases[i].fault);
}

static void policies_are_defaulted(void **state)
{
    assert_sent_has(*state, "POST", VALIDATING,
                    NAMED(MATCH TRUE_RULE ",\"paramKind\":{\"apiVersion\":\"e.io/v1\","
                                          "\"kind\":\"Limit\"}"),
                    201,
                    "\"resources\":[\"deployments\"],\"scope\":\"*\"}],\"matchPolicy\":"
                    "\"Equivalent\",\"namespaceSelector\":{},\"objectSelector\":{}}");
    fake_http *http = ask_as(*state, VALIDATING, TABLE, 200);
    assert_body_has(http, "\"cells\":[\"a\",1,\"e.io/v1/Limit\",\"0s\"]");
    fake_http_free(http);
    http = ask(*state, VALIDATING "/a", 200);
    assert_body_has(http, "\"failurePolicy\":\"Fail\"");
    fake_http_free(http);
}

static void validating_policies_are_validated(void **state)
{
    static const faulty cases[] = {
        { NAMED(""), "spec.matchConstraints: Required value" },
        { NAMED(MATCH), "spec.validations: Required value: validations or auditAnnotations must "
                        "contain at least one item" },
        { NAMED(MATCH ",\"validations\":[{}]"),
          "spec.validations[0].expression: Required value: expression is not specified" },
        { NAMED(MATCH ",\"validations\":[{\"expression\":\"true\",\"message\":\"a\\nb\"}]"),
          "spec.validations[0].message: Invalid value: \\\"a\\\\nb\\\": must not contain line "
          "breaks" },
        { NAMED(MATCH TRUE_RULE ",\"failurePolicy\":\"X\""),
          "spec.failurePolicy: Unsupported value: \\\"X\\\"" },
        { NAMED(MATCH TRUE_RULE ",\"paramKind\":{}"), "spec.paramKind.kind: Required value" },
        { NAMED(MATCH ",\"auditAnnotations\":[{\"valueExpression\":\"'x'\"}]"),
          "spec.auditAnnotations[0].key: Invalid value: \\\"a/\\\"" },
        { NAMED("\"matchConstraints\":{}" TRUE_RULE),
          "spec.matchConstraints.resourceRules: Required value" },
    };
    assert_faults(*state, VALIDATING, cases, sizeof(cases) / sizeof(cases[0]));
}

static void mutations_have_the_patch_of_their_type(void **state)
{
    static const faulty cases[] = {
        { NAMED(MATCH), "spec.mutations: Required value: mutations must contain at least one" },
        { NAMED(MATCH), "spec.reinvocationPolicy: Required value" },
        { NAMED(MATCH ",\"mutations\":[{\"patchType\":\"JSONPatch\"}]"),
          "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is "
          "JSONPatch" },
        { NAMED(MATCH ",\"mutations\":[{\"patchType\":\"ApplyConfiguration\",\"jsonPatch\":{}}]"),
          "spec.mutations[0].jsonPatch: Invalid value: \\\"{jsonPatch}\\\": must not be "
          "specified when patchType is ApplyConfiguration" },
    };
    assert_faults(*state, MUTATING, cases, sizeof(cases) / sizeof(cases[0]));
}

static void bindings_name_a_policy_and_what_happens(void **state)
{
    static const faulty cases[] = {
        { NAMED(""), "spec.policyName: Required value" },
        { NAMED(""), "spec.validationActions: Required value" },
        { NAMED("\"policyName\":\"p\",\"validationActions\":[\"Deny\",\"Warn\"]"),
          "must not contain both Deny and Warn" },
        { NAMED("\"policyName\":\"p\",\"validationActions\":[\"Deny\",\"Deny\"]"),
          "spec.validationActions[1]: Duplicate value: \\\"Deny\\\"" },
        { NAMED("\"policyName\":\"p\",\"validationActions\":[\"Deny\"],\"paramRef\":{}"),
          "spec.paramRef: Required value: one of name or selector must be specified" },
        { NAMED("\"policyName\":\"p\",\"validationActions\":[\"Deny\"],\"paramRef\":{\"name\":"
                "\"x\",\"selector\":{}}"),
          "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive" },
    };
    assert_faults(*state, BINDINGS, cases, sizeof(cases) / sizeof(cases[0]));
    do_send(*state, "POST", BINDINGS,
            NAMED("\"policyName\":\"p\",\"validationActions\":[\"Deny\"],\"paramRef\":{"
                  "\"selector\":{\"matchLabels\":{\"k\":\"v\"}},\"parameterNotFoundAction\":"
                  "\"Deny\"}"),
            201);
    fake_http *http = ask_as(*state, BINDINGS, TABLE, 200);
    assert_body_has(http, "\"cells\":[\"a\",\"p\",\"\\u0026LabelSelector{MatchLabels:"
                          "map[string]string{k: v,},MatchExpressions:[]LabelSelectorRequirement{"
                          "},}\",\"0s\"]");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(policies_are_defaulted),
        SEEDED_TEST(validating_policies_are_validated),
        SEEDED_TEST(mutations_have_the_patch_of_their_type),
        SEEDED_TEST(bindings_name_a_policy_and_what_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
