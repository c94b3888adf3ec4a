/* SPDX-License-Identifier: Apache-2.0 */
/* object_list_test.c -- lists of objects. */
#include "object/object_list.h"

#include <stdio.h>

#include "unit/object/make.h"

static lw_object *named(const char *ns, const char *name)
{
    char json[200];
    (void)snprintf(json, sizeof(json), "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"}}", ns,
                   name);
    return object_of(json);
}

static void holds_objects_in_order(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    assert_int_equal(lw_object_list_count(list), 0);
    for (int i = 0; i < 100; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "n%d", i);
        lw_object *obj = named("ns", name);
        assert_int_equal(lw_object_list_append(list, obj), LW_OK);
        lw_object_unref(obj);
    }
    assert_int_equal(lw_object_list_count(list), 100);
    assert_string_equal(lw_object_name(lw_object_list_at(list, 0)), "n0");
    assert_string_equal(lw_object_name(lw_object_list_at(list, 99)), "n99");
    lw_object_list_free(list);
}

static void is_full_at_its_cap(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = named("a", "b");
    assert_int_equal(lw_object_list_new(&list, 2), LW_OK);
    assert_int_equal(lw_object_list_append(list, obj), LW_OK);
    assert_int_equal(lw_object_list_append(list, obj), LW_OK);
    assert_int_equal(lw_object_list_append(list, obj), LW_ERR_LIMIT);
    assert_int_equal(lw_object_list__collect(obj, list, &err), LW_ERR_LIMIT);
    assert_string_equal(err.message, "the list has more than 2 objects");
    assert_int_equal(lw_object_list_count(list), 2);
    lw_object_list_free(list);
    assert_string_equal(lw_object_name(obj), "b");
    lw_object_unref(obj);
}

static void sorts_by_namespace_then_name(void **state)
{
    (void)state;
    static const char *const keys[][2] = { { "b", "a" }, { "a", "b" }, { "", "z" },
                                           { "a", "a" }, { "a", "" },  { "a-b", "a" } };
    static const char *const sorted[][2] = { { "", "z" },  { "a", "" },    { "a", "a" },
                                             { "a", "b" }, { "a-b", "a" }, { "b", "a" } };
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    lw_object_list_sort(list);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(lw_object_list__append_take(list, named(keys[i][0], keys[i][1])), LW_OK);
    lw_object_list_sort(list);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(lw_object_namespace(lw_object_list_at(list, i)), sorted[i][0]);
        assert_string_equal(lw_object_name(lw_object_list_at(list, i)), sorted[i][1]);
    }
    lw_object_list_free(list);
}

static void metadata_is_empty_unless_said(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    assert_int_equal(lw_object_list_new(&list, 0), LW_OK);
    const lw_list_metadata *metadata = lw_object_list_metadata(list);
    assert_string_equal(metadata->resource_version, "");
    assert_string_equal(metadata->continue_token, "");
    assert_int_equal(metadata->remaining_item_count, -1);
    lw_object_list_free(list);
    lw_object_list_free(NULL);
    assert_int_equal(lw_object_list_count(NULL), 0);
}

static lw_object_list *list_of(const char *json)
{
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_object_list_from_json(&list, json, strlen(json), NULL, &err) < 0)
        fail_msg("%s", err.message);
    return list;
}

static void reads_a_list_with_its_metadata(void **state)
{
    (void)state;
    lw_object_list *list =
        list_of("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                "\"7\\u0038\",\"continue\":\"abc\",\"remainingItemCount\":5},\"items\":[{\"metadata"
                "\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}");
    assert_int_equal(lw_object_list_count(list), 2);
    assert_string_equal(lw_object_kind(lw_object_list_at(list, 1)), "Pod");
    const lw_list_metadata *metadata = lw_object_list_metadata(list);
    assert_string_equal(metadata->kind, "PodList");
    assert_string_equal(metadata->api_version, "v1");
    assert_string_equal(metadata->resource_version, "78");
    assert_string_equal(metadata->continue_token, "abc");
    assert_int_equal(metadata->remaining_item_count, 5);
    lw_object_list_free(list);
}

static void reads_one_object_as_a_list_of_one(void **state)
{
    (void)state;
    lw_object_list *list =
        list_of(" {\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"items\":[]}} ");
    assert_int_equal(lw_object_list_count(list), 1);
    assert_string_equal(lw_object_name(lw_object_list_at(list, 0)), "a");
    lw_object_list_free(list);
}

static void an_empty_list_is_no_object(void **state)
{
    (void)state;
    lw_object_list *list = list_of("{\"kind\":\"List\",\"items\":[]}");
    assert_int_equal(lw_object_list_count(list), 0);
    lw_object_list_free(list);
    list = list_of("{\"kind\":\"PodList\",\"items\":null}");
    assert_int_equal(lw_object_list_count(list), 0);
    lw_object_list_free(list);
}

static void refuses_two_documents_and_none(void **state)
{
    (void)state;
    lw_object_list *list = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_list_from_json(&list, "{}{}", 4, NULL, &err), LW_ERR_SYNTAX);
    assert_int_equal(err.offset, 2);
    assert_int_equal(lw_object_list_from_json(&list, "", 0, NULL, &err), LW_ERR_SYNTAX);
    assert_int_equal(lw_object_list_from_json(&list, "[{}]", 4, NULL, &err), LW_ERR_INVALID);
    assert_null(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(holds_objects_in_order),         TEST(is_full_at_its_cap),
        TEST(sorts_by_namespace_then_name),   TEST(metadata_is_empty_unless_said),
        TEST(reads_a_list_with_its_metadata), TEST(reads_one_object_as_a_list_of_one),
        TEST(an_empty_list_is_no_object),     TEST(refuses_two_documents_and_none),
    };
    return cmocka_run_group_tests_name("object_list", tests, NULL, NULL);
}
