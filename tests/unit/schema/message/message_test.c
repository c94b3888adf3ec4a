/* SPDX-License-Identifier: Apache-2.0 */
/* message_test.c -- lists and watches in protobuf: as servers send them, in any chunks, and
 * damaged.
 */
#include "schema/message/message.h"

#include <listwatch/field_selector.h>
#include <listwatch/match.h>
#include <listwatch/object_iter.h>

#include "api/media/watch_frame.h"
#include "base/str.h"
#include "object/object.h"
#include "schema/message/message_parts.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_wire.h"
#include "unit/test.h"

enum {
    OUT_MAX = 16 * 1024 * 1024,
};

static const char pod_json[] =
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\","
    "\"uid\":\"u-1\",\"resourceVersion\":\"7\",\"creationTimestamp\":\"2026-01-02T03:04:05Z\","
    "\"labels\":{\"app\":\"web\",\"tier\":\"front\"},\"annotations\":{\"a/b~c\":\"slash\"},"
    "\"managedFields\":[{\"manager\":\"kubectl\",\"operation\":\"Update\"}]},"
    "\"spec\":{\"containers\":[{\"name\":\"one\",\"image\":\"nginx\",\"ports\":[{\"containerPort\":"
    "80}],\"resources\":{\"requests\":{\"cpu\":\"100m\"}}},{\"name\":\"two\",\"resources\":{}}],"
    "\"nodeName\":\"n1\",\"hostNetwork\":true},\"status\":{\"phase\":\"Running\"}}";

/* What the list has seen. */
typedef struct seen {
    lw_buf names;
    lw_object *last;
    unsigned errors, bookmarks, initial_ends;
} seen;

static void seen_init(seen *s)
{
    *s = (seen){ .last = NULL };
    lw_buf_init(&s->names, OUT_MAX);
}

static void seen_done(seen *s)
{
    lw_buf_done(&s->names);
    lw_object_unref(s->last);
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    seen *s = arg;
    (void)err;
    lw_buf_printf(&s->names, "%s ", lw_object_name(obj));
    lw_object_unref(s->last);
    s->last = lw_object_ref(obj);
    return LW_OK;
}

static lw_status on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    seen *s = arg;
    (void)err;
    s->errors += event->error && event->error->code == LW_ERR_EXPIRED;
    s->bookmarks += event->type == LW_WATCH_BOOKMARK;
    s->initial_ends += event->is_initial_events_end;
    lw_buf_printf(&s->names, "%s %s; ", lw_watch_event_type_name(event->type),
                  lw_object_name(event->object));
    return LW_OK;
}

static lw_object *object_of(const char *json)
{
    lw_buf bytes;
    lw_object *obj = NULL;
    const lw_read_options read = LW_READ_OPTIONS_INIT;
    lw_buf_init(&bytes, OUT_MAX);
    assert_int_equal(lw_proto_write_document(lw_str_of(json), &bytes, NULL), LW_OK);
    assert_int_equal(lw_message_object(&obj, lw_buf_view(&bytes), &read, NULL), LW_OK);
    lw_buf_done(&bytes);
    return obj;
}

/* A list of three pods. */
static void make_list(lw_buf *out)
{
    const lw_type *type = lw_proto_type(LW_STR("v1"), LW_STR("Pod"));
    lw_buf pod, items;
    lw_buf_init(&pod, OUT_MAX);
    lw_buf_init(&items, OUT_MAX);
    lw_proto_put_bytes(&pod, 2, LW_STR("41"));
    lw_proto_put_bytes(&pod, 3, LW_STR("more"));
    lw_proto_put_int(&pod, 4, 12);
    lw_proto_put_bytes(&items, 1, lw_buf_view(&pod));
    for (int i = 0; i < 3; i++) {
        lw_buf_reset(&pod);
        assert_int_equal(lw_proto_write(type, LW_STR(pod_json), &pod, NULL), LW_OK);
        lw_proto_put_bytes(&items, 2, lw_buf_view(&pod));
    }
    lw_proto_envelope_begin(out, LW_STR("v1"), LW_STR("PodList"), items.len);
    lw_buf_append_str(out, lw_buf_view(&items));
    lw_proto_envelope_end(out);
    lw_buf_done(&pod);
    lw_buf_done(&items);
}

/* Feeds |bytes| in chunks of |chunk|; returns the first failure. */
static lw_status read_list(lw_str bytes, size_t chunk, size_t max_object, seen *s,
                           lw_list_metadata *metadata)
{
    lw_list_reader_options options = { .on_object = on_object, .arg = s };
    lw_message_list *list = NULL;
    lw_status st = LW_OK;
    options.read.max_object_size = max_object;
    assert_int_equal(lw_message_list_new(&list, &options, NULL), LW_OK);
    while (st == LW_OK && bytes.len > 0) {
        size_t len = chunk < bytes.len ? chunk : bytes.len;
        st = lw_message_list_feed(list, bytes.ptr, len, NULL);
        bytes = lw_str_skip(bytes, len);
    }
    if (st == LW_OK)
        st = lw_message_list_finish(list, NULL);
    if (st == LW_OK && metadata) {
        *metadata = *lw_message_list_metadata(list);
        assert_string_equal(metadata->resource_version, "41");
        assert_string_equal(metadata->continue_token, "more");
        assert_string_equal(metadata->kind, "PodList");
        assert_string_equal(metadata->api_version, "v1");
        assert_int_equal(metadata->remaining_item_count, 12);
    }
    lw_message_list_free(list);
    return st;
}

static void a_list_is_read_in_chunks_of_any_size(void **state)
{
    static const size_t chunks[] = { 1, 2, 3, 7, 64, 1000, OUT_MAX };
    lw_buf bytes;
    (void)state;
    lw_buf_init(&bytes, OUT_MAX);
    make_list(&bytes);
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
        seen s;
        lw_list_metadata metadata;
        seen_init(&s);
        assert_int_equal(read_list(lw_buf_view(&bytes), chunks[i], 0, &s, &metadata), LW_OK);
        assert_true(lw_str_equal(lw_buf_view(&s.names), LW_STR("web web web ")));
        assert_string_equal(lw_object_kind(s.last), "Pod");
        assert_true(lw_str_starts_with(lw_object_json(s.last), LW_STR("{\"metadata\":{\"name\"")));
        seen_done(&s);
    }
    lw_buf_done(&bytes);
}

static void a_truncated_list_is_an_error(void **state)
{
    lw_buf bytes;
    (void)state;
    lw_buf_init(&bytes, OUT_MAX);
    make_list(&bytes);
    for (size_t len = 0; len + LW_PROTO_ENVELOPE_END < bytes.len; len++) {
        seen s;
        seen_init(&s);
        lw_status st = read_list(lw_str_make(bytes.data, len), 100, 0, &s, NULL);
        assert_int_equal(st, LW_ERR_SYNTAX);
        seen_done(&s);
    }
    lw_buf_done(&bytes);
}

static void an_item_beyond_the_limit_is_refused_before_it_is_read(void **state)
{
    lw_buf bytes;
    seen s;
    (void)state;
    seen_init(&s);
    lw_buf_init(&bytes, OUT_MAX);
    make_list(&bytes);
    assert_int_equal(read_list(lw_buf_view(&bytes), 10, 50, &s, NULL), LW_ERR_LIMIT);
    assert_int_equal(read_list(lw_buf_view(&bytes), 10, 280, &s, NULL), LW_OK);
    assert_int_equal(read_list(lw_buf_view(&bytes), 10, 200, &s, NULL), LW_ERR_LIMIT);
    lw_buf_done(&bytes);
    seen_done(&s);
}

static lw_status read_frames(lw_str bytes, size_t chunk, seen *s)
{
    const lw_event_reader_options options = { .on_event = on_event, .arg = s };
    lw_message_events *events = NULL;
    lw_status st = LW_OK;
    assert_int_equal(lw_message_events_new(&events, &options, NULL), LW_OK);
    while (st == LW_OK && bytes.len > 0) {
        size_t len = chunk < bytes.len ? chunk : bytes.len;
        st = lw_message_events_feed(events, bytes.ptr, len, NULL);
        bytes = lw_str_skip(bytes, len);
    }
    if (st == LW_OK)
        st = lw_message_events_finish(events, NULL);
    lw_message_events_free(events);
    return st;
}

static void events_are_read_in_chunks_of_any_size(void **state)
{
    static const char bookmark[] =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\","
        "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}";
    static const char status[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                 "\"status\":\"Failure\",\"reason\":\"Expired\",\"code\":410}";
    lw_buf bytes;
    (void)state;
    lw_buf_init(&bytes, OUT_MAX);
    lw_watch_frame_write(LW_WATCH_ADDED, LW_STR(pod_json), false, &bytes);
    lw_watch_frame_write(LW_WATCH_BOOKMARK, LW_STR(bookmark), false, &bytes);
    lw_watch_frame_write(LW_WATCH_DELETED, LW_STR(pod_json), false, &bytes);
    lw_watch_frame_write(LW_WATCH_ERROR, LW_STR(status), false, &bytes);
    for (size_t chunk = 1; chunk < bytes.len + 100; chunk = 2 * chunk + 1) {
        seen s;
        seen_init(&s);
        assert_int_equal(read_frames(lw_buf_view(&bytes), chunk, &s), LW_OK);
        assert_true(lw_str_equal(lw_buf_view(&s.names),
                                 LW_STR("ADDED web; BOOKMARK ; DELETED web; ERROR ; ")));
        assert_int_equal(s.errors, 1);
        assert_int_equal(s.initial_ends, 1);
        seen_done(&s);
    }
    seen s;
    seen_init(&s);
    assert_int_equal(read_frames(lw_str_make(bytes.data, bytes.len - 1), 50, &s), LW_ERR_SYNTAX);
    assert_int_equal(read_frames(LW_STR("\x7F\xFF\xFF\xFF...."), 50, &s), LW_ERR_LIMIT);
    seen_done(&s);
    lw_buf_done(&bytes);
}

static void an_object_keeps_its_message_without_managed_fields(void **state)
{
    lw_object *obj = object_of(pod_json), *copy = NULL;
    (void)state;
    assert_null(memmem((const char *)obj + obj->json_at, obj->json_len, "kubectl", 7));
    assert_string_equal(lw_object_string(obj, "/spec/nodeName", "?"), "n1");
    assert_string_equal(lw_object_annotation(obj, "a/b~c"), "slash");
    assert_null(lw_object_annotation(obj, "a"));
    assert_string_equal(lw_object_label(obj, "tier"), "front");
    assert_int_equal(lw_object_int(obj, "/spec/containers/0/ports/0/containerPort", 0), 80);
    assert_true(lw_object_bool(obj, "/spec/hostNetwork", false));
    assert_string_equal(lw_object_string(obj, "/spec/containers/0/resources/requests/cpu", "?"),
                        "100m");
    assert_string_equal(lw_object_string(obj, "/metadata/creationTimestamp", "?"),
                        "2026-01-02T03:04:05Z");
    assert_string_equal(lw_object_string(obj, "spec", "malformed"), "malformed");
    assert_int_equal(lw_object_with_revision(&copy, obj, 99), LW_OK);
    assert_string_equal(lw_object_string(copy, "/metadata/resourceVersion", "?"), "99");
    assert_string_equal(lw_object_kind(copy), "Pod");
    lw_object_unref(copy);
    lw_object_unref(obj);
}

static void containers_are_walked(void **state)
{
    lw_object *obj = object_of(pod_json);
    lw_iter c = lw_object_iter(obj, "/spec/containers");
    (void)state;
    assert_true(lw_iter_next(&c));
    assert_string_equal(lw_iter_string(&c, "/image", "?"), "nginx");
    lw_iter p = lw_iter_enter(&c, "/ports");
    assert_true(lw_iter_next(&p));
    assert_int_equal(lw_iter_int(&p, "/containerPort", 0), 80);
    assert_true(lw_iter_next(&c));
    assert_string_equal(lw_iter_string(&c, "/name", "?"), "two");
    assert_string_equal(lw_iter_string(&c, "/name", "?"), "two");
    assert_false(lw_iter_next(&c));
    lw_object_unref(obj);
}

static bool selects(const char *selector, const lw_object *obj)
{
    lw_field_selector *fields = NULL;
    assert_int_equal(lw_field_selector_parse(&fields, lw_str_of(selector), NULL), LW_OK);
    bool is_match = lw_field_selector_matches_object(fields, obj);
    lw_field_selector_free(fields);
    return is_match;
}

static void field_selectors_read_the_message(void **state)
{
    static const char *const selectors[] = {
        "spec.nodeName=n1",
        "spec.nodeName=n2",
        "spec.nodeName!=n2",
        "status.phase=Running",
        "spec.hostNetwork=true",
        "spec.hostNetwork!=true",
        "spec.hostPID=",
        "spec.containers=",
        "spec.containers.0.name=one",
        "metadata.name=web",
        "spec=",
        "spec.nothing=",
        "metadata.creationTimestamp=2026-01-02T03:04:05Z",
        "kind=Pod",
        "metadata.labels.app=web",
        "metadata.labels.app=x",
    };
    lw_object *obj = object_of(pod_json), *json = NULL;
    (void)state;
    assert_int_equal(lw_object_from_json(&json, pod_json, strlen(pod_json), NULL), LW_OK);
    for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++)
        if (selects(selectors[i], obj) != selects(selectors[i], json))
            fail_msg("%s is %d", selectors[i], selects(selectors[i], obj));
    lw_object_unref(json);
    lw_object_unref(obj);
}

/* A pod whose message ends with |more|. */
static lw_status read_pod_with(lw_str more, lw_error *err)
{
    const lw_type *type = lw_proto_type(LW_STR("v1"), LW_STR("Pod"));
    const lw_read_options read = LW_READ_OPTIONS_INIT;
    lw_buf message, bytes;
    lw_object *obj = NULL;
    lw_buf_init(&message, OUT_MAX);
    lw_buf_init(&bytes, OUT_MAX);
    assert_int_equal(lw_proto_write(type, LW_STR(pod_json), &message, NULL), LW_OK);
    lw_buf_append_str(&message, more);
    lw_proto_envelope_begin(&bytes, LW_STR("v1"), LW_STR("Pod"), message.len);
    lw_buf_append_str(&bytes, lw_buf_view(&message));
    lw_proto_envelope_end(&bytes);
    lw_status st = lw_message_object(&obj, lw_buf_view(&bytes), &read, err);
    lw_buf_done(&message);
    lw_buf_done(&bytes);
    lw_object_unref(obj);
    return st;
}

static void a_field_of_a_newer_server_is_not_lost_silently(void **state)
{
    lw_error err = LW_ERROR_INIT;
    (void)state;
    assert_int_equal(read_pod_with(LW_STR(""), &err), LW_OK);
    assert_int_equal(read_pod_with(LW_STR("\x4A\x01x"), &err), LW_ERR_UNSUPPORTED); /* 9 */
    assert_non_null(strstr(err.message, "field 9 of v1.Pod"));
    assert_int_equal(read_pod_with(lw_str_make("\x12\x00", 2), &err), LW_ERR_SYNTAX); /* spec */
    assert_int_equal(read_pod_with(LW_STR("\x10\x01"), &err), LW_ERR_SYNTAX);         /* spec = 1 */
    assert_int_equal(read_pod_with(LW_STR("\x4A\x7Fx"), &err), LW_ERR_SYNTAX);
}

static void a_message_that_was_good_before_is_checked_if_a_byte_differs(void **state)
{
    static const char json[] =
        "{\"spec\":{\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":"
        "\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]}}";
    const lw_type *type = lw_proto_type(LW_STR("v1"), LW_STR("Pod"));
    static lw_known_messages known;
    lw_buf message;
    (void)state;
    lw_buf_init(&message, OUT_MAX);
    assert_int_equal(lw_proto_write(type, LW_STR(json), &message, NULL), LW_OK);
    for (int round = 0; round < 2; round++)
        assert_true(lw_message__is_good(type, lw_buf_view(&message), &known));
    for (size_t at = 0; at < message.len; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            message.data[at] = (char)(message.data[at] ^ 1 << bit);
            assert_int_equal(lw_message__is_good(type, lw_buf_view(&message), &known),
                             lw_message__is_good(type, lw_buf_view(&message), NULL));
            message.data[at] = (char)(message.data[at] ^ 1 << bit);
        }
    }
    lw_buf_done(&message);
}

static void a_kind_without_tables_is_read_as_json(void **state)
{
    const lw_read_options read = LW_READ_OPTIONS_INIT;
    lw_buf bytes;
    lw_object *obj = NULL;
    (void)state;
    lw_buf_init(&bytes, OUT_MAX);
    lw_proto_envelope_begin(&bytes, LW_STR("example.com/v1"), LW_STR("Widget"), 0);
    lw_proto_envelope_end(&bytes);
    assert_int_equal(lw_message_object(&obj, lw_buf_view(&bytes), &read, NULL), LW_ERR_UNSUPPORTED);
    assert_false(lw_message_has_kind(LW_STR("example.com/v1"), LW_STR("Widget")));
    assert_false(lw_message_has_kind(LW_STR("v1"), LW_STR("PodList")));
    assert_true(lw_message_has_kind(LW_STR("apps/v1"), LW_STR("Deployment")));
    lw_buf_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_is_read_in_chunks_of_any_size),
        TEST(a_truncated_list_is_an_error),
        TEST(an_item_beyond_the_limit_is_refused_before_it_is_read),
        TEST(events_are_read_in_chunks_of_any_size),
        TEST(an_object_keeps_its_message_without_managed_fields),
        TEST(containers_are_walked),
        TEST(field_selectors_read_the_message),
        TEST(a_field_of_a_newer_server_is_not_lost_silently),
        TEST(a_message_that_was_good_before_is_checked_if_a_byte_differs),
        TEST(a_kind_without_tables_is_read_as_json),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
