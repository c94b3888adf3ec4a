/* SPDX-License-Identifier: Apache-2.0 */
/* field_check_test.c -- what a configuration that is applied must look like. */
#include "schema/managedfields/field_check.h"

#include "base/str.h"
#include "schema/types/type.h"
#include "unit/test.h"

/* |why| NULL: it is good. */
static void assert_checked_at(const char *kind, const char *json, const char *why, const char *file,
                              int line)
{
    lw_tree *tree = NULL;
    lw_buf got;
    const lw_type *type = lw_type_of_kind(lw_gvk_make("", "v1", kind));
    lw_buf_init(&got, 4096);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    bool is_good = lw_field_check(tree, type, lw_tree_root(tree), &got);
    assert_str_equal_at(lw_buf_view(&got), why ? why : "", file, line);
    assert_int_equal(is_good, !why);
    lw_buf_done(&got);
    lw_tree_free(tree);
}
#define assert_checked(kind, json, why) assert_checked_at((kind), (json), (why), __FILE__, __LINE__)

static void what_fits_is_good(void **state)
{
    (void)state;
    assert_checked(
        "Pod",
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{\"a\":\"b\"},"
        "\"finalizers\":[\"x\"]},\"spec\":{\"containers\":[{\"name\":\"c\",\"ports\":[{"
        "\"containerPort\":80}],\"resources\":{\"limits\":{\"cpu\":1,\"memory\":\"1Gi\"}},"
        "\"args\":null}],\"hostNetwork\":true}}",
        NULL);
    assert_checked("NoSuchKind", "{\"any\":[{\"thing\":1}]}", NULL);
}

static void fields_are_those_of_the_type(void **state)
{
    (void)state;
    assert_checked("ConfigMap", "{\"dtaa\":{}}", ".dtaa: field not declared in schema");
    assert_checked("Pod", "{\"spec\":{\"containers\":[{\"name\":\"c\",\"imag\":\"i\"}]}}",
                   ".spec.containers[name=\"c\"].imag: field not declared in schema");
    assert_checked("Pod", "{\"spec\":{\"tolerations\":[{},{\"kee\":\"k\"}]}}",
                   ".spec.tolerations[1].kee: field not declared in schema");
}

static void values_have_the_form_of_their_type(void **state)
{
    (void)state;
    assert_checked("ConfigMap", "{\"data\":{\"a\":1}}", ".data.a: expected string, got number");
    assert_checked("ConfigMap", "{\"data\":[]}", ".data: expected map, got list");
    assert_checked("ConfigMap", "{\"immutable\":\"true\"}",
                   ".immutable: expected boolean, got string");
    assert_checked("Pod", "{\"spec\":{\"containers\":{}}}",
                   ".spec.containers: expected list, got map");
    assert_checked("Pod", "{\"spec\":{\"priority\":\"1\"}}",
                   ".spec.priority: expected numeric (int or float), got string");
    assert_checked("Service", "{\"spec\":{\"ports\":[{\"port\":1,\"targetPort\":{}}]}}",
                   ".spec.ports[port=1,protocol=\"TCP\"].targetPort: expected any scalar, got "
                   "map");
}

static void items_can_be_told_apart(void **state)
{
    (void)state;
    assert_checked("Service",
                   "{\"spec\":{\"ports\":[{\"port\":80},{\"port\":80,\"protocol\":\"UDP\"}]}}",
                   NULL);
    assert_checked("Service",
                   "{\"spec\":{\"ports\":[{\"port\":80},{\"port\":80,\"protocol\":\"TCP\"}]}}",
                   ".spec.ports: duplicate entries for key [port=80,protocol=\"TCP\"]");
    assert_checked("Pod", "{\"spec\":{\"containers\":[{\"name\":\"a\"},{}]}}",
                   ".spec.containers: element 1: associative list with keys has an element that "
                   "omits all key fields (and doesn't have default values for any key fields)");
    assert_checked("Pod", "{\"spec\":{\"containers\":[\"a\"]}}",
                   ".spec.containers: element 0: associative list with keys may not have non-map "
                   "elements");
    assert_checked("Pod", "{\"metadata\":{\"finalizers\":[\"a\",\"a\"]}}",
                   ".metadata.finalizers: duplicate entries for key [=\"a\"]");
    assert_checked("Pod", "{\"metadata\":{\"finalizers\":[null]}}",
                   ".metadata.finalizers: element 0: associative list without keys has an element "
                   "that's an explicit null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_fits_is_good),
        TEST(fields_are_those_of_the_type),
        TEST(values_have_the_form_of_their_type),
        TEST(items_can_be_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
