/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_test.c -- what kubectl reads in the OpenAPI documents. */
#include "base/alloc.h"
#include "base/str.h"
#include "schema/discovery.h"
#include "unit/schema/written.h"

/* The paths of pods, as JSON Pointers. */
#define PODS "/paths/~1api~1v1~1namespaces~1{namespace}~1pods"
#define POD  PODS "~1{name}"

static void the_index_names_each_document_with_its_hash(void **state)
{
    written *all = *state;
    lw_openapi_v3_index(all->registry, &all->w);
    lw_str url = written_at(all, "/paths/apis~1apps~1v1/serverRelativeURL");
    assert_true(lw_str_starts_with(url, LW_STR("\"/openapi/v3/apis/apps/v1?hash=")));
    assert_int_equal(url.len, strlen("\"/openapi/v3/apis/apps/v1?hash=\"") + 32);
    lw_str core = written_at(all, "/paths/api~1v1/serverRelativeURL");
    assert_true(lw_str_starts_with(core, LW_STR("\"/openapi/v3/api/v1?hash=")));
}

static void the_index_is_the_same_each_time(void **state)
{
    written *all = *state;
    lw_openapi_v3_index(all->registry, &all->w);
    char *first = lw_str_dup(written_json(all));
    assert_non_null(first);
    written_reset(all);
    lw_openapi_v3_index(all->registry, &all->w);
    assert_str_equal(written_json(all), first);
    lw_free(first);
}

static void a_patch_says_for_what_it_is_and_how_it_is_checked(void **state)
{
    written *all = *state;
    assert_true(lw_openapi_v3_group(all->registry, LW_STR(""), LW_STR("v1"), &all->w));
    assert_str_equal(written_at(all, POD "/patch/x-kubernetes-group-version-kind"),
                     "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"}");
    assert_str_equal(written_at(all, POD "/patch/x-kubernetes-action"), "\"patch\"");
    assert_str_equal(written_at(all, POD "/patch/parameters/2"),
                     "{\"name\":\"fieldValidation\",\"in\":\"query\",\"schema\":{\"type\":"
                     "\"string\",\"uniqueItems\":true}}");
    assert_str_equal(written_at(all, POD
                                "/patch/requestBody/content/application~1merge-patch+json/schema"),
                     "{\"type\":\"object\"}");
}

static void paths_have_the_methods_of_their_kind(void **state)
{
    written *all = *state;
    assert_true(lw_openapi_v3_group(all->registry, LW_STR(""), LW_STR("v1"), &all->w));
    assert_str_equal(written_at(all, "/paths/~1api~1v1~1pods/get/x-kubernetes-action"), "\"list\"");
    assert_str_equal(written_at(all, "/paths/~1api~1v1~1pods/post"), "");
    assert_str_equal(written_at(all, PODS "/post/x-kubernetes-action"), "\"post\"");
    assert_str_equal(written_at(all, PODS "/delete/x-kubernetes-action"), "\"deletecollection\"");
    assert_str_equal(written_at(all, POD "/post"), "");
    assert_str_equal(written_at(all, POD "/put/x-kubernetes-action"), "\"put\"");
    assert_str_equal(written_at(all, POD "~1binding/post/x-kubernetes-group-version-kind/kind"),
                     "\"Binding\"");
    assert_str_equal(written_at(all, POD "~1binding/get"), "");
    assert_str_equal(written_at(all, "/paths/~1api~1v1~1namespaces/delete"), "");
    assert_str_equal(
        written_at(all, "/paths/~1api~1v1~1namespaces~1{name}~1finalize/put/x-kubernetes-action"),
        "\"put\"");
}

static void schemas_take_any_field(void **state)
{
    written *all = *state;
    assert_true(lw_openapi_v3_group(all->registry, LW_STR("apps"), LW_STR("v1"), &all->w));
    static const char deployment[] = "/components/schemas/io.k8s.api.apps.v1.Deployment";
    lw_str schema = written_at(all, deployment), value;
    assert_int_equal(lw_json_path_find(schema, LW_STR("/x-kubernetes-preserve-unknown-fields"),
                                       &value),
                     LW_OK);
    assert_str_equal(value, "true");
    assert_int_equal(lw_json_path_find(schema, LW_STR("/x-kubernetes-group-version-kind/0"),
                                       &value),
                     LW_OK);
    assert_str_equal(value, "{\"group\":\"apps\",\"kind\":\"Deployment\",\"version\":\"v1\"}");
    assert_true(written_at(all, "/components/schemas/io.k8s.api.autoscaling.v1.Scale").len > 0);
}

static void version_two_has_no_models(void **state)
{
    written *all = *state;
    lw_openapi_v2(all->registry, &all->w);
    assert_str_equal(written_at(all, "/swagger"), "\"2.0\"");
    assert_str_equal(written_at(all, "/paths"), "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DOCUMENT_TEST(the_index_names_each_document_with_its_hash),
        DOCUMENT_TEST(the_index_is_the_same_each_time),
        DOCUMENT_TEST(a_patch_says_for_what_it_is_and_how_it_is_checked),
        DOCUMENT_TEST(paths_have_the_methods_of_their_kind),
        DOCUMENT_TEST(schemas_take_any_field),
        DOCUMENT_TEST(version_two_has_no_models),
    };
    return cmocka_run_group_tests_name("openapi", tests, NULL, NULL);
}
