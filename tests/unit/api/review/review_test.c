/* SPDX-License-Identifier: Apache-2.0 */
/* review_test.c -- questions that are answered and not kept. */
#include "api/review/review.h"

#include "base/str.h"
#include "unit/api/sent.h"

#define ACCESS   "/apis/authorization.k8s.io/v1/"
#define IDENTITY "/apis/authentication.k8s.io/v1/"
#define ALLOWED                                                                                    \
    "\"status\":{\"allowed\":true,\"reason\":\"any authenticated user has full access\"}"
#define UNKNOWN_USER                                                                               \
    "\"status\":{\"allowed\":false,\"reason\":\"this server does not know the user: it is not "    \
    "the "                                                                                         \
    "administrator, not in the token file, and not in the group system:masters\"}"
#define UNKNOWN_GROUPS                                                                             \
    "\"status\":{\"allowed\":false,\"reason\":\"this server grants access only to the groups "     \
    "system:masters and system:authenticated\"}"

static void the_caller_has_full_access(void **state)
{
    assert_sent_has(*state, "POST", ACCESS "selfsubjectaccessreviews",
                    "{\"spec\":{\"resourceAttributes\":{\"verb\":\"delete\",\"resource\":\"pods\"}}"
                    "}",
                    201, ALLOWED);
}

/* Asks about |subject| ("user":...,"groups":...), cluster-wide and in a namespace. */
static void assert_reviewed(api_world *world, const char *subject, const char *answer)
{
    char body[512];
    (void)snprintf(body, sizeof(body),
                   "{\"spec\":{%s,\"resourceAttributes\":{\"namespace\":\"a\",\"verb\":\"delete\","
                   "\"resource\":\"pods\"}}}",
                   subject);
    assert_sent_has(world, "POST", ACCESS "subjectaccessreviews", body, 201, answer);
    assert_sent_has(world, "POST", ACCESS "namespaces/a/localsubjectaccessreviews", body, 201,
                    answer);
    (void)snprintf(body, sizeof(body),
                   "{\"spec\":{%s,\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":"
                   "\"get\"}}}",
                   subject);
    assert_sent_has(world, "POST", ACCESS "subjectaccessreviews", body, 201, answer);
}

static void users_who_can_authenticate_have_full_access(void **state)
{
    assert_reviewed(*state, "\"user\":\"tester\"", ALLOWED); /* whom the authenticator has */
    assert_reviewed(*state, "\"user\":\"system:admin\"", ALLOWED);
    assert_reviewed(*state, "\"user\":\"jane\",\"groups\":[\"dev\",\"system:masters\"]", ALLOWED);
    assert_reviewed(*state, "\"groups\":[\"system:masters\"]", ALLOWED);
    assert_reviewed(*state, "\"groups\":[\"system:authenticated\"]", ALLOWED);
}

static void users_the_server_does_not_know_have_no_access(void **state)
{
    assert_reviewed(*state, "\"user\":\"mallory\"", UNKNOWN_USER);
    assert_reviewed(*state, "\"user\":\"Tester\"", UNKNOWN_USER);
    assert_reviewed(*state, "\"user\":\"system:anonymous\"", UNKNOWN_USER);
    assert_reviewed(*state, "\"user\":\"system:kube-scheduler\"", UNKNOWN_USER);
    assert_reviewed(*state,
                    "\"user\":\"system:serviceaccount:a:default\",\"groups\":["
                    "\"system:serviceaccounts\",\"system:authenticated\"]",
                    UNKNOWN_USER);
    assert_reviewed(*state, "\"groups\":[\"dev\"]", UNKNOWN_GROUPS);
    assert_reviewed(*state, "\"groups\":[\"system:unauthenticated\"]", UNKNOWN_GROUPS);
}

static void public_paths_need_no_authentication(void **state)
{
    assert_sent_has(*state, "POST", ACCESS "subjectaccessreviews",
                    "{\"spec\":{\"user\":\"system:anonymous\",\"nonResourceAttributes\":{\"path\":"
                    "\"/livez/ping\",\"verb\":\"get\"}}}",
                    201, "\"allowed\":true,\"reason\":\"this path is public\"");
    assert_sent_has(*state, "POST", ACCESS "subjectaccessreviews",
                    "{\"spec\":{\"user\":\"system:anonymous\",\"nonResourceAttributes\":{\"path\":"
                    "\"/livez\",\"verb\":\"post\"}}}",
                    201, UNKNOWN_USER);
}

/* What the client says of the answer does not count. */
static void status_of_the_client_is_ignored(void **state)
{
    assert_sent_has(*state, "POST", ACCESS "subjectaccessreviews",
                    "{\"spec\":{\"user\":\"system:anonymous\",\"resourceAttributes\":{\"verb\":"
                    "\"get\"}},\"status\":{\"allowed\":true}}",
                    201, UNKNOWN_USER);
    assert_sent_has(
        *state, "POST", IDENTITY "selfsubjectreviews",
        "{\"metadata\":{\"name\":\"a\"},\"status\":{\"userInfo\":{\"username\":\"x\"}}}", 201,
        "{\"kind\":\"SelfSubjectReview\",\"apiVersion\":\"authentication.k8s.io/v1\","
        "\"metadata\":{\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},\"status\":{"
        "\"userInfo\":{\"username\":\"tester\",\"uid\":\"7\",\"groups\":["
        "\"system:authenticated\"]}}}");
}

static void the_spec_is_returned_with_its_manager(void **state)
{
    fake_http *http = send(*state, "POST", ACCESS "selfsubjectaccessreviews?fieldManager=m",
                           "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\"}}}", 201);
    assert_body_has(http, "\"metadata\":{\"managedFields\":[{\"manager\":\"m\",\"operation\":"
                          "\"Update\",\"apiVersion\":\"authorization.k8s.io/v1\",\"time\":"
                          "\"2026-11-15T01:49:24Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
                          "\"f:spec\":{\"f:resourceAttributes\":{\".\":{},\"f:verb\":{}}}}}]}");
    fake_http_free(http);
}

#define INVALID(text) ".authorization.k8s.io \\\"\\\" is invalid: " text

static void exactly_one_kind_of_attributes_is_required(void **state)
{
    assert_sent_has(*state, "POST", ACCESS "selfsubjectaccessreviews", "{}", 422,
                    INVALID("spec: Invalid value: null: exactly one of nonResourceAttributes or "
                            "resourceAttributes must be specified"));
    assert_sent_has(*state, "POST", ACCESS "selfsubjectaccessreviews",
                    "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\"},"
                    "\"nonResourceAttributes\":{\"path\":\"/\"}}}",
                    422,
                    INVALID("spec: Invalid value: {\\\"Path\\\":\\\"/\\\",\\\"Verb\\\":\\\"\\\"}"));
    assert_sent_has(*state, "POST", ACCESS "subjectaccessreviews",
                    "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\"}}}", 422,
                    INVALID(
                        "spec.user: Invalid value: \\\"\\\": at least one of user or group must "
                        "be specified"));
}

static void metadata_is_refused(void **state)
{
    assert_sent_has(*state, "POST", ACCESS "selfsubjectaccessreviews?fieldManager=m",
                    "{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"resourceAttributes\":{"
                    "\"verb\":\"get\"}}}",
                    422,
                    INVALID("metadata: Invalid value: {\\\"labels\\\":{\\\"a\\\":\\\"b\\\"},"
                            "\\\"managedFields\\\":[{\\\"manager\\\":\\\"m\\\""));
    assert_sent_has(*state, "POST", ACCESS "namespaces/foo/localsubjectaccessreviews",
                    "{\"metadata\":{\"namespace\":\"bar\"},\"spec\":{\"user\":\"x\"}}", 400,
                    "the namespace of the provided object does not match");
    assert_sent_has(
        *state, "POST", ACCESS "namespaces/foo/localsubjectaccessreviews",
        "{\"metadata\":{\"name\":\"y\"},\"spec\":{\"user\":\"x\",\"resourceAttributes\":"
        "{\"namespace\":\"bar\"}}}",
        422,
        "must be empty except for namespace, spec.resourceAttributes.namespace: Invalid "
        "value: \\\"bar\\\": must match metadata.namespace]");
    assert_sent_has(*state, "POST", ACCESS "namespaces/foo/localsubjectaccessreviews",
                    "{\"spec\":{\"user\":\"x\",\"nonResourceAttributes\":{\"verb\":\"get\"}}}", 422,
                    INVALID("spec.nonResourceAttributes: Invalid value: {\\\"Path\\\":\\\"\\\","
                            "\\\"Verb\\\":\\\"get\\\"}: disallowed on this kind of request"));
}

static void selectors_are_validated(void **state)
{
    static const char before[] = "{\"spec\":{\"resourceAttributes\":{\"verb\":\"list\",";
    static const struct {
        const char *selectors, *fault;
    } cases[] = {
        { "\"labelSelector\":{}",
          "spec.resourceAttributes.labelSelector.requirements: Required value: when "
          "spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is "
          "required" },
        { "\"fieldSelector\":{\"rawSelector\":\"a=b\",\"requirements\":[{\"key\":\"a\"}]}",
          "spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: \\\"a=b\\\": may not "
          "specified at the same time as requirements" },
        { "\"fieldSelector\":{\"requirements\":[{\"operator\":\"Ix\"}]}",
          "spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be "
          "specified" },
        { "\"fieldSelector\":{\"requirements\":[{\"key\":\"a\",\"operator\":\"In\"}]}",
          "fieldSelector.requirements[0].values: Required value: must be specified when `operator` "
          "is 'In' or 'NotIn'" },
        { "\"labelSelector\":{\"requirements\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":["
          "\"x\"]}]}",
          "labelSelector.requirements[0].values: Forbidden: may not be specified when `operator` "
          "is "
          "'Exists' or 'DoesNotExist'" },
        { "\"labelSelector\":{\"requirements\":[{\"key\":\"\",\"operator\":\"Ix\"}]}",
          "labelSelector.requirements[0].key: Invalid value: \\\"\\\": name part must be "
          "non-empty" },
        { "\"labelSelector\":{\"requirements\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":["
          "\"b\",\"-\"]}]}",
          "labelSelector.requirements[0].values[1]: Invalid value: \\\"-\\\"" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char body[512];
        (void)snprintf(body, sizeof(body), "%s%s}}}", before, cases[i].selectors);
        assert_sent_has(*state, "POST", ACCESS "selfsubjectaccessreviews", body, 422,
                        cases[i].fault);
    }
}

static void rules_reviews_require_a_namespace(void **state)
{
    assert_sent(*state, "POST", ACCESS "selfsubjectrulesreviews",
                "{\"spec\":{\"namespace\":\"a\"}}", 201,
                "{\"kind\":\"SelfSubjectRulesReview\",\"apiVersion\":\"authorization.k8s.io/v1\","
                "\"metadata\":{},\"spec\":{},\"status\":{\"resourceRules\":[{\"verbs\":[\"*\"],"
                "\"apiGroups\":[\"*\"],\"resources\":[\"*\"]}],\"nonResourceRules\":[{\"verbs\":["
                "\"*\"],\"nonResourceURLs\":[\"*\"]}],\"incomplete\":false}}\n");
    assert_sent_has(*state, "POST", ACCESS "selfsubjectrulesreviews", "{}", 400,
                    "no namespace on request");
}

static void a_token_review_identifies_the_user_or_fails(void **state)
{
    assert_sent_has(
        *state, "POST", IDENTITY "tokenreviews",
        "{\"spec\":{\"token\":\"secret\",\"audiences\":[\"x\",\"" API_WORLD_AUDIENCE "\"]}}", 201,
        "\"status\":{\"authenticated\":true,\"user\":{\"username\":\"tester\",\"uid\":"
        "\"7\",\"groups\":[\"system:authenticated\"]},\"audiences\":[\"" API_WORLD_AUDIENCE "\"]}");
    assert_sent_has(*state, "POST", IDENTITY "tokenreviews", "{\"spec\":{\"token\":\"wrong\"}}",
                    201, "\"status\":{\"user\":{},\"error\":\"invalid bearer token\"}");
    assert_sent_has(*state, "POST", IDENTITY "tokenreviews",
                    "{\"spec\":{\"token\":\"secret\",\"audiences\":[\"x\"]}}", 201,
                    "\"status\":{\"user\":{},\"error\":\"invalid bearer token\"}");
    assert_sent_has(*state, "POST", IDENTITY "tokenreviews", "{}", 400,
                    "token is required for TokenReview in authentication");
}

static void a_review_is_never_a_table(void **state)
{
    fake_http_request request = { .method = "POST",
                                  .target = IDENTITY "selfsubjectreviews",
                                  .headers = { "accept",
                                               "application/json;as=Table;v=v1;g=meta.k8s.io" },
                                  .body = LW_STR("{}") };
    fake_http *http = api_world_ask(*state, &request);
    assert_int_equal(http->status, 406);
    assert_body_has(http, "only the following media types are accepted: application/json, "
                          "application/yaml, application/vnd.kubernetes.protobuf");
    fake_http_free(http);
}

static void reviews_are_not_stored(void **state)
{
    api_world *world = *state;
    uint64_t before, after, compacted;
    lw_store_revisions(world->store, &before, &compacted);
    assert_sent_has(world, "POST", ACCESS "selfsubjectaccessreviews",
                    "{\"spec\":{\"resourceAttributes\":{\"verb\":\"get\"}}}", 201, ALLOWED);
    lw_store_revisions(world->store, &after, &compacted);
    assert_int_equal(after, before);
    fake_http_free(ask(world, ACCESS "selfsubjectaccessreviews", 405));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_caller_has_full_access),
        WORLD_TEST(users_who_can_authenticate_have_full_access),
        WORLD_TEST(users_the_server_does_not_know_have_no_access),
        WORLD_TEST(public_paths_need_no_authentication),
        WORLD_TEST(status_of_the_client_is_ignored),
        WORLD_TEST(the_spec_is_returned_with_its_manager),
        WORLD_TEST(exactly_one_kind_of_attributes_is_required),
        WORLD_TEST(metadata_is_refused),
        WORLD_TEST(selectors_are_validated),
        WORLD_TEST(rules_reviews_require_a_namespace),
        WORLD_TEST(a_token_review_identifies_the_user_or_fails),
        WORLD_TEST(a_review_is_never_a_table),
        WORLD_TEST(reviews_are_not_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
