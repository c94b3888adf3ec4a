/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_test.c -- /api, /apis and /version. */
#include "base/str.h"
#include "schema/proto/proto.h"
#include "unit/api/asked.h"

#define PROTOBUF   "application/vnd.kubernetes.protobuf"
#define AGGREGATED "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

static void the_core_versions_name_the_server(void **state)
{
    assert_answer(*state, "/api", 200,
                  "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                  "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                  "\"serverAddress\":\"127.0.0.1:6443\"}]}\n");
}

static void groups_and_resources_are_listed(void **state)
{
    static const struct {
        const char *path, *text;
    } rows[] = {
        { "/apis", "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[{\"name\":" },
        { "/apis/apps", "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"apps\"" },
        { "/api/v1", "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[" },
        { "/apis/apps/v1", "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":"
                           "\"apps/v1\",\"resources\":[" },
        { "/apis/apps/v1", "\"name\":\"deployments/scale\"" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fake_http *http = ask(*state, rows[i].path, 200);
        assert_body_has(http, rows[i].text);
        assert_header(http, "cache-control", "no-cache, private");
        fake_http_free(http);
    }
}

static void aggregated_discovery_has_its_own_type_and_tag(void **state)
{
    static const char *const paths[] = { "/api", "/apis" };
    for (size_t i = 0; i < 2; i++) {
        lw_str etag;
        char tag[100];
        fake_http *http = ask_as(*state, paths[i], AGGREGATED ",application/json", 200);
        assert_header(http, "content-type", AGGREGATED);
        assert_header(http, "vary", "Accept");
        assert_header(http, "cache-control", "public");
        assert_body_has(http, "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":"
                              "\"apidiscovery.k8s.io/v2\"");
        assert_true(fake_http_header(http, "etag", 0, &etag));
        (void)snprintf(tag, sizeof(tag), "W/\"other\", %.*s", LW_STR_ARG(etag));
        fake_http_free(http);
        fake_http_request request = { .method = "GET",
                                      .target = paths[i],
                                      .headers = { "accept", AGGREGATED, "if-none-match", tag } };
        http = api_world_ask(*state, &request);
        assert_int_equal(http->status, 304);
        assert_int_equal(http->body.len, 0);
        fake_http_free(http);
        request.headers[3] = "\"other\"";
        http = api_world_ask(*state, &request);
        assert_int_equal(http->status, 200);
        fake_http_free(http);
    }
}

static void aggregation_is_for_the_two_roots(void **state)
{
    fake_http *http = ask_as(*state, "/apis/apps", AGGREGATED ",application/json", 200);
    assert_header(http, "content-type", "application/json");
    fake_http_free(http);
    http = ask_as(*state, "/apis/apps", AGGREGATED, 406);
    fake_http_free(http);
}

/* What is read from protobuf stands in JSON behind kind and apiVersion. */
static void assert_same_in_protobuf(api_world *world, const char *path, const char *as,
                                    const char *version, const char *kind)
{
    char accept[200], accept_json[200];
    lw_proto_document document;
    lw_buf json;
    (void)snprintf(accept, sizeof(accept), PROTOBUF "%s", as);
    (void)snprintf(accept_json, sizeof(accept_json), "application/json%s", as);
    fake_http *proto = ask_as(world, path, accept, 200);
    fake_http *plain = ask_as(world, path, accept_json, 200);
    assert_header(proto, "content-type", accept);
    assert_int_equal(lw_proto_open(lw_buf_view(&proto->body), &document, NULL), LW_OK);
    assert_true(lw_str_equal(document.api_version, lw_str_of(version)));
    assert_true(lw_str_equal(document.kind, lw_str_of(kind)));
    const lw_type *type =
        lw_proto_type(version[0] ? document.api_version : LW_STR("v1"), document.kind);
    assert_non_null(type);
    lw_buf_init(&json, 16 << 20);
    assert_int_equal(lw_proto_read(type, NULL, document.message, &json, NULL), LW_OK);
    assert_true(json.len > 20 && json.len < plain->body.len);
    if (!memmem(plain->body.data, plain->body.len, json.data + 1, json.len - 1))
        fail_msg("%s\n  %.500s\n  %.500s", path, json.data, plain->body.data);
    lw_buf_done(&json);
    fake_http_free(proto);
    fake_http_free(plain);
}

static void discovery_can_be_had_in_protobuf(void **state)
{
    static const char aggregated[] = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    assert_same_in_protobuf(*state, "/api", "", "", "APIVersions");
    assert_same_in_protobuf(*state, "/apis", "", "v1", "APIGroupList");
    assert_same_in_protobuf(*state, "/apis/apps", "", "v1", "APIGroup");
    assert_same_in_protobuf(*state, "/api/v1", "", "", "APIResourceList");
    assert_same_in_protobuf(*state, "/apis/apps/v1", "", "v1", "APIResourceList");
    assert_same_in_protobuf(*state, "/api", aggregated, "apidiscovery.k8s.io/v2",
                            "APIGroupDiscoveryList");
    assert_same_in_protobuf(*state, "/apis", aggregated, "apidiscovery.k8s.io/v2",
                            "APIGroupDiscoveryList");
}

static void the_version_is_indented_for_everybody(void **state)
{
    fake_http *http = ask(*state, "/version", 200);
    assert_body_has(http, "{\n  \"major\": \"1\",\n  \"minor\": \"36\",\n  \"gitVersion\": "
                          "\"v1.36.0-listwatch");
    assert_body_has(http, "\"platform\": \"linux/");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_core_versions_name_the_server),
        WORLD_TEST(groups_and_resources_are_listed),
        WORLD_TEST(aggregated_discovery_has_its_own_type_and_tag),
        WORLD_TEST(aggregation_is_for_the_two_roots),
        WORLD_TEST(discovery_can_be_had_in_protobuf),
        WORLD_TEST(the_version_is_indented_for_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
