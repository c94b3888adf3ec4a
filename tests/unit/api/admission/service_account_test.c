/* SPDX-License-Identifier: Apache-2.0 */
/* service_account_test.c -- what a new pod gets from its service account. */
#include "api/admission/service_account.h"

#include "unit/api/sent.h"

#define PODS DEFAULT "pods"
#define POD(members)                                                                               \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{" members                                            \
    "\"initContainers\":[{\"name\":\"i\",\"image\":\"x\"}],"                                       \
    "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"
#define MOUNT "\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\""

/* Puts the account |name| with |members|. */
static void put_account(api_world *world, const char *name, const char *members)
{
    char key[64], json[512];
    (void)snprintf(key, sizeof(key), "serviceaccounts/default/%s", name);
    (void)snprintf(json, sizeof(json),
                   "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":"
                   "\"%s\",\"namespace\":\"default\",\"uid\":\"u\"}%s}",
                   name, members);
    assert_true(api_world_put(world, key, json) > 0);
}

static int plugin_setup(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    ((api_world *)*state)->api->admits_accounts = true;
    put_account(*state, "default", "");
    return 0;
}

#define PLUGIN_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, plugin_setup, world_teardown)

/* Counts |text| in the reply to the creation of |pod|. */
static size_t count_in_pod(api_world *world, const char *pod, const char *text)
{
    size_t count = 0, len = strlen(text);
    fake_http *http = send(world, "POST", PODS, pod, 201);
    for (size_t at = 0; at + len <= http->body.len; at++)
        count += memcmp(http->body.data + at, text, len) == 0;
    fake_http_free(http);
    fake_http_free(send(world, "DELETE", PODS "/p?gracePeriodSeconds=0", "", 200));
    return count;
}

static void a_pod_runs_as_default(void **state)
{
    assert_int_equal(count_in_pod(*state, POD(""), "\"serviceAccountName\":\"default\""), 1);
    assert_int_equal(count_in_pod(*state, POD(""), "\"serviceAccount\":\"default\""), 1);
}

static void the_account_must_exist(void **state)
{
    assert_sent_has(*state, "POST", PODS, POD("\"serviceAccountName\":\"x\","), 403,
                    "\"message\":\"pods \\\"p\\\" is forbidden: error looking up service account "
                    "default/x: serviceaccount \\\"x\\\" not found\"");
}

static void the_token_is_mounted_in_all_containers(void **state)
{
    assert_int_equal(count_in_pod(*state, POD(""), MOUNT), 2);
    assert_int_equal(
        count_in_pod(*state, POD(""),
                     "\"projected\":{\"sources\":[{\"serviceAccountToken\":{"
                     "\"expirationSeconds\":3607,\"path\":\"token\"}},{\"configMap\":{\"name\":"
                     "\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\",\"path\":\"ca.crt\"}]}},"
                     "{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\",\"fieldRef\":{"
                     "\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],"
                     "\"defaultMode\":420}"),
        1);
    assert_int_equal(count_in_pod(*state, POD(""), "\"name\":\"kube-api-access-"), 3);
}

static void a_container_that_mounts_something_there_keeps_it(void **state)
{
    static const char pod[] =
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"volumes\":[{\"name\":\"v\"}],\"containers\":[{"
        "\"name\":\"c\",\"image\":\"x\",\"volumeMounts\":[{\"name\":\"v\"," MOUNT "}]}]}}";
    assert_int_equal(count_in_pod(*state, pod, MOUNT), 1);
    assert_int_equal(count_in_pod(*state, pod, "kube-api-access-"), 0);
}

static void the_pod_decides_before_the_account_whether_a_token_is_mounted(void **state)
{
    assert_int_equal(count_in_pod(*state, POD("\"automountServiceAccountToken\":false,"), MOUNT),
                     0);
    put_account(*state, "default", ",\"automountServiceAccountToken\":false");
    assert_int_equal(count_in_pod(*state, POD(""), MOUNT), 0);
    assert_int_equal(count_in_pod(*state, POD("\"automountServiceAccountToken\":true,"), MOUNT), 2);
}

static void pull_secrets_come_from_the_account(void **state)
{
    put_account(*state, "default", ",\"imagePullSecrets\":[{\"name\":\"a\"}]");
    assert_int_equal(count_in_pod(*state, POD(""), "\"imagePullSecrets\":[{\"name\":\"a\"}]"), 1);
    assert_int_equal(count_in_pod(*state, POD("\"imagePullSecrets\":[{\"name\":\"b\"}],"),
                                  "\"imagePullSecrets\":[{\"name\":\"b\"}]"),
                     1);
}

static void a_static_pod_gets_nothing(void **state)
{
    static const char pod[] =
        "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}},"
        "\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}";
    assert_int_equal(count_in_pod(*state, pod, MOUNT), 0);
    assert_int_equal(count_in_pod(*state, pod, "serviceAccountName"), 0);
}

static void a_static_pod_refers_to_no_account_and_no_secret(void **state)
{
#define MIRROR(members)                                                                            \
    "{\"metadata\":{\"name\":\"p\",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}},"      \
    "\"spec\":{\"nodeName\":\"n\"," members "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"
    assert_sent_has(*state, "POST", PODS, MIRROR("\"serviceAccountName\":\"default\","), 403,
                    "a mirror pod may not reference service accounts");
    assert_sent_has(*state, "POST", PODS,
                    MIRROR("\"volumes\":[{\"name\":\"v\",\"secret\":{\"secretName\":\"s\"}}],"),
                    403, "a mirror pod may not reference secrets");
    assert_sent_has(*state, "POST", PODS,
                    MIRROR("\"volumes\":[{\"name\":\"v\",\"projected\":{\"sources\":[{"
                           "\"serviceAccountToken\":{\"path\":\"t\"}}]}}],"),
                    403, "a mirror pod may not use ServiceAccountToken volume projections");
}

static void a_pod_may_come_before_the_default_account(void **state)
{
    fake_http_free(send(*state, "DELETE", DEFAULT "serviceaccounts/default", "", 200));
    assert_int_equal(count_in_pod(*state, POD(""), MOUNT), 2);
}

static void without_the_plugin_a_pod_needs_no_account(void **state)
{
    ((api_world *)*state)->api->admits_accounts = false;
    assert_int_equal(count_in_pod(*state, POD("\"serviceAccountName\":\"x\","), MOUNT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLUGIN_TEST(a_pod_runs_as_default),
        PLUGIN_TEST(the_account_must_exist),
        PLUGIN_TEST(the_token_is_mounted_in_all_containers),
        PLUGIN_TEST(a_container_that_mounts_something_there_keeps_it),
        PLUGIN_TEST(the_pod_decides_before_the_account_whether_a_token_is_mounted),
        PLUGIN_TEST(pull_secrets_come_from_the_account),
        PLUGIN_TEST(a_static_pod_gets_nothing),
        PLUGIN_TEST(a_static_pod_refers_to_no_account_and_no_secret),
        PLUGIN_TEST(a_pod_may_come_before_the_default_account),
        PLUGIN_TEST(without_the_plugin_a_pod_needs_no_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
