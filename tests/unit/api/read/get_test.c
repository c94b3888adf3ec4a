/* SPDX-License-Identifier: Apache-2.0 */
/* get_test.c -- GET of one object. */
#include "base/clock.h"
#include "unit/api/asked.h"

#define ITEM "/api/v1/namespaces/default/configmaps/a"
#define CONFIG                                                                                     \
    "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"    \
    "\"default\",\"uid\":\"u-a\",\"resourceVersion\":\"1\",\"creationTimestamp\":"                 \
    "\"2026-11-15T01:49:24Z\"},\"data\":{\"k\":\"v\"}}"
#define PARTIAL                                                                                    \
    "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"         \
    "\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"u-a\",\"resourceVersion\":\"1\","          \
    "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"}}"

static int world_with_one(void **state)
{
    if (world_setup(state) < 0)
        return -1;
    return api_world_put_config(*state, "default", "a", NULL, "v") == 1 ? 0 : -1;
}

#define ONE_TEST(function) cmocka_unit_test_setup_teardown(function, world_with_one, world_teardown)

static void the_object_comes_as_it_is_with_a_newline(void **state)
{
    assert_answer(*state, ITEM, 200, CONFIG "\n");
    assert_answer(*state, ITEM "?watch=true", 200, CONFIG "\n");
    assert_answer(*state, ITEM "?resourceVersion=0", 200, CONFIG "\n");
    assert_answer(*state, ITEM "?resourceVersion=1", 200, CONFIG "\n");
}

static void what_is_not_there_is_404(void **state)
{
    assert_answer(*state, "/api/v1/namespaces/default/configmaps/b", 404,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"configmaps \\\"b\\\" not found\",\"reason\":"
                  "\"NotFound\",\"details\":{\"name\":\"b\",\"kind\":\"configmaps\"},\"code\":404}"
                  "\n");
    assert_answer(*state, "/apis/apps/v1/namespaces/x/deployments/b", 404,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"deployments.apps \\\"b\\\" not found\",\"reason\":"
                  "\"NotFound\",\"details\":{\"name\":\"b\",\"group\":\"apps\",\"kind\":"
                  "\"deployments\"},\"code\":404}\n");
}

static void pretty_is_indented_without_a_newline_at_the_end(void **state)
{
    fake_http *http = ask(*state, ITEM "?pretty=1", 200);
    assert_body_has(http, "{\n  \"kind\": \"ConfigMap\",\n  \"apiVersion\": \"v1\",");
    assert_int_equal(http->body.data[http->body.len - 1], '}');
    fake_http_free(http);
}

static void yaml_is_sorted_as_go_sorts_maps(void **state)
{
    assert_answer_as(*state, ITEM, "application/yaml", 200,
                     "apiVersion: v1\ndata:\n  k: v\nkind: ConfigMap\nmetadata:\n"
                     "  creationTimestamp: \"2026-11-15T01:49:24Z\"\n  name: a\n"
                     "  namespace: default\n  resourceVersion: \"1\"\n  uid: u-a\n");
    fake_http *http = ask_as(*state, ITEM, "application/yaml", 200);
    assert_header(http, "content-type", "application/yaml");
    fake_http_free(http);
}

static void partial_objects_are_their_metadata(void **state)
{
    assert_answer_as(*state, ITEM, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
                     200, PARTIAL "\n");
    assert_answer_as(*state, ITEM,
                     "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 406,
                     "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                     "\"Failure\",\"message\":\"you requested PartialObjectMetadataList, but the "
                     "requested object is not a list (*core.ConfigMap)\",\"reason\":"
                     "\"NotAcceptable\",\"code\":406}\n");
}

static void a_table_has_one_row(void **state)
{
    static const char table[] = "application/json;as=Table;v=v1;g=meta.k8s.io";
    fake_http *http = ask_as(*state, ITEM, table, 200);
    assert_header(http, "content-type", "application/json");
    assert_body_has(http, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
                          "\"resourceVersion\":\"1\"},\"columnDefinitions\":[{\"name\":\"Name\"");
    assert_body_has(http, "\"object\":" PARTIAL "}]}\n");
    fake_http_free(http);
    http = ask_as(*state, ITEM "?includeObject=None", table, 200);
    assert_body_has(http, "\"object\":null}]}\n");
    fake_http_free(http);
    http = ask_as(*state, ITEM "?includeObject=Object", table, 200);
    assert_body_has(http, "\"object\":" CONFIG "}]}\n");
    fake_http_free(http);
    http = ask_as(*state, ITEM "?includeObject=All", table, 400);
    assert_body_has(http, "Unable to convert to Table as requested: includeObject: Invalid value: "
                          "\\\"All\\\": must be 'Metadata', 'Object', 'None', or empty");
    fake_http_free(http);
    http = ask_as(*state, "/api/v1/namespaces/default/configmaps/b", table, 404);
    assert_body_has(http, "{\"kind\":\"Status\"");
    fake_http_free(http);
}

static void a_revision_that_is_none_is_an_internal_error(void **state)
{
    assert_answer(*state, ITEM "?resourceVersion=abc", 500,
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                  "\"Failure\",\"message\":\"resourceVersion: Invalid value: \\\"abc\\\": "
                  "strconv.ParseUint: parsing \\\"abc\\\": invalid syntax\",\"code\":500}\n");
}

static void a_revision_to_come_is_waited_for(void **state)
{
    api_world *world = *state;
    fake_http *http = api_world_get(world, ITEM "?resourceVersion=2", NULL);
    assert_int_equal(http->status, 0);
    api_world_pass(world, 2 * LW_NS_PER_S);
    assert_int_equal(http->status, 0);
    assert_int_equal(api_world_put_config(world, "default", "b", NULL, "v"), 2);
    api_world_turns(world, 2);
    assert_int_equal(http->status, 200);
    assert_came(http, CONFIG "\n");
    fake_http_free(http);
}

static void a_revision_that_does_not_come_is_504(void **state)
{
    api_world *world = *state;
    fake_http *http = api_world_get(world, ITEM "?resourceVersion=99999999", NULL);
    api_world_pass(world, 3 * LW_NS_PER_S - 1);
    assert_int_equal(http->status, 0);
    api_world_pass(world, 1);
    assert_int_equal(http->status, 504);
    assert_header(http, "Retry-After", "1");
    assert_came(http, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
                      "\"Failure\",\"message\":\"Timeout: Too large resource version: 99999999, "
                      "current: 1\",\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
                      "\"ResourceVersionTooLarge\",\"message\":\"Too large resource version\"}],"
                      "\"retryAfterSeconds\":1},\"code\":504}\n");
    fake_http_free(http);
}

static void a_client_that_leaves_while_waiting_leaves_nothing(void **state)
{
    api_world *world = *state;
    fake_http *http = api_world_get(world, ITEM "?resourceVersion=2", NULL);
    fake_http_close(http);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    assert_int_equal(api_world_put_config(world, "default", "b", NULL, "v"), 2);
    api_world_pass(world, 4 * LW_NS_PER_S);
    assert_int_equal(http->status, 0);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE_TEST(the_object_comes_as_it_is_with_a_newline),
        ONE_TEST(what_is_not_there_is_404),
        ONE_TEST(pretty_is_indented_without_a_newline_at_the_end),
        ONE_TEST(yaml_is_sorted_as_go_sorts_maps),
        ONE_TEST(partial_objects_are_their_metadata),
        ONE_TEST(a_table_has_one_row),
        ONE_TEST(a_revision_that_is_none_is_an_internal_error),
        ONE_TEST(a_revision_to_come_is_waited_for),
        ONE_TEST(a_revision_that_does_not_come_is_504),
        ONE_TEST(a_client_that_leaves_while_waiting_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
