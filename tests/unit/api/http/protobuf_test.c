/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf_test.c -- bodies, replies, lists and watches in protobuf: they say what those in JSON
 * say. */
#include "api/media/watch_frame.h"
#include "base/alloc.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_wire.h"
#include "unit/api/sent.h"

#define PROTOBUF "application/vnd.kubernetes.protobuf"
#define PARTIALS PROTOBUF ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
#define CONFIGS  "/api/v1/namespaces/default/configmaps"
#define CRDS     "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS  "/apis/example.com/v1/namespaces/default/widgets"

enum {
    JSON_MAX = 64 * 1024 * 1024,
};

/* |bytes|, an envelope, as JSON with a newline behind it. */
static void read_envelope(lw_str bytes, lw_buf *json)
{
    lw_error err = LW_ERROR_INIT;
    lw_proto_document document;
    if (lw_proto_open(bytes, &document, &err) < 0)
        fail_msg("%s: %.*s", err.message, LW_STR_ARG(bytes));
    const lw_type *type = lw_proto_type(document.api_version, document.kind);
    assert_non_null(type);
    if (lw_proto_read(type, &document, document.message, json, &err) < 0)
        fail_msg("%s", err.message);
    lw_buf_append_char(json, '\n');
}

/* GET |target| in protobuf says what it says in JSON. */
static void assert_same_at(api_world *world, const char *target, const char *accept,
                           const char *accept_json, int status, int line)
{
    fake_http *proto = ask_as_at(world, target, accept, status, __FILE__, line);
    for (int i = 0; i < 1000 && !proto->is_ended; i++)
        api_world_turns(world, 1);
    fake_http *plain = ask_as_at(world, target, accept_json, status, __FILE__, line);
    for (int i = 0; i < 1000 && !plain->is_ended; i++)
        api_world_turns(world, 1);
    lw_buf json;
    lw_buf_init(&json, JSON_MAX);
    assert_header_at(proto, "Content-Type", PROTOBUF, __FILE__, line);
    read_envelope(lw_buf_view(&proto->body), &json);
    if (!lw_str_equal(lw_buf_view(&json), lw_buf_view(&plain->body))) {
        print_error("%zu bytes differ from %zu: %.300s\n%.300s\n", json.len, plain->body.len,
                    json.data, plain->body.data);
        _fail(__FILE__, line);
    }
    lw_buf_done(&json);
    fake_http_free(proto);
    fake_http_free(plain);
}
#define assert_same(world, target, status)                                                         \
    assert_same_at((world), (target), PROTOBUF, NULL, (status), __LINE__)

static void put_many(api_world *world, int count, size_t size)
{
    char name[32];
    char *data = malloc(size + 1);
    assert_non_null(data);
    memset(data, 'x', size);
    data[size] = '\0';
    for (int i = 0; i < count; i++) {
        (void)snprintf(name, sizeof(name), "c%03d", i);
        assert_true(api_world_put_config(world, "default", name, "y", data) > 0);
    }
    free(data);
}

/* Items in protobuf do not say what they are, unlike those in JSON. */
static void assert_partial(api_world *world)
{
    fake_http *http = ask_as(world, CONFIGS, PARTIALS, 200);
    for (int i = 0; i < 1000 && !http->is_ended; i++)
        api_world_turns(world, 1);
    lw_buf json;
    lw_buf_init(&json, JSON_MAX);
    read_envelope(lw_buf_view(&http->body), &json);
    lw_buf_append_char(&json, '\0');
    assert_non_null(strstr(json.data, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                                      "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":"));
    assert_non_null(strstr(json.data, "{\"metadata\":{\"name\":\"c002\",\"namespace\":"
                                      "\"default\",\"uid\":\"u-c002\",\"resourceVersion\":\"3\","
                                      "\"creationTimestamp\":\"2026-11-15T01:49:24Z\",\"labels\":"
                                      "{\"x\":\"y\"}}}"));
    lw_buf_done(&json);
    fake_http_free(http);
}

static void objects_lists_and_errors_are_those_of_json(void **state)
{
    api_world *world = *state;
    put_many(world, 3, 10);
    assert_same(world, CONFIGS "/c001", 200);
    assert_same(world, CONFIGS, 200);
    assert_same(world, CONFIGS "/none", 404);
    assert_same(world, "/api/v1/nones", 404);
    assert_partial(world);
}

static void a_long_list_is_streamed_and_says_its_length_first(void **state)
{
    api_world *world = *state;
    put_many(world, 200, 10000);
    fake_http *http = ask_as(world, CONFIGS, PROTOBUF, 200);
    assert_true(http->is_streamed);
    fake_http_free(http);
    assert_same(world, CONFIGS, 200);
    assert_partial(world);
    assert_same(world, CONFIGS "?limit=150", 200);
}

/* Writes |json| as protobuf. */
static void write_envelope(const char *json, lw_buf *bytes)
{
    lw_buf_init(bytes, JSON_MAX);
    assert_int_equal(lw_proto_write_document(lw_str_of(json), bytes, NULL), LW_OK);
}

static fake_http *send_bytes(api_world *world, const char *method, const char *target, lw_str body,
                             int status)
{
    fake_http_request request = { .method = method, .target = target, .body = body };
    request.headers[0] = "content-type";
    request.headers[1] = PROTOBUF;
    fake_http *http = api_world_ask(world, &request);
    assert_non_null(http);
    await(world, http);
    if (http->status != status)
        fail_msg("%s %s: %d instead of %d: %.*s", method, target, http->status, status,
                 LW_STR_ARG(lw_buf_view(&http->body)));
    return http;
}

static void send_proto(api_world *world, const char *method, const char *target, const char *json,
                       int status, const char *part)
{
    lw_buf bytes;
    write_envelope(json, &bytes);
    fake_http *http = send_bytes(world, method, target, lw_buf_view(&bytes), status);
    assert_body_has(http, part);
    fake_http_free(http);
    lw_buf_done(&bytes);
}

static void bodies_are_read_from_protobuf(void **state)
{
    api_world *world = *state;
    send_proto(world, "POST", CONFIGS,
               "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
               "\"data\":{\"k\":\"1\"}}",
               201, "\"data\":{\"k\":\"1\"}");
    send_proto(world, "PUT", CONFIGS "/a",
               "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
               "\"data\":{\"k\":\"2\"}}",
               200, "\"data\":{\"k\":\"2\"}");
    send_proto(world, "DELETE", CONFIGS "/a",
               "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{\"uid\":\"x\"}"
               "}",
               409, "the UID in the precondition (x)");
    send_proto(world, "DELETE", CONFIGS "/a",
               "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0}", 200,
               "\"status\":\"Success\"");
}

static void clients_write_any_version_into_their_delete_options(void **state)
{
    api_world *world = *state;
    put_many(world, 1, 1);
    assert_sent_has(world, "DELETE", CONFIGS "/c000",
                    "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"apps/v1\"}", 200, "Success");
}

static void a_body_that_is_no_protobuf_of_the_kind_is_refused(void **state)
{
    api_world *world = *state;
    static const struct {
        lw_str body;
        const char *said;
    } rows[] = {
        { LW_STR_INIT(""), "(must be of type ConfigMap): empty data" },
        { LW_STR_INIT("{}"), "provided data does not appear to be a protobuf message" },
        { LW_STR_INIT("k8s\0"), "empty body (6b387300)" },
        { LW_STR_INIT("k8s\0\x0a\x05"), "(must be of type ConfigMap): unexpected EOF" },
        { LW_STR_INIT("k8s\0\x12\x02\x08\x01"), "ConfigMap in version \\\"v1\\\" cannot be handled "
                                                "as a ConfigMap: metadata: proto: wrong "
                                                "wireType" },
        { LW_STR_INIT("k8s\0\x0a\x08\x12\x06Secret"),
          "Secret in version \\\"v1\\\" cannot be handled as a ConfigMap: converting (v1.Secret) "
          "to "
          "(core.ConfigMap): unknown conversion" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fake_http *http = send_bytes(world, "POST", CONFIGS, rows[i].body, 400);
        assert_body_has(http, rows[i].said);
        fake_http_free(http);
    }
}

static void custom_resources_have_no_protobuf_but_their_metadata_has(void **state)
{
    api_world *world = *state;
    fake_http *http =
        send(world, "POST", CRDS,
             "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","
             "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
             "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
             "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}",
             201);
    fake_http_free(http);
    http = send_bytes(world, "POST", WIDGETS, LW_STR("k8s\0\x0a\x08\x12\x06Widget"), 415);
    fake_http_free(http);
    http = ask_as(world, WIDGETS, PROTOBUF, 406);
    assert_header(http, "Content-Type", PROTOBUF);
    assert_body_has(http, "only the following media types are accepted");
    fake_http_free(http);
    http = ask_as(world, WIDGETS, PROTOBUF ",application/json", 200);
    assert_header(http, "Content-Type", "application/json");
    fake_http_free(http);
    http = ask_as(world, WIDGETS, PARTIALS, 200);
    assert_header(http, "Content-Type", PROTOBUF);
    fake_http_free(http);
}

/* Appends the next event of |body|, which moves on, as a watch in JSON has it. */
static bool next_frame(lw_str *body, lw_buf *json)
{
    lw_str type, raw;
    lw_proto_item item;
    if (body->len < 4)
        return false;
    const unsigned char *p = (const unsigned char *)body->ptr;
    size_t len = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
    assert_true(len <= body->len - 4);
    lw_proto_reader event = { lw_str_make(body->ptr + 4, len), NULL };
    *body = lw_str_skip(*body, len + 4);
    assert_true(lw_proto_next(&event, &item) && item.number == 1);
    type = item.bytes;
    assert_true(lw_proto_next(&event, &item) && item.number == 2 && event.rest.len == 0);
    lw_proto_reader extension = { item.bytes, NULL };
    assert_true(lw_proto_next(&extension, &item) && item.number == 1);
    raw = item.bytes;
    lw_buf_printf(json, "{\"type\":\"%.*s\",\"object\":", LW_STR_ARG(type));
    read_envelope(raw, json);
    lw_buf_truncate(json, json->len - 1);
    lw_buf_append_text(json, "}\n");
    return true;
}

static void events_are_those_of_json(void **state)
{
    api_world *world = *state;
    put_many(world, 2, 10);
    static const char target[] = CONFIGS "?watch=1&resourceVersion=0&labelSelector=x%3Dy&"
                                         "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                         "allowWatchBookmarks=true";
    fake_http *proto = ask_as(world, target, PROTOBUF, 200);
    fake_http *other = ask_as(world, CONFIGS "?watch=1&resourceVersion=0", PROTOBUF, 200);
    fake_http *plain = ask(world, target, 200);
    assert_header(proto, "Content-Type", PROTOBUF ";stream=watch");
    assert_true(api_world_put_config(world, "default", "c000", "n", "1") > 0); /* leaves */
    assert_true(api_world_put_config(world, "default", "c000", "y", "2") > 0); /* comes */
    assert_true(api_world_put_config(world, "default", "c001", "y", "3") > 0);
    assert_true(api_world_delete(world, "configmaps/default/c001") > 0);
    api_world_turns(world, 5);
    lw_buf json;
    lw_buf_init(&json, JSON_MAX);
    for (lw_str rest = lw_buf_view(&proto->body); next_frame(&rest, &json);)
        ;
    assert_true(lw_str_equal(lw_buf_view(&plain->body), lw_buf_view(&json)));
    lw_str rest = lw_buf_view(&other->body);
    size_t events = 0;
    for (; next_frame(&rest, &json); events++)
        ;
    assert_int_equal(events, 6);
    const lw_api_port *port = lw_loop_data(world->loop);
    assert_non_null(port->forms); /* each was encoded like the one before */
    lw_buf_done(&json);
    fake_http_free(proto);
    fake_http_free(other);
    fake_http_free(plain);
}

static void a_watch_that_cannot_be_says_so_in_protobuf(void **state)
{
    api_world *world = *state;
    lw_buf json;
    put_many(world, 6, 1);
    assert_int_equal(lw_store_compact(world->store, 5, NULL), LW_OK);
    api_world_turns(world, 2);
    fake_http *http = ask_as(world, CONFIGS "?watch=1&resourceVersion=1", PROTOBUF, 200);
    lw_str rest = lw_buf_view(&http->body);
    lw_buf_init(&json, JSON_MAX);
    assert_true(next_frame(&rest, &json));
    lw_buf_append_char(&json, '\0');
    assert_non_null(strstr(json.data, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\""));
    assert_non_null(strstr(json.data, "\"reason\":\"Expired\""));
    lw_buf_done(&json);
    fake_http_free(http);
}

static void all_watches_send_the_same_bytes(void **state)
{
    (void)state;
    static const char json[] = "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
                               "\"name\":\"a\"}}";
    lw_object *obj = NULL;
    lw_form_budget *budget = NULL;
    lw_bytes first[LW_FRAME_PIECES], second[LW_FRAME_PIECES], third[LW_FRAME_PIECES];
    assert_int_equal(lw_form_budget_new(&budget, 1 << 20), LW_OK);
    assert_int_equal(lw_object_from_json(&obj, json, sizeof(json) - 1, NULL), LW_OK);
    assert_int_equal(lw_watch_frame_take(LW_WATCH_MODIFIED, lw_object_ref(obj), true, false, budget,
                                         NULL, first),
                     1);
    assert_int_equal(lw_watch_frame_take(LW_WATCH_MODIFIED, lw_object_ref(obj), true, true, budget,
                                         NULL, second),
                     1);
    assert_ptr_equal(second[0].ptr, first[0].ptr + 4);
    assert_int_equal(second[0].len, first[0].len - 4);
    assert_int_equal(lw_watch_frame_take(LW_WATCH_ADDED, lw_object_ref(obj), false, false, budget,
                                         NULL, third),
                     2);
    assert_ptr_equal(third[1].ptr + third[1].len, first[0].ptr + first[0].len);
    lw_bytes_release(first[0]);
    lw_bytes_release(second[0]);
    lw_bytes_release(third[0]);
    lw_bytes_release(third[1]);
    lw_object_unref(obj);
    lw_form_budget_unref(budget);
}

static void an_object_without_a_form_in_protobuf_is_not_sent(void **state)
{
    api_world *world = *state;
    assert_true(api_world_put(world, "configmaps/default/odd",
                              "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
                              "\"name\":\"odd\",\"namespace\":\"default\"},\"data\":1}") > 0);
    fake_http *http = ask_as(world, CONFIGS "/odd", PROTOBUF, 500);
    assert_body_has(http, "cannot be encoded as protobuf");
    fake_http_free(http);
    http = ask_as(world, CONFIGS "?watch=1&resourceVersion=0", PROTOBUF, 200);
    assert_true(http->is_aborted);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(objects_lists_and_errors_are_those_of_json),
        WORLD_TEST(a_long_list_is_streamed_and_says_its_length_first),
        SEEDED_TEST(bodies_are_read_from_protobuf),
        WORLD_TEST(clients_write_any_version_into_their_delete_options),
        SEEDED_TEST(a_body_that_is_no_protobuf_of_the_kind_is_refused),
        SEEDED_TEST(custom_resources_have_no_protobuf_but_their_metadata_has),
        WORLD_TEST(events_are_those_of_json),
        WORLD_TEST(a_watch_that_cannot_be_says_so_in_protobuf),
        TEST(all_watches_send_the_same_bytes),
        WORLD_TEST(an_object_without_a_form_in_protobuf_is_not_sent),
    };
    return cmocka_run_group_tests_name("protobuf", tests, NULL, NULL);
}
