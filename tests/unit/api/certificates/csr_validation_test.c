/* SPDX-License-Identifier: Apache-2.0 */
/* csr_validation_test.c -- what clients can write into certificate signing requests. */
#include "support/certificate_requests.h"
#include "unit/api/sent.h"

#define REQUESTS "/apis/certificates.k8s.io/v1/certificatesigningrequests"
#define CLIENT   "kubernetes.io/kube-apiserver-client"

enum {
    BODY_SIZE = 8192,
};

/* Sends a request for |name| with these fields of its spec besides the requester. */
static fake_http *create(api_world *world, const char *name, const char *request,
                         const char *signer, const char *more, int status)
{
    char body[BODY_SIZE];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"request\":\"%s\","
                   "\"signerName\":\"%s\",%s}}",
                   name, request, signer, more);
    return send(world, "POST", REQUESTS, body, status);
}

static void create_good(api_world *world, const char *name)
{
    fake_http_free(create(world, name, REQUEST_USER, CLIENT, "\"usages\":[\"client auth\"]", 201));
}

static void assert_create_refused(api_world *world, const char *request, const char *signer,
                                  const char *more, int status, const char *why)
{
    fake_http *http = create(world, "a", request, signer, more, status);
    assert_body_has(http, why);
    fake_http_free(http);
}

static void the_requester_is_the_user_whatever_the_client_says(void **state)
{
    fake_http *http = create(*state, "a", REQUEST_USER, CLIENT,
                             "\"usages\":[\"client auth\"],\"username\":\"mallory\",\"groups\":"
                             "[\"system:masters\"],\"extra\":{\"a\":[\"b\"]}",
                             201);
    assert_body_has(http, "\"username\":\"tester\",\"uid\":\"7\",\"groups\":"
                          "[\"system:authenticated\"]}");
    fake_http_free(http);
}

static void wrong_requests_are_refused(void **state)
{
    static const char good[] = "\"usages\":[\"client auth\"]";
    assert_create_refused(*state, "aGk=", CLIENT, good, 422,
                          "spec.request: Invalid value: []byte{0x68, 0x69}: PEM block type must be "
                          "CERTIFICATE REQUEST");
    assert_create_refused(*state, REQUEST_FORGED, CLIENT, good, 422, "spec.request: Invalid value");
    assert_create_refused(*state, REQUEST_USER, CLIENT, "\"usages\":[]", 422,
                          "spec.usages: Required value");
    assert_create_refused(*state, REQUEST_USER, CLIENT, "\"usages\":[\"x\"]", 422,
                          "spec.usages[0]: Unsupported value: \\\"x\\\"");
    assert_create_refused(*state, REQUEST_USER, CLIENT, "\"usages\":[\"any\",\"any\"]", 422,
                          "spec.usages[1]: Duplicate value: \\\"any\\\"");
    assert_create_refused(*state, REQUEST_USER, CLIENT,
                          "\"usages\":[\"client auth\"],\"expirationSeconds\":599", 422,
                          "spec.expirationSeconds: Invalid value: 599: may not specify a duration "
                          "less than 600 seconds (10 minutes)");
}

static void names_of_signers_are_a_domain_and_a_path(void **state)
{
    static const char good[] = "\"usages\":[\"client auth\"]";
    assert_create_refused(*state, REQUEST_USER, "", good, 422, "spec.signerName: Required value");
    assert_create_refused(*state, REQUEST_USER, "a.b", good, 422,
                          "must be a fully qualified domain and path of the form "
                          "'example.com/signer-name'");
    assert_create_refused(*state, REQUEST_USER, "a.b/c/d", good, 422,
                          "must be a fully qualified domain and path");
    assert_create_refused(*state, REQUEST_USER, "a/b", good, 422,
                          "should be a domain with at least two segments separated by dots");
    assert_create_refused(*state, REQUEST_USER, "a.b/C", good, 422,
                          "Invalid value: \\\"C\\\": validating label \\\"C\\\": ");
    assert_create_refused(*state, REQUEST_USER, "kubernetes.io/legacy-unknown", good, 422,
                          "the legacy signerName is not allowed via this API version");
}

static void nobody_asks_for_system_masters(void **state)
{
    assert_create_refused(*state, REQUEST_MASTERS, CLIENT, "\"usages\":[\"client auth\"]", 403,
                          "use of " CLIENT " signer with system:masters group is not allowed");
    fake_http_free(create(*state, "a", REQUEST_MASTERS, "example.com/mine",
                          "\"usages\":[\"client auth\"]", 201));
}

static void an_update_changes_neither_spec_nor_status(void **state)
{
    create_good(*state, "a");
    assert_sent_has_as(
        *state, "PATCH", REQUESTS "/a", MERGE_PATCH,
        "{\"metadata\":{\"labels\":{\"k\":\"v\"}},\"spec\":{\"signerName\":\"a.b/c\"},"
        "\"status\":{\"conditions\":[{\"type\":\"Approved\",\"status\":\"True\"}]}}",
        200, "\"labels\":{\"k\":\"v\"}");
    assert_sent_has_as(*state, "GET", REQUESTS "/a", NULL, "", 200,
                       "\"signerName\":\"" CLIENT "\"");
    assert_sent_has_as(*state, "GET", REQUESTS "/a", NULL, "", 200, "\"status\":{}");
}

#define CONDITIONS(list) "{\"status\":{\"conditions\":[" list "]}}"
#define APPROVED         "{\"type\":\"Approved\",\"status\":\"True\",\"reason\":\"r\"}"
#define DENIED           "{\"type\":\"Denied\",\"status\":\"True\"}"

static void approvals_get_their_times(void **state)
{
    create_good(*state, "a");
    assert_sent_has_as(
        *state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH, CONDITIONS(APPROVED), 200,
        "\"conditions\":[{\"type\":\"Approved\",\"status\":\"True\",\"reason\":\"r\","
        "\"lastUpdateTime\":\"2026-11-15T01:49:24Z\","
        "\"lastTransitionTime\":\"2026-11-15T01:49:24Z\"}]");
}

static void approvals_stay(void **state)
{
    create_good(*state, "a");
    do_send_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH, CONDITIONS(APPROVED), 200);
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH, CONDITIONS(""), 422,
                       "status.conditions: Forbidden: updates may not remove a condition of type "
                       "\\\"Approved\\\"");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH,
                       CONDITIONS(APPROVED "," DENIED), 422,
                       "Approved and Denied conditions are mutually exclusive");
}

static void conditions_are_checked(void **state)
{
    create_good(*state, "a");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH,
                       CONDITIONS("{\"type\":\"Approved\",\"status\":\"False\"}"), 422,
                       "status.conditions[0].status: Unsupported value: \\\"False\\\": supported "
                       "values: \\\"True\\\"");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH,
                       CONDITIONS("{\"type\":\"\",\"status\":\"\"}"), 422,
                       "status.conditions[0].type: Required value");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/status", MERGE_PATCH,
                       CONDITIONS("{\"type\":\"X\",\"status\":\"True\"},{\"type\":\"X\",\"status\":"
                                  "\"True\"}"),
                       422, "status.conditions[1].type: Duplicate value: \\\"X\\\"");
}

static void only_the_subresource_approval_approves(void **state)
{
    create_good(*state, "a");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/status", MERGE_PATCH, CONDITIONS(APPROVED),
                       422, "updates may not add a condition of type \\\"Approved\\\"");
}

static void only_the_subresource_status_sets_the_certificate(void **state)
{
    static const char certificate[] = "{\"status\":{\"certificate\":\"aGk=\"}}";
    create_good(*state, "a");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/status", MERGE_PATCH, certificate, 422,
                       "status.certificate: Invalid value: \\\"\\u003ccertificate data\\u003e\\\": "
                       "must contain at "
                       "least one CERTIFICATE PEM block");
    assert_sent_has_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH, certificate, 200,
                       "\"status\":{}");
}

static void requests_are_selected_by_signer(void **state)
{
    create_good(*state, "a");
    fake_http_free(
        create(*state, "b", REQUEST_USER, "example.com/mine", "\"usages\":[\"client auth\"]", 201));
    fake_http *http =
        ask(*state, REQUESTS "?fieldSelector=spec.signerName%3Dexample.com/mine", 200);
    assert_body_has(http, "\"name\":\"b\"");
    assert_null(memmem(http->body.data, http->body.len, "\"name\":\"a\"", 10));
    fake_http_free(http);
}

static void tables_show_the_state(void **state)
{
    create_good(*state, "a");
    do_send_as(*state, "PATCH", REQUESTS "/a/approval", MERGE_PATCH, CONDITIONS(DENIED), 200);
    fake_http *http =
        ask_as(*state, REQUESTS "/a", "application/json;as=Table;v=v1;g=meta.k8s.io", 200);
    assert_body_has(http,
                    "\"cells\":[\"a\",\"0s\",\"" CLIENT "\",\"tester\",\"\\u003cnone\\u003e\","
                    "\"Denied\"]");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(the_requester_is_the_user_whatever_the_client_says),
        SEEDED_TEST(wrong_requests_are_refused),
        SEEDED_TEST(names_of_signers_are_a_domain_and_a_path),
        SEEDED_TEST(nobody_asks_for_system_masters),
        SEEDED_TEST(an_update_changes_neither_spec_nor_status),
        SEEDED_TEST(approvals_get_their_times),
        SEEDED_TEST(approvals_stay),
        SEEDED_TEST(conditions_are_checked),
        SEEDED_TEST(only_the_subresource_approval_approves),
        SEEDED_TEST(only_the_subresource_status_sets_the_certificate),
        SEEDED_TEST(requests_are_selected_by_signer),
        SEEDED_TEST(tables_show_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
