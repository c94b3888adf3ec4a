/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_message.c -- any bytes as a list, a watch and an object in protobuf, in chunks.  An object
 * that was made can be written as JSON, and answers the same as an object of that JSON. */
#include <stdlib.h>

#include "base/str.h"
#include "object/object.h"
#include "schema/message/message.h"
#include "schema/message/message_parts.h"
#include "schema/proto/proto.h"
#include "json/scan.h"

enum {
    JSON_MAX = 16 << 20,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_controller(const lw_object *obj, const lw_object *json)
{
    lw_owner_reference a, b;
    bool has_one = lw_object_controller(obj, &a);
    must(has_one == lw_object_controller(json, &b));
    must(!has_one || (lw_str_equal(a.kind, b.kind) && lw_str_equal(a.name, b.name) &&
                      lw_str_equal(a.uid, b.uid) && lw_str_equal(a.api_version, b.api_version)));
}

static void check_object(const lw_object *obj)
{
    static const char *const pointers[] = { "",
                                            "/metadata/name",
                                            "/spec/nodeName",
                                            "/status",
                                            "/spec",
                                            "/spec/containers/0/name",
                                            "/data/a",
                                            "/metadata",
                                            "/metadata/labels",
                                            "/spec/versions/0/schema",
                                            "/spec/replicas" };
    lw_object *json = NULL;
    lw_buf text;
    lw_buf_init(&text, JSON_MAX);
    lw_status st = lw_object__append_json(obj, &text);
    must(st == LW_OK || st == LW_ERR_LIMIT);
    if (st == LW_OK && lw_json_validate(lw_buf_view(&text), 0, NULL) == LW_OK &&
        lw_object_from_json(&json, text.data, text.len, NULL) == LW_OK) {
        must(lw_str_equal(lw_str_of(lw_object_name(obj)), lw_str_of(lw_object_name(json))));
        for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
            lw_str a, b;
            lw_status x = lw_object_raw(obj, pointers[i], &a);
            must(x == lw_object_raw(json, pointers[i], &b));
            must(x < 0 || lw_str_equal(a, b));
            x = lw_object_get_string(obj, pointers[i], &a);
            must(x == lw_object_get_string(json, pointers[i], &b));
            must(x < 0 || lw_str_equal(a, b));
            must(lw_object_int(obj, pointers[i], 1) == lw_object_int(json, pointers[i], 1));
        }
        check_controller(obj, json);
    }
    lw_object_unref(json);
    lw_buf_done(&text);
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)arg;
    (void)err;
    check_object(obj);
    return LW_OK;
}

static lw_status on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)arg;
    (void)err;
    if (event->object)
        check_object(event->object);
    return LW_OK;
}

static void feed_list(lw_str bytes, size_t chunk)
{
    const lw_list_reader_options options = { .on_object = on_object };
    lw_message_list *list = NULL;
    lw_status st = lw_message_list_new(&list, &options, NULL);
    while (st == LW_OK && bytes.len > 0) {
        size_t len = chunk < bytes.len ? chunk : bytes.len;
        st = lw_message_list_feed(list, bytes.ptr, len, NULL);
        bytes = lw_str_skip(bytes, len);
    }
    if (st == LW_OK)
        (void)!lw_message_list_finish(list, NULL);
    lw_message_list_free(list);
}

static void feed_events(lw_str bytes, size_t chunk)
{
    const lw_event_reader_options options = { .on_event = on_event };
    lw_message_events *events = NULL;
    lw_status st = lw_message_events_new(&events, &options, NULL);
    while (st == LW_OK && bytes.len > 0) {
        size_t len = chunk < bytes.len ? chunk : bytes.len;
        st = lw_message_events_feed(events, bytes.ptr, len, NULL);
        bytes = lw_str_skip(bytes, len);
    }
    lw_message_events_free(events);
}

/* The bytes as the message of an object; the fast check accepts nothing that the other rejects. */
static void feed_message(lw_str bytes, lw_str api_version, lw_str kind)
{
    const lw_type *type = lw_proto_type(api_version, kind);
    const lw_read_options read = { .keeps_managed_fields = true };
    lw_object *obj = NULL;
    lw_buf document;
    static lw_known_messages known; /* also of other inputs: it must not matter */
    if (lw_message__is_good(type, bytes, NULL))
        must(lw_message__check(type, bytes, 0, NULL) == LW_OK);
    must(lw_message__is_good(type, bytes, NULL) == lw_message__is_good(type, bytes, &known));
    lw_buf_init(&document, JSON_MAX);
    lw_proto_envelope_begin(&document, api_version, kind, bytes.len);
    lw_buf_append_str(&document, bytes);
    lw_proto_envelope_end(&document);
    if (lw_message_object(&obj, lw_buf_view(&document), &read, NULL) == LW_OK)
        check_object(obj);
    lw_object_unref(obj);
    lw_buf_done(&document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    size_t chunk = (size_t)data[0] + 1;
    lw_str bytes = lw_str_make((const char *)data + 1, size - 1);
    feed_list(bytes, chunk);
    feed_events(bytes, chunk);
    feed_message(bytes, LW_STR("v1"), LW_STR("Pod"));
    feed_message(bytes, LW_STR("apiextensions.k8s.io/v1"), LW_STR("CustomResourceDefinition"));
    return 0;
}
