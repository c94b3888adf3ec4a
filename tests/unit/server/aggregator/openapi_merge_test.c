/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_merge_test.c -- what a version needs from another server's OpenAPI 2.0 document, and how
 * it is added to that of this server. */
#include "server/aggregator/openapi_merge.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    SERVICES_MAX = 4,
};

static union {
    lw_apiservice_table table;
    char room[sizeof(lw_apiservice_table) + SERVICES_MAX * sizeof(lw_apiservice *)];
} holder;
static lw_apiservice services[SERVICES_MAX];

#define REF(name)  "{\"$ref\":\"#/definitions/" name "\"}"
#define GET(value) "{\"get\":{\"schema\":" value "}}"

static lw_remote_openapi *read_answer(const char *answer, lw_str group, lw_str version)
{
    lw_remote_openapi *openapi = NULL;
    assert_int_equal(lw_remote_openapi_read(&openapi, lw_str_of(answer), group, version, NULL),
                     LW_OK);
    return openapi;
}

/* Takes the document |answer| of the server at |at|. */
static void use(size_t at, lw_str group, int64_t priority, const char *answer)
{
    services[at] = (lw_apiservice){ .group = group,
                                    .version = LW_STR("v1"),
                                    .group_priority = priority,
                                    .openapi = read_answer(answer, group, LW_STR("v1")) };
}

static const lw_apiservice_table *table_of(size_t count)
{
    holder.table.count = count;
    for (size_t i = 0; i < count; i++)
        holder.table.at[i] = &services[i];
    return &holder.table;
}

/* Merges |count| services into |from| and frees them. */
static void assert_merged(size_t count, const char *from, const char *to)
{
    lw_buf json;
    lw_buf_init(&json, 1 << 24);
    lw_buf_append_text(&json, from);
    assert_int_equal(lw_openapi_merge(table_of(count), &json), LW_OK);
    char *text = lw_buf_take_text(&json);
    assert_string_equal(text, to);
    lw_free(text);
    lw_buf_done(&json);
    for (size_t i = 0; i < count; i++)
        lw_remote_openapi_unref(services[i].openapi);
}

static void a_version_keeps_its_paths_and_what_they_need(void **state)
{
    (void)state;
    lw_remote_openapi *openapi = read_answer(
        "{\"swagger\":\"2.0\",\"paths\":{\"/apis/\":" GET(REF("Other")) ",\"/apis/x/v1/a\":" GET(REF(
            "A")) ",\"/apis/x/v10/a\":" GET(REF("Other")) ",\"/apis/x/v1/bad\":7},"
                                                          "\"definitions\":{\"A\":{\"items\":" REF("Deep") "},\"Deep\":{\"p\":" REF(
                                                              "A") "},"
                                                                   "\"Other\":{\"items\":" REF(
                                                                       "Deep2") "},\"Deep2\":{},"
                                                                                "\"Unused\":{},"
                                                                                "\"Bad\":[]},"
                                                                                "\"parameters\":{"
                                                                                "\"q\":{\"in\":"
                                                                                "\"query\"}}}",
        LW_STR("x"), LW_STR("v1"));
    char *text = lw_buf_take_text(&openapi->json);
    assert_string_equal(
        text, "{\"paths\":{\"/apis/x/v1/a\":" GET(
                  REF("A")) "},\"definitions\":{"
                            "\"A\":{\"items\":" REF("Deep") "},\"Deep\":{\"p\":" REF(
                                "A") "},"
                                     "\"Unused\":{}},\"parameters\":{\"q\":{\"in\":\"query\"}}}");
    lw_free(text);
    lw_remote_openapi_unref(openapi);
}

static void assert_refused(const char *answer, lw_status wanted)
{
    lw_remote_openapi *openapi = NULL;
    assert_int_equal(lw_remote_openapi_read(&openapi, lw_str_of(answer), LW_STR("x"), LW_STR("v1"),
                                            NULL),
                     wanted);
}

static void what_is_no_document_is_refused(void **state)
{
    (void)state;
    assert_refused("{", LW_ERR_SYNTAX);
    assert_refused("[]", LW_ERR_INVALID);
    assert_refused("{\"kind\":\"Status\"}", LW_ERR_INVALID);
    assert_refused("{\"paths\":{\"/apis/y/v1/a\":{}}}", LW_ERR_NOT_FOUND);
    lw_buf deep;
    lw_buf_init(&deep, 4096);
    lw_buf_append_text(&deep, "{\"paths\":{\"/apis/x/v1/a\":");
    for (size_t i = 0; i < 100; i++)
        lw_buf_append_text(&deep, "[");
    for (size_t i = 0; i < 100; i++)
        lw_buf_append_text(&deep, "]");
    lw_buf_append_text(&deep, "}}");
    char *text = lw_buf_take_text(&deep);
    assert_refused(text, LW_ERR_LIMIT);
    lw_free(text);
    lw_buf_done(&deep);
}

static void the_same_answer_is_not_read_again(void **state)
{
    lw_remote_openapi *again = NULL;
    const char *answer = "{\"paths\":{\"/apis/x/v1/a\":{}}}";
    (void)state;
    lw_remote_openapi *openapi = read_answer(answer, LW_STR("x"), LW_STR("v1"));
    assert_int_equal(lw_remote_openapi_read(&again, lw_str_of(answer), LW_STR("x"), LW_STR("v1"),
                                            openapi),
                     LW_OK);
    assert_ptr_equal(again, openapi);
    lw_remote_openapi_unref(again);
    lw_remote_openapi_unref(openapi);
}

static void definitions_with_the_same_content_are_shared_with_their_kinds(void **state)
{
    (void)state;
    use(0, LW_STR("x"), 100,
        "{\"paths\":{\"/apis/x/v1/a\":" GET(
            REF("Options")) "},\"definitions\":{\"Options\":{"
                            "\"x-kubernetes-group-version-kind\":[{\"group\":\"x\",\"version\":"
                            "\"v1\",\"kind\":\"O\"}],"
                            "\"type\":\"object\"}}}");
    assert_merged(
        1,
        "{\"swagger\":\"2.0\",\"paths\":{\"/api\":{}},\"definitions\":{\"Options\":{"
        "\"type\":\"object\",\"x-kubernetes-group-version-kind\":[{\"group\":\"y\","
        "\"version\":\"v1\",\"kind\":\"O\"}]}}}",
        "{\"swagger\":\"2.0\",\"paths\":{\"/api\":{},\"/apis/x/v1/a\":" GET(REF(
            "Options")) "},\"definitions\":{\"Options\":{\"type\":\"object\","
                        "\"x-kubernetes-group-version-kind\":[{\"group\":\"x\",\"version\":\"v1\","
                        "\"kind\":\"O\"},{\"group\":\"y\",\"version\":\"v1\",\"kind\":\"O\"}]}}}");
}

static void definitions_with_other_content_are_renamed_with_their_references(void **state)
{
    (void)state;
    use(0, LW_STR("x"), 100,
        "{\"paths\":{\"/apis/x/v1/a\":" GET(REF("A")) "},\"definitions\":{\"A\":{\"m\":" REF(
            "Meta") "},\"Meta\":{\"d\":1},\"Meta_v2\":{\"d\":2}}}");
    use(1, LW_STR("y"), 50,
        "{\"paths\":{\"/apis/y/v1/b\":" GET(
            REF("Meta")) "},\"definitions\":{\"Meta\":{\"d\":1}},"
                         "\"parameters\":{\"q\":{\"in\":\"query\"}}}");
    assert_merged(2, "{\"paths\":{},\"definitions\":{\"Meta\":{\"d\":0}}}",
                  "{\"paths\":{\"/apis/x/v1/a\":" GET(REF("A")) ",\"/apis/y/v1/b\":" GET(
                      REF("Meta_v3")) "},\"definitions\":{\"Meta\":{\"d\":0},"
                                      "\"A\":{\"m\":" REF("Meta_v3") "},"
                                                                     "\"Meta_"
                                                                     "v3\":{"
                                                                     "\"d\":1}"
                                                                     ",\"Meta_"
                                                                     "v2\":{"
                                                                     "\"d\":2}"
                                                                     "},"
                                                                     "\"parame"
                                                                     "ters\":{"
                                                                     "\"q\":{"
                                                                     "\"in\":"
                                                                     "\"query"
                                                                     "\"}}}");
}

static void paths_of_this_server_stay(void **state)
{
    (void)state;
    use(0, LW_STR("x"), 100, "{\"paths\":{\"/apis/x/v1/a\":{\"d\":1},\"/apis/x/v1/b\":{}}}");
    assert_merged(1, "{\"paths\":{\"/apis/x/v1/a\":{\"d\":0}},\"definitions\":{}}",
                  "{\"paths\":{\"/apis/x/v1/a\":{\"d\":0},\"/apis/x/v1/b\":{}},"
                  "\"definitions\":{}}");
}

static void the_priority_of_groups_decides_who_keeps_a_name(void **state)
{
    static const char *const merged =
        "{\"paths\":{\"/apis/y/v1/b\":" GET(REF("M")) ",\"/apis/x/v1/a\":" GET(
            REF("M_v2")) "},\"definitions\":{\"M\":{\"d\":1},\"M_v2\":{\"d\":2}}}";
    (void)state;
    for (size_t turn = 0; turn < 2; turn++) {
        use(turn, LW_STR("x"), 10,
            "{\"paths\":{\"/apis/x/v1/a\":" GET(REF("M")) "},\"definitions\":{\"M\":{\"d\":2}}}");
        use(1 - turn, LW_STR("y"), 20,
            "{\"paths\":{\"/apis/y/v1/b\":" GET(REF("M")) "},\"definitions\":{\"M\":{\"d\":1}}}");
        assert_merged(2, "{\"paths\":{},\"definitions\":{}}", merged);
    }
}

static void the_stamp_follows_the_documents(void **state)
{
    (void)state;
    assert_int_equal(lw_openapi_merge_stamp(NULL), 0);
    services[0] = (lw_apiservice){ .group = LW_STR("x"), .version = LW_STR("v1") };
    assert_int_equal(lw_openapi_merge_stamp(table_of(1)), 0);
    use(0, LW_STR("x"), 10, "{\"paths\":{\"/apis/x/v1/a\":{}}}");
    uint64_t first = lw_openapi_merge_stamp(table_of(1));
    lw_remote_openapi_unref(services[0].openapi);
    use(0, LW_STR("x"), 10, "{\"paths\":{\"/apis/x/v1/a\":{},\"/apis/x/v1/b\":{}}}");
    assert_int_not_equal(lw_openapi_merge_stamp(table_of(1)), first);
    lw_remote_openapi_unref(services[0].openapi);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_keeps_its_paths_and_what_they_need),
        cmocka_unit_test(what_is_no_document_is_refused),
        cmocka_unit_test(the_same_answer_is_not_read_again),
        cmocka_unit_test(definitions_with_the_same_content_are_shared_with_their_kinds),
        cmocka_unit_test(definitions_with_other_content_are_renamed_with_their_references),
        cmocka_unit_test(paths_of_this_server_stay),
        cmocka_unit_test(the_priority_of_groups_decides_who_keeps_a_name),
        cmocka_unit_test(the_stamp_follows_the_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
