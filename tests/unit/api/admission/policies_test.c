/* SPDX-License-Identifier: Apache-2.0 */
/* policies_test.c -- validating and mutating admission policies decide about writes and deletions.
 */
#include "unit/api/sent.h"

#define GROUP      "/apis/admissionregistration.k8s.io/v1/"
#define CONFIGMAPS DEFAULT "configmaps"
#define RULES(operations)                                                                          \
    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],"     \
    "\"operations\":[" operations "],\"resources\":[\"configmaps\"]}]}"
#define CONFIG(name, data) "{\"metadata\":{\"name\":\"" name "\"},\"data\":{" data "}}"

/* The first Warning header is exactly |expected|. */
static void assert_warned(const fake_http *http, const char *expected)
{
    lw_str value = { NULL, 0 };
    assert_true(fake_http_header(http, "Warning", 0, &value));
    assert_int_equal(value.len, strlen(expected));
    assert_memory_equal(value.ptr, expected, value.len);
}

static void make(api_world *world, const char *type, const char *spec, const char *binding)
{
    char target[256], body[4096];
    (void)snprintf(target, sizeof(target), GROUP "%sadmissionpolicies", type);
    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"p\"},\"spec\":{%s}}", spec);
    do_send(world, "POST", target, body, 201);
    (void)snprintf(target, sizeof(target), GROUP "%sadmissionpolicybindings", type);
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"policyName\":\"p\"%s}}", binding);
    do_send(world, "POST", target, body, 201);
}

#define DENY ",\"validationActions\":[\"Deny\"]"

static void a_validation_that_fails_denies(void **state)
{
    make(*state, "validating",
         RULES("\"CREATE\"") ",\"validations\":[{\"expression\":\"object.data.a == 'x'\"}]", DENY);
    assert_sent(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"y\""), 422,
                FAILURE("configmaps \\\"c\\\" is forbidden: ValidatingAdmissionPolicy 'p' with "
                        "binding 'b' denied request: failed expression: object.data.a == 'x'",
                        "\"reason\":\"Invalid\",\"details\":{\"name\":\"c\",\"kind\":"
                        "\"configmaps\",\"causes\":[{\"message\":\"ValidatingAdmissionPolicy 'p' "
                        "with binding 'b' denied request: failed expression: object.data.a == "
                        "'x'\"}]},\"code\":422"));
    do_send(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"x\""), 201);
    do_send(*state, "DELETE", GROUP "validatingadmissionpolicybindings/b", "", 200);
    do_send(*state, "POST", CONFIGMAPS, CONFIG("d", "\"a\":\"y\""), 201);
}

static void deletions_are_validated(void **state)
{
    make(*state, "validating",
         RULES(
             "\"DELETE\"") ",\"validations\":[{\"expression\":\"oldObject.data.a == 'x' && object "
                           "== null\",\"message\":\"keep it\",\"reason\":\"Forbidden\"}]",
         DENY);
    do_send(*state, "POST", CONFIGMAPS, CONFIG("x", "\"a\":\"x\""), 201);
    do_send(*state, "POST", CONFIGMAPS, CONFIG("y", "\"a\":\"y\""), 201);
    do_send(*state, "DELETE", CONFIGMAPS "/x", "", 200);
    assert_sent_has(*state, "DELETE", CONFIGMAPS "/y", "", 403, "denied request: keep it");
    assert_sent_has(*state, "DELETE", CONFIGMAPS, "", 403, "denied request: keep it");
    do_send(*state, "GET", CONFIGMAPS "/y", "", 200);
}

static void failures_are_ignored_if_the_policy_says_so(void **state)
{
    make(*state, "validating",
         RULES("\"CREATE\"") ",\"failurePolicy\":\"Ignore\",\"validations\":[{\"expression\":"
                             "\"object.data.missing == 'x'\"},{\"expression\":\"object.data.a != "
                             "'y'\",\"messageExpression\":\"'a is ' + object.data.a\"}]",
         DENY);
    do_send(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"x\""), 201);
    assert_sent_has(*state, "POST", CONFIGMAPS, CONFIG("d", "\"a\":\"y\""), 422, "a is y\"");
}

static void warnings_do_not_deny(void **state)
{
    make(*state, "validating",
         RULES("\"CREATE\"") ",\"validations\":[{\"expression\":\"false\",\"message\":\"m\"}]",
         ",\"validationActions\":[\"Warn\"]");
    fake_http *http = send(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"x\""), 201);
    assert_warned(http, "299 - \"Validation failed for ValidatingAdmissionPolicy 'p' with binding "
                        "'b': m\"");
    fake_http_free(http);
}

static void parameters_are_read_from_the_cache(void **state)
{
    do_send(*state, "POST", DEFAULT "secrets",
            "{\"metadata\":{\"name\":\"s\"},\"data\":{\"a\":\"eA==\"}}", 201);
    make(*state, "validating",
         RULES(
             "\"CREATE\"") ",\"paramKind\":{\"apiVersion\":\"v1\",\"kind\":\"Secret\"},"
                           "\"validations\":[{\"expression\":\"object.data.a == params.data.a\"}]",
         DENY ",\"paramRef\":{\"name\":\"s\",\"parameterNotFoundAction\":\"Deny\"}");
    do_send(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"eA==\""), 201);
    do_send(*state, "POST", CONFIGMAPS, CONFIG("d", "\"a\":\"y\""), 422);
    do_send(*state, "DELETE", DEFAULT "secrets/s", "", 200);
    assert_sent_has(*state, "POST", CONFIGMAPS, CONFIG("d", "\"a\":\"eA==\""), 422,
                    "failed to configure binding: no params found for policy binding with `Deny` "
                    "parameterNotFoundAction");
}

static void mutations_change_the_object_in_order(void **state)
{
    make(*state, "mutating",
         RULES("\"CREATE\"") ",\"reinvocationPolicy\":\"Never\",\"mutations\":[{\"patchType\":"
                             "\"ApplyConfiguration\",\"applyConfiguration\":{\"expression\":"
                             "\"Object{data: {'b': 'c'}}\"}},{\"patchType\":\"JSONPatch\","
                             "\"jsonPatch\":{\"expression\":\"[JSONPatch{op: 'add', path: "
                             "'/data/d', value: object.data.b}]\"}}]",
         "");
    assert_sent_has(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"x\""), 201,
                    "\"data\":{\"a\":\"x\",\"b\":\"c\",\"d\":\"c\"}");
}

static void a_mutation_that_fails_denies(void **state)
{
    make(*state, "mutating",
         RULES("\"CREATE\"") ",\"reinvocationPolicy\":\"IfNeeded\",\"mutations\":[{\"patchType\":"
                             "\"ApplyConfiguration\",\"applyConfiguration\":{\"expression\":"
                             "\"Object{nothing: 1}\"}}]",
         "");
    assert_sent_has(*state, "POST", CONFIGMAPS, CONFIG("c", "\"a\":\"x\""), 403,
                    "policy 'p' with binding 'b' denied request: error applying patch: failed to "
                    "convert patch object to typed object: .nothing: field not declared in "
                    "schema");
}

#define RULES_OF(group, resource, operation)                                                       \
    "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"" group                            \
    "\"],\"apiVersions\":[\"v1\"],\"operations\":[\"" operation "\"],\"resources\":[\"" resource   \
    "\"]}]},\"reinvocationPolicy\":\"Never\",\"mutations\":[{\"patchType\":"
#define PATCHES(expression) "\"JSONPatch\",\"jsonPatch\":{\"expression\":\"" expression "\"}}]"
#define DEPLOYMENT          "/apis/apps/v1/namespaces/default/deployments"

static void make_deployment(api_world *world)
{
    do_send(world, "POST", DEPLOYMENT,
            "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":"
            "{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":"
            "{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",
            201);
}

static void a_scale_is_mutated(void **state)
{
    make_deployment(*state);
    make(*state, "mutating",
         RULES_OF("apps", "deployments/scale", "UPDATE")
             PATCHES("[JSONPatch{op: 'replace', path: '/spec/replicas', value: "
                     "oldObject.spec.replicas + 1}]"),
         "");
    assert_sent_has(*state, "PUT", DEPLOYMENT "/d/scale",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":9}}", 200,
                    "\"spec\":{\"replicas\":2}");
    assert_sent_has(*state, "GET", DEPLOYMENT "/d", "", 200, "\"replicas\":2");
}

static void a_scale_that_a_policy_makes_invalid_is_refused(void **state)
{
    make_deployment(*state);
    make(*state, "mutating",
         RULES_OF("apps", "deployments/scale", "UPDATE")
             PATCHES("[JSONPatch{op: 'replace', path: '/spec/replicas', value: -1}]"),
         "");
    assert_sent_has(*state, "PUT", DEPLOYMENT "/d/scale",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":9}}", 422,
                    "must be greater than or equal to 0");
}

static void a_binding_is_mutated(void **state)
{
    do_send(*state, "POST", DEFAULT "pods",
            "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
            "\"i\"}]}}",
            201);
    make(*state, "mutating",
         RULES_OF("", "pods/binding", "CREATE")
             PATCHES("[JSONPatch{op: 'replace', path: '/target/name', value: "
                     "object.target.name + '2'}]"),
         "");
    do_send(*state, "POST", DEFAULT "pods/p/binding",
            "{\"metadata\":{\"name\":\"p\"},\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}", 201);
    assert_sent_has(*state, "GET", DEFAULT "pods/p", "", 200, "\"nodeName\":\"n2\"");
}

static void types_of_other_groups_are_not_applied_to_subresources(void **state)
{
    make_deployment(*state);
    make(*state, "mutating",
         RULES_OF("apps", "deployments/scale", "UPDATE") "\"ApplyConfiguration\","
                                                         "\"applyConfiguration\":{\"expression\":"
                                                         "\"Object{spec: Object.spec{replicas: "
                                                         "2}}\"}}]",
         "");
    assert_sent_has(*state, "PUT", DEPLOYMENT "/d/scale",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":9}}", 403,
                    "no corresponding type for autoscaling/v1, Kind=Scale");
}

static void a_scale_is_validated_as_a_scale(void **state)
{
    make_deployment(*state);
    make(*state, "validating",
         "\"matchConstraints\":{\"resourceRules\":[{\"apiGroups\":[\"apps\"],\"apiVersions\":"
         "[\"v1\"],\"operations\":[\"UPDATE\"],\"resources\":[\"deployments/scale\"]}]},"
         "\"validations\":[{\"expression\":\"request.kind.kind == 'Scale' && "
         "!has(object.spec.selector) && object.spec.replicas < 6\"}]",
         DENY);
    do_send(*state, "PUT", DEPLOYMENT "/d/scale",
            "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":5}}", 200);
    do_send(*state, "PUT", DEPLOYMENT "/d/scale",
            "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":6}}", 422);
}

static void policies_that_do_not_compile_are_refused(void **state)
{
    assert_sent_has(*state, "POST", GROUP "validatingadmissionpolicies",
                    "{\"metadata\":{\"name\":\"p\"},\"spec\":{" RULES(
                        "\"CREATE\"") ",\"validations\":[{\"expression\":\"object.x\"},"
                                      "{\"expression\":\"nothing\"}]}}",
                    422,
                    "spec.validations[0].expression: Invalid value: \\\"object.x\\\": must "
                    "evaluate to bool but got dyn, spec.validations[1].expression: Invalid value: "
                    "\\\"nothing\\\": compilation failed: ERROR: \\u003cinput\\u003e:1:1: "
                    "undeclared reference to 'nothing'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(a_validation_that_fails_denies),
        SEEDED_TEST(deletions_are_validated),
        SEEDED_TEST(failures_are_ignored_if_the_policy_says_so),
        SEEDED_TEST(warnings_do_not_deny),
        SEEDED_TEST(parameters_are_read_from_the_cache),
        SEEDED_TEST(mutations_change_the_object_in_order),
        SEEDED_TEST(a_scale_is_mutated),
        SEEDED_TEST(a_scale_that_a_policy_makes_invalid_is_refused),
        SEEDED_TEST(a_binding_is_mutated),
        SEEDED_TEST(types_of_other_groups_are_not_applied_to_subresources),
        SEEDED_TEST(a_scale_is_validated_as_a_scale),
        SEEDED_TEST(a_mutation_that_fails_denies),
        SEEDED_TEST(policies_that_do_not_compile_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
