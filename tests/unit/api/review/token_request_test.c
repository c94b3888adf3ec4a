/* SPDX-License-Identifier: Apache-2.0 */
/* token_request_test.c -- POST to serviceaccounts/NAME/token. */
#include "api/review/review.h"

#include "base/str.h"
#include "unit/api/sent.h"

#define ROBOT DEFAULT "serviceaccounts/robot/token"
#define OURS  " for=" API_WORLD_AUDIENCE
#define META(name, uid)                                                                            \
    "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\",\"uid\":\"" uid "\"}"
#define BOUND(kind, name)                                                                          \
    "{\"spec\":{\"boundObjectRef\":{\"apiVersion\":\"v1\",\"kind\":\"" kind "\",\"name\":\"" name  \
    "\"}}}"

static int robot_setup(void **state)
{
    if (world_setup(state) < 0)
        return -1;
    bool is_put =
        api_world_put(*state, "namespaces/default",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{"
                      "\"name\":\"default\"}}") &&
        api_world_put(*state, "serviceaccounts/default/robot",
                      "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\"," META("robot",
                                                                                 "u1") "}") &&
        api_world_put(*state, "pods/default/p",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"," META(
                          "p", "u2") ",\"spec\":{\"serviceAccountName\":\"robot\","
                                     "\"nodeName\":\"n\"}}") &&
        api_world_put(*state, "pods/default/other",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"," META(
                          "other", "u3") ",\"spec\":{\"serviceAccountName\":\"else\"}}") &&
        api_world_put(*state, "secrets/default/s",
                      "{\"apiVersion\":\"v1\",\"kind\":\"Secret\"," META("s", "u4") "}");
    return is_put ? 0 : -1;
}

#define ROBOT_TEST(function) cmocka_unit_test_setup_teardown(function, robot_setup, world_teardown)

static bool put_node(api_world *world)
{
    return api_world_put(world, "minions/n",
                         "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\","
                         "\"uid\":\"u5\"}}") != 0;
}

static void a_token_is_for_this_server_and_an_hour_by_default(void **state)
{
    fake_http *http = send(*state, "POST", ROBOT, "{}", 201);
    assert_str_equal(
        lw_buf_view(&http->body),
        "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\",\"metadata\":{"
        "\"name\":\"robot\",\"namespace\":\"default\",\"uid\":\"u1\","
        "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},\"spec\":{\"audiences\":["
        "\"" API_WORLD_AUDIENCE "\"],\"expirationSeconds\":3600,\"boundObjectRef\":null},"
        "\"status\":{\"token\":\"account=default/robot/u1 lifetime=3600" OURS "\","
        "\"expirationTimestamp\":\"2026-11-15T02:49:24Z\"}}\n");
    fake_http_free(http);
}

static void audiences_and_expiration_are_those_requested(void **state)
{
    assert_sent_has(*state, "POST", ROBOT,
                    "{\"spec\":{\"audiences\":[\"a\",\"b\"],\"expirationSeconds\":600}}", 201,
                    "lifetime=600 for=a for=b\"");
}

static void durations_out_of_range_are_invalid(void **state)
{
    assert_sent_has(*state, "POST", ROBOT, "{\"spec\":{\"expirationSeconds\":599}}", 422,
                    "\"message\":\"TokenRequest.authentication.k8s.io \\\"\\\" is invalid: "
                    "spec.expirationSeconds: Invalid value: 599: may not specify a duration less "
                    "than 10 minutes\"");
    assert_sent_has(*state, "POST", ROBOT, "{\"spec\":{\"expirationSeconds\":4294967297}}", 422,
                    "may not specify a duration larger than 2^32 seconds");
}

static void a_longer_lifetime_than_allowed_is_shortened_with_a_warning(void **state)
{
    api_world *world = *state;
    lw_str warning;
    world->api->issuer.max_expiration_s = 7200;
    fake_http *http = send(world, "POST", ROBOT, "{\"spec\":{\"expirationSeconds\":9000}}", 201);
    assert_non_null(memmem(http->body.data, http->body.len, "lifetime=7200 ", 14));
    assert_true(fake_http_header(http, "Warning", 0, &warning));
    assert_str_equal(warning, "299 - \"requested expiration of 9000 seconds shortened to 7200 "
                              "seconds\"");
    fake_http_free(http);
}

static void the_namespace_must_exist(void **state)
{
    assert_sent_has(*state, "POST", "/api/v1/namespaces/gone/serviceaccounts/robot/token", "{}",
                    404, "namespaces \\\"gone\\\" not found");
}

static void the_account_must_exist(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "serviceaccounts/nobody/token", "{}", 404,
                    "\"message\":\"serviceaccounts \\\"nobody\\\" not found\"");
}

static void the_body_may_name_the_account_only(void **state)
{
    assert_sent_has(*state, "POST", ROBOT, "{\"metadata\":{\"name\":\"robot\"}}", 201, "lifetime");
    assert_sent_has(*state, "POST", ROBOT, "{\"metadata\":{\"name\":\"x\"}}", 422,
                    "TokenRequest.authentication.k8s.io \\\"robot\\\" is invalid: metadata.name: "
                    "Invalid value: \\\"x\\\": must match the service account name if specified");
    assert_sent_has(*state, "POST", ROBOT, "{\"metadata\":{\"namespace\":\"x\"}}", 400,
                    "the namespace of the provided object does not match");
    assert_sent_has(*state, "POST", ROBOT, "{\"metadata\":null,\"spec\":null}", 201,
                    "\"name\":\"robot\"");
}

static void a_token_is_bound_to_a_pod_of_the_account(void **state)
{
    assert_sent_has(*state, "POST", ROBOT, BOUND("Pod", "p"), 201,
                    "account=default/robot/u1 pod=p/u2 node=n/ lifetime=3600");
    assert_true(put_node(*state));
    assert_sent_has(*state, "POST", ROBOT, BOUND("Pod", "p"), 201,
                    "account=default/robot/u1 pod=p/u2 node=n/u5 lifetime=3600");
    assert_sent_has(*state, "POST", ROBOT, BOUND("Pod", "other"), 400,
                    "cannot bind token for serviceaccount \\\"robot\\\" to pod running with "
                    "different serviceaccount name.");
    assert_sent_has(*state, "POST", ROBOT, BOUND("Pod", "q"), 404, "pods \\\"q\\\" not found");
}

static void a_token_is_bound_to_a_secret_or_a_node(void **state)
{
    assert_sent_has(*state, "POST", ROBOT, BOUND("Secret", "s"), 201,
                    "account=default/robot/u1 secret=s/u4 lifetime=3600");
    assert_sent_has(*state, "POST", ROBOT, BOUND("Node", "n"), 404, "nodes \\\"n\\\" not found");
    assert_true(put_node(*state));
    assert_sent_has(*state, "POST", ROBOT, BOUND("Node", "n"), 201,
                    "account=default/robot/u1 node=n/u5 lifetime=3600");
    assert_sent_has(*state, "POST", ROBOT,
                    "{\"spec\":{\"boundObjectRef\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Pod\"}}}",
                    400, "cannot bind token to object of type apps/v1, Kind=Pod");
}

static void the_uid_of_the_bound_object_must_match(void **state)
{
    assert_sent_has(*state, "POST", ROBOT,
                    "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\",\"uid\":"
                    "\"u2\"}}}",
                    201, "pod=p/u2");
    assert_sent_has(*state, "POST", ROBOT,
                    "{\"spec\":{\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\",\"uid\":"
                    "\"u9\"}}}",
                    409,
                    "Operation cannot be fulfilled on Pod \\\"p\\\": the UID in the bound object "
                    "reference (u9) does not match the UID in record. The object might have been "
                    "deleted and then recreated");
}

static void what_a_kubelet_requests_for_a_pod_lasts_a_year(void **state)
{
    assert_sent_has(*state, "POST", ROBOT,
                    "{\"spec\":{\"expirationSeconds\":3607,\"boundObjectRef\":{\"kind\":\"Pod\","
                    "\"name\":\"p\"}}}",
                    201, " warn=3607 lifetime=31536000");
    assert_sent_has(*state, "POST", ROBOT, "{\"spec\":{\"expirationSeconds\":3607}}", 201,
                    "u1 lifetime=3607");
    assert_sent_has(*state, "POST", ROBOT,
                    "{\"spec\":{\"audiences\":[\"x\"],\"expirationSeconds\":3607,"
                    "\"boundObjectRef\":{\"kind\":\"Pod\",\"name\":\"p\"}}}",
                    201, "node=n/ lifetime=3607 for=x");
}

static void a_body_of_the_wrong_type_is_refused(void **state)
{
    assert_sent_has(*state, "POST", ROBOT, "{\"spec\":{\"audiences\":\"x\"}}", 400,
                    "cannot unmarshal string into Go struct field "
                    "TokenRequestSpec.spec.audiences of type []string");
    assert_sent_has(*state, "POST", ROBOT, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", 400, "");
    assert_sent_has(*state, "GET", ROBOT, "", 405, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROBOT_TEST(a_token_is_for_this_server_and_an_hour_by_default),
        ROBOT_TEST(audiences_and_expiration_are_those_requested),
        ROBOT_TEST(durations_out_of_range_are_invalid),
        ROBOT_TEST(a_longer_lifetime_than_allowed_is_shortened_with_a_warning),
        ROBOT_TEST(the_namespace_must_exist),
        ROBOT_TEST(the_account_must_exist),
        ROBOT_TEST(the_body_may_name_the_account_only),
        ROBOT_TEST(a_token_is_bound_to_a_pod_of_the_account),
        ROBOT_TEST(a_token_is_bound_to_a_secret_or_a_node),
        ROBOT_TEST(the_uid_of_the_bound_object_must_match),
        ROBOT_TEST(what_a_kubelet_requests_for_a_pod_lasts_a_year),
        ROBOT_TEST(a_body_of_the_wrong_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
