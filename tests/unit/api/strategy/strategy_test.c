/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_test.c -- what kinds fill in and what they will not have, as clients see it. */
#include "unit/api/sent.h"

#define APPS       "/apis/apps/v1/namespaces/default/"
#define BATCH      "/apis/batch/v1/namespaces/default/"

#define CONTAINERS "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"}]"
#define TEMPLATE   "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINERS "}}"
#define SELECTOR   "\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
#define POD_DEFAULTS                                                                               \
    "\"restartPolicy\":\"Always\",\"terminationGracePeriodSeconds\":30,\"dnsPolicy\":"             \
    "\"ClusterFirst\",\"securityContext\":{},\"schedulerName\":\"default-scheduler\""
#define AWAY(key)                                                                                  \
    "{\"key\":\"node.kubernetes.io/" key "\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","    \
    "\"tolerationSeconds\":300}"
#define ADMITTED                                                                                   \
    "\"priority\":0,\"preemptionPolicy\":\"PreemptLowerPriority\",\"tolerations\":[" AWAY(         \
        "not-ready") "," AWAY("unreachable") "]"
#define CONTAINER_DEFAULTS                                                                         \
    "\"resources\":{},\"terminationMessagePath\":\"/dev/termination-log\","                        \
    "\"terminationMessagePolicy\":\"File\",\"imagePullPolicy\":\"IfNotPresent\""

static void pods_are_defaulted(void **state)
{
    assert_sent_has(
        *state, "POST", DEFAULT "pods", "{\"metadata\":{\"name\":\"p\"},\"spec\":{" CONTAINERS "}}",
        201,
        "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"," CONTAINER_DEFAULTS
        "}]," POD_DEFAULTS ",\"enableServiceLinks\":true," ADMITTED "},\"status\":{\"phase\":"
        "\"Pending\",\"qosClass\":\"BestEffort\"}}");
}

static void the_pull_policy_depends_on_the_tag(void **state)
{
    static const struct {
        const char *image, *policy;
    } cases[] = {
        { "i", "Always" },
        { "i:latest", "Always" },
        { "host:5000/i", "Always" },
        { "host:5000/i:2", "IfNotPresent" },
        { "i@sha256:abc", "IfNotPresent" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char body[256], part[64];
        (void)
            snprintf(body, sizeof(body),
                     "{\"metadata\":{\"name\":\"p%zu\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                     "\"image\":\"%s\"}]}}",
                     i, cases[i].image);
        (void)snprintf(part, sizeof(part), "\"imagePullPolicy\":\"%s\"", cases[i].policy);
        assert_sent_has(*state, "POST", DEFAULT "pods", body, 201, part);
    }
}

static void the_qos_class_depends_on_resources(void **state)
{
    static const struct {
        const char *resources, *qos;
    } cases[] = {
        { "{}", "BestEffort" },
        { "{\"requests\":{\"cpu\":\"1\"}}", "Burstable" },
        { "{\"limits\":{\"cpu\":\"1\"}}", "Burstable" },
        { "{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}", "Guaranteed" },
        { "{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},\"requests\":{\"cpu\":\"500m\"}}",
          "Burstable" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char body[512], part[64];
        (void)
            snprintf(body, sizeof(body),
                     "{\"metadata\":{\"name\":\"p%zu\"},\"spec\":{\"containers\":[{\"name\":\"c\","
                     "\"image\":\"i\",\"resources\":%s}]}}",
                     i, cases[i].resources);
        (void)snprintf(part, sizeof(part), "\"qosClass\":\"%s\"", cases[i].qos);
        assert_sent_has(*state, "POST", DEFAULT "pods", body, 201, part);
    }
}

static void pods_require_containers(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "pods", "{\"metadata\":{\"name\":\"p\"}}", 422,
                    "Pod \\\"p\\\" is invalid: spec.containers: Required value\"");
    assert_sent_has(*state, "POST", DEFAULT "pods",
                    "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{},{\"name\":\"c\","
                    "\"image\":\"i\"},{\"name\":\"c\",\"image\":\"i\"}],\"restartPolicy\":\"No\"}}",
                    422,
                    "[spec.containers[0].name: Required value, spec.containers[0].image: Required "
                    "value, spec.containers[2].name: Duplicate value: \\\"c\\\", "
                    "spec.restartPolicy: Unsupported value: \\\"No\\\": supported values: "
                    "\\\"Always\\\", \\\"OnFailure\\\", \\\"Never\\\"]\"");
}

static void deployments_are_defaulted(void **state)
{
    assert_sent_has(
        *state, "POST", APPS "deployments",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{" SELECTOR "," TEMPLATE "}}", 201,
        "\"generation\":1,\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},\"spec\":{" SELECTOR
        ",\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"image\":\"i:1\"," CONTAINER_DEFAULTS "}]," POD_DEFAULTS "}},"
        "\"replicas\":1,\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{"
        "\"maxUnavailable\":\"25%\",\"maxSurge\":\"25%\"}},\"revisionHistoryLimit\":10,"
        "\"progressDeadlineSeconds\":600},\"status\":{}}");
}

static void other_workloads_are_defaulted(void **state)
{
    static const struct {
        const char *target, *spec;
    } cases[] = {
        { APPS "replicasets", "\"replicas\":1},\"status\":{\"replicas\":0}}" },
        { APPS "statefulsets",
          "\"replicas\":1,\"podManagementPolicy\":\"OrderedReady\",\"updateStrategy\":{\"type\":"
          "\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0,\"maxUnavailable\":1}},"
          "\"revisionHistoryLimit\":10,\"persistentVolumeClaimRetentionPolicy\":{"
          "\"whenDeleted\":\"Retain\",\"whenScaled\":\"Retain\"},\"serviceName\":\"\"},\"status\":{"
          "\"replicas\":0,\"availableReplicas\":0}}" },
        { APPS "daemonsets",
          "\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxUnavailable\":1,"
          "\"maxSurge\":0}},\"revisionHistoryLimit\":10},\"status\":{\"currentNumberScheduled\":0,"
          "\"numberMisscheduled\":0,\"desiredNumberScheduled\":0,\"numberReady\":0}}" },
    };
    for (size_t i = 0; i < 3; i++)
        assert_sent_has(*state, "POST", cases[i].target,
                        "{\"metadata\":{\"name\":\"w\"},\"spec\":{" SELECTOR "," TEMPLATE "}}", 201,
                        cases[i].spec);
}

static void selectors_must_match_the_template(void **state)
{
    assert_sent_has(
        *state, "POST", APPS "deployments",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":"
        "\"c\"}}," TEMPLATE "}}",
        422,
        "spec.template.metadata.labels: Invalid value: {\\\"a\\\":\\\"b\\\"}: `selector` "
        "does not match template `labels`");
    assert_sent_has(*state, "POST", APPS "deployments",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{" TEMPLATE ",\"replicas\":-1}}", 422,
                    "[spec.replicas: Invalid value: -1: must be greater than or equal to 0, "
                    "spec.selector: Required value, spec.template.metadata.labels: Invalid value: "
                    "{\\\"a\\\":\\\"b\\\"}: `selector` does not match template `labels`]");
    assert_sent_has(*state, "POST", APPS "deployments",
                    "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchExpressions\":[{"
                    "\"key\":\"a\",\"operator\":\"Is\"}]}," TEMPLATE "}}",
                    422,
                    "[spec.selector.matchExpressions[0].operator: Invalid value: \\\"Is\\\": not a "
                    "valid selector operator, spec.selector: Invalid value: ");
}

static void jobs_select_their_pods_by_uid(void **state)
{
    const char *job = "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{"
                      "\"restartPolicy\":\"Never\"," CONTAINERS "}}}}";
    fake_http *http = send(*state, "POST", BATCH "jobs", job, 201);
    assert_body_has(http,
                    "\"completions\":1,\"parallelism\":1,\"backoffLimit\":6,"
                    "\"completionMode\":\"NonIndexed\",\"suspend\":false,\"manualSelector\":false,"
                    "\"podReplacementPolicy\":\"TerminatingOrFailed\",\"selector\":{"
                    "\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"");
    assert_body_has(http, "\"batch.kubernetes.io/job-name\":\"j\"");
    fake_http_free(http);
    assert_sent_has(*state, "POST", BATCH "jobs",
                    "{\"metadata\":{\"name\":\"k\"},\"spec\":{" TEMPLATE "}}", 422,
                    "spec.template.spec.restartPolicy: Required value: valid values: "
                    "\\\"OnFailure\\\", \\\"Never\\\"");
}

static void services_get_a_cluster_ip(void **state)
{
    fake_http *http =
        send(*state, "POST", DEFAULT "services",
             "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80}]}}", 201);
    assert_body_has(http,
                    "\"spec\":{\"ports\":[{\"port\":80,\"protocol\":\"TCP\",\"targetPort\":80}]"
                    ",\"type\":\"ClusterIP\",\"sessionAffinity\":\"None\","
                    "\"internalTrafficPolicy\":\"Cluster\",\"ipFamilyPolicy\":\"SingleStack\","
                    "\"ipFamilies\":[\"IPv4\"],\"clusterIP\":\"10.96.");
    assert_body_has(http, "\"status\":{\"loadBalancer\":{}}}");
    fake_http_free(http);
    /* The same file again keeps the address, and another is not to be had. */
    assert_sent_has(*state, "PUT", DEFAULT "services/s",
                    "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"ports\":[{\"port\":80}]}}", 200,
                    "\"resourceVersion\":\"5\"");
    assert_sent_has_as(
        *state, "PATCH", DEFAULT "services/s", MERGE_PATCH,
        "{\"spec\":{\"clusterIP\":\"10.96.0.9\"}}", 422,
        "spec.clusterIPs[0]: Invalid value: [\\\"10.96.0.9\\\"]: may not change once "
        "set");
}

static void cluster_ips_are_unique(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "services",
                    "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"clusterIP\":\"10.96.0.10\","
                    "\"ports\":[{\"port\":53}]}}",
                    201, "\"clusterIPs\":[\"10.96.0.10\"]");
    assert_sent_has(*state, "POST", DEFAULT "services",
                    "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"clusterIPs\":[\"10.96.0.10\"],"
                    "\"ports\":[{\"port\":53}]}}",
                    422,
                    "spec.clusterIPs: Invalid value: [\\\"10.96.0.10\\\"]: failed to allocate IP "
                    "10.96.0.10: provided IP is already allocated");
    assert_sent_has(*state, "POST", DEFAULT "services",
                    "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"clusterIP\":\"10.96\",\"ports\":[{"
                    "\"port\":53}]}}",
                    422, "spec.clusterIPs[0]: Invalid value: \\\"10.96\\\": must be a valid IP");
}

static void headless_and_external_services_have_no_cluster_ip(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "services",
                    "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"clusterIP\":\"None\"}}", 201,
                    "\"clusterIPs\":[\"None\"]");
    fake_http *http = send(*state, "POST", DEFAULT "services",
                           "{\"metadata\":{\"name\":\"e\"},\"spec\":{\"type\":\"ExternalName\","
                           "\"externalName\":\"example.com\"}}",
                           201);
    assert_null(memmem(http->body.data, http->body.len, "clusterIP", 9));
    fake_http_free(http);
}

static void services_require_ports(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "services", "{\"metadata\":{\"name\":\"s\"}}", 422,
                    "spec.ports: Required value");
    assert_sent_has(
        *state, "POST", DEFAULT "services",
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"Some\",\"ports\":[{\"port\":"
        "0},{\"name\":\"b\",\"port\":1}]}}",
        422,
        "[spec.ports[0].name: Required value, spec.ports[0].port: Invalid value: 0: "
        "must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 0: must "
        "be between 1 and 65535, inclusive, spec.type: Unsupported value: "
        "\\\"Some\\\"");
    assert_sent_has(*state, "POST", DEFAULT "services", "{\"metadata\":{\"name\":\"s.t\"}}", 422,
                    "metadata.name: Invalid value: \\\"s.t\\\": must not contain dots");
}

static void secrets_are_stored_in_base64(void **state)
{
    assert_sent_has(
        *state, "POST", DEFAULT "secrets",
        "{\"metadata\":{\"name\":\"s\"},\"data\":{\"a\":\"YQ=\\n=\",\"b\":\"Yg==\"},"
        "\"stringData\":{\"b\":\"x\",\"c\":\"y\"}}",
        201, "},\"data\":{\"a\":\"YQ==\",\"b\":\"eA==\",\"c\":\"eQ==\"},\"type\":\"Opaque\"}");
    assert_sent_has_as(*state, "PATCH", DEFAULT "secrets/s", MERGE_PATCH, "{\"type\":\"other\"}",
                       422, "type: Invalid value: \\\"other\\\": field is immutable");
}

static void immutable_data_cannot_change(void **state)
{
    do_send(*state, "POST", DEFAULT "configmaps",
            "{\"metadata\":{\"name\":\"a\"},\"immutable\":true,\"data\":{\"k\":\"v\"}}", 201);
    assert_sent_has_as(*state, "PATCH", DEFAULT "configmaps/a", MERGE_PATCH,
                       "{\"immutable\":null,\"data\":{\"k\":\"w\"}}", 422,
                       "[immutable: Forbidden: field is immutable when `immutable` is set, data: "
                       "Forbidden: field is immutable when `immutable` is set]");
}

static void large_data_is_refused(void **state)
{
    enum {
        TOO_LARGE = 1024 * 1024 + 1
    };
    lw_buf body;
    lw_buf_init(&body, 4 * TOO_LARGE);
    lw_buf_append_text(&body, "{\"metadata\":{\"name\":\"big\"},\"data\":{\"k\":\"");
    assert_int_equal(lw_buf_reserve(&body, TOO_LARGE), LW_OK);
    for (int i = 0; i < TOO_LARGE; i++)
        lw_buf_append_char(&body, 'x');
    lw_buf_append_text(&body, "\"}}");
    lw_buf_append_char(&body, '\0');
    assert_sent_has(*state, "POST", DEFAULT "configmaps", body.data, 422,
                    "ConfigMap \\\"big\\\" is invalid: []: Too long: may not be more than 1048576 "
                    "bytes");
    lw_buf_done(&body);
}

#define CLAIM                                                                                      \
    "\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}"

static void new_volumes_and_claims_are_pending(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "persistentvolumeclaims",
                    "{\"metadata\":{\"name\":\"c\"},\"spec\":{" CLAIM "}}", 201,
                    "\"spec\":{" CLAIM ",\"volumeMode\":\"Filesystem\"},\"status\":{\"phase\":"
                    "\"Pending\"}}");
    assert_sent_has(*state, "POST", "/api/v1/persistentvolumes", "{\"metadata\":{\"name\":\"v\"}}",
                    201,
                    "\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\",\"volumeMode\":"
                    "\"Filesystem\"},\"status\":{\"phase\":\"Pending\"}}");
}

#define POLICY_TEMPLATE                                                                            \
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"restartPolicy\":\"%s\","    \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"

static void only_some_fields_of_stateful_sets_can_change(void **state)
{
    static const char *const sets = "/apis/apps/v1/namespaces/default/statefulsets";
    char body[512];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"serviceName\":\"x\",\"selector\":{"
                   "\"matchLabels\":{\"a\":\"b\"}}," POLICY_TEMPLATE "}}",
                   "Always");
    do_send(*state, "POST", sets, body, 201);
    do_send_as(*state, "PATCH", "/apis/apps/v1/namespaces/default/statefulsets/s", MERGE_PATCH,
               "{\"spec\":{\"replicas\":3}}", 200);
    assert_sent_has_as(*state, "PATCH", "/apis/apps/v1/namespaces/default/statefulsets/s",
                       MERGE_PATCH, "{\"spec\":{\"serviceName\":\"y\"}}", 422,
                       "StatefulSet.apps \\\"s\\\" is invalid: spec.serviceName: Invalid value: "
                       "\\\"y\\\": field is "
                       "immutable");
}

static void the_template_of_a_job_is_immutable(void **state)
{
    static const char *const jobs = "/apis/batch/v1/namespaces/default/jobs";
    char body[512];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"j\"},\"spec\":{" POLICY_TEMPLATE "}}", "Never");
    do_send(*state, "POST", jobs, body, 201);
    do_send_as(*state, "PATCH", "/apis/batch/v1/namespaces/default/jobs/j", MERGE_PATCH,
               "{\"spec\":{\"parallelism\":2}}", 200);
    fake_http *http =
        send_as(*state, "PATCH", "/apis/batch/v1/namespaces/default/jobs/j", MERGE_PATCH,
                "{\"spec\":{\"template\":{\"spec\":{\"nodeName\":\"n\"}}}}", 422);
    assert_body_has(http, "Job.batch \\\"j\\\" is invalid: spec.template: Invalid value: ");
    assert_body_has(http, ": field is immutable");
    fake_http_free(http);
}

static void claims_are_bound_once(void **state)
{
    static const char *const claim = DEFAULT "persistentvolumeclaims/c";
    do_send(*state, "POST", DEFAULT "persistentvolumeclaims",
            "{\"metadata\":{\"name\":\"c\"},\"spec\":{" CLAIM "}}", 201);
    do_send_as(*state, "PATCH", claim, MERGE_PATCH, "{\"spec\":{\"volumeName\":\"v\"}}", 200);
    assert_sent_has_as(*state, "PATCH", claim, MERGE_PATCH, "{\"spec\":{\"volumeName\":\"w\"}}",
                       422,
                       "PersistentVolumeClaim \\\"c\\\" is invalid: spec: Forbidden: spec is "
                       "immutable after creation except resources.requests and "
                       "volumeAttributesClassName for bound claims");
}

#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"

static void webhooks_are_defaulted(void **state)
{
    static const char body[] =
        "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\",\"clientConfig\":{"
        "\"service\":{\"namespace\":\"n\",\"name\":\"s\"}},\"rules\":[{\"operations\":["
        "\"CREATE\"],\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"resources\":[\"pods\"]}],"
        "\"sideEffects\":\"None\",\"admissionReviewVersions\":[\"v1\"]}]}";
    fake_http *http = send(*state, "POST", ADMISSION "mutatingwebhookconfigurations", body, 201);
    assert_body_has(http, "\"port\":443");
    assert_body_has(http, "\"scope\":\"*\"");
    assert_body_has(http, "\"failurePolicy\":\"Fail\",\"matchPolicy\":\"Equivalent\","
                          "\"namespaceSelector\":{},\"objectSelector\":{},\"timeoutSeconds\":10,"
                          "\"reinvocationPolicy\":\"Never\"");
    fake_http_free(http);
    http = send(*state, "POST", ADMISSION "validatingwebhookconfigurations", body, 201);
    assert_body_has(http, "\"timeoutSeconds\":10}");
    assert_body_has(http, "\"generation\":1");
    fake_http_free(http);
}

static void webhooks_require_a_client_config(void **state)
{
    static const char *const path = ADMISSION "validatingwebhookconfigurations";
    assert_sent_has(
        *state, "POST", path,
        "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\","
        "\"timeoutSeconds\":31}]}",
        422,
        "[webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, "
        "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and "
        "30 seconds, webhooks[0].clientConfig: Required value: exactly one of url or service is "
        "required, webhooks[0].admissionReviewVersions: Required value: must specify one of v1, "
        "v1beta1]");
    assert_sent_has(*state, "POST", path,
                    "{\"metadata\":{\"name\":\"a\"},\"webhooks\":[{\"name\":\"a.b.c\","
                    "\"clientConfig\":{\"url\":\"https://a\"},\"sideEffects\":\"Some\","
                    "\"admissionReviewVersions\":[\"v1\"]}]}",
                    422, "webhooks[0].sideEffects: Unsupported value: \\\"Some\\\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(pods_are_defaulted),
        SEEDED_TEST(the_pull_policy_depends_on_the_tag),
        SEEDED_TEST(the_qos_class_depends_on_resources),
        SEEDED_TEST(pods_require_containers),
        SEEDED_TEST(deployments_are_defaulted),
        SEEDED_TEST(other_workloads_are_defaulted),
        SEEDED_TEST(selectors_must_match_the_template),
        SEEDED_TEST(jobs_select_their_pods_by_uid),
        SEEDED_TEST(services_get_a_cluster_ip),
        SEEDED_TEST(cluster_ips_are_unique),
        SEEDED_TEST(headless_and_external_services_have_no_cluster_ip),
        SEEDED_TEST(services_require_ports),
        SEEDED_TEST(secrets_are_stored_in_base64),
        SEEDED_TEST(immutable_data_cannot_change),
        SEEDED_TEST(large_data_is_refused),
        SEEDED_TEST(new_volumes_and_claims_are_pending),
        SEEDED_TEST(only_some_fields_of_stateful_sets_can_change),
        SEEDED_TEST(the_template_of_a_job_is_immutable),
        SEEDED_TEST(claims_are_bound_once),
        SEEDED_TEST(webhooks_are_defaulted),
        SEEDED_TEST(webhooks_require_a_client_config),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
