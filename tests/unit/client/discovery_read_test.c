/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_read_test.c -- what discovery documents say. */
#include "client/discovery.h"

#include "base/buf.h"
#include "base/str.h"
#include "unit/test.h"

typedef struct reader {
    lw_resource_set *set;
    lw_buf versions; /* "group/version@rank " of each that is to be asked for */
} reader;

static lw_status note_version(lw_str group, lw_str version, uint64_t rank, void *arg, lw_error *err)
{
    reader *r = arg;
    (void)err;
    lw_buf_printf(&r->versions, "%.*s/%.*s@%d ", LW_STR_ARG(group), LW_STR_ARG(version), (int)rank);
    return LW_OK;
}

static void reader_begin(reader *r)
{
    lw_buf_init(&r->versions, 4096);
    assert_int_equal(lw_resource_set_new(&r->set), LW_OK);
}

static void reader_end(reader *r)
{
    lw_buf_done(&r->versions);
    lw_resource_set_free(r->set);
}

static lw_status reader_read(reader *r, const char *json, lw_error *err)
{
    return lw_discovery_read(lw_str_of(json), 0, r->set, note_version, r, err);
}

static const char aggregated[] =
    "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"items\":["
    "{\"metadata\":{\"name\":\"apps\"},\"versions\":["
    "{\"version\":\"v1\",\"resources\":[{\"resource\":\"deployments\",\"responseKind\":"
    "{\"group\":\"\",\"version\":\"\",\"kind\":\"Deployment\"},\"scope\":\"Namespaced\","
    "\"singularResource\":\"deployment\",\"verbs\":[\"get\"],\"shortNames\":[\"deploy\"],"
    "\"subresources\":[{\"subresource\":\"scale\",\"responseKind\":{\"kind\":\"Scale\"}}]}],"
    "\"freshness\":\"Current\"},"
    "{\"version\":\"v1beta1\",\"freshness\":\"Stale\",\"resources\":[{\"resource\":"
    "\"deployments\",\"responseKind\":{\"kind\":\"Deployment\"},\"scope\":\"Namespaced\"}]}]},"
    "{\"metadata\":{\"name\":\"node.k8s.io\"},\"versions\":[{\"version\":\"v1\",\"resources\":["
    "{\"resource\":\"runtimeclasses\",\"responseKind\":{\"kind\":\"RuntimeClass\"},"
    "\"scope\":\"Cluster\",\"singularResource\":\"runtimeclass\"}]}]}]}";

static void aggregated_discovery_says_everything_at_once(void **state)
{
    (void)state;
    reader r;
    reader_begin(&r);
    assert_int_equal(reader_read(&r, aggregated, NULL), LW_OK);
    assert_int_equal(lw_resource_set_count(r.set), 3);
    lw_resource_set_order(r.set);
    const lw_resource *found = lw_resource_set_find(r.set, LW_STR("deploy"));
    assert_non_null(found);
    assert_str_equal(found->gvr.group, "apps");
    assert_str_equal(found->gvr.version, "v1");
    assert_str_equal(found->kind, "Deployment");
    assert_true(found->is_namespaced);
    found = lw_resource_set_find(r.set, LW_STR("runtimeclass"));
    assert_non_null(found);
    assert_false(found->is_namespaced);
    /* Stale: known from before, which is more than nothing. */
    assert_non_null(lw_resource_set_find(r.set, LW_STR("deployments.v1beta1.apps")));
    assert_int_equal(r.versions.len, 0);
    reader_end(&r);
}

static void the_roots_of_old_name_versions_the_preferred_first(void **state)
{
    (void)state;
    reader r;
    reader_begin(&r);
    assert_int_equal(reader_read(&r, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}", NULL),
                     LW_OK);
    assert_str_equal(lw_buf_view(&r.versions), "/v1@0 ");
    lw_buf_reset(&r.versions);
    assert_int_equal(
        reader_read(&r,
                    "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\",\"versions\":["
                    "{\"groupVersion\":\"apps/v2\",\"version\":\"v2\"},{\"groupVersion\":"
                    "\"apps/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"version\":\"v1\"}},"
                    "{\"name\":\"batch\",\"versions\":[{\"version\":\"v1\"}]}]}",
                    NULL),
        LW_OK);
    assert_str_equal(lw_buf_view(&r.versions), "apps/v2@1 apps/v1@0 batch/v1@16777217 ");
    assert_int_equal(lw_resource_set_count(r.set), 0);
    reader_end(&r);
}

static void a_resource_list_has_resources_and_subresources(void **state)
{
    (void)state;
    reader r;
    reader_begin(&r);
    assert_int_equal(
        reader_read(&r,
                    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"batch/v1\",\"resources\":["
                    "{\"name\":\"cronjobs\",\"singularName\":\"cronjob\",\"namespaced\":true,"
                    "\"kind\":\"CronJob\",\"shortNames\":[\"cj\"]},"
                    "{\"name\":\"cronjobs/status\",\"singularName\":\"\",\"namespaced\":true,"
                    "\"kind\":\"CronJob\"}]}",
                    NULL),
        LW_OK);
    assert_int_equal(lw_resource_set_count(r.set), 1);
    const lw_resource *found = lw_resource_set_find(r.set, LW_STR("cj.batch"));
    assert_non_null(found);
    assert_str_equal(found->gvr.resource, "cronjobs");
    reader_end(&r);
}

static void what_makes_no_sense_is_passed_over(void **state)
{
    (void)state;
    reader r;
    reader_begin(&r);
    assert_int_equal(
        reader_read(&r,
                    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[1,null,"
                    "{},{\"name\":\"x\"},{\"name\":7,\"kind\":\"X\"},{\"name\":\"pods\",\"kind\":"
                    "\"Pod\",\"shortNames\":[1,\"\",\"po\"],\"namespaced\":\"yes\"}]}",
                    NULL),
        LW_OK);
    assert_int_equal(lw_resource_set_count(r.set), 1);
    assert_non_null(lw_resource_set_find(r.set, LW_STR("po")));
    assert_int_equal(reader_read(&r,
                                 "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[7,{},"
                                 "{\"metadata\":[],\"versions\":{\"a\":1}}]}",
                                 NULL),
                     LW_OK);
    assert_int_equal(reader_read(&r,
                                 "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"\","
                                 "\"versions\":[{\"version\":\"v1\"}]},{}]}",
                                 NULL),
                     LW_OK);
    assert_int_equal(reader_read(&r, "{\"kind\":\"APIVersions\"}", NULL), LW_OK);
    assert_int_equal(r.versions.len, 0);
    assert_int_equal(lw_resource_set_count(r.set), 1);
    reader_end(&r);
}

static void another_document_is_refused_by_its_name(void **state)
{
    (void)state;
    reader r;
    lw_error err = LW_ERROR_INIT;
    reader_begin(&r);
    assert_int_equal(reader_read(&r, "{\"kind\":\"Status\"}", &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "expected a discovery document, got kind \"Status\"");
    assert_int_equal(reader_read(&r, "[]", &err), LW_ERR_INVALID);
    assert_int_equal(reader_read(&r, "<html>", &err), LW_ERR_SYNTAX);
    assert_int_equal(reader_read(&r, "{\"kind\":\"APIResourceList\",\"groupVersion\":\"a/b/c\"}",
                                 &err),
                     LW_ERR_INVALID);
    reader_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(aggregated_discovery_says_everything_at_once),
        TEST(the_roots_of_old_name_versions_the_preferred_first),
        TEST(a_resource_list_has_resources_and_subresources),
        TEST(what_makes_no_sense_is_passed_over),
        TEST(another_document_is_refused_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
