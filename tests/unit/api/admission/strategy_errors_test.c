/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_errors_test.c -- what kinds will not have, in the words of kube-apiserver 1.37; make
 * interop compares many more (tests/interop/differential). */
#include "unit/api/sent.h"

#define NAMED(spec)     "{\"metadata\":{\"name\":\"o\"},\"spec\":{" spec "}}"
#define CONTAINER(more) "\"containers\":[{\"name\":\"c\",\"image\":\"i:1\"," more "}]"
#define POD(more)       NAMED(CONTAINER("\"tty\":true") "," more)
#define TEMPLATE                                                                                   \
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINER(                  \
        "\"tty\":true") "}}"
#define SELECTOR         "\"selector\":{\"matchLabels\":{\"a\":\"b\"}}"
#define DEPLOYMENT(more) NAMED(SELECTOR "," TEMPLATE "," more)
#define APPS             "/apis/apps/v1/namespaces/default/"
#define RBAC             "/apis/rbac.authorization.k8s.io/v1/namespaces/default/"

typedef struct fault {
    const char *target, *body, *said;
} fault;

static void assert_all_said(api_world *world, const fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_sent_has(world, "POST", faults[i].target, faults[i].body, 422, faults[i].said);
}

#define ASSERT_ALL_SAID(world, faults)                                                             \
    assert_all_said(world, faults, sizeof(faults) / sizeof((faults)[0]))

static void invalid_containers_are_refused(void **state)
{
    static const fault faults[] = {
        { DEFAULT "pods",
          NAMED(CONTAINER("\"ports\":[{\"containerPort\":0},{\"containerPort\":70000}]")),
          "[spec.containers[0].ports[0].containerPort: Required value, "
          "spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and "
          "65535, inclusive]" },
        { DEFAULT "pods",
          NAMED(CONTAINER("\"ports\":[{\"containerPort\":1,\"name\":\"x\"},{\"containerPort\":2,"
                          "\"name\":\"x\"}]")),
          "spec.containers[0].ports[1].name: Duplicate value: \\\"x\\\"" },
        { DEFAULT "pods",
          NAMED(CONTAINER("\"env\":[{\"value\":\"1\"},{\"name\":\"b\",\"valueFrom\":{}}]")),
          "[spec.containers[0].env[0].name: Required value, spec.containers[0].env[1].valueFrom: "
          "Invalid value: \\\"\\\": must specify one of: `fieldRef`" },
        { DEFAULT "pods", NAMED(CONTAINER("\"imagePullPolicy\":\"Sometimes\"")),
          "spec.containers[0].imagePullPolicy: Unsupported value: \\\"Sometimes\\\": supported "
          "values: \\\"Always\\\", \\\"IfNotPresent\\\", \\\"Never\\\"" },
        { DEFAULT "pods", NAMED(CONTAINER("\"livenessProbe\":{\"httpGet\":{}}")),
          "spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and "
          "65535, inclusive" },
        { DEFAULT "pods", NAMED(CONTAINER("\"livenessProbe\":{\"periodSeconds\":-1}")),
          "[spec.containers[0].livenessProbe: Required value: must specify a handler type, "
          "spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than "
          "or equal to 0]" },
        { DEFAULT "pods",
          NAMED(CONTAINER(
              "\"resources\":{\"requests\":{\"cpu\":\"2\"},\"limits\":{\"cpu\":\"1000m\"}}")),
          "spec.containers[0].resources.requests: Invalid value: \\\"2\\\": must be less than or "
          "equal to cpu limit of 1\"" },
        { DEFAULT "pods",
          NAMED(CONTAINER("\"volumeMounts\":[{\"name\":\"nope\",\"mountPath\":\"/x\"}]")),
          "spec.containers[0].volumeMounts[0].name: Not found: \\\"nope\\\"" },
        { APPS "deployments",
          NAMED(SELECTOR
                ",\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINER(
                    "\"terminationMessagePolicy\":\"Never\"") "}}"),
          "spec.template.spec.containers[0].terminationMessagePolicy: Unsupported value: "
          "\\\"Never\\\"" },
    };
    ASSERT_ALL_SAID(*state, faults);
}

#define STATEFUL_SET(mount)                                                                        \
    NAMED(SELECTOR ",\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},\"spec\":{}}],"   \
                   "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{" CONTAINER(   \
                       "\"volumeMounts\":[{\"name\":\"" mount "\",\"mountPath\":\"/x\"}]") "}}")

static void stateful_sets_mount_their_volume_claim_templates(void **state)
{
    fake_http_free(send(*state, "POST", APPS "statefulsets", STATEFUL_SET("data"), 201));
    assert_sent_has(*state, "POST", APPS "statefulsets", STATEFUL_SET("nope"), 422,
                    "spec.template.spec.containers[0].volumeMounts[0].name: Not found: "
                    "\\\"nope\\\"");
}

static void invalid_pods_are_refused(void **state)
{
    static const fault faults[] = {
        { DEFAULT "pods", POD("\"dnsPolicy\":\"None\""),
          "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None" },
        { DEFAULT "pods", POD("\"volumes\":[{\"name\":\"a\"},{\"name\":\"a\"},{\"emptyDir\":{}}]"),
          "[spec.volumes[1].name: Duplicate value: \\\"a\\\", spec.volumes[2].name: Required "
          "value]" },
        { DEFAULT "pods", POD("\"hostname\":\"a.b\""),
          "spec.hostname: Invalid value: \\\"a.b\\\": must not contain dots" },
        { DEFAULT "pods", POD("\"activeDeadlineSeconds\":0"),
          "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647" },
        { DEFAULT "pods", POD("\"tolerations\":[{\"operator\":\"Maybe\"}]"),
          "spec.tolerations[0].operator: Unsupported value: \\\"Maybe\\\"" },
        { DEFAULT "pods", POD("\"nodeSelector\":{\"bad key\":\"v\"}"),
          "spec.nodeSelector: Invalid value: \\\"bad key\\\": name part must consist of" },
    };
    ASSERT_ALL_SAID(*state, faults);
}

static void only_some_fields_of_a_pod_can_change(void **state)
{
    fake_http_free(send(*state, "POST", DEFAULT "pods", NAMED(CONTAINER("\"tty\":true")), 201));
    fake_http_free(send_as(*state, "PATCH", DEFAULT "pods/o", MERGE_PATCH,
                           "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i:2\",\"tty\":"
                           "true}],\"activeDeadlineSeconds\":5}}",
                           200));
    fake_http *http = send_as(*state, "PATCH", DEFAULT "pods/o", MERGE_PATCH,
                              "{\"spec\":{\"nodeName\":\"n\"}}", 422);
    assert_body_has(http, "spec: Forbidden: pod updates may not change fields other than");
    fake_http_free(http);
    http = send_as(*state, "PATCH", DEFAULT "pods/o", MERGE_PATCH,
                   "{\"spec\":{\"tolerations\":[]}}", 200);
    assert_body_has(http, "node.kubernetes.io/unreachable");
    fake_http_free(http);
}

static void invalid_services_are_refused(void **state)
{
    static const fault faults[] = {
        { DEFAULT "services", NAMED("\"ports\":[{\"port\":1,\"protocol\":\"ICMP\"}]"),
          "spec.ports[0].protocol: Unsupported value: \\\"ICMP\\\": supported values: "
          "\\\"SCTP\\\", "
          "\\\"TCP\\\", \\\"UDP\\\"" },
        { DEFAULT "services",
          NAMED("\"ports\":[{\"port\":1,\"name\":\"a\"},{\"port\":1,\"name\":\"b\"}]"),
          "spec.ports[1]: Duplicate value: {\\\"Name\\\":\\\"\\\",\\\"Protocol\\\":\\\"TCP\\\"" },
        { DEFAULT "services", NAMED("\"ports\":[{\"port\":1}],\"clusterIP\":\"192.168.1.1\""),
          "The range of valid IPs is 10.96.0.0/16" },
        { DEFAULT "services", NAMED("\"ports\":[{\"port\":1}],\"externalTrafficPolicy\":\"Local\""),
          "may only be set for externally-accessible services" },
        { DEFAULT "services",
          NAMED("\"ports\":[{\"port\":1}],\"type\":\"NodePort\",\"clusterIP\":\"None\""),
          "may not be set to 'None' for NodePort services" },
        { DEFAULT "services",
          NAMED("\"ports\":[{\"port\":1}],\"externalIPs\":[\"127.0.0.1\",\"x\"]"),
          "[spec.externalIPs[0]: Invalid value: \\\"127.0.0.1\\\": may not be in the loopback "
          "range" },
    };
    ASSERT_ALL_SAID(*state, faults);
}

static void invalid_workloads_are_refused(void **state)
{
    static const fault faults[] = {
        { APPS "deployments", DEPLOYMENT("\"minReadySeconds\":700"),
          "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than "
          "minReadySeconds" },
        { APPS "deployments",
          DEPLOYMENT("\"strategy\":{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":\"0%\"}}"),
          "may not be 0 when `maxSurge` is 0" },
        { APPS "deployments",
          DEPLOYMENT("\"strategy\":{\"type\":\"Recreate\",\"rollingUpdate\":{\"maxSurge\":1}}"),
          "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
          "'Recreate'" },
        { APPS "statefulsets", NAMED("\"selector\":{}," TEMPLATE),
          "spec.selector: Invalid value: {}: empty selector is invalid for statefulset" },
        { APPS "daemonsets", DEPLOYMENT("\"updateStrategy\":{\"type\":\"Blue\"}"),
          "supported values: \\\"RollingUpdate\\\", \\\"OnDelete\\\"" },
        { "/apis/batch/v1/namespaces/default/cronjobs",
          NAMED("\"schedule\":\"at noon\",\"jobTemplate\":{\"spec\":{" TEMPLATE "}}"),
          "spec.schedule: Invalid value: \\\"at noon\\\": expected exactly 5 fields, found 2" },
    };
    ASSERT_ALL_SAID(*state, faults);
}

static void invalid_objects_of_other_kinds_are_refused(void **state)
{
    static const fault faults[] = {
        { DEFAULT "configmaps",
          "{\"metadata\":{\"name\":\"o\"},\"data\":{\"b\":\"x\"},\"binaryData\":{\"b\":\"AA==\"}}",
          "data[b]: Invalid value: \\\"b\\\": duplicate of key present in binaryData" },
        { DEFAULT "secrets", "{\"metadata\":{\"name\":\"o\"},\"type\":\"kubernetes.io/tls\"}",
          "[data[tls.crt]: Required value, data[tls.key]: Required value]" },
        { DEFAULT "persistentvolumeclaims", NAMED("\"accessModes\":[\"Sometimes\"]"),
          "[spec.accessModes: Unsupported value: \\\"Sometimes\\\"" },
        { "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
          NAMED("\"maxReplicas\":3"), "[spec.scaleTargetRef.kind: Required value, " },
        { "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
          NAMED("\"minAvailable\":\"150%\""), "must not be greater than 100%" },
        { "/apis/coordination.k8s.io/v1/namespaces/default/leases",
          NAMED("\"leaseDurationSeconds\":0"), "must be greater than 0" },
        { RBAC "roles", "{\"metadata\":{\"name\":\"o\"},\"rules\":[{\"resources\":[\"x\"]}]}",
          "[rules[0].verbs: Required value, rules[0].apiGroups: Required value: resource rules "
          "must "
          "supply at least one api group]" },
        { "/apis/networking.k8s.io/v1/namespaces/default/ingresses", NAMED("\"rules\":[]"),
          "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified" },
        { DEFAULT "events",
          "{\"metadata\":{\"name\":\"o\"},\"involvedObject\":{\"namespace\":\"elsewhere\"}}",
          "involvedObject.namespace: Invalid value: \\\"elsewhere\\\": does not match" },
    };
    ASSERT_ALL_SAID(*state, faults);
}

static void values_of_the_wrong_type_are_refused(void **state)
{
    assert_sent_has(*state, "POST", DEFAULT "pods", NAMED("\"containers\":[{\"image\":5}]"), 400,
                    "cannot unmarshal number into Go struct field Container.spec.containers.image");
    fake_http_free(send(*state, "POST", APPS "deployments", DEPLOYMENT("\"replicas\":1"), 201));
    fake_http *http = send_as(*state, "PATCH", APPS "deployments/o", MERGE_PATCH,
                              "{\"spec\":{\"replicas\":\"two\"}}", 422);
    assert_body_has(http, "DeploymentSpec.spec.replicas of type int32");
    fake_http_free(http);
    http = send_as(*state, "PATCH", APPS "deployments/o", MERGE_PATCH, "{\"kind\":\"Pod\"}", 422);
    fake_http_free(http);
}

static void ranges_and_time_zones_that_do_not_exist_are_refused(void **state)
{
    static const char policies[] = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
    static const fault faults[] = {
        { policies,
          NAMED("\"podSelector\":{},\"ingress\":[{\"from\":[{\"ipBlock\":{\"cidr\":\"10.0.0.0\"}}]}"
                "]"),
          "spec.ingress[0].from[0].ipBlock.cidr: Invalid value: \\\"10.0.0.0\\\": must be a valid "
          "CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)" },
        { policies,
          NAMED("\"podSelector\":{},\"egress\":[{\"to\":[{\"ipBlock\":{\"cidr\":\"10.0.0.0/8\","
                "\"except\":[\"10.1.0.0/16\",\"11.0.0.0/16\",\"10.0.0.0/8\"]}}]}]"),
          "[spec.egress[0].to[0].ipBlock.except[1]: Invalid value: \\\"11.0.0.0/16\\\": must be a "
          "strict subset of `cidr`, spec.egress[0].to[0].ipBlock.except[2]: Invalid value: "
          "\\\"10.0.0.0/8\\\": must be a strict subset of `cidr`]" },
        { DEFAULT "services",
          NAMED("\"type\":\"LoadBalancer\",\"ports\":[{\"port\":80}],\"loadBalancerSourceRanges\":"
                "[\" 10.0.0.0/8 \",\"10.0.0.0/33\"]"),
          "spec.LoadBalancerSourceRanges[1]: Invalid value: \\\"10.0.0.0/33\\\": must be a valid "
          "CIDR value" },
        { "/apis/batch/v1/namespaces/default/cronjobs",
          NAMED("\"schedule\":\"* * * * *\",\"timeZone\":\"../x\",\"jobTemplate\":{\"spec\":{"
                "\"template\":{\"spec\":{\"restartPolicy\":\"Never\"," CONTAINER(
                    "\"tty\":true") "}}}}"),
          "spec.timeZone: Invalid value: \\\"../x\\\": unknown time zone ../x" },
        { "/apis/batch/v1/namespaces/default/cronjobs",
          NAMED("\"schedule\":\"* * * * *\",\"timeZone\":\"local\",\"jobTemplate\":{\"spec\":{"
                "\"template\":{\"spec\":{\"restartPolicy\":\"Never\"," CONTAINER(
                    "\"tty\":true") "}}}}"),
          "spec.timeZone: Invalid value: \\\"local\\\": timeZone must be an explicit time zone" },
    };
    ASSERT_ALL_SAID(*state, faults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(invalid_containers_are_refused),
        SEEDED_TEST(stateful_sets_mount_their_volume_claim_templates),
        SEEDED_TEST(invalid_pods_are_refused),
        SEEDED_TEST(only_some_fields_of_a_pod_can_change),
        SEEDED_TEST(invalid_services_are_refused),
        SEEDED_TEST(invalid_workloads_are_refused),
        SEEDED_TEST(invalid_objects_of_other_kinds_are_refused),
        SEEDED_TEST(values_of_the_wrong_type_are_refused),
        SEEDED_TEST(ranges_and_time_zones_that_do_not_exist_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
