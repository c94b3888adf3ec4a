/* SPDX-License-Identifier: Apache-2.0 */
/* table_test.c -- whole tables, and objects cut down to their metadata. */
#include "schema/kinds/table.h"

#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "unit/object/make.h"
#include "unit/schema/cells.h"
#include "unit/schema/written.h"

static const lw_table_form plain = {
    .api_version = LW_STR_INIT("meta.k8s.io/v1"),
    .include = LW_TABLE_METADATA,
    .has_columns = true,
    .now_ns = CELLS_NOW_NS,
};

static const char map[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                          "\"a\",\"creationTimestamp\":\"2026-11-15T11:59:55Z\"},\"data\":{\"k\":"
                          "\"v\"}}";

static void write_table(written *all, const lw_table_form *form, const char *json)
{
    lw_object *obj = object_of(json);
    lw_table_begin(&lw_kind_configmaps, form, LW_STR("{\"resourceVersion\":\"79\"}"), &all->w);
    lw_table_row(&lw_kind_configmaps, form, obj, &all->w);
    lw_table_end(&all->w);
    lw_object_unref(obj);
}

static void a_table_is_what_kubernetes_sends(void **state)
{
    written *all = *state;
    write_table(all, &plain, map);
    assert_str_equal(
        written_json(all),
        "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":"
        "\"79\"},\"columnDefinitions\":[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\","
        "\"description\":\"Name of the object.\",\"priority\":0},{\"name\":\"Data\","
        "\"type\":\"string\",\"format\":\"\",\"description\":\"Number of keys.\","
        "\"priority\":0},{\"name\":\"Age\",\"type\":\"string\",\"format\":\"\",\"description\":"
        "\"Time since the object was created.\",\"priority\":0}],\"rows\":[{\"cells\":[\"a\",1,"
        "\"5s\"],\"object\":{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
        "\"metadata\":{\"name\":\"a\",\"creationTimestamp\":\"2026-11-15T11:59:55Z\"}}}]}");
}

static void later_tables_of_a_watch_have_no_columns(void **state)
{
    written *all = *state;
    lw_table_form form = plain;
    form.has_columns = false;
    write_table(all, &form, map);
    assert_str_equal(written_at(all, "/columnDefinitions"), "null");
    assert_str_equal(written_at(all, "/rows/0/cells/0"), "\"a\"");
}

static void a_row_carries_as_much_of_its_object_as_was_asked_for(void **state)
{
    written *all = *state;
    lw_table_form form = plain;
    form.include = LW_TABLE_NONE;
    write_table(all, &form, map);
    assert_str_equal(written_at(all, "/rows/0/object"), "null");
    written_reset(all);
    form.include = LW_TABLE_OBJECT;
    write_table(all, &form, map);
    assert_str_equal(written_at(all, "/rows/0/object"), map);
}

static void an_older_client_gets_its_version(void **state)
{
    written *all = *state;
    lw_table_form form = plain;
    form.api_version = LW_STR("meta.k8s.io/v1beta1");
    write_table(all, &form, map);
    assert_str_equal(written_at(all, "/apiVersion"), "\"meta.k8s.io/v1beta1\"");
    assert_str_equal(written_at(all, "/rows/0/object/apiVersion"), "\"meta.k8s.io/v1beta1\"");
}

static void a_table_without_rows_is_empty(void **state)
{
    written *all = *state;
    lw_table_begin(&lw_kind_pods, &plain, LW_STR("{}"), &all->w);
    lw_table_end(&all->w);
    assert_str_equal(written_at(all, "/rows"), "[]");
    assert_str_equal(written_at(all, "/columnDefinitions/8/name"), "\"Readiness Gates\"");
    assert_str_equal(written_at(all, "/columnDefinitions/8/priority"), "1");
    assert_str_equal(written_at(all, "/columnDefinitions/9"), "");
}

static void objects_without_metadata_have_it_empty(void **state)
{
    written *all = *state;
    static const char *const objects[] = { "{}", "{\"metadata\":null}" };
    for (size_t i = 0; i < 2; i++) {
        lw_object *obj = object_of(objects[i]);
        lw_partial_write(obj, LW_STR("meta.k8s.io/v1"), &all->w);
        assert_str_equal(written_json(all), "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":"
                                            "\"meta.k8s.io/v1\",\"metadata\":{}}");
        written_reset(all);
        lw_object_unref(obj);
    }
}

/* Whatever is where a value is looked for, there is a row of as many cells as there are columns. */
static void every_kind_prints_any_object(void **state)
{
    written *all = *state;
    static const char *const objects[] = {
        "{}",
        "{\"metadata\":{\"labels\":{\"a\":\"b\"},\"annotations\":{},\"ownerReferences\":[{}]},"
        "\"spec\":null,\"status\":null}",
        "{\"spec\":[[],{}],\"status\":\"x\",\"data\":1,\"subsets\":{},\"ports\":true,\"type\":[]}",
        "{\"spec\":{\"replicas\":\"x\",\"selector\":[],\"template\":{\"spec\":{\"containers\":{}}},"
        "\"ports\":[null,1,{}],\"rules\":[[]],\"metrics\":[{},null]},\"status\":{\"conditions\":["
        "null,{}],\"loadBalancer\":{\"ingress\":[{},1]},\"hard\":{\"a\":{}},\"used\":[],"
        "\"containerStatuses\":[{}]},\"series\":{},\"subjects\":[{},4],\"subsets\":[{},5]}",
    };
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(all->registry, &count);
    assert_int_not_equal(count, 0);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sizeof(objects) / sizeof(objects[0]); j++) {
            lw_object *obj = object_of(objects[j]);
            lw_table_row(kinds[i], &plain, obj, &all->w);
            (void)written_json(all);
            written_reset(all);
            lw_object_unref(obj);
        }
    }
}

static void printing_leaves_nothing_on_the_object(void **state)
{
    written *all = *state;
    lw_object *obj = object_of("{\"metadata\":{\"name\":\"p\"},\"spec\":{\"nodeName\":\"n\"},"
                               "\"status\":{\"phase\":\"Running\",\"reason\":\"x\"}}");
    size_t before = lw_object_memory(obj);
    lw_table_row(&lw_kind_pods, &plain, obj, &all->w);
    assert_int_equal(lw_object_memory(obj), before);
    lw_object_unref(obj);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DOCUMENT_TEST(a_table_is_what_kubernetes_sends),
        DOCUMENT_TEST(later_tables_of_a_watch_have_no_columns),
        DOCUMENT_TEST(a_row_carries_as_much_of_its_object_as_was_asked_for),
        DOCUMENT_TEST(an_older_client_gets_its_version),
        DOCUMENT_TEST(a_table_without_rows_is_empty),
        DOCUMENT_TEST(objects_without_metadata_have_it_empty),
        DOCUMENT_TEST(every_kind_prints_any_object),
        DOCUMENT_TEST(printing_leaves_nothing_on_the_object),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
