/* SPDX-License-Identifier: Apache-2.0 */
/* object_scenarios.c -- objects, lists, events and manifests, with every allocation failing in
 * turn. */
#include <listwatch.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "object/compact/compact.h"
#include "object/compact/compact_reader.h"
#include "object/object.h"
#include "object/object_list.h"
#include "oom/oom.h"

static const char pod[] =
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
    "\"labels\":{\"b\":\"2\",\"a\":\"\\u0031\"},\"annotations\":{\"x\":\"y\"},"
    "\"managedFields\":[{}]},\"spec\":{\"nodeName\":\"n1\"}}";

static const char pods[] =
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\","
    "\"continue\":\"c\"},\"items\":[{\"metadata\":{\"name\":\"b\"}},{\"metadata\":{\"name\":\"a\"}}"
    "]}";

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status object_is_read_and_revised(lw_error *err)
{
    lw_object *obj = NULL, *revised = NULL;
    lw_status st = lw_object_from_json(&obj, pod, strlen(pod), err);
    if (st == LW_OK)
        st = lw_object_with_revision(&revised, obj, 7);
    if (st == LW_OK &&
        (strcmp(lw_object_label(revised, "a"), "1") != 0 || lw_object_revision(revised) != 7))
        st = wrong(err, "the revised object");
    lw_object_unref(obj);
    lw_object_unref(revised);
    return st;
}

static lw_status strings_are_decoded_on_demand(lw_error *err)
{
    lw_object *obj = NULL;
    lw_str text;
    lw_status st = lw_object_from_json(&obj, pod, strlen(pod), err);
    if (st == LW_OK)
        st = lw_object_get_string(obj, "/spec/nodeName", &text);
    if (st == LW_OK && !lw_str_equal(text, LW_STR("n1")))
        st = wrong(err, "the string");
    if (st == LW_OK && !lw_object_annotation(obj, "x"))
        st = LW_ERR_NOMEM;
    if (st == LW_OK && strcmp(lw_object_string(obj, "/spec/nodeName", "?"), "n1") != 0)
        st = wrong(err, "the string when read again");
    lw_object_unref(obj);
    return st;
}

/* Without memory an object stays as it is; reading a packed one fails or gives the answer. */
/* Appends the JSON of |packed|, without its first byte, after another one. */
static lw_status append_packed(lw_compact_reader *reader, const lw_object *packed,
                               const lw_object *obj, lw_error *err)
{
    bool is_appended = false;
    lw_buf out;
    lw_buf_init(&out, 4096);
    lw_buf_append_char(&out, ',');
    lw_status st = out.st;
    if (st == LW_OK)
        st = lw_compact_append(reader, packed, LW_STR("{\"meta"), 1, &out, &is_appended);
    if (st == LW_OK && (!is_appended || out.len != lw_object_json(obj).len))
        st = wrong(err, "what was appended");
    lw_buf_done(&out);
    return st;
}

static lw_status objects_are_packed_and_read(lw_error *err)
{
    static const char *const names[] = { "web-1", "web-2" };
    const lw_compact_options options = { .keeps_open = true };
    lw_compact *compact = NULL;
    lw_compact_reader *reader = lw_compact_reader_new();
    char json[600];
    lw_status st = reader ? lw_compact_new(&compact, &options) : LW_ERR_NOMEM;
    for (size_t i = 0; st == LW_OK && i < 2; i++) {
        lw_object *obj = NULL;
        lw_str text = LW_STR("");
        int len =
            snprintf(json, sizeof(json),
                     "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"a\":\"%0300d\"}}", names[i], 7);
        st = lw_object_from_json(&obj, json, (size_t)len, err);
        lw_object *packed = st == LW_OK ? lw_compact_pack(compact, obj) : NULL;
        if (st == LW_OK)
            st = lw_object_get_string(packed, "/spec/a", &text);
        if (st == LW_OK && (text.len != 300 || lw_object_json(obj).len != (size_t)len))
            st = wrong(err, "the packed object");
        if (st == LW_OK)
            st = lw_compact_read(reader, packed, &text);
        if (st == LW_OK && !lw_str_equal(text, lw_object_json(obj)))
            st = wrong(err, "the JSON of the packed object");
        if (st == LW_OK)
            st = append_packed(reader, packed, obj, err);
        if (st == LW_OK && packed == obj)
            st = LW_ERR_NOMEM;
        lw_object_unref(packed);
        lw_object_unref(obj);
    }
    lw_compact_reader_free(reader);
    lw_compact_close(compact);
    return st;
}

static lw_status list_is_read_and_sorted(lw_error *err)
{
    lw_object_list *list = NULL;
    lw_status st = lw_object_list_from_json(&list, pods, strlen(pods), NULL, err);
    if (st < 0)
        return st;
    lw_object_list_sort(list);
    if (lw_object_list_count(list) != 2 ||
        strcmp(lw_object_name(lw_object_list_at(list, 0)), "a") != 0 ||
        strcmp(lw_object_list_metadata(list)->resource_version, "9") != 0)
        st = wrong(err, "the list");
    lw_object_list_free(list);
    return st;
}

static lw_status list_arrives_in_pieces(lw_error *err)
{
    lw_list_reader *reader = NULL;
    lw_object_list *list = NULL;
    lw_status st = lw_object_list_new(&list, 0);
    const lw_list_reader_options options = { .on_object = lw_object_list__collect, .arg = list };
    if (st == LW_OK)
        st = lw_list_reader_new(&reader, &options, err);
    for (size_t i = 0; st == LW_OK && i < strlen(pods); i++)
        st = lw_list_reader_feed(reader, pods + i, 1, err);
    if (st == LW_OK)
        st = lw_list_reader_finish(reader, err);
    if (st == LW_OK && (lw_object_list_count(list) != 2 ||
                        strcmp(lw_list_reader_metadata(reader)->continue_token, "c") != 0))
        st = wrong(err, "the list in pieces");
    lw_list_reader_free(reader);
    lw_object_list_free(list);
    return st;
}

static lw_status count_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)err;
    *(unsigned *)arg += event->error ? 10 : 1;
    return LW_OK;
}

static lw_status events_are_read_pruned(lw_error *err)
{
    static const char events[] =
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":1}}}\n"
        "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"2\"}}}\n"
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"message\":\"m\",\"code\":410}}\n";
    static const char *const keep[] = { "/spec/nodeName", NULL };
    lw_event_reader *reader = NULL;
    unsigned seen = 0;
    const lw_event_reader_options options = {
        .read = { .keep = keep },
        .on_event = count_event,
        .arg = &seen,
    };
    lw_status st = lw_event_reader_new(&reader, &options, err);
    if (st == LW_OK)
        st = lw_event_reader_feed(reader, events, strlen(events), err);
    if (st == LW_OK)
        st = lw_event_reader_finish(reader, err);
    if (st == LW_OK && seen != 12)
        st = wrong(err, "the events");
    lw_event_reader_free(reader);
    return st;
}

static lw_status manifest_is_read(lw_error *err)
{
    static const char yaml[] = "kind: A\n---\nitems: [{kind: B}, {kind: C}]\n";
    static const char json[] = "{\"kind\":\"A\"}{\"items\":[{\"kind\":\"B\"}]}";
    lw_object_list *list = NULL;
    lw_status st = lw_object_list_from_manifest(&list, yaml, strlen(yaml), NULL, err);
    if (st == LW_OK && lw_object_list_count(list) != 3)
        st = wrong(err, "the YAML manifest");
    lw_object_list_free(list);
    list = NULL;
    if (st == LW_OK)
        st = lw_object_list_from_manifest(&list, json, strlen(json), NULL, err);
    if (st == LW_OK && lw_object_list_count(list) != 2)
        st = wrong(err, "the JSON manifest");
    lw_object_list_free(list);
    return st;
}

static lw_status count_bytes(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)bytes;
    (void)err;
    *(size_t *)arg += len;
    return LW_OK;
}

static lw_status print_all(const lw_object_list *list, lw_print_format format, size_t *printed,
                           lw_error *err)
{
    lw_printer *printer = NULL;
    const lw_printer_options options = {
        .format = format,
        .write = count_bytes,
        .arg = printed,
        .as_list = true,
    };
    lw_status st = lw_printer_new(&printer, &options, err);
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(list); i++)
        st = lw_printer_object(printer, lw_object_list_at(list, i), err);
    if (st == LW_OK)
        st = lw_printer_finish(printer, err);
    lw_printer_free(printer);
    return st;
}

static lw_status objects_are_printed(lw_error *err)
{
    lw_object_list *list = NULL;
    size_t json = 0, yaml = 0;
    lw_status st = lw_object_list_from_json(&list, pods, strlen(pods), NULL, err);
    if (st == LW_OK)
        st = print_all(list, LW_PRINT_JSON, &json, err);
    if (st == LW_OK)
        st = print_all(list, LW_PRINT_YAML, &yaml, err);
    if (st == LW_OK && (json < 100 || yaml < 100))
        st = wrong(err, "the print");
    lw_object_list_free(list);
    return st;
}

static lw_status document_is_changed(lw_error *err)
{
    lw_object *obj = NULL, *changed = NULL;
    lw_document *doc = NULL, *other = NULL;
    lw_status st = lw_object_from_json(&obj, pod, strlen(pod), err);
    if (st == LW_OK)
        st = lw_document_from_object(&doc, obj, err);
    if (st == LW_OK)
        st = lw_document_new(&other, err);
    if (st == LW_OK) {
        (void)lw_document_set_string(other, NULL, "/a~1b/-", "a text that is longer than a node");
        (void)lw_document_set_copy(doc, NULL, "/spec/copied", lw_document_find(other, NULL, ""));
        (void)lw_document_remove(doc, NULL, "/metadata/annotations");
        (void)lw_document_string(doc, NULL, "/spec/copied/a~1b/0", "");
        st = lw_document_status(other) < 0 ? lw_document_status(other)
                                           : lw_document_to_object(doc, &changed, err);
    }
    if (st == LW_OK && (lw_object_annotation(changed, "x") ||
                        lw_object_bool(changed, "/spec/copied/a~1b/0", true) != true))
        st = wrong(err, "the changed document");
    lw_document_free(doc);
    lw_document_free(other);
    lw_object_unref(obj);
    lw_object_unref(changed);
    return st;
}

const oom_scenario object_scenarios[] = {
    { "object is read and revised", object_is_read_and_revised },
    { "strings are decoded on demand", strings_are_decoded_on_demand },
    { "objects are packed and read", objects_are_packed_and_read },
    { "list is read and sorted", list_is_read_and_sorted },
    { "list arrives in pieces", list_arrives_in_pieces },
    { "events are read, pruned", events_are_read_pruned },
    { "manifest is read", manifest_is_read },
    { "objects are printed", objects_are_printed },
    { "document is changed", document_is_changed },
};
const size_t object_scenario_count = sizeof(object_scenarios) / sizeof(object_scenarios[0]);
