/* SPDX-License-Identifier: Apache-2.0 */
/* testkit_test.c -- a server for a test in one call. */
#include <string.h>
#include <unistd.h>

#include "unit/testkit/kit.h"

static const char widgets[] =
    "apiVersion: apiextensions.k8s.io/v1\n"
    "kind: CustomResourceDefinition\n"
    "metadata: {name: widgets.example.com}\n"
    "spec:\n"
    "  group: example.com\n"
    "  names: {kind: Widget, plural: widgets, singular: widget}\n"
    "  scope: Namespaced\n"
    "  versions:\n"
    "  - name: v1\n"
    "    served: true\n"
    "    storage: true\n"
    "    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n"
    "---\n"
    "apiVersion: example.com/v1\n"
    "kind: Widget\n"
    "metadata: {name: w}\n"
    "size: 3\n";

static void a_test_starts_with_its_objects(void **state)
{
    char path[] = "/tmp/testkit-XXXXXX";
    const lw_test_options options = { .size = sizeof(options),
                                      .manifest = widgets,
                                      .manifest_file = path };
    static const char more[] = "---\n{apiVersion: v1, kind: Namespace, metadata: {name: more}}";
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, more, strlen(more)), strlen(more));
    (void)close(fd);
    KIT_OK(lw_test_start(&kit, &options, kit_err));
    (void)unlink(path);
    KIT_OK(lw_wait_for_value(lw_test_client(kit), "widgets.example.com", "default", "w", "/size",
                             "3", NULL, kit_err));
    KIT_OK(lw_wait_for_value(lw_test_client(kit), "namespaces", NULL, "more", "/metadata/name",
                             "more", NULL, kit_err));
}

static void an_object_that_is_refused_is_named(void **state)
{
    const lw_test_options options = {
        .size = sizeof(options),
        .manifest = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: 'A B'}}"
    };
    lw_error err = LW_ERROR_INIT;
    (void)state;
    kit = NULL;
    assert_int_equal(lw_test_start(&kit, &options, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "ConfigMap A B: "));
    assert_null(kit);
    const lw_test_options missing = { .size = sizeof(missing), .manifest_file = "/nowhere/x" };
    assert_int_equal(lw_test_start(&kit, &missing, &err), LW_ERR_IO);
    const lw_test_options unset = { .size = 0 };
    assert_int_equal(lw_test_start(&kit, &unset, &err), LW_ERR_INVALID);
}

static void deployments_become_available_with_controllers(void **state)
{
    const lw_test_options options = { .size = sizeof(options),
                                      .has_controllers = true,
                                      .nodes = 1 };
    static const char deployment[] =
        "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 2, "
        "selector: "
        "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: "
        "c, image: i}]}}}}";
    (void)state;
    KIT_OK(lw_test_start(&kit, &options, kit_err));
    KIT_OK(lw_test_create(kit, deployment, kit_err));
    KIT_OK(lw_wait_for_condition(lw_test_observer(kit), "deployments.apps", "default", "d",
                                 "Available", "True", NULL, kit_err));
    KIT_OK(lw_wait_for_value(lw_test_observer(kit), "deployments.apps", "default", "d",
                             "/status/readyReplicas", "2", NULL, kit_err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_test_starts_with_its_objects, kit_tear_down),
        cmocka_unit_test_teardown(an_object_that_is_refused_is_named, kit_tear_down),
        cmocka_unit_test_teardown(deployments_become_available_with_controllers, kit_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
