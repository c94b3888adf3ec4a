/* SPDX-License-Identifier: Apache-2.0 */
/* plugins_test.c -- what admission plugins set and refuse. */
#include "api/admission/plugins.h"

#include "unit/api/sent.h"

#define PODS       DEFAULT "pods"
#define CLAIMS     DEFAULT "persistentvolumeclaims"
#define PRIORITIES "/apis/scheduling.k8s.io/v1/priorityclasses"
#define STORAGE    "/apis/storage.k8s.io/v1/storageclasses"
#define INGRESSES  "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
#define RUNTIMES   "/apis/node.k8s.io/v1/runtimeclasses"

#define POD(name, members)                                                                         \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" members                                     \
    "\"containers\":[{\"name\":\"c\",\"image\":\"x\"}]}}"
#define CLAIM(name, members)                                                                       \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" members                                     \
    "\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}"
#define INGRESS(name, members)                                                                     \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{" members                                     \
    "\"defaultBackend\":{\"service\":{\"name\":\"s\",\"port\":{\"number\":80}}}}}"

static void create(api_world *world, const char *path, const char *body)
{
    fake_http_free(send(world, "POST", path, body, 201));
}

static void a_pod_without_a_class_has_priority_0(void **state)
{
    assert_sent_has(*state, "POST", PODS, POD("p", ""), 201,
                    "\"priority\":0,\"preemptionPolicy\":\"PreemptLowerPriority\"");
}

static void a_pod_has_the_priority_of_its_class(void **state)
{
    create(*state, PRIORITIES,
           "{\"metadata\":{\"name\":\"low\"},\"value\":-5,\"preemptionPolicy\":\"Never\"}");
    assert_sent_has(*state, "POST", PODS, POD("p", "\"priorityClassName\":\"low\","), 201,
                    "\"priority\":-5,\"preemptionPolicy\":\"Never\"");
}

static void the_default_class_is_that_of_pods_without_one(void **state)
{
    create(*state, PRIORITIES,
           "{\"metadata\":{\"name\":\"d\"},\"value\":7,\"globalDefault\":true}");
    assert_sent_has(*state, "POST", PODS, POD("p", ""), 201, "\"priorityClassName\":\"d\"");
    assert_sent_has(*state, "POST", PRIORITIES,
                    "{\"metadata\":{\"name\":\"e\"},\"value\":8,\"globalDefault\":true}", 403,
                    "PriorityClass d is already marked as default. Only one default can exist");
}

static void a_priority_that_is_not_that_of_the_class_is_refused(void **state)
{
    assert_sent_has(*state, "POST", PODS, POD("p", "\"priority\":9,"), 403,
                    "the integer value of priority (9) must not be provided in pod spec; priority "
                    "admission controller computed 0 from the given PriorityClass name");
    assert_sent_has(*state, "POST", PODS, POD("p", "\"priorityClassName\":\"x\","), 403,
                    "no PriorityClass with name x was found");
}

static void names_of_the_system_and_high_values_are_reserved(void **state)
{
    assert_sent_has(*state, "POST", PRIORITIES,
                    "{\"metadata\":{\"name\":\"system-x\"},\"value\":1}", 422,
                    "error: system-x is not a known system priority class");
    assert_sent_has(*state, "POST", PRIORITIES,
                    "{\"metadata\":{\"name\":\"x\"},\"value\":1000000001}", 422,
                    "maximum allowed value of a user defined priority is 1000000000");
    assert_sent_has(*state, "PUT", PRIORITIES "/system-node-critical",
                    "{\"metadata\":{\"name\":\"system-node-critical\"},\"value\":1}", 422,
                    "value: Forbidden: may not be changed in an update.");
}

static void a_disabled_plugin_does_nothing(void **state)
{
    ((api_world *)*state)->api->disabled_plugins =
        LW_PLUGIN_PRIORITY | LW_PLUGIN_TOLERATION_SECONDS;
    fake_http *http = send(*state, "POST", PODS, POD("p", "\"priorityClassName\":\"x\","), 201);
    assert_null(memmem(http->body.data, http->body.len, "\"priority\":", 11));
    assert_null(memmem(http->body.data, http->body.len, "\"tolerations\":", 14));
    fake_http_free(http);
}

#define DEFAULT_STORAGE(name)                                                                      \
    "{\"metadata\":{\"name\":\"" name "\",\"annotations\":{"                                       \
    "\"storageclass.kubernetes.io/is-default-class\":\"true\"}},\"provisioner\":\"x.io/y\"}"

static void a_claim_without_a_class_gets_the_default_one(void **state)
{
    create(*state, CLAIMS, CLAIM("before", ""));
    create(*state, STORAGE, DEFAULT_STORAGE("fast"));
    assert_sent_has(*state, "POST", CLAIMS, CLAIM("a", ""), 201, "\"storageClassName\":\"fast\"");
    assert_sent_has(*state, "POST", CLAIMS, CLAIM("b", "\"storageClassName\":\"\","), 201,
                    "\"storageClassName\":\"\"");
}

static void the_parameters_of_a_storage_class_are_immutable(void **state)
{
    create(*state, STORAGE, DEFAULT_STORAGE("fast"));
    assert_sent_has(*state, "PUT", STORAGE "/fast",
                    "{\"metadata\":{\"name\":\"fast\"},\"provisioner\":\"x.io/y\",\"parameters\":{"
                    "\"a\":\"b\"}}",
                    422, "parameters: Invalid value: null: field is immutable");
}

static void an_ingress_without_a_class_gets_the_default_one(void **state)
{
    create(*state, "/apis/networking.k8s.io/v1/ingressclasses",
           "{\"metadata\":{\"name\":\"web\",\"annotations\":{"
           "\"ingressclass.kubernetes.io/is-default-class\":\"true\"}},\"spec\":{"
           "\"controller\":\"x.io/y\"}}");
    assert_sent_has(*state, "POST", INGRESSES, INGRESS("a", ""), 201,
                    "\"ingressClassName\":\"web\"");
    assert_sent_has(*state, "POST", INGRESSES, INGRESS("b", "\"ingressClassName\":\"other\","), 201,
                    "\"ingressClassName\":\"other\"");
}

static void a_new_node_is_tainted(void **state)
{
    assert_sent_has(*state, "POST", "/api/v1/nodes", "{\"metadata\":{\"name\":\"n\"}}", 201,
                    "\"taints\":[{\"key\":\"node.kubernetes.io/not-ready\",\"effect\":"
                    "\"NoSchedule\"}]");
}

static void a_pod_gets_the_overhead_and_the_nodes_of_its_runtime(void **state)
{
    create(*state, RUNTIMES,
           "{\"metadata\":{\"name\":\"kata\"},\"handler\":\"kata\",\"overhead\":{\"podFixed\":{"
           "\"memory\":\"1Mi\"}},\"scheduling\":{\"nodeSelector\":{\"k\":\"v\"},\"tolerations\":[{"
           "\"key\":\"kata\",\"operator\":\"Exists\"}]}}");
    fake_http *http = send(*state, "POST", PODS, POD("p", "\"runtimeClassName\":\"kata\","), 201);
    assert_body_has(http, "\"overhead\":{\"memory\":\"1Mi\"}");
    assert_body_has(http, "\"nodeSelector\":{\"k\":\"v\"}");
    assert_body_has(http, "\"tolerations\":[{\"key\":\"kata\",\"operator\":\"Exists\"},");
    fake_http_free(http);
    assert_sent_has(*state, "POST", PODS,
                    POD("q", "\"runtimeClassName\":\"kata\",\"nodeSelector\":{\"k\":\"w\"},"), 403,
                    "conflict: runtimeClass.scheduling.nodeSelector[k] = v; "
                    "pod.spec.nodeSelector[k] = w");
    assert_sent_has(*state, "POST", PODS,
                    POD("q", "\"runtimeClassName\":\"kata\",\"overhead\":{\"memory\":\"2Mi\"},"),
                    403, "pod rejected: Pod's Overhead doesn't match");
}

static void an_overhead_needs_a_runtime_class_that_exists(void **state)
{
    assert_sent_has(*state, "POST", PODS, POD("p", "\"overhead\":{\"memory\":\"2Mi\"},"), 403,
                    "Pod Overhead set without corresponding RuntimeClass defined Overhead");
    assert_sent_has(*state, "POST", PODS, POD("p", "\"runtimeClassName\":\"x\","), 403,
                    "pod rejected: RuntimeClass \\\"x\\\" not found");
}

static void put_bound_claim(api_world *world, const char *class)
{
    char json[512];
    (void)snprintf(
        json, sizeof(json),
        "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolumeClaim\",\"metadata\":{"
        "\"name\":\"c\",\"namespace\":\"default\",\"uid\":\"u\"},\"spec\":{"
        "\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":"
        "\"1Gi\"}},\"storageClassName\":\"%s\",\"volumeMode\":\"Filesystem\",\"volumeName\":"
        "\"v\"},\"status\":{"
        "\"phase\":\"Bound\"}}",
        class);
    assert_true(api_world_put(world, "persistentvolumeclaims/default/c", json) > 0);
}

#define GROW "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}"

static void a_bound_claim_grows_if_its_class_allows_it(void **state)
{
    create(*state, STORAGE, DEFAULT_STORAGE("fixed"));
    put_bound_claim(*state, "fixed");
    fake_http *http = send_as(*state, "PATCH", CLAIMS "/c", MERGE_PATCH, GROW, 403);
    assert_body_has(http, "only dynamically provisioned pvc can be resized");
    fake_http_free(http);
    create(*state, STORAGE,
           "{\"metadata\":{\"name\":\"elastic\"},\"provisioner\":\"x.io/y\","
           "\"allowVolumeExpansion\":true}");
    put_bound_claim(*state, "elastic");
    fake_http_free(send_as(*state, "PATCH", CLAIMS "/c", MERGE_PATCH, GROW, 200));
}

static int classes_setup(void **state)
{
    if (world_setup(state) < 0)
        return -1;
    api_world *world = *state;
    world->api->advertised.has_classes = true;
    return lw_api_seed(world->api, NULL) == LW_OK ? 0 : -1;
}

#define CLASSES_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, classes_setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLASSES_TEST(a_pod_without_a_class_has_priority_0),
        CLASSES_TEST(a_pod_has_the_priority_of_its_class),
        CLASSES_TEST(the_default_class_is_that_of_pods_without_one),
        CLASSES_TEST(a_priority_that_is_not_that_of_the_class_is_refused),
        CLASSES_TEST(names_of_the_system_and_high_values_are_reserved),
        CLASSES_TEST(a_disabled_plugin_does_nothing),
        CLASSES_TEST(a_claim_without_a_class_gets_the_default_one),
        CLASSES_TEST(the_parameters_of_a_storage_class_are_immutable),
        CLASSES_TEST(an_ingress_without_a_class_gets_the_default_one),
        CLASSES_TEST(a_new_node_is_tainted),
        CLASSES_TEST(a_pod_gets_the_overhead_and_the_nodes_of_its_runtime),
        CLASSES_TEST(an_overhead_needs_a_runtime_class_that_exists),
        CLASSES_TEST(a_bound_claim_grows_if_its_class_allows_it),
    };
    return cmocka_run_group_tests_name("plugins", tests, NULL, NULL);
}
