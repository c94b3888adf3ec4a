/* SPDX-License-Identifier: Apache-2.0 */
/* value_warnings_test.c -- warnings about values that are valid and may not be meant. */
#include "api/warnings/value_warnings.h"

#include "unit/api/sent.h"

#define PODS                DEFAULT "pods"
#define POD(metadata, spec) "{\"metadata\":{\"name\":\"p\"" metadata "},\"spec\":{" spec "}}"
#define CONTAINER(more)     "\"containers\":[{\"name\":\"c\",\"image\":\"i\"" more "}]"

/* The warnings of the answer to |body| are |expected|, which ends with a NULL. */
static void assert_warned(fake_http *http, const char *const *expected)
{
    char wanted[1024];
    lw_str value;
    size_t i = 0;
    for (; expected[i]; i++) {
        (void)snprintf(wanted, sizeof(wanted), "299 - \"%s\"", expected[i]);
        assert_true(fake_http_header(http, "Warning", i, &value));
        if (!lw_str_equal(value, lw_str_of(wanted)))
            fail_msg("warned: %.*s, not: %s", LW_STR_ARG(value), wanted);
    }
    if (fake_http_header(http, "Warning", i, &value))
        fail_msg("also warned: %.*s", LW_STR_ARG(value));
    fake_http_free(http);
}

#define WARNED(http, ...) assert_warned(http, (const char *const[]){ __VA_ARGS__, NULL })

static void nothing_is_said_of_a_usual_pod(void **state)
{
    assert_warned(send(*state, "POST", PODS, POD("", CONTAINER("")), 201),
                  (const char *const[]){ NULL });
}

static void deprecated_node_labels_are_named(void **state)
{
    WARNED(send(*state, "POST", PODS,
                POD("", "\"nodeSelector\":{\"beta.kubernetes.io/os\":\"linux\"}," CONTAINER("")),
                201),
           "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
           "\\\"kubernetes.io/os\\\" instead");
}

static void a_variable_that_hides_another_is_named(void **state)
{
    WARNED(send(*state, "POST", PODS,
                POD("", CONTAINER(",\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"A\","
                                  "\"value\":\"2\"}]")),
                201),
           "spec.containers[0].env[1]: hides previous definition of \\\"A\\\", which may be "
           "dropped when using apply");
}

static void a_variable_that_extends_another_is_not_named(void **state)
{
    assert_warned(send(*state, "POST", PODS,
                       POD("", CONTAINER(",\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":"
                                         "\"A\",\"value\":\"$(A)2\"}]")),
                       201),
                  (const char *const[]){ NULL });
}

static void ports_that_are_defined_twice_are_named(void **state)
{
    WARNED(send(*state, "POST", PODS,
                POD("", "\"containers\":[{\"name\":\"a\",\"image\":\"i\",\"ports\":[{"
                        "\"containerPort\":80,\"name\":\"x\"}]},{\"name\":\"b\",\"image\":\"i\","
                        "\"ports\":[{\"containerPort\":80,\"name\":\"x\"}]}]"),
                201),
           "spec.containers[1].ports[0]: duplicate port definition with "
           "spec.containers[0].ports[0]",
           "spec.containers[1].ports[0]: duplicate port name \\\"x\\\" with "
           "spec.containers[0].ports[0], services and probes that select ports by name will use "
           "spec.containers[0].ports[0]");
}

static void fractions_of_a_byte_are_named(void **state)
{
    WARNED(send(*state, "POST", PODS,
                POD("", CONTAINER(",\"resources\":{\"limits\":{\"memory\":\"100m\"}}")), 201),
           "spec.containers[0].resources.limits[memory]: fractional byte value \\\"100m\\\" is "
           "invalid, must be an integer",
           "spec.containers[0].resources.requests[memory]: fractional byte value \\\"100m\\\" is "
           "invalid, must be an integer");
}

static void files_that_hide_one_another_are_named(void **state)
{
    WARNED(send(*state, "POST", PODS,
                POD("",
                    "\"volumes\":[{\"name\":\"v\",\"configMap\":{\"name\":\"m\",\"items\":[{"
                    "\"key\":\"a\",\"path\":\"x\"},{\"key\":\"b\",\"path\":\"x/y\"}]}}]," CONTAINER(
                        "")),
                201),
           "volume \\\"v\\\" (ConfigMap \\\"m\\\"): overlapping paths: \\\"x/y\\\" with "
           "\\\"x\\\"");
}

static void a_template_is_warned_about_with_its_path(void **state)
{
    static const char body[] =
        "{\"metadata\":{\"name\":\"d.x\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"imagePullSecrets\":[{"
        "\"name\":\"s\"},{\"name\":\"s\"}]," CONTAINER("") "}}}}";
    WARNED(send(*state, "POST", "/apis/apps/v1/namespaces/default/deployments", body, 201),
           "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
           "behavior; a DNS label is recommended: [must not contain dots]",
           "spec.template.spec.imagePullSecrets[1].name: duplicate name \\\"s\\\"");
    /* The template has not changed. */
    assert_warned(send_as(*state, "PATCH", "/apis/apps/v1/namespaces/default/deployments/d.x",
                          MERGE_PATCH, "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", 200),
                  (const char *const[]){ NULL });
}

static void a_service_is_warned_about(void **state)
{
    WARNED(send(*state, "POST", DEFAULT "services",
                "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"clusterIP\":\"None\","
                "\"sessionAffinity\":\"ClientIP\",\"ports\":[{\"port\":80}],"
                "\"externalName\":\"x.example\",\"trafficDistribution\":\"PreferClose\"}}",
                201),
           "spec.SessionAffinity is ignored for headless services",
           "spec.externalName is ignored when spec.type is not \\\"ExternalName\\\"",
           "spec.trafficDistribution: \\\"PreferClose\\\" is deprecated; use "
           "\\\"PreferSameZone\\\"");
}

static void ranges_and_addresses_in_unusual_forms_are_named(void **state)
{
    WARNED(send(*state, "POST", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
                "{\"metadata\":{\"name\":\"n\"},\"spec\":{\"podSelector\":{},\"ingress\":[{"
                "\"from\":[{\"ipBlock\":{\"cidr\":\"10.0.0.0/8\"}},{\"ipBlock\":{\"cidr\":"
                "\"2001:DB8::/32\"}}]}]}}",
                201),
           "spec.ingress[0].from[1].ipBlock.cidr: IPv6 CIDR value \\\"2001:DB8::/32\\\" should be "
           "in RFC 5952 canonical format (\\\"2001:db8::/32\\\")");
    WARNED(send(*state, "POST", PODS,
                POD("", "\"hostAliases\":[{\"ip\":\"2001:DB8::1\"}]," CONTAINER("")), 201),
           "spec.hostAliases[0].ip: IPv6 address \\\"2001:DB8::1\\\" should be in RFC 5952 "
           "canonical format (\\\"2001:db8::1\\\")");
}

static void a_volume_is_warned_about(void **state)
{
    WARNED(send(*state, "POST", "/api/v1/persistentvolumes",
                "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],"
                "\"capacity\":{\"storage\":\"1Gi\"},\"hostPath\":{\"path\":\"/v\"},"
                "\"persistentVolumeReclaimPolicy\":\"Recycle\"}}",
                201),
           "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, "
           "the recommended approach is to use dynamic provisioning.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(nothing_is_said_of_a_usual_pod),
        SEEDED_TEST(deprecated_node_labels_are_named),
        SEEDED_TEST(a_variable_that_hides_another_is_named),
        SEEDED_TEST(a_variable_that_extends_another_is_not_named),
        SEEDED_TEST(ports_that_are_defined_twice_are_named),
        SEEDED_TEST(fractions_of_a_byte_are_named),
        SEEDED_TEST(files_that_hide_one_another_are_named),
        SEEDED_TEST(a_template_is_warned_about_with_its_path),
        SEEDED_TEST(a_service_is_warned_about),
        SEEDED_TEST(ranges_and_addresses_in_unusual_forms_are_named),
        SEEDED_TEST(a_volume_is_warned_about),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
