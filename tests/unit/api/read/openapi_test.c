/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_test.c -- /openapi/v2 and /openapi/v3, and how they are kept. */
#include "api/read/openapi_cache.h"
#include "base/str.h"
#include "unit/api/sent.h"
#include "unit/api/unzip.h"

#define PROTOBUF "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
#define CRDS     "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

#define DEFINITION(description)                                                                    \
    "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":\"apiextensions.k8s.io/v1\","           \
    "\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","         \
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"             \
    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"                 \
    "\"openAPIV3Schema\":{\"type\":\"object\",\"description\":\"" description "\"}}}]}}"

static void version_two_is_json_or_protobuf(void **state)
{
    fake_http *http = ask_as(*state, "/openapi/v2", PROTOBUF ",application/json", 200);
    assert_header(http, "content-type",
                  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    assert_header(http, "vary", "Accept");
    assert_true(http->body.len > 100 * 1000);
    assert_memory_equal(http->body.data,
                        "\x0a\x03"
                        "2.0\x12",
                        6);
    fake_http_free(http);
    http = ask(*state, "/openapi/v2", 200);
    assert_header(http, "content-type", "application/json");
    assert_body_has(http, "{\"swagger\":\"2.0\"");
    assert_body_has(http, "\"io.k8s.api.core.v1.PodSpec\":{");
    fake_http_free(http);
}

/* The address in the index of the document at |place| ("apis/apps/v1"). */
static void find_url(api_world *world, const char *place, char url[200])
{
    char wanted[100];
    fake_http *http = ask(world, "/openapi/v3", 200);
    (void)snprintf(wanted, sizeof(wanted), "\"serverRelativeURL\":\"/openapi/v3/%s?hash=", place);
    const char *at = memmem(http->body.data, http->body.len, wanted, strlen(wanted));
    assert_non_null(at);
    at += strlen("\"serverRelativeURL\":\"");
    (void)snprintf(url, 200, "%.*s", (int)(strcspn(at, "\"")), at);
    fake_http_free(http);
}

/* The index leads to documents that may be kept for ever under their hash. */
static void version_three_is_found_by_its_hash(void **state)
{
    char url[200];
    find_url(*state, "apis/apps/v1", url);
    fake_http *http = ask(*state, url, 200);
    assert_header(http, "cache-control", "public, immutable");
    assert_body_has(http, "{\"openapi\":\"3.0.0\"");
    fake_http_free(http);
    http = ask(*state, "/openapi/v3/apis/apps/v1?hash=OLD", 301);
    assert_header(http, "location", url);
    fake_http_free(http);
    http = ask(*state, "/openapi/v3/apis/apps/v1", 200);
    assert_header(http, "cache-control", "no-cache, private");
    fake_http_free(http);
    http = ask(*state, "/openapi/v3/apis/nope/v1", 404);
    fake_http_free(http);
}

static const char *const paths[] = { "/openapi/v2", "/openapi/v3", "/openapi/v3/apis/batch/v1" };

static void what_a_client_has_is_not_sent_again(void **state)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        lw_str etag;
        char tag[100];
        fake_http *http = ask(*state, paths[i], 200);
        assert_true(fake_http_header(http, "etag", 0, &etag));
        (void)snprintf(tag, sizeof(tag), "%.*s", LW_STR_ARG(etag));
        fake_http_free(http);
        fake_http_request request = { .method = "GET",
                                      .target = paths[i],
                                      .headers = { "if-none-match", tag } };
        http = api_world_ask(*state, &request);
        assert_int_equal(http->status, 304);
        assert_int_equal(http->body.len, 0);
        fake_http_free(http);
    }
}

static void compressed_it_is_the_same(void **state)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        lw_buf plain;
        fake_http_request request = { .method = "GET",
                                      .target = paths[i],
                                      .headers = { "accept-encoding", "gzip" } };
        fake_http *packed = api_world_ask(*state, &request);
        fake_http *http = ask(*state, paths[i], 200);
        assert_header(packed, "content-encoding", "gzip");
        assert_true(packed->body.len < http->body.len);
        lw_buf_init(&plain, 1 << 24);
        unzip(lw_buf_view(&packed->body), &plain);
        assert_true(lw_str_equal(lw_buf_view(&plain), lw_buf_view(&http->body)));
        lw_buf_done(&plain);
        fake_http_free(http);
        fake_http_free(packed);
    }
}

/* Documents with a custom kind follow its definition; the others stay what they are. */
static void definitions_change_their_documents_alone(void **state)
{
    char before[200], core[200], url[200];
    find_url(*state, "api/v1", core);
    do_send(*state, "POST", CRDS, DEFINITION("a thing"), 201);
    await_status(*state, "/apis/example.com/v1", 200);
    find_url(*state, "apis/example.com/v1", before);
    fake_http *http = ask(*state, before, 200);
    assert_body_has(http, "\"com.example.v1.Widget\":{\"description\":\"a thing\"");
    fake_http_free(http);
    fake_http_free(
        send_as(*state, "PATCH", CRDS "/widgets.example.com", "application/json-patch+json",
                "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/"
                "description\",\"value\":\"another\"}]",
                200));
    find_url(*state, "apis/example.com/v1", url);
    assert_string_not_equal(url, before);
    http = ask(*state, url, 200);
    assert_body_has(http, "\"com.example.v1.Widget\":{\"description\":\"another\"");
    fake_http_free(http);
    http = ask(*state, "/openapi/v2", 200);
    assert_body_has(http, "\"com.example.v1.Widget\":{\"description\":\"another\"");
    fake_http_free(http);
    find_url(*state, "api/v1", url);
    assert_string_equal(url, core);
}

static const lw_aggregation nobody = { NULL, NULL, NULL };

static void a_document_is_made_once(void **state)
{
    lw_registry *registry = NULL;
    lw_openapi_cache cache;
    lw_openapi_document *first = NULL, *again = NULL;
    const lw_openapi_wanted wanted = { LW_OPENAPI_V3_VERSION, LW_STR("batch"), LW_STR("v1"),
                                       false };
    const lw_openapi_wanted none = { LW_OPENAPI_V3_VERSION, LW_STR("batch"), LW_STR("v9"), false };
    (void)state;
    assert_int_equal(lw_registry_new(&registry), LW_OK);
    lw_openapi_cache_init(&cache, &nobody);
    assert_int_equal(lw_openapi_cache_get_ref(&cache, registry, &wanted, &first), LW_OK);
    assert_int_equal(lw_openapi_cache_get_ref(&cache, registry, &wanted, &again), LW_OK);
    assert_ptr_equal(first, again);
    lw_openapi_document_unref(again);
    assert_int_equal(lw_openapi_cache_get_ref(&cache, registry, &none, &again), LW_ERR_NOT_FOUND);
    /* Bytes that are being sent outlive the cache. */
    lw_bytes bytes = lw_openapi_document_bytes(first);
    lw_openapi_document_unref(first);
    lw_openapi_cache_done(&cache);
    assert_memory_equal(bytes.ptr, "\x1f\x8b", 2);
    lw_bytes_release(bytes);
    lw_registry_unref(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(version_two_is_json_or_protobuf),
        WORLD_TEST(version_three_is_found_by_its_hash),
        WORLD_TEST(what_a_client_has_is_not_sent_again),
        WORLD_TEST(compressed_it_is_the_same),
        WORLD_TEST(definitions_change_their_documents_alone),
        cmocka_unit_test(a_document_is_made_once),
    };
    return cmocka_run_group_tests_name("rest_openapi", tests, NULL, NULL);
}
