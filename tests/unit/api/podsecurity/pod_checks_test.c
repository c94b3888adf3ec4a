/* SPDX-License-Identifier: Apache-2.0 */
/* pod_checks_test.c -- what pods violate of the Pod Security Standards, by version. */
#include "api/podsecurity/pod_checks.h"

#include <stdio.h>

#include "api/podsecurity/pod_security_policy.h"

#include "base/str.h"
#include "unit/test.h"
#include "json/fields.h"

/* A spec that meets restricted; |more| comes after its members. */
#define GOOD(more, security)                                                                       \
    "{\"spec\":{\"securityContext\":{\"runAsNonRoot\":true,\"seccompProfile\":{\"type\":"          \
    "\"RuntimeDefault\"}},\"containers\":[{\"name\":\"c\",\"securityContext\":{"                   \
    "\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":[\"ALL\"]}" security "}}]" more \
    "}}"

static const char *check(lw_pod_level level, int version, const char *pod)
{
    static char text[2048];
    lw_tree *tree = NULL;
    lw_pod_report report;
    lw_pod_report_init(&report);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(pod), 0, NULL), LW_OK);
    const lw_node *root = lw_tree_root(tree);
    assert_int_equal(lw_pod_check((lw_pod_standard){ level, version },
                                  lw_node_get(root, LW_STR("metadata")),
                                  lw_node_get(root, LW_STR("spec")), &report),
                     LW_OK);
    (void)snprintf(text, sizeof(text), "%.*s", LW_STR_ARG(lw_buf_view(&report.details)));
    lw_pod_report_done(&report);
    lw_tree_free(tree);
    return text;
}

#define BASELINE(version, pod)   check(LW_POD_BASELINE, (version), (pod))
#define RESTRICTED(version, pod) check(LW_POD_RESTRICTED, (version), (pod))

static void a_good_pod_violates_nothing(void **state)
{
    (void)state;
    assert_string_equal(RESTRICTED(LW_POD_VERSION_LATEST, GOOD("", "")), "");
    assert_string_equal(check(LW_POD_PRIVILEGED, 0, "{\"spec\":{\"hostPID\":true}}"), "");
}

static void values_are_sorted_and_named_once(void **state)
{
    (void)state;
    assert_string_equal(
        BASELINE(LW_POD_VERSION_LATEST,
                 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"ports\":[{\"hostPort\":81},"
                 "{\"hostPort\":80}]},{\"name\":\"b\",\"ports\":[{\"hostPort\":80}]}]}}"),
        "hostPort (containers \"a\", \"b\" use hostPorts 80, 81)");
}

static void annotations_are_checked(void **state)
{
    static const char pod[] =
        "{\"metadata\":{\"annotations\":{\"seccomp.security.alpha.kubernetes.io/pod\":\"x\","
        "\"container.apparmor.security.beta.kubernetes.io/c\":\"unconfined\"}},\"spec\":{}}";
    (void)state;
    assert_string_equal(BASELINE(18, pod),
                        "forbidden AppArmor profile (annotation must not set AppArmor profile type "
                        "to \"container.apparmor.security.beta.kubernetes.io/c=\"unconfined\"\"), "
                        "seccompProfile (forbidden annotation "
                        "seccomp.security.alpha.kubernetes.io/pod=\"x\")");
    assert_string_equal(BASELINE(19, pod),
                        "forbidden AppArmor profile (annotation must not set AppArmor profile type "
                        "to \"container.apparmor.security.beta.kubernetes.io/c=\"unconfined\"\")");
}

static void checks_change_with_the_version(void **state)
{
    static const char windows[] =
        "{\"spec\":{\"os\":{\"name\":\"windows\"},\"securityContext\":{\"runAsNonRoot\":true},"
        "\"containers\":[{\"name\":\"c\"}]}}";
    (void)state;
    assert_string_equal(RESTRICTED(LW_POD_VERSION_LATEST, windows), "");
    assert_string_equal(RESTRICTED(8, windows),
                        "allowPrivilegeEscalation != false (container \"c\" must set "
                        "securityContext.allowPrivilegeEscalation=false)");
    assert_string_equal(RESTRICTED(LW_POD_VERSION_LATEST,
                                   GOOD(",\"hostUsers\":false", ",\"procMount\":\"Unmasked\"")),
                        "procMount (container \"c\" must not set securityContext.procMount to "
                        "\"Unmasked\")");
    assert_string_equal(BASELINE(LW_POD_VERSION_LATEST,
                                 GOOD(",\"hostUsers\":false", ",\"procMount\":\"Unmasked\"")),
                        "");
}

static void labels_default_and_fall_back(void **state)
{
    lw_tree *tree = NULL;
    lw_pod_security policy;
    (void)state;
    assert_int_equal(lw_tree_parse(&tree,
                                   LW_STR(
                                       "{\"pod-security.kubernetes.io/enforce\":\"baseline\","
                                       "\"pod-security.kubernetes.io/enforce-version\":\"v1.30\","
                                       "\"pod-security.kubernetes.io/audit\":\"wrong\"}"),
                                   0, NULL),
                     LW_OK);
    assert_false(lw_pod_security_read(&lw_pod_security_defaults.defaults, lw_tree_root(tree),
                                      &policy, NULL));
    assert_int_equal(policy.enforce.level, LW_POD_BASELINE);
    assert_int_equal(policy.enforce.version, 30);
    assert_int_equal(policy.warn.level, LW_POD_BASELINE);
    assert_int_equal(policy.warn.version, 30);
    assert_int_equal(policy.audit.level, LW_POD_PRIVILEGED);
    lw_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_pod_violates_nothing),
        cmocka_unit_test(values_are_sorted_and_named_once),
        cmocka_unit_test(annotations_are_checked),
        cmocka_unit_test(checks_change_with_the_version),
        cmocka_unit_test(labels_default_and_fall_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
