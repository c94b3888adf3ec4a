/* SPDX-License-Identifier: Apache-2.0 */
/* metadata_validation_test.c -- what metadata may say, in the words of apimachinery. */
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"

/* A ConfigMap with |metadata| is refused, and |part| says why. */
static void assert_refused(api_world *world, const char *metadata, const char *part)
{
    char body[1024];
    (void)snprintf(body, sizeof(body), "{\"metadata\":{%s}}", metadata);
    assert_sent_has(world, "POST", CONFIGMAPS, body, 422, part);
}

static void names_are_validated(void **state)
{
    assert_refused(*state, "\"name\":\"A_b\"",
                   "metadata.name: Invalid value: \\\"A_b\\\": a lowercase RFC 1123 subdomain must "
                   "consist of lower case alphanumeric characters, '-' or '.', and must start and "
                   "end with an alphanumeric character (e.g. 'example.com', regex used for "
                   "validation is '");
    assert_refused(*state, "\"generateName\":\"-a\"",
                   "[metadata.generateName: Invalid value: \\\"-a\\\": a lowercase RFC 1123");
    assert_sent_has(*state, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"a.b\"}}", 422,
                    "metadata.name: Invalid value: \\\"a.b\\\": must not contain dots");
    assert_sent_has(*state, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                    "{\"metadata\":{\"name\":\"a/%\"}}", 422,
                    "[metadata.name: Invalid value: \\\"a/%\\\": may not contain '/', "
                    "metadata.name: Invalid value: \\\"a/%\\\": may not contain '%']");
    do_send(*state, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            "{\"metadata\":{\"name\":\"system:Node\"}}", 201);
}

static void labels_are_validated(void **state)
{
    assert_refused(*state, "\"name\":\"a\",\"labels\":{\"-\":\"1\"}",
                   "metadata.labels: Invalid value: \\\"-\\\": name part must consist of "
                   "alphanumeric characters");
    assert_refused(*state, "\"name\":\"a\",\"labels\":{\"a\":\"b c\"}",
                   "metadata.labels: Invalid value: \\\"b c\\\": a valid label must be an empty "
                   "string or consist of");
}

static void a_bad_value_of_two_labels_is_reported_once(void **state)
{
    assert_refused(*state, "\"name\":\"a\",\"labels\":{\"a\":\"-\",\"b\":\"-\"}",
                   "\"causes\":[{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: "
                   "\\\"-\\\": a valid label must be an empty string or consist of alphanumeric "
                   "characters, '-', '_' or '.', and must start and end with an alphanumeric "
                   "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
                   "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\",\"field\":"
                   "\"metadata.labels\"}]");
}

static void annotations_have_keys_of_any_case(void **state)
{
    do_send(*state, "POST", CONFIGMAPS,
            "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"Example.COM/A\":\"any thing\"}}}",
            201);
    assert_refused(*state, "\"name\":\"b\",\"annotations\":{\"a b\":\"\"}",
                   "metadata.annotations: Invalid value: \\\"a b\\\": name part must consist of");
}

static void annotations_have_a_limit(void **state)
{
    enum {
        LIMIT = 256 * 1024
    };
    lw_buf body;
    lw_buf_init(&body, 2 * LIMIT);
    lw_buf_append_text(&body, "{\"metadata\":{\"name\":\"a\",\"annotations\":{\"k\":\"");
    for (int i = 0; i < LIMIT; i++)
        lw_buf_append_char(&body, 'x');
    lw_buf_append_text(&body, "\"}}}");
    lw_buf_append_char(&body, '\0');
    assert_sent_has(*state, "POST", CONFIGMAPS, body.data, 422,
                    "ConfigMap \\\"a\\\" is invalid: metadata.annotations: Too long: may not be "
                    "more than 262144 bytes");
    lw_buf_done(&body);
}

static void owner_references_are_validated(void **state)
{
    assert_refused(*state, "\"name\":\"a\",\"ownerReferences\":[{\"kind\":\"Pod\"}]",
                   "[metadata.ownerReferences[0].apiVersion: Required value: must not be empty, "
                   "metadata.ownerReferences[0].name: Required value: must not be empty, "
                   "metadata.ownerReferences[0].uid: Required value: must not be empty]");
    assert_refused(*state,
                   "\"name\":\"a\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
                   "\"name\":\"p\",\"uid\":\"1\",\"controller\":true},{\"apiVersion\":\"v1\","
                   "\"kind\":\"Pod\",\"name\":\"q\",\"uid\":\"2\",\"controller\":true}]",
                   "Only one reference can have Controller set to true");
}

static void finalizers_are_validated(void **state)
{
    assert_refused(*state, "\"name\":\"a\",\"finalizers\":[\"a/b/c\"]",
                   "metadata.finalizers: Invalid value: \\\"a/b/c\\\": a valid label key must");
    assert_refused(*state, "\"name\":\"a\",\"finalizers\":[\"orphan\",\"foregroundDeletion\"]",
                   "finalizer orphan and foregroundDeletion cannot be both set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(names_are_validated),
        SEEDED_TEST(labels_are_validated),
        SEEDED_TEST(a_bad_value_of_two_labels_is_reported_once),
        SEEDED_TEST(annotations_have_keys_of_any_case),
        SEEDED_TEST(annotations_have_a_limit),
        SEEDED_TEST(owner_references_are_validated),
        SEEDED_TEST(finalizers_are_validated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
