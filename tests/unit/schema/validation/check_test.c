/* SPDX-License-Identifier: Apache-2.0 */
/* check_test.c -- documents against their types.  All expected texts were compared with what the
 * decoder of kube-apiserver 1.37 says to the same document. */
#include "schema/validation/check.h"

#include <stdio.h>

#include "base/str.h"
#include "schema/validation/check_fits.h"
#include "unit/test.h"
#include "json/scan.h"

typedef struct expectation {
    const char *json;
    const char *said; /* the fault, or all findings; "": nothing */
} expectation;

/* The tree of |json| fits |type|; of one with a fault nobody may say so. */
static bool fits(const lw_type *type, const char *json)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    bool is_fitting = lw_check_fits(type, lw_tree_root(tree));
    lw_tree_free(tree);
    return is_fitting;
}

/* Nothing can be said about |json|, going by its tree. */
static bool is_clean(const lw_type *type, const char *json)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    bool is_good =
        !lw_tree_had_repeats(tree) && lw_check_fits_strictly(type, lw_tree_root(tree), NULL);
    lw_tree_free(tree);
    return is_good;
}

/* What a check says to |json|, of the kind |kind| of |group| (v1). */
static void assert_said(const char *group, const char *kind, const char *json, const char *said)
{
    lw_check check;
    lw_buf out;
    const lw_type *type = lw_type_of_kind(lw_gvk_make(group, "v1", kind));
    assert_non_null(type);
    if (lw_json_validate(lw_str_of(json), 0, NULL) < 0)
        fail_msg("no JSON: %s", json);
    lw_check_init(&check);
    lw_buf_init(&out, LW_CHECK_TEXT_MAX);
    assert_int_equal(lw_check_document(&check, type, lw_str_of(json)), LW_OK);
    if (check.fault.len > 0)
        lw_buf_append_str(&out, lw_buf_view(&check.fault));
    for (size_t i = 0; check.fault.len == 0 && i < check.count; i++) {
        lw_buf_append_text(&out, i > 0 ? ", " : "");
        lw_buf_append_str(&out, lw_check_finding(&check, i));
    }
    if (!lw_str_equal(lw_buf_view(&out), lw_str_of(said)))
        fail_msg("%s\n  said:     %.*s\n  expected: %s", json, LW_STR_ARG(lw_buf_view(&out)), said);
    if (check.fault.len > 0 && fits(type, json))
        fail_msg("%s fits, whatever is said", json);
    if (said[0] != '\0' && is_clean(type, json))
        fail_msg("%s fits strictly, whatever is said", json);
    lw_buf_done(&out);
    lw_check_done(&check);
}

#define ASSERT_ALL_SAID(group, kind, rows)                                                         \
    for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++)                         \
    assert_said(group, kind, (rows)[row_].json, (rows)[row_].said)

static void most_good_documents_are_known_by_their_trees(void **state)
{
    (void)state;
    const lw_type *type = lw_type_of_kind(lw_gvk_make("", "v1", "Pod"));
    assert_true(is_clean(type,
                         "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"},"
                         "\"creationTimestamp\":null},\"spec\":{\"containers\":[{\"resources\":"
                         "{\"limits\":{\"cpu\":\"100m\",\"memory\":1}},\"env\":[{\"name\":"
                         "\"A\\n\"}]}]}}"));
    assert_false(is_clean(type, "{\"spec\":{\"containers\":[{\"nam\":\"a\"}]}}"));
    assert_false(is_clean(type, "{\"metadata\":{\"labels\":{\"x\":\"1\",\"x\":\"1\"}}}"));
    /* Go reads a quantity as it stands. */
    assert_false(is_clean(type, "{\"spec\":{\"overhead\":{\"cpu\":\"1\\u0030\"}}}"));
}

static void good_documents_have_nothing_wrong(void **state)
{
    (void)state;
    static const expectation pods[] = {
        { "{}", "" },
        { "null", "" },
        { "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"labels\":{"
          "\"b\":\"c\"},\"creationTimestamp\":null},\"spec\":{\"containers\":[{\"name\":\"c\","
          "\"image\":\"i\",\"resources\":{\"limits\":{\"cpu\":\"100m\",\"memory\":1e3}},"
          "\"livenessProbe\":{\"httpGet\":{\"port\":\"http\"}}}]},\"status\":{}}",
          "" },
        { "{\"spec\":null,\"metadata\":{\"creationTimestamp\":\"2026-02-03T04:05:06.7+01:00\"}}",
          "" },
        { "{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"a\":1,\"a\":2}}]}}", "" },
    };
    static const expectation secrets[] = {
        { "{\"data\":{\"a\":\"aGk=\",\"b\":\"\",\"c\":null,\"d\":\"YQ=\\n=\"}}", "" },
    };
    static const expectation leases[] = {
        { "{\"spec\":{\"renewTime\":\"2026-02-03T00:00:00.123456Z\"}}", "" },
    };
    ASSERT_ALL_SAID("", "Pod", pods);
    ASSERT_ALL_SAID("", "Secret", secrets);
    ASSERT_ALL_SAID("coordination.k8s.io", "Lease", leases);
}

static void good_documents_fit(void **state)
{
    (void)state;
    static const char *const pods[] = {
        "{}",
        "null",
        "{\"metadata\":{\"creationTimestamp\":\"2026-02-03T04:05:06Z\",\"odd\":1,\"labels\":{\"a\":"
        "\"b\"},\"managedFields\":[{\"fieldsV1\":{\"f:spec\":{}}}]},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"ports\":[{\"containerPort\":80}],\"tty\":true,\"resources\":{\"limits\":"
        "{\"cpu\":\"100m\"}},\"livenessProbe\":{\"httpGet\":{\"port\":\"http\"}}}],"
        "\"activeDeadlineSeconds\":9223372036854775807}}",
    };
    for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++)
        assert_true(fits(lw_type_of_kind(lw_gvk_make("", "v1", "Pod")), pods[i]));
    assert_true(
        fits(lw_type_of_kind(lw_gvk_make("", "v1", "Secret")), "{\"data\":{\"a\":\"YQ==\"}}"));
}

static void unknown_fields_are_told_with_their_paths(void **state)
{
    (void)state;
    static const expectation pods[] = {
        { "{\"spec\":{\"foo\":1}}", "unknown field \"spec.foo\"" },
        { "{\"Spec\":{\"foo\":1}}", "unknown field \"Spec\"" },
        { "{\"spec\":{\"containers\":[{\"name\":\"c\"},{\"nmae\":\"d\",\"ports\":[{\"x\":1}]}]},"
          "\"spek\":{}}",
          "unknown field \"spec.containers[1].nmae\", "
          "unknown field \"spec.containers[1].ports[0].x\", unknown field \"spek\"" },
        { "{\"\":1,\"a\\\"b\":{\"c\":1}}", "unknown field \"\", unknown field \"a\\\"b\"" },
        { "{\"spec\":{\"foo\":1,\"foo\":2}}", "unknown field \"spec.foo\"" },
        { "{\"spec\":{\"volumes\":[{\"VolumeSource\":{}}]}}",
          "unknown field \"spec.volumes[0].VolumeSource\"" },
    };
    ASSERT_ALL_SAID("", "Pod", pods);
}

static void repeated_fields_and_keys_are_told_once(void **state)
{
    (void)state;
    static const expectation pods[] = {
        { "{\"metadata\":{\"name\":\"a\",\"name\":\"b\",\"name\":\"c\",\"labels\":{\"a\":\"1\","
          "\"b\":\"2\",\"a\":\"3\",\"\\u0062\":\"4\"}}}",
          "duplicate field \"metadata.name\", duplicate field \"metadata.labels.a\", "
          "duplicate field \"metadata.labels.b\"" },
        { "{\"sp\\u0065c\":{\"fo\\no\":1},\"\\u0073pec\":{}}",
          "unknown field \"spec.fo\\no\", duplicate field \"spec\"" },
        { "{\"spec\":{\"containers\":[{\"env\":[{\"name\":\"a\"},{\"name\":\"a\"}]}]}}", "" },
    };
    ASSERT_ALL_SAID("", "Pod", pods);
}

static void wrong_types_are_told_as_go_tells_them(void **state)
{
    (void)state;
    static const expectation pods[] = {
        { "{\"spec\":{\"containers\":\"x\"}}", "json: cannot unmarshal string into Go struct field "
                                               "PodSpec.spec.containers of type []v1.Container" },
        { "{\"spec\":{\"containers\":[\"x\"]}}",
          "json: cannot unmarshal string into Go struct field "
          "PodSpec.spec.containers of type v1.Container" },
        { "{\"spec\":{\"containers\":[{\"name\":1}]}}",
          "json: cannot unmarshal number into Go struct field Container.spec.containers.name of "
          "type string" },
        { "{\"spec\":{\"restartPolicy\":true}}",
          "json: cannot unmarshal bool into Go struct field PodSpec.spec.restartPolicy of type "
          "v1.RestartPolicy" },
        { "{\"metadata\":{\"labels\":{\"a\":1}}}", "json: cannot unmarshal number into Go struct "
                                                   "field ObjectMeta.metadata.labels of type "
                                                   "string" },
        { "{\"metadata\":{\"labels\":[]}}",
          "json: cannot unmarshal array into Go struct field "
          "ObjectMeta.metadata.labels of type map[string]string" },
        { "{\"kind\":{}}",
          "json: cannot unmarshal object into Go struct field Pod.TypeMeta.kind of "
          "type string" },
        { "{\"spec\":{\"volumes\":[{\"hostPath\":\"x\"}]}}",
          "json: cannot unmarshal string into Go struct field "
          "Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource" },
        { "[1]", "json: cannot unmarshal array into Go value of type v1.Pod" },
    };
    static const expectation reviews[] = {
        { "{\"spec\":{\"extra\":{\"a\":[\"x\"]}}}", "" },
        { "{\"spec\":{\"extra\":{\"a\":1}}}",
          "json: cannot unmarshal number into Go struct field "
          "SubjectAccessReviewSpec.spec.extra of type v1.ExtraValue" },
    };
    static const expectation secrets[] = {
        { "{\"data\":{\"a\":7}}",
          "json: cannot unmarshal number into Go struct field Secret.data of "
          "type []uint8" },
    };
    ASSERT_ALL_SAID("", "Pod", pods);
    ASSERT_ALL_SAID("authorization.k8s.io", "SubjectAccessReview", reviews);
    ASSERT_ALL_SAID("", "Secret", secrets);
}

static void numbers_are_whole_and_in_range(void **state)
{
    (void)state;
    static const expectation pods[] = {
        { "{\"spec\":{\"priority\":-2147483648}}", "" },
        { "{\"spec\":{\"priority\":2147483648}}",
          "json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of "
          "type int32" },
        { "{\"spec\":{\"activeDeadlineSeconds\":9223372036854775807}}", "" },
        { "{\"spec\":{\"activeDeadlineSeconds\":1.0}}",
          "json: cannot unmarshal number 1.0 into Go struct field "
          "PodSpec.spec.activeDeadlineSeconds "
          "of type int64" },
        { "{\"spec\":{\"containers\":[{\"livenessProbe\":{\"httpGet\":{\"port\":true}}}]}}",
          "json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers."
          "livenessProbe.ProbeHandler.httpGet.port of type int32" },
        { "{\"spec\":{\"containers\":[{\"livenessProbe\":{\"httpGet\":{\"port\":1.5}}}]}}",
          "json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers."
          "livenessProbe.ProbeHandler.httpGet.port of type int32" },
    };
    ASSERT_ALL_SAID("", "Pod", pods);
}

static void quantities_have_a_number_and_a_known_suffix(void **state)
{
    (void)state;
    static const char *const good[] = { "\"1\"", "\"100m\"", "\"1.5Gi\"", "\"-2\"",   "\".5\"",
                                        "0.1",   "\"1e3\"",  "\"1E-3\"",  "\"1e+3\"", "\" 1 \"",
                                        "\"+\"", "\"12E\"",  "\"1Ki\"" };
    static const char *const no_quantity[] = { "\"\"",      "\"1x\"", "true",     "[1]",
                                               "\"1.2.3\"", "{}",     "\"1m5x\"", "\"1 m\"" };
    static const char *const no_suffix[] = { "\"1e\"", "\"1K\"", "\"1mm\"", "\"1m5\"", "\"1ei\"" };
    char json[128];
    static const char document[] =
        "{\"spec\":{\"hostNetwork\":false,\"overhead\":{\"cpu\":%s},\"hostPID\":1}}";
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        (void)snprintf(json, sizeof(json), "{\"spec\":{\"overhead\":{\"cpu\":%s}}}", good[i]);
        assert_said("", "Pod", json, "");
    }
    for (size_t i = 0; i < sizeof(no_quantity) / sizeof(no_quantity[0]); i++) {
        (void)snprintf(json, sizeof(json), document, no_quantity[i]);
        assert_said("", "Pod", json,
                    "quantities must match the regular expression "
                    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
    for (size_t i = 0; i < sizeof(no_suffix) / sizeof(no_suffix[0]); i++) {
        (void)snprintf(json, sizeof(json), document, no_suffix[i]);
        assert_said("", "Pod", json, "unable to parse quantity's suffix");
    }
}

static void times_name_the_part_that_is_wrong(void **state)
{
    (void)state;
#define PLAIN "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
#define MICRO "\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse "
    static const expectation pods[] = {
        { "yesterday", "yesterday" PLAIN "\"yesterday\" as \"2006\"" },
        { "2026-1-02T00:00:00Z", "2026-1-02T00:00:00Z" PLAIN "\"1-02T00:00:00Z\" as \"01\"" },
        { "2026-13-01T00:00:00Z", "2026-13-01T00:00:00Z\": month out of range" },
        { "2026-02-29T00:00:00Z", "2026-02-29T00:00:00Z\": day out of range" },
        { "2024-02-29T00:00:00Z", NULL },
        { "2026-02-03 00:00:00Z", "2026-02-03 00:00:00Z" PLAIN "\" 00:00:00Z\" as \"T\"" },
        { "2026-02-03T3:04:05Z", NULL },
        { "2026-02-03T24:00:00Z", "2026-02-03T24:00:00Z\": hour out of range" },
        { "2026-02-03T00:60:00Z", "2026-02-03T00:60:00Z\": minute out of range" },
        { "2026-02-03T00:00:60Z", "2026-02-03T00:00:60Z\": second out of range" },
        { "2026-02-03T00:00:00", "2026-02-03T00:00:00" PLAIN "\"\" as \"Z07:00\"" },
        { "2026-02-03T00:00:00Zz", "2026-02-03T00:00:00Zz\": extra text: \"z\"" },
        { "2026-02-03T00:00:00+25:00",
          "2026-02-03T00:00:00+25:00\": time zone offset hour out of range" },
        { "é", "\\xc3\\xa9" PLAIN "\"\\xc3\\xa9\" as \"2006\"" },
    };
    static const expectation leases[] = {
        { "2026-02-03T00:00:00.123456+01:00", NULL },
        { "2026-02-03T00:00:00Z", "2026-02-03T00:00:00Z" MICRO "\"Z\" as \".000000\"" },
        { "2026-02-03T00:00:00.12345Z",
          "2026-02-03T00:00:00.12345Z" MICRO "\".12345Z\" as \".000000\"" },
        { "2026-02-03T00:00:00.1234567Z",
          "2026-02-03T00:00:00.1234567Z" MICRO "\"7Z\" as \"Z07:00\"" },
    };
    char json[256], said[256];
    for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
        (void)snprintf(json, sizeof(json), "{\"metadata\":{\"creationTimestamp\":\"%s\"}}",
                       pods[i].json);
        (void)snprintf(said, sizeof(said), "parsing time \"%s", pods[i].said ? pods[i].said : "");
        assert_said("", "Pod", json, pods[i].said ? said : "");
    }
    for (size_t i = 0; i < sizeof(leases) / sizeof(leases[0]); i++) {
        (void)snprintf(json, sizeof(json), "{\"spec\":{\"renewTime\":\"%s\"}}", leases[i].json);
        (void)snprintf(said, sizeof(said), "parsing time \"%s",
                       leases[i].said ? leases[i].said : "");
        assert_said("coordination.k8s.io", "Lease", json, leases[i].said ? said : "");
    }
    assert_said("", "Pod", "{\"metadata\":{\"creationTimestamp\":12}}",
                "json: cannot unmarshal number into Go struct field "
                "ObjectMeta.metadata.creationTimestamp of type string");
}

static void bytes_are_base64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int bad; /* -1: good */
    } rows[] = {
        { "hunter2", 4 },
        { "abc=", -1 },
        { "ab\\n==", -1 },
    };
    char json[128], said[128];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)snprintf(json, sizeof(json), "{\"data\":{\"a\":\"%s\"}}", rows[i].text);
        (void)snprintf(said, sizeof(said), "illegal base64 data at input byte %d", rows[i].bad);
        assert_said("", "Secret", json, rows[i].bad < 0 ? "" : said);
    }
}

static void of_several_faults_the_first_or_the_last_is_told(void **state)
{
    (void)state;
    static const expectation pods[] = {
        { "{\"spec\":{\"hostNetwork\":\"yes\",\"hostPID\":1}}",
          "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type "
          "bool" },
        /* Read with code of its own: nothing after it is looked at, nothing before it counts. */
        { "{\"spec\":{\"hostNetwork\":\"yes\",\"overhead\":{\"cpu\":\"1e\",\"memory\":\"x\"}}}",
          "unable to parse quantity's suffix" },
        { "{\"foo\":1,\"spec\":{\"hostPID\":1}}",
          "json: cannot unmarshal number into Go struct field PodSpec.spec.hostPID of type bool" },
    };
    ASSERT_ALL_SAID("", "Pod", pods);
}

static void schemas_that_may_be_something_else_are_read_quietly(void **state)
{
    (void)state;
#define SCHEMA(json) "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{" json "}}}]}}"
#define PATH         "JSONSchemaProps.spec.versions.schema.openAPIV3Schema"
    static const expectation definitions[] = {
        { SCHEMA("\"properties\":{\"a\":{\"x\":1,\"default\":{\"x\":1,\"x\":2}},\"a\":{}}"),
          "unknown field \"spec.versions[0].schema.openAPIV3Schema.properties.a.x\", "
          "duplicate field \"spec.versions[0].schema.openAPIV3Schema.properties.a\"" },
        { SCHEMA("\"items\":{\"x\":1,\"type\":\"string\"}"), "" },
        { SCHEMA("\"items\":[{\"type\":\"a\"},{\"type\":1}]"),
          "json: cannot unmarshal number into Go struct field " PATH ".items.type of type string" },
        { SCHEMA("\"items\":7"), "" },
        { SCHEMA("\"additionalProperties\":7"), "boolean or JSON schema expected" },
        { SCHEMA("\"additionalProperties\":true,\"maximum\":1e999"),
          "json: cannot unmarshal number 1e999 into Go struct field " PATH ".maximum of type "
          "float64" },
        { SCHEMA("\"dependencies\":{\"a\":[\"b\"],\"c\":{\"type\":\"x\",\"zz\":1},\"d\":[1]}"),
          "json: cannot unmarshal number into Go struct field " PATH ".dependencies of type "
          "string" },
        { SCHEMA("\"enum\":[1,\"a\",{\"b\":1,\"b\":2}],\"minimum\":0.5"), "" },
    };
    ASSERT_ALL_SAID("apiextensions.k8s.io", "CustomResourceDefinition", definitions);
}

static void findings_are_joined_for_strict_requests(void **state)
{
    (void)state;
    lw_check check;
    lw_buf out;
    lw_check_init(&check);
    lw_buf_init(&out, LW_CHECK_TEXT_MAX);
    assert_int_equal(lw_check_document(&check, lw_type_of_kind(lw_gvk_make("", "v1", "ConfigMap")),
                                       LW_STR("{\"dtaa\":{},\"data\":{},\"data\":{}}")),
                     LW_OK);
    lw_check_append_strict(&check, &out);
    assert_str_equal(lw_buf_view(&out),
                     "strict decoding error: unknown field \"dtaa\", duplicate field \"data\"");
    lw_buf_done(&out);
    lw_check_done(&check);
}

static void findings_are_bounded_and_forgotten(void **state)
{
    (void)state;
    const lw_type *type = lw_type_of_kind(lw_gvk_make("", "v1", "Pod"));
    lw_check check;
    lw_buf json;
    lw_check_init(&check);
    lw_buf_init(&json, 4 * LW_CHECK_TEXT_MAX);
    for (int i = 0; i < 2 * LW_CHECK_FINDINGS_MAX; i++)
        lw_buf_printf(&json, "%s\"x%d\":%d", i > 0 ? "," : "{", i, i);
    lw_buf_append_char(&json, '}');
    assert_int_equal(lw_check_document(&check, type, lw_buf_view(&json)), LW_OK);
    assert_int_equal(check.count, LW_CHECK_FINDINGS_MAX);
    assert_str_equal(lw_check_finding(&check, 99), "unknown field \"x99\"");

    lw_buf_reset(&json);
    lw_buf_append_text(&json, "{\"a\":1,\"");
    for (int i = 0; i < LW_CHECK_TEXT_MAX; i++)
        lw_buf_append_char(&json, 'x');
    lw_buf_append_text(&json, "\":1,\"b\":1}");
    assert_int_equal(lw_check_document(&check, type, lw_buf_view(&json)), LW_OK);
    assert_int_equal(check.count, 1);
    assert_str_equal(lw_check_finding(&check, 0), "unknown field \"a\"");

    assert_int_equal(lw_check_document(&check, type, LW_STR("{\"spec\":7}")), LW_OK);
    assert_int_equal(check.count, 0);
    assert_true(check.fault.len > 0);
    assert_int_equal(lw_check_document(&check, type, LW_STR("{}")), LW_OK);
    assert_int_equal(check.fault.len, 0);
    lw_buf_done(&json);
    lw_check_done(&check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(most_good_documents_are_known_by_their_trees),
        TEST(good_documents_have_nothing_wrong),
        TEST(good_documents_fit),
        TEST(unknown_fields_are_told_with_their_paths),
        TEST(repeated_fields_and_keys_are_told_once),
        TEST(wrong_types_are_told_as_go_tells_them),
        TEST(numbers_are_whole_and_in_range),
        TEST(quantities_have_a_number_and_a_known_suffix),
        TEST(times_name_the_part_that_is_wrong),
        TEST(bytes_are_base64),
        TEST(of_several_faults_the_first_or_the_last_is_told),
        TEST(schemas_that_may_be_something_else_are_read_quietly),
        TEST(findings_are_joined_for_strict_requests),
        TEST(findings_are_bounded_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
