/* SPDX-License-Identifier: Apache-2.0 */
/* typed_test.c -- documents after a Go struct has held them. */
#include "schema/validation/typed.h"

#include <stdio.h>

#include <listwatch/quantity.h>

#include "base/str.h"
#include "base/text/time_text.h"
#include "schema/validation/check_fits.h"
#include "unit/test.h"
#include "json/fields.h"

typedef void (*pass)(lw_tree *tree, const lw_type *type, lw_node *object);

/* What is left of |json|, of the kind |kind| (v1), after |run|. */
static void assert_becomes(pass run, const char *group, const char *kind, const char *json,
                           const char *expected)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make(group, "v1", kind));
    lw_tree *tree = NULL, *wanted = NULL;
    assert_non_null(type);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&wanted, lw_str_of(expected), 0, NULL), LW_OK);
    run(tree, type, lw_tree_root(tree));
    assert_int_equal(lw_tree_status(tree), LW_OK);
    if (!lw_node_equal(lw_tree_root(tree), lw_tree_root(wanted))) {
        lw_buf out;
        lw_json_writer w;
        lw_buf_init(&out, 1 << 20);
        lw_json_writer_init(&w, &out, LW_JSON_COMPACT);
        lw_node_write(lw_tree_root(tree), &w);
        fail_msg("became %.*s, not %s", LW_STR_ARG(lw_buf_view(&out)), expected);
    }
    lw_tree_free(tree);
    lw_tree_free(wanted);
}

static void drops_what_says_nothing(void **state)
{
    (void)state;
    assert_becomes(lw_typed_read, "", "Pod",
                   "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"\",\"args\":[],\"tty\":"
                   "false,\"nonsense\":1}],\"nodeName\":null,\"hostNetwork\":false},\"extra\":{}}",
                   "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}");
}

static void keeps_zeros_of_pointers(void **state)
{
    (void)state;
    assert_becomes(lw_typed_read, "apps", "Deployment", "{\"spec\":{\"replicas\":0}}",
                   "{\"spec\":{\"replicas\":0}}");
}

static void writes_amounts_and_times_in_one_form(void **state)
{
    (void)state;
    assert_becomes(
        lw_typed_read, "", "Pod",
        "{\"metadata\":{\"creationTimestamp\":\"2020-01-01T02:00:00+02:00\"},\"spec\":{"
        "\"containers\":[{\"resources\":{\"limits\":{\"cpu\":1,\"memory\":\"0.5Gi\"}}}]}}",
        "{\"metadata\":{\"creationTimestamp\":\"2020-01-01T00:00:00Z\"},\"spec\":{"
        "\"containers\":[{\"resources\":{\"limits\":{\"cpu\":\"1\",\"memory\":\"512Mi\"}}}]}}");
}

/* What lw_typed_read makes of |amount| is what lw_quantity_format writes. */
static void assert_amount(const char *amount)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make("", "v1", "ResourceQuota"));
    lw_tree *tree = NULL;
    lw_quantity quantity;
    char json[256], expected[LW_QUANTITY_SIZE] = "";
    (void)snprintf(json, sizeof(json), "{\"spec\":{\"hard\":{\"x\":\"%s\"}}}", amount);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    lw_typed_read(tree, type, lw_tree_root(tree));
    assert_true(lw_quantity_parse(lw_str_of(amount), &quantity));
    lw_quantity_format(expected, quantity);
    assert_str_equal(lw_fields_text_at(lw_tree_root(tree), "/spec/hard/x"), expected);
    lw_tree_free(tree);
}

static void writes_every_amount_as_quantities_are_written(void **state)
{
    (void)state;
    static const char *const numbers[] = { "0",         "1",          "01",        "7",
                                           "100",       "999",        "1000",      "1001",
                                           "1023",      "1024",       "2048",      "3000",
                                           "999999999", "1073741824", "100000000", "123456789012" };
    static const char *const units[] = { "",  "n",  "u",  "m",  "k",  "M",  "G",  "T",
                                         "E", "Ki", "Mi", "Gi", "Ti", "Ei", "e3", ".5" };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
            char amount[64];
            (void)snprintf(amount, sizeof(amount), "%s%s", numbers[i], units[j]);
            assert_amount(amount);
        }
    }
}

/* What lw_typed_read makes of |text| is what the functions of time_text.h write; what is no time
 * stays as it is. */
static void assert_time(const char *text)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make("coordination.k8s.io", "v1", "Lease"));
    lw_tree *tree = NULL;
    lw_time time;
    char json[256], seconds[LW_TIME_TEXT_SIZE], micro[LW_TIME_TEXT_SIZE];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"creationTimestamp\":\"%s\"},\"spec\":{\"renewTime\":\"%s\"}}",
                   text, text);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    lw_typed_read(tree, type, lw_tree_root(tree));
    (void)snprintf(seconds, sizeof(seconds), "%s", text);
    (void)snprintf(micro, sizeof(micro), "%s", text);
    if (lw_time_parse(lw_str_of(text), &time)) {
        assert_int_equal(lw_time_format(seconds, time), LW_OK);
        assert_int_equal(lw_time_format_micro(micro, time), LW_OK);
    }
    assert_str_equal(lw_fields_text_at(lw_tree_root(tree), "/metadata/creationTimestamp"), seconds);
    assert_str_equal(lw_fields_text_at(lw_tree_root(tree), "/spec/renewTime"), micro);
    lw_tree_free(tree);
}

static void writes_every_time_as_times_are_written(void **state)
{
    (void)state;
    static const char *const times[] = {
        "2020-01-01T00:00:00Z",         "2020-01-01T00:00:00z",
        "2020-01-01t00:00:00Z",         "2016-12-31T23:59:60Z",
        "2020-01-01T02:00:00+02:00",    "2020-01-01T00:00:00.5Z",
        "2020-01-01T00:00:00.000000Z",  "2020-01-01T00:00:00,5Z",
        "2020-01-01T00:00:00.123456Z",  "2020-01-01t00:00:00.123456Z",
        "2020-01-01T00:00:00.123456z",  "2016-12-31T23:59:60.123456Z",
        "2020-01-01T00:00:00.1234567Z", "2020-01-01T00:00:00.12+00:00",
        "2020-02-30T00:00:00Z",         "2020-01-01T00:00:00,123456Z",
        "0000-01-01T00:00:00Z",         "9999-12-31T23:59:59Z",
        "2020-01-01 00:00:00Z",         "yesterday",
    };
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        assert_time(times[i]);
}

static void leaves_what_is_of_another_type(void **state)
{
    (void)state;
    assert_becomes(lw_typed_read, "", "Pod", "{\"spec\":[{\"nodeName\":\"\"}],\"status\":5}",
                   "{\"spec\":[{\"nodeName\":\"\"}],\"status\":5}");
}

static void write_typed(lw_tree *tree, const lw_type *type, lw_node *object)
{
    (void)lw_typed_write(tree, type, object);
}

static void adds_what_is_always_there(void **state)
{
    (void)state;
    assert_becomes(write_typed, "apps", "Deployment", "{\"metadata\":{},\"spec\":{}}",
                   "{\"metadata\":{},\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},"
                   "\"spec\":{\"containers\":null}},\"strategy\":{}},\"status\":{}}");
    assert_becomes(write_typed, "rbac.authorization.k8s.io", "Role", "{\"metadata\":{}}",
                   "{\"metadata\":{},\"rules\":null}");
}

/* Asserts that what is written of |json| is or is not a fixed point, and that what is written of
 * that is one. */
static void assert_settles(const char *json, bool is_at_once)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make("", "v1", "Pod"));
    lw_tree *tree = NULL;
    lw_buf first, second;
    lw_json_writer w;
    lw_buf_init(&first, 1 << 20);
    lw_buf_init(&second, 1 << 20);
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    lw_typed_read(tree, type, lw_tree_root(tree));
    assert_int_equal(lw_typed_write(tree, type, lw_tree_root(tree)), is_at_once);
    lw_json_writer_init(&w, &first, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_typed_read(tree, type, lw_tree_root(tree));
    assert_true(lw_typed_write(tree, type, lw_tree_root(tree)));
    lw_json_writer_init(&w, &second, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    if (lw_str_equal(lw_buf_view(&first), lw_buf_view(&second)) != is_at_once)
        fail_msg("%s became %.*s, then %.*s", json, LW_STR_ARG(lw_buf_view(&first)),
                 LW_STR_ARG(lw_buf_view(&second)));
    lw_buf_done(&first);
    lw_buf_done(&second);
    lw_tree_free(tree);
}

/* A struct that is always written stays where it is, a zero that is dropped comes last. */
static void tells_whether_another_pass_would_change_the_order(void **state)
{
    (void)state;
    assert_settles("{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}", true);
    assert_settles("{\"metadata\":{},\"spec\":{\"containers\":[{\"name\":\"c\"}]},\"status\":{"
                   "\"containerStatuses\":[{\"name\":\"c\",\"state\":{},\"lastState\":{},"
                   "\"ready\":false,\"restartCount\":0,\"image\":\"i\",\"imageID\":\"\"}]}}",
                   true);
    assert_settles("{\"metadata\":{},\"spec\":{\"containers\":[{\"name\":\"c\"}]},\"status\":{"
                   "\"containerStatuses\":[{\"name\":\"c\",\"image\":\"\"}]}}",
                   false);
}

/* Asserts that |json|, read, is or is not what |other|, read and written, says: once by writing it
 * too, once by comparing. */
static void assert_compares(const char *group, const char *kind, const char *json,
                            const char *other, bool is_equal)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make(group, "v1", kind));
    lw_tree *tree = NULL, *written = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&written, lw_str_of(other), 0, NULL), LW_OK);
    lw_node *a = lw_tree_root(tree), *b = lw_tree_root(written);
    lw_typed_read(tree, type, a);
    lw_typed_read(written, type, b);
    (void)lw_typed_write(written, type, b);
    if (lw_typed_is_written(tree, type, a, b) != is_equal)
        fail_msg("%s and %s are %s", json, other, is_equal ? "different" : "equal");
    (void)lw_typed_write(tree, type, a);
    assert_int_equal(lw_node_equal(a, b), is_equal);
    assert_true(lw_typed_is_written(tree, type, b, b));
    assert_int_equal(lw_tree_status(tree), LW_OK);
    lw_tree_free(tree);
    lw_tree_free(written);
}

static void finds_documents_equal_that_are_written_alike(void **state)
{
    (void)state;
    static const char *const deployments[] = {
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":0}}",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":0},\"status\":{\"replicas\":0}}",
        "{\"spec\":{\"strategy\":{},\"template\":{\"spec\":{\"containers\":[]}},\"replicas\":0},"
        "\"metadata\":{\"name\":\"d\",\"creationTimestamp\":null}}",
        "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":0,\"selector\":null,\"template\":{"
        "\"metadata\":{\"labels\":{}},\"spec\":{\"containers\":null}}}}",
    };
    for (size_t i = 0; i < sizeof(deployments) / sizeof(deployments[0]); i++) {
        for (size_t j = 0; j < sizeof(deployments) / sizeof(deployments[0]); j++)
            assert_compares("apps", "Deployment", deployments[i], deployments[j], true);
    }
}

static void finds_any_difference(void **state)
{
    (void)state;
    static const char *const pods[] = {
        "{}",
        "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
        "{\"metadata\":{\"labels\":{\"a\":\"c\"}}}",
        "{\"metadata\":{\"labels\":{\"b\":\"b\"}}}",
        "{\"metadata\":{\"labels\":{\"a\":\"b\",\"b\":\"b\"}}}",
        "{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}",
        "{\"spec\":{\"containers\":[{\"name\":\"d\"}]}}",
        "{\"spec\":{\"containers\":[{\"name\":\"c\"},{\"name\":\"d\"}]}}",
        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":\"1\"}}}]}}",
        "{\"spec\":{\"containers\":{\"name\":\"c\"}}}",
        "{\"spec\":{\"securityContext\":{}}}",
        "{\"spec\":{\"tolerations\":[{\"tolerationSeconds\":0}]}}",
        "{\"spec\":[]}",
        "{\"status\":{\"phase\":\"Running\"}}",
        "{\"status\":5}",
    };
    for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
        for (size_t j = 0; j < sizeof(pods) / sizeof(pods[0]); j++)
            assert_compares("", "Pod", pods[i], pods[j], i == j);
    }
}

/* A strict check of |json|, a Pod, says whether lw_typed_read would change it. */
static void assert_typed(const char *json, bool is_typed)
{
    const lw_type *type = lw_type_of_kind(lw_gvk_make("", "v1", "Pod"));
    lw_tree *tree = NULL, *before = NULL;
    bool is_said = !is_typed;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    assert_int_equal(lw_tree_parse(&before, lw_str_of(json), 0, NULL), LW_OK);
    bool is_fitting = lw_check_fits_strictly(type, lw_tree_root(tree), &is_said);
    lw_typed_read(tree, type, lw_tree_root(tree));
    bool is_same = lw_node_is_same(lw_tree_root(tree), lw_tree_root(before), NULL);
    if (is_said != is_typed || (is_said && (!is_fitting || !is_same)))
        fail_msg("%s: typed: %d; stays the same: %d", json, is_said, is_same);
    lw_tree_free(tree);
    lw_tree_free(before);
}

static void documents_in_typed_form_are_known_by_a_strict_check(void **state)
{
    (void)state;
    assert_typed("{}", true);
    assert_typed("{\"spec\":{\"containers\":[{\"name\":\"c\",\"tty\":true,\"args\":[\"\"]}],"
                 "\"terminationGracePeriodSeconds\":0,\"automountServiceAccountToken\":false}}",
                 true);
    assert_typed("{\"metadata\":{\"labels\":{\"a\":\"\"},\"creationTimestamp\":"
                 "\"2020-01-01T00:00:00Z\"},\"spec\":{\"overhead\":{\"memory\":\"20Mi\"}}}",
                 true);
    assert_typed("{\"spec\":{\"hostNetwork\":false}}", false);
    assert_typed("{\"spec\":{\"nodeName\":\"\"}}", false);
    assert_typed("{\"spec\":{\"priority\":0,\"volumes\":[]}}", false);
    assert_typed("{\"spec\":{\"nodeSelector\":{}}}", false);
    assert_typed("{\"spec\":{\"containers\":[{\"env\":[{\"name\":\"a\",\"value\":\"\"}]}]}}",
                 false);
    assert_typed("{\"metadata\":{\"creationTimestamp\":null}}", false);
    assert_typed("{\"metadata\":{\"creationTimestamp\":\"2020-01-01T02:00:00+02:00\"}}", false);
    assert_typed("{\"spec\":{\"overhead\":{\"memory\":\"1024Mi\"}}}", false);
    assert_typed("{\"spec\":{\"overhead\":{\"cpu\":1}}}", false);
    assert_typed("{\"spec\":{\"unknown\":1}}", false);
    assert_typed("{\"spec\":{\"nodeName\":5}}", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(drops_what_says_nothing),
        TEST(keeps_zeros_of_pointers),
        TEST(writes_amounts_and_times_in_one_form),
        TEST(writes_every_amount_as_quantities_are_written),
        TEST(writes_every_time_as_times_are_written),
        TEST(leaves_what_is_of_another_type),
        TEST(adds_what_is_always_there),
        TEST(tells_whether_another_pass_would_change_the_order),
        TEST(finds_documents_equal_that_are_written_alike),
        TEST(finds_any_difference),
        TEST(documents_in_typed_form_are_known_by_a_strict_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
