/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_merge_test.c -- groups of other servers among those of this one, and what other servers
 * say about themselves. */
#include "server/aggregator/discovery_merge.h"

#include "base/alloc.h"
#include "base/str.h"
#include "server/aggregator/remote_discovery.h"
#include "unit/test.h"

enum {
    SERVICES_MAX = 4,
};

/* A table with up to SERVICES_MAX services. */
static union {
    lw_apiservice_table table;
    char room[sizeof(lw_apiservice_table) + SERVICES_MAX * sizeof(lw_apiservice *)];
} holder;
static lw_apiservice services[SERVICES_MAX];

static const lw_apiservice_table *table_of(size_t count)
{
    holder.table.count = count;
    for (size_t i = 0; i < count; i++)
        holder.table.at[i] = &services[i];
    return &holder.table;
}

static char discovery[] = "{\"version\":\"v1\",\"resources\":[{\"resource\":\"things\"}]}";

static void use(size_t at, lw_str group, lw_str version, int64_t group_priority,
                int64_t version_priority)
{
    services[at] = (lw_apiservice){ .group = group,
                                    .version = version,
                                    .group_priority = group_priority,
                                    .version_priority = version_priority,
                                    .discovery = discovery,
                                    .is_fresh = at == 0 };
}

static void assert_merged(lw_aggregated_document document, const lw_apiservice_table *table,
                          const char *group, const char *from, const char *to)
{
    lw_buf json;
    lw_buf_init(&json, 1 << 20);
    lw_buf_append_text(&json, from);
    assert_int_equal(lw_discovery_merge(table, document, lw_str_of(group), &json), LW_OK);
    char *text = lw_buf_take_text(&json);
    assert_string_equal(text, to);
    lw_free(text);
    lw_buf_done(&json);
}

static void groups_are_ordered_by_priority_and_name(void **state)
{
    (void)state;
    use(0, LW_STR("b.example"), LW_STR("v1"), 1000, 15);
    use(1, LW_STR("high.example"), LW_STR("v1"), 17900, 15);
    assert_merged(
        LW_AGGREGATED_GROUPS, table_of(2), "",
        "{\"groups\":[{\"name\":\"apps\"},{\"name\":\"a.example\"},{\"name\":\"c.example\"}]}",
        "{\"groups\":[{\"name\":\"high.example\",\"versions\":[{\"groupVersion\":"
        "\"high.example/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":"
        "\"high.example/v1\",\"version\":\"v1\"}},{\"name\":\"apps\"},{\"name\":\"a.example\"},"
        "{\"name\":\"b.example\",\"versions\":[{\"groupVersion\":\"b.example/v1\",\"version\":"
        "\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"b.example/v1\",\"version\":\"v1\"}},"
        "{\"name\":\"c.example\"}]}");
}

static void versions_are_ordered_by_priority(void **state)
{
    (void)state;
    use(0, LW_STR("x.example"), LW_STR("v2"), 1000, 200);
    use(1, LW_STR("x.example"), LW_STR("v1beta1"), 1000, 100);
    assert_merged(LW_AGGREGATED_GROUP, table_of(2), "x.example",
                  "{\"name\":\"x.example\",\"versions\":[{\"version\":\"v1\"}],"
                  "\"preferredVersion\":{\"version\":\"v1\"}}",
                  "{\"name\":\"x.example\",\"versions\":[{\"groupVersion\":\"x.example/v2\","
                  "\"version\":\"v2\"},{\"version\":\"v1\"},{\"groupVersion\":"
                  "\"x.example/v1beta1\",\"version\":\"v1beta1\"}],\"preferredVersion\":{"
                  "\"groupVersion\":\"x.example/v2\",\"version\":\"v2\"}}");
}

static void group_that_nobody_serves_is_not_found(void **state)
{
    lw_buf json;
    (void)state;
    use(0, LW_STR("x.example"), LW_STR("v1"), 1000, 15);
    lw_buf_init(&json, 1 << 20);
    assert_int_equal(lw_discovery_merge(table_of(1), LW_AGGREGATED_GROUP, LW_STR("y.example"),
                                        &json),
                     LW_ERR_NOT_FOUND);
    assert_int_equal(lw_discovery_merge(NULL, LW_AGGREGATED_GROUP, LW_STR("y.example"), &json),
                     LW_ERR_NOT_FOUND);
    lw_buf_done(&json);
    assert_merged(LW_AGGREGATED_GROUP, table_of(1), "x.example", "",
                  "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"x.example\","
                  "\"versions\":[{\"groupVersion\":\"x.example/v1\",\"version\":\"v1\"}],"
                  "\"preferredVersion\":{\"groupVersion\":\"x.example/v1\",\"version\":\"v1\"}}");
}

static void aggregated_discovery_says_what_is_stale(void **state)
{
    (void)state;
    use(0, LW_STR("x.example"), LW_STR("v1"), 1000, 20);
    use(1, LW_STR("x.example"), LW_STR("v2"), 1000, 10);
    services[1].discovery = NULL;
    assert_merged(LW_AGGREGATED_DISCOVERY, table_of(2), "", "{\"items\":[]}",
                  "{\"items\":[{\"metadata\":{\"name\":\"x.example\"},\"versions\":[{\"version\":"
                  "\"v1\",\"resources\":[{\"resource\":\"things\"}],\"freshness\":\"Current\"},"
                  "{\"version\":\"v2\",\"freshness\":\"Stale\"}]}]}");
}

static void openapi_index_has_the_documents_of_others(void **state)
{
    static char url[] = "/openapi/v3/apis/x.example/v1?hash=A";
    (void)state;
    use(0, LW_STR("x.example"), LW_STR("v1"), 1000, 20);
    use(1, LW_STR("y.example"), LW_STR("v1"), 1000, 20);
    services[0].openapi_url = url;
    assert_merged(LW_AGGREGATED_OPENAPI, table_of(2), "", "{\"paths\":{}}",
                  "{\"paths\":{\"apis/x.example/v1\":{\"serverRelativeURL\":"
                  "\"/openapi/v3/apis/x.example/v1?hash=A\"}}}");
}

typedef lw_status (*pick_fn)(lw_str json, lw_str group, lw_str version, lw_buf *out);

static void assert_picked(pick_fn pick, const char *from, lw_status wanted, const char *to)
{
    lw_buf out;
    lw_buf_init(&out, LW_REMOTE_DISCOVERY_MAX);
    assert_int_equal(pick(lw_str_of(from), LW_STR("x.example"), LW_STR("v1"), &out), wanted);
    if (wanted == LW_OK) {
        char *text = lw_buf_take_text(&out);
        assert_string_equal(text, to);
        lw_free(text);
    }
    lw_buf_done(&out);
}

static void version_is_picked_from_aggregated_discovery(void **state)
{
    (void)state;
    assert_picked(lw_remote_discovery_pick,
                  "{\"items\":[{\"metadata\":{\"name\":\"y\"}},{\"metadata\":{\"name\":"
                  "\"x.example\"},\"versions\":[{\"version\":\"v1\",\"freshness\":\"Current\","
                  "\"resources\":[{\"resource\":\"a\"},7]}]}]}",
                  LW_OK,
                  "{\"version\":\"v1\",\"resources\":[{\"resource\":\"a\","
                  "\"responseKind\":{}},7]}");
    assert_picked(lw_remote_discovery_pick, "{\"items\":[]}", LW_ERR_NOT_FOUND, NULL);
    assert_picked(lw_remote_discovery_pick, "[]", LW_ERR_INVALID, NULL);
    assert_picked(lw_remote_discovery_pick, "{", LW_ERR_SYNTAX, NULL);
}

static void list_of_resources_is_converted(void **state)
{
    (void)state;
    assert_picked(lw_remote_discovery_convert,
                  "{\"resources\":[{\"name\":\"a/status\",\"kind\":\"A\",\"verbs\":[\"get\"]},"
                  "{\"name\":\"a\",\"singularName\":\"one\",\"namespaced\":true,\"kind\":\"A\","
                  "\"verbs\":[\"list\"]},{\"kind\":\"unnamed\"}]}",
                  LW_OK,
                  "{\"version\":\"v1\",\"resources\":[{\"resource\":\"a\",\"scope\":\"Cluster\","
                  "\"responseKind\":{\"group\":\"x.example\",\"version\":\"v1\",\"kind\":\"A\"},"
                  "\"subresources\":[{\"subresource\":\"status\",\"responseKind\":{\"group\":"
                  "\"x.example\",\"version\":\"v1\",\"kind\":\"A\"},\"verbs\":[\"get\"]}],"
                  "\"verbs\":[\"list\"],\"singularResource\":\"one\"}]}");
    assert_picked(lw_remote_discovery_convert, "{\"kind\":\"Status\"}", LW_ERR_INVALID, NULL);
}

static void openapi_path_must_be_one_of_openapi(void **state)
{
    (void)state;
    assert_picked(lw_remote_openapi_pick,
                  "{\"paths\":{\"apis/x.example/v1\":{\"serverRelativeURL\":"
                  "\"/openapi/v3/apis/x.example/v1?hash=7\"}}}",
                  LW_OK, "/openapi/v3/apis/x.example/v1?hash=7");
    assert_picked(lw_remote_openapi_pick,
                  "{\"paths\":{\"apis/x.example/v1\":{\"serverRelativeURL\":\"/api/v1/secrets\"}}}",
                  LW_ERR_NOT_FOUND, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_ordered_by_priority_and_name),
        cmocka_unit_test(versions_are_ordered_by_priority),
        cmocka_unit_test(group_that_nobody_serves_is_not_found),
        cmocka_unit_test(aggregated_discovery_says_what_is_stale),
        cmocka_unit_test(openapi_index_has_the_documents_of_others),
        cmocka_unit_test(version_is_picked_from_aggregated_discovery),
        cmocka_unit_test(list_of_resources_is_converted),
        cmocka_unit_test(openapi_path_must_be_one_of_openapi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
