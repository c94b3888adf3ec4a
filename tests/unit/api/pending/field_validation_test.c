/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation_test.c -- fields that nobody knows: passed over, warned of, or refused. */
#include "unit/api/sent.h"

#define CONFIGMAPS      DEFAULT "configmaps"
#define STRATEGIC_PATCH "application/strategic-merge-patch+json"

static void unknown_field_causes_a_warning(void **state)
{
    fake_http *http = send(*state, "POST", CONFIGMAPS,
                           "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{\"k\":\"v\"}}", 201);
    assert_header(http, "warning", "299 - \"unknown field \\\"dtaa\\\"\"");
    fake_http_free(http);
    http = send(*state, "PUT", CONFIGMAPS "/a?fieldValidation=Warn",
                "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{}}", 200);
    assert_header(http, "warning", "299 - \"unknown field \\\"dtaa\\\"\"");
    fake_http_free(http);
}

static void duplicate_field_causes_a_warning(void **state)
{
    fake_http *http =
        send(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\",\"name\":\"b\"}}", 201);
    assert_header(http, "warning", "299 - \"duplicate field \\\"metadata.name\\\"\"");
    fake_http_free(http);
}

static void strict_refuses_findings(void **state)
{
    assert_sent_has(*state, "POST", CONFIGMAPS "?fieldValidation=Strict",
                    "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{\"k\":\"v\"}}", 400,
                    "\"message\":\"ConfigMap in version \\\"v1\\\" cannot be handled as a "
                    "ConfigMap: strict decoding error: unknown field \\\"dtaa\\\"\"");
    do_send(*state, "POST", CONFIGMAPS "?fieldValidation=Strict",
            "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{"
            "\"k\":\"v\"}}",
            201);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a?fieldValidation=Strict",
                    "{\"metadata\":{\"name\":\"a\",\"nmae\":\"b\"}}", 400,
                    "unknown field \\\"metadata.nmae\\\"");
}

static void ignore_ignores_findings(void **state)
{
    lw_str value;
    fake_http *http = send(*state, "POST", CONFIGMAPS "?fieldValidation=Ignore",
                           "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{\"k\":\"v\"}}", 201);
    assert_false(fake_http_header(http, "warning", 0, &value));
    fake_http_free(http);
}

static void yaml_is_checked(void **state)
{
    fake_http *http = send_as(*state, "POST", CONFIGMAPS "?fieldValidation=Strict",
                              "application/yaml", "metadata: {name: a}\ndtaa: {k: v}\n", 400);
    assert_body_has(http, "unknown field \\\"dtaa\\\"");
    fake_http_free(http);
}

/* As one that checks less has stored it. */
static void make_config(api_world *world)
{
    assert_true(
        api_world_put(world, "configmaps/default/a",
                      "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                      "\"a\",\"namespace\":\"default\",\"uid\":\"u-1\"},\"old\":1}") > 0);
}

static void assert_patch_warns(api_world *world, const char *type, const char *patch,
                               const char *warning)
{
    lw_str value;
    fake_http *http = send_as(world, "PATCH", CONFIGMAPS "/a", type, patch, 200);
    if (warning)
        assert_header(http, "warning", warning);
    else
        assert_false(fake_http_header(http, "warning", 0, &value));
    fake_http_free(http);
}

static void findings_of_a_patch_cause_warnings(void **state)
{
    static const char warning[] = "299 - \"unknown field \\\"dtaa\\\"\"";
    static const char twice[] = "299 - \"duplicate field \\\"data.k\\\"\"";
    make_config(*state);
    /* What was there before is not the patch's fault. */
    assert_patch_warns(*state, JSON_PATCH,
                       "[{\"op\":\"add\",\"path\":\"/data\",\"value\":{\"k\":\"v\"}}]", NULL);
    assert_patch_warns(*state, MERGE_PATCH, "{\"data\":{\"k\":\"w\"}}", NULL);
    assert_patch_warns(*state, STRATEGIC_PATCH, "{\"data\":{\"k\":\"x\",\"$patch\":\"replace\"}}",
                       NULL);
    assert_patch_warns(*state, MERGE_PATCH, "{\"data\":{\"k\":\"v\",\"k\":\"w\"}}", twice);
    assert_patch_warns(*state, MERGE_PATCH, "{\"dtaa\":{}}", warning);
    assert_patch_warns(*state, JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/dtaa\",\"value\":1}]",
                       warning);
    assert_patch_warns(*state, MERGE_PATCH, "{\"dtaa\":null}", NULL);
    assert_patch_warns(*state, STRATEGIC_PATCH, "{\"dtaa\":\"x\"}", warning);
}

static void strict_refuses_findings_of_a_patch(void **state)
{
    make_config(*state);
    fake_http *http = send_as(*state, "PATCH", CONFIGMAPS "/a?fieldValidation=Strict", MERGE_PATCH,
                              "{\"dtaa\":{},\"metadata\":{\"nmae\":\"x\"}}", 422);
    assert_body_has(http, "\"message\":\" \\\"\\\" is invalid: patch: Invalid value: ");
    assert_body_has(http,
                    "strict decoding error: unknown field \\\"metadata.nmae\\\", unknown field "
                    "\\\"dtaa\\\"");
    fake_http_free(http);
    do_send_as(*state, "PATCH", CONFIGMAPS "/a?fieldValidation=Strict", MERGE_PATCH,
               "{\"data\":{\"k\":\"v\"}}", 200);
    do_send_as(*state, "PATCH", CONFIGMAPS "/a?fieldValidation=Ignore", MERGE_PATCH,
               "{\"dtaa\":{}}", 200);
}

static void patch_of_a_scale_is_checked(void **state)
{
    do_send(
        *state, "POST", "/apis/apps/v1/namespaces/default/replicasets",
        "{\"metadata\":{\"name\":\"r\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}},"
        "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":"
        "\"c\",\"image\":\"i\"}]}}}}",
        201);
    do_send_as(*state, "PATCH",
               "/apis/apps/v1/namespaces/default/replicasets/r/scale?fieldValidation=Strict",
               MERGE_PATCH, "{\"spec\":{\"replicsa\":2}}", 422);
    do_send_as(*state, "PATCH",
               "/apis/apps/v1/namespaces/default/replicasets/r/scale?fieldValidation=Strict",
               MERGE_PATCH, "{\"spec\":{\"replicas\":2}}", 200);
}

#define WIDGETS "/apis/example.com/v1/namespaces/default/widgets"

static void make_widgets(api_world *world)
{
    do_send_as(world, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
               "application/yaml",
               "kind: CustomResourceDefinition\n"
               "apiVersion: apiextensions.k8s.io/v1\n"
               "metadata: {name: widgets.example.com}\n"
               "spec:\n"
               "  group: example.com\n"
               "  scope: Namespaced\n"
               "  names: {plural: widgets, kind: Widget}\n"
               "  versions:\n"
               "  - name: v1\n"
               "    served: true\n"
               "    storage: true\n"
               "    schema:\n"
               "      openAPIV3Schema:\n"
               "        type: object\n"
               "        properties:\n"
               "          spec:\n"
               "            type: object\n"
               "            properties:\n"
               "              free: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"
               "              parts:\n"
               "                type: array\n"
               "                items: {type: object, properties: {name: {type: string}}}\n",
               201);
}

#define WIDGET(metadata, spec)                                                                     \
    "{\"kind\":\"Widget\",\"apiVersion\":\"example.com/v1\",\"metadata\":{\"name\":\"a\"" metadata \
    "},\"spec\":{" spec "}}"

static void fields_outside_of_the_schema_are_found(void **state)
{
    static const char odd[] =
        WIDGET(",\"nmae\":\"b\"", "\"zoom\":1,\"free\":{\"any\":1},\"parts\":[{},{\"nam\":1}]");
    api_world *world = *state;
    make_widgets(world);
    assert_sent_has(world, "POST", WIDGETS "?fieldValidation=Strict", odd, 400,
                    "\"message\":\"Widget in version \\\"v1\\\" cannot be handled as a Widget: "
                    "strict decoding error: unknown field \\\"metadata.nmae\\\", unknown field "
                    "\\\"spec.parts[1].nam\\\", unknown field \\\"spec.zoom\\\"\"");
    do_send(world, "POST", WIDGETS "?fieldValidation=Strict",
            WIDGET("", "\"free\":{\"any\":1},\"parts\":[{\"name\":\"p\"}]"), 201);
    assert_sent_has_as(world, "PATCH", WIDGETS "/a?fieldValidation=Strict", MERGE_PATCH,
                       "{\"spec\":{\"zoom\":1}}", 422, "unknown field \\\"spec.zoom\\\"");
    fake_http *http =
        send_as(world, "PATCH", WIDGETS "/a", MERGE_PATCH, "{\"spec\":{\"zoom\":1}}", 200);
    assert_header(http, "warning", "299 - \"unknown field \\\"spec.zoom\\\"\"");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(unknown_field_causes_a_warning),
        SEEDED_TEST(duplicate_field_causes_a_warning),
        SEEDED_TEST(strict_refuses_findings),
        SEEDED_TEST(ignore_ignores_findings),
        SEEDED_TEST(yaml_is_checked),
        SEEDED_TEST(findings_of_a_patch_cause_warnings),
        SEEDED_TEST(strict_refuses_findings_of_a_patch),
        SEEDED_TEST(patch_of_a_scale_is_checked),
        SEEDED_TEST(fields_outside_of_the_schema_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
