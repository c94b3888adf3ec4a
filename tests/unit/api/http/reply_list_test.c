/* SPDX-License-Identifier: Apache-2.0 */
/* reply_list_test.c -- lists onto the wire: whole, streamed, shared, compressed, to slow clients
 * and to those that leave. */
#include "api/media/list_writer.h"
#include "api/media/list_yaml.h"
#include "base/str.h"
#include "unit/api/asked.h"
#include "unit/api/unzip.h"
#include "unit/failing_alloc.h"

#define LIST         "/api/v1/namespaces/default/configmaps"
#define TABLE        "application/json;as=Table;v=v1;g=meta.k8s.io"
#define PARTIAL_LIST "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

enum {
    COUNT = 400,
    SIZE = 4 * 1024, /* so that the list is 1.6 MiB */
};

static void fill(api_world *world, int count, size_t size)
{
    char *data = malloc(size + 1);
    assert_non_null(data);
    memset(data, 'x', size);
    data[size] = '\0';
    for (int i = 0; i < count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "c%04d", i);
        assert_true(api_world_put_config(world, "default", name, NULL, data) > 0);
    }
    free(data);
}

/* What the list must be, built from single objects. */
static void expect_list(api_world *world, int count, lw_buf *out)
{
    lw_buf_init(out, 64 << 20);
    lw_buf_printf(out,
                  "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                  "\"resourceVersion\":\"%d\"},\"items\":[",
                  count);
    for (int i = 0; i < count; i++) {
        char target[100];
        (void)snprintf(target, sizeof(target), LIST "/c%04d", i);
        fake_http *http = ask(world, target, 200);
        lw_str json = lw_str_skip(lw_str_trim(lw_buf_view(&http->body)),
                                  strlen("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","));
        lw_buf_append_text(out, i ? ",{" : "{");
        lw_buf_append_str(out, json);
        fake_http_free(http);
    }
    lw_buf_append_text(out, "]}\n");
}

static void assert_same(const fake_http *http, const lw_buf *expected)
{
    assert_int_equal(http->body.len, expected->len);
    assert_memory_equal(http->body.data, expected->data, expected->len);
}

static void run_to_the_end(api_world *world, fake_http *http)
{
    for (int i = 0; i < 1000 && !http->is_ended && !http->is_aborted; i++) {
        api_world_turns(world, 1);
        if (http->is_slow)
            fake_http_drain(http);
    }
    assert_true(http->is_ended);
}

static fake_http *ask_with(api_world *world, const char *target, const char *name,
                           const char *value)
{
    fake_http_request request = { .method = "GET", .target = target, .headers = { name, value } };
    fake_http *http = api_world_ask(world, &request);
    assert_int_equal(http->status, 200);
    return http;
}

static void a_small_list_is_replied_whole(void **state)
{
    api_world *world = *state;
    lw_buf expected;
    fill(world, 10, 1000);
    expect_list(world, 10, &expected);
    fake_http *http = ask(world, LIST, 200);
    assert_false(http->is_streamed);
    assert_same(http, &expected);
    fake_http_free(http);
    lw_buf_done(&expected);
}

static void a_large_list_is_streamed_byte_for_byte_the_same(void **state)
{
    api_world *world = *state;
    lw_buf expected;
    fill(world, COUNT, SIZE);
    expect_list(world, COUNT, &expected);
    fake_http *http = ask(world, LIST, 200);
    assert_true(http->is_streamed);
    assert_false(http->is_ended); /* others have their turn in between */
    run_to_the_end(world, http);
    assert_same(http, &expected);
    assert_true(http->messages < 20);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
    lw_buf_done(&expected);
}

static void a_slow_client_holds_no_more_than_its_queue(void **state)
{
    api_world *world = *state;
    lw_buf expected;
    fill(world, COUNT, SIZE);
    expect_list(world, COUNT, &expected);
    fake_http_request request = { .method = "GET", .target = LIST };
    fake_http *http = fake_http_new(world->loop, &request);
    http->is_slow = true;
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    for (int i = 0; i < 100 && !http->is_ended; i++) {
        size_t before = http->body.len;
        api_world_turns(world, 3);
        assert_true(http->pending <= LW_HTTP_QUEUE_HIGH + 2 * 128 * 1024);
        if (i > 0 && http->pending > LW_HTTP_QUEUE_HIGH)
            assert_int_equal(http->body.len, before); /* it waits to be drained */
        fake_http_drain(http);
    }
    assert_true(http->is_ended);
    assert_same(http, &expected);
    fake_http_drain(http);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
    lw_buf_done(&expected);
}

/* Streaming shares the cache's bytes: what it allocates does not depend on the list's size. */
static void streaming_copies_nothing(void **state)
{
    api_world *world = *state;
    failing_alloc f;
    fill(world, COUNT, SIZE);
    fake_http_request request = { .method = "GET", .target = LIST };
    fake_http *http = fake_http_new(world->loop, &request);
    http->keeps_no_body = true;
    failing_alloc_begin(&f, SIZE_MAX);
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    while (!http->is_ended)
        api_world_turns(world, 1);
    failing_alloc_end();
    assert_true(http->bytes > (uint64_t)COUNT * SIZE);
    assert_true(f.largest <= COUNT * sizeof(void *) + 8192);
    assert_true(f.calls < 100);
    fake_http_free(http);
}

static void a_client_that_leaves_leaves_nothing(void **state)
{
    api_world *world = *state;
    fill(world, COUNT, SIZE);
    fake_http *posted = ask(world, LIST, 200);
    assert_false(posted->is_ended);
    fake_http_close(posted);
    fake_http_request request = { .method = "GET", .target = LIST };
    fake_http *slow = fake_http_new(world->loop, &request);
    slow->is_slow = true;
    assert_true(lw_api_serve(world->api, &slow->stream, NULL));
    api_world_turns(world, 2);
    fake_http_close(slow);
    api_world_turns(world, 2);
    assert_int_equal(lw_ref_count(&posted->stream.refs), 1);
    assert_int_equal(lw_ref_count(&slow->stream.refs), 1);
    fake_http_free(posted);
    fake_http_free(slow);
}

static void a_stream_without_memory_is_cut_visibly(void **state)
{
    api_world *world = *state;
    fill(world, COUNT, SIZE);
    fake_http *http = ask(world, LIST, 200);
    http->is_out_of_memory = true;
    api_world_turns(world, 2);
    assert_true(http->is_aborted);
    fake_http_free(http);
}

/* Wherever memory ends, the client gets all of the list, 500, or notices that it was cut. */
static void a_list_without_memory_is_whole_or_visibly_not(void **state)
{
    api_world *world = *state;
    static const char *const headers[][4] = {
        { "accept", "application/json", "accept-encoding", "gzip" },
        { "accept", "application/json", "accept-encoding", "identity" },
        { "accept", TABLE, "accept-encoding", "gzip" },
    };
    fill(world, 100, SIZE);
    for (size_t i = 0; i < 3 * 40; i++) {
        const char *const *h = headers[i / 40];
        fake_http_request request = { .method = "GET",
                                      .target = LIST,
                                      .headers = { h[0], h[1], h[2], h[3] } };
        fake_http *http = fake_http_new(world->loop, &request);
        failing_alloc f;
        (void)lw_buf_reserve(&http->headers, 4096);
        (void)lw_buf_reserve(&http->body, 4 << 20);
        failing_alloc_begin(&f, i % 40);
        (void)lw_api_serve(world->api, &http->stream, NULL);
        for (int turn = 0; turn < 20 && !http->stream.is_closed; turn++)
            api_world_turns(world, 1);
        failing_alloc_end();
        assert_true(http->is_aborted || (http->is_ended && http->status == 500) ||
                    (http->is_ended && http->status == 200));
        assert_int_equal(lw_ref_count(&http->stream.refs), 1);
        fake_http_free(http);
    }
}

static void a_large_list_is_compressed_where_that_is_taken(void **state)
{
    api_world *world = *state;
    lw_buf expected, got;
    fill(world, COUNT, SIZE);
    expect_list(world, COUNT, &expected);
    lw_buf_init(&got, 64 << 20);
    fake_http *http = ask_with(world, LIST, "accept-encoding", "gzip");
    run_to_the_end(world, http);
    assert_header(http, "content-encoding", "gzip");
    assert_header(http, "vary", "Accept-Encoding");
    assert_true(http->body.len < expected.len / 10);
    unzip(lw_buf_view(&http->body), &got);
    assert_int_equal(got.len, expected.len);
    assert_memory_equal(got.data, expected.data, got.len);
    fake_http_free(http);
    lw_buf_done(&got);
    lw_buf_done(&expected);
}

static void a_list_below_128_kib_is_not_compressed(void **state)
{
    api_world *world = *state;
    lw_str value;
    fill(world, 25, SIZE);
    fake_http *http = ask_with(world, LIST, "accept-encoding", "gzip");
    run_to_the_end(world, http);
    assert_true(http->is_streamed);
    assert_false(fake_http_header(http, "content-encoding", 0, &value));
    fake_http_free(http);
}

static void a_large_yaml_is_compressed_too(void **state)
{
    api_world *world = *state;
    fill(world, 100, SIZE);
    fake_http_request request = { .method = "GET",
                                  .target = LIST,
                                  .headers = { "accept", "application/yaml", "accept-encoding",
                                               "gzip" } };
    fake_http *http = api_world_ask(world, &request);
    lw_buf got;
    lw_buf_init(&got, 64 << 20);
    assert_header(http, "content-encoding", "gzip");
    unzip(lw_buf_view(&http->body), &got);
    assert_true(lw_str_starts_with(lw_buf_view(&got), LW_STR("apiVersion: v1\nitems:\n- data:\n")));
    fake_http_free(http);
    lw_buf_done(&got);
}

static size_t count_text(const lw_buf *body, const char *text)
{
    size_t count = 0;
    lw_str rest = lw_buf_view(body);
    const char *at;
    while (rest.len > 0 && (at = memmem(rest.ptr, rest.len, text, strlen(text)))) {
        count++;
        rest = lw_str_make(at + 1, (size_t)(rest.ptr + rest.len - at - 1));
    }
    return count;
}

static void other_forms_are_streamed_as_well(void **state)
{
    api_world *world = *state;
    fill(world, COUNT, SIZE);
    fake_http *table = ask_as(world, LIST, TABLE, 200);
    fake_http *partial = ask_as(world, LIST, PARTIAL_LIST, 200);
    fake_http *pretty = ask(world, LIST "?pretty=1", 200);
    run_to_the_end(world, table);
    run_to_the_end(world, partial);
    run_to_the_end(world, pretty);
    assert_true(table->is_streamed && partial->is_streamed && pretty->is_streamed);
    assert_int_equal(count_text(&table->body, "{\"cells\":["), COUNT);
    assert_int_equal(count_text(&table->body, "\"columnDefinitions\":["), 1);
    assert_int_equal(count_text(&partial->body,
                                "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":"
                                "\"meta.k8s.io/v1\",\"metadata\":{"),
                     COUNT);
    assert_body_has(partial, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                             "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"400\"},"
                             "\"items\":[{\"kind\":\"PartialObjectMetadata\"");
    assert_int_equal(count_text(&pretty->body, "\n    {\n      \"metadata\": {"), COUNT);
    assert_true(lw_str_ends_with(lw_buf_view(&pretty->body), LW_STR("\n    }\n  ]\n}")));
    fake_http_free(table);
    fake_http_free(partial);
    fake_http_free(pretty);
}

static void objects_that_begin_otherwise_lose_their_kind_all_the_same(void **state)
{
    api_world *world = *state;
    assert_true(api_world_put(world, "configmaps/default/odd",
                              "{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"odd\",\"namespace\":"
                              "\"default\",\"resourceVersion\":\"\"},\"kind\":\"ConfigMap\","
                              "\"data\":{\"kind\":\"kept\"}}") > 0);
    assert_answer(world, LIST, 200,
                  "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
                  "\"resourceVersion\":\"1\"},\"items\":[{\"metadata\":{\"name\":\"odd\","
                  "\"namespace\":\"default\",\"resourceVersion\":\"1\"},\"data\":{\"kind\":"
                  "\"kept\"}}]}\n");
    fill(world, 100, SIZE);
    fake_http *http = ask(world, LIST, 200);
    run_to_the_end(world, http);
    assert_true(http->is_streamed);
    assert_body_has(http, ",{\"metadata\":{\"name\":\"odd\",");
    fake_http_free(http);
}

/* Lists of custom resources go out as Go prints maps, with whole items. */
static void custom_resources_keep_their_kind(void **state)
{
    (void)state;
    static const lw_kind widget = { .group = LW_STR_INIT("ex.io"),
                                    .version = LW_STR_INIT("v1"),
                                    .kind = LW_STR_INIT("Widget"),
                                    .list_kind = LW_STR_INIT("WidgetList"),
                                    .flags = LW_KIND_CUSTOM };
    static const char json[] = "{\"apiVersion\":\"ex.io/v1\",\"kind\":\"Widget\",\"metadata\":{"
                               "\"name\":\"w\"}}";
    const lw_api_list_metadata metadata = { 7, LW_STR_INIT("tok"), 3 };
    lw_list_writer writer;
    lw_object *obj = NULL;
    lw_buf out;
    lw_str tail;
    lw_buf_init(&out, 10000);
    assert_int_equal(lw_object_from_json(&obj, json, strlen(json), NULL), LW_OK);
    assert_int_equal(lw_list_writer_init(&writer, &widget, LW_MEDIA_AS_IS, NULL, &metadata, &out,
                                         LW_JSON_COMPACT),
                     LW_OK);
    lw_list_writer_begin(&writer);
    lw_list_writer_item(&writer, obj);
    lw_list_writer_item(&writer, obj);
    lw_list_writer_end(&writer);
    assert_int_equal(lw_list_writer_status(&writer), LW_OK);
    assert_str_equal(
        lw_buf_view(&out),
        "{\"apiVersion\":\"ex.io/v1\",\"items\":[{\"apiVersion\":\"ex.io/v1\",\"kind\":"
        "\"Widget\",\"metadata\":{\"name\":\"w\"}},{\"apiVersion\":\"ex.io/v1\","
        "\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"}}],\"kind\":\"WidgetList\","
        "\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"tok\","
        "\"remainingItemCount\":3}}");
    assert_true(lw_list_writer_tail(&writer, obj, &tail));
    assert_str_equal(tail, json + 1);
    lw_list_writer_done(&writer);
    lw_object_unref(obj);
    lw_buf_done(&out);
}

/* What the list must be as YAML: its JSON, converted at once. */
static void expect_yaml(api_world *world, const char *target, const char *accept, lw_buf *out)
{
    fake_http *http = api_world_get(world, target, accept);
    run_to_the_end(world, http);
    lw_buf_init(out, 64 << 20);
    assert_int_equal(lw_media_append_yaml(lw_str_trim(lw_buf_view(&http->body)), out), LW_OK);
    fake_http_free(http);
}

static void assert_yaml_is_streamed(api_world *world, const char *target, const char *as_json,
                                    const char *as_yaml)
{
    lw_buf expected;
    expect_yaml(world, target, as_json, &expected);
    fake_http *http = ask_as(world, target, as_yaml, 200);
    assert_true(http->is_streamed);
    run_to_the_end(world, http);
    assert_same(http, &expected);
    fake_http_free(http);
    lw_buf_done(&expected);
}

static void yaml_is_streamed_byte_for_byte_the_same(void **state)
{
    api_world *world = *state;
    static const char *const texts[] = { "a\nb\n\n",    "\n",     " leading", "x: y # z",
                                         "true",        "0x1f",   "",         "tail\n",
                                         "\u2028 line", "- dash", "{}",       "|+" };
    fill(world, 100, SIZE);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "t%04zu", i);
        assert_true(api_world_put_config(world, "default", name, "v", texts[i]) > 0);
    }
    assert_yaml_is_streamed(world, LIST, "application/json", "application/yaml");
    assert_yaml_is_streamed(world, LIST "?limit=90", "application/json", "application/yaml");
}

static void yaml_of_a_slow_client_is_made_as_it_is_taken(void **state)
{
    api_world *world = *state;
    fill(world, COUNT, SIZE);
    fake_http_request request = { .method = "GET",
                                  .target = LIST,
                                  .headers = { "accept", "application/yaml" } };
    fake_http *http = fake_http_new(world->loop, &request);
    http->is_slow = true;
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    api_world_turns(world, 50);
    assert_true(http->body.len < LW_HTTP_QUEUE_HIGH + 256 * 1024);
    run_to_the_end(world, http);
    assert_true(http->body.len > (size_t)COUNT * SIZE);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(a_small_list_is_replied_whole),
        WORLD_TEST(a_large_list_is_streamed_byte_for_byte_the_same),
        WORLD_TEST(a_slow_client_holds_no_more_than_its_queue),
        WORLD_TEST(streaming_copies_nothing),
        WORLD_TEST(a_client_that_leaves_leaves_nothing),
        WORLD_TEST(a_stream_without_memory_is_cut_visibly),
        WORLD_TEST(a_list_without_memory_is_whole_or_visibly_not),
        WORLD_TEST(a_large_list_is_compressed_where_that_is_taken),
        WORLD_TEST(a_list_below_128_kib_is_not_compressed),
        WORLD_TEST(a_large_yaml_is_compressed_too),
        WORLD_TEST(other_forms_are_streamed_as_well),
        WORLD_TEST(yaml_is_streamed_byte_for_byte_the_same),
        WORLD_TEST(yaml_of_a_slow_client_is_made_as_it_is_taken),
        WORLD_TEST(objects_that_begin_otherwise_lose_their_kind_all_the_same),
        TEST(custom_resources_keep_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
