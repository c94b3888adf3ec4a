/* SPDX-License-Identifier: Apache-2.0 */
/* pending_write.c -- writes a sealed object, and makes the object that is stored of the text.
 *
 * The writer notes where the identity of the object and its labels are in the text, so that the
 * text is not scanned again. */
#include <assert.h>
#include <string.h>

#include "api/pending/pending_object.h"

#include "base/alloc.h"
#include "base/str.h"
#include "object/object.h"
#include "schema/kinds/conversion.h"

enum {
    OBJECT_MAX = 8 << 20, /* bytes of what is stored; LW_STORE_VALUE_MAX */
    OBJECT_USUAL = 4096,  /* what most objects need */
    LABELS_USUAL = 16,    /* labels that need no memory of their own */
};

/* Notes in |item| (NULL: nothing is noted) where the string |value| is, which ends the text. */
static void note_text(const lw_json_writer *w, lw_scan_text *noted, size_t from,
                      const lw_node *value)
{
    if (!noted || w->out->st < 0 || !lw_node_is(value, LW_JSON_STRING))
        return;
    size_t len = w->out->len - from - 2;
    *noted = (lw_scan_text){ .at = (uint32_t)from + 1,
                             .len = (uint32_t)len,
                             .is_present = true,
                             .is_escaped = len != lw_node_text(value).len };
}

static lw_scan_text *place_in_metadata(lw_scan_item *item, lw_str name)
{
    if (lw_str_equal(name, LW_STR("name")))
        return &item->name;
    if (lw_str_equal(name, LW_STR("namespace")))
        return &item->ns;
    return lw_str_equal(name, LW_STR("uid")) ? &item->uid : NULL;
}

static lw_scan_text *place_in_root(lw_scan_item *item, lw_str name)
{
    if (lw_str_equal(name, LW_STR("kind")))
        return &item->kind;
    return lw_str_equal(name, LW_STR("apiVersion")) ? &item->api_version : NULL;
}

static void write_revision(lw_str revision, lw_json_writer *w, lw_scan_item *item)
{
    size_t from = w->out->len;
    lw_json_write_string(w, revision);
    if (item && w->out->st == LW_OK)
        item->resource_version = (lw_scan_text){
            .at = (uint32_t)from + 1,
            .len = (uint32_t)(w->out->len - from - 2),
            .is_present = true,
            .is_escaped = w->out->len - from - 2 != revision.len,
        };
}

/* True if the members of the metadata are in the order in which they are written: they are when it
 * is sealed, but one that was set later is the last. */
static bool is_in_order(const lw_node *metadata)
{
    lw_str name;
    size_t at = 0, count = lw_node_count(metadata);
    for (size_t i = 0; at < count && (name = lw_pending_object__metadata_name(i)).len > 0; i++)
        at += lw_str_equal(lw_node_key_at(metadata, at), name);
    return at == count;
}

/* Returns the member |name|; |*next| is the one after the last that was found, if they are in
 * order. */
static const lw_node *find_member(const lw_node *metadata, lw_str name, bool in_order, size_t *next)
{
    if (!in_order)
        return lw_node_get(metadata, name);
    if (*next == lw_node_count(metadata) || !lw_str_equal(lw_node_key_at(metadata, *next), name))
        return NULL;
    return lw_node_at(metadata, (*next)++);
}

/* The members in order, and the place of the resourceVersion among them even though nobody knows
 * it yet: it is written over when the revision is known. */
static void write_metadata(const lw_pending_object *pending, bool has_revision, lw_json_writer *w,
                           lw_scan_item *item, size_t *labels_at)
{
    lw_str name;
    bool in_order = is_in_order(pending->metadata);
    size_t next = 0;
    lw_json_write_object_begin(w);
    if (item)
        item->metadata_at = (uint32_t)w->out->len;
    for (size_t i = 0; (name = lw_pending_object__metadata_name(i)).len > 0; i++) {
        bool is_revision = lw_str_equal(name, LW_STR("resourceVersion"));
        bool is_managed = pending->managed.len > 0 && lw_str_equal(name, LW_STR("managedFields"));
        const lw_node *value = find_member(pending->metadata, name, in_order, &next);
        if (is_revision ? !has_revision && pending->echoed.len == 0 : !value && !is_managed)
            continue;
        lw_json_write_plain_key(w, "", name);
        size_t from = w->out->len;
        if (is_revision) {
            write_revision(has_revision ? lw_node_text(value) : pending->echoed, w, item);
        } else if (is_managed) {
            lw_json_write_raw(w, lw_buf_view(&pending->managed));
        } else {
            lw_node_write(value, w);
            note_text(w, item ? place_in_metadata(item, name) : NULL, from, value);
            if (lw_str_equal(name, LW_STR("labels")))
                *labels_at = from;
        }
    }
    lw_json_write_object_end(w);
}

/* Writes the document; notes in |item| and |*labels_at| what is where, if |item| is not NULL. */
static void write_document(const lw_pending_object *pending, const lw_node *root, bool has_revision,
                           lw_str api_version, lw_json_writer *w, lw_scan_item *item,
                           size_t *labels_at)
{
    lw_json_write_object_begin(w);
    for (size_t i = 0; i < lw_node_count(root); i++) {
        lw_str key = lw_node_key_at(root, i);
        const lw_node *value = lw_node_at(root, i);
        lw_json_write_key(w, key);
        size_t from = w->out->len;
        if (value == pending->metadata) {
            write_metadata(pending, has_revision, w, item, labels_at);
        } else if (api_version.len > 0 && lw_str_equal(key, LW_STR("apiVersion"))) {
            lw_json_write_string(w, api_version);
        } else {
            lw_node_write(value, w);
            note_text(w, item ? place_in_root(item, key) : NULL, from, value);
            if (item && lw_str_equal(key, LW_STR("spec")) &&
                (lw_node_is(value, LW_JSON_OBJECT) || lw_node_is(value, LW_JSON_ARRAY)))
                item->spec_at = (uint32_t)from;
        }
    }
    lw_json_write_object_end(w);
}

void lw_pending_object__write(const lw_pending_object *pending, const lw_node *root,
                              bool has_revision, lw_str api_version, lw_json_writer *w)
{
    size_t labels_at;
    write_document(pending, root, has_revision, api_version, w, NULL, &labels_at);
}

static lw_scan_text text_at(lw_str json, lw_str raw, bool is_escaped)
{
    return (lw_scan_text){ .at = (uint32_t)(raw.ptr - json.ptr),
                           .len = (uint32_t)raw.len,
                           .is_present = true,
                           .is_escaped = is_escaped };
}

/* Notes the labels, whose object is at |labels_at| of the JSON of |item|. */
static void note_labels(lw_scan_item *item, size_t labels_at, lw_scan_label *labels)
{
    lw_json_cursor c = lw_json_cursor_on(lw_str_skip(item->json, labels_at));
    lw_str key;
    item->labels = labels;
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_member(&c, &key)) {
        lw_scan_label *label = &labels[item->label_count++];
        bool is_key_escaped = key.len > 0 && memchr(key.ptr, '\\', key.len), is_escaped;
        bool is_text = lw_json_cursor_type(&c) == LW_JSON_STRING;
        lw_str value = lw_json_cursor_text(&c, &is_escaped);
        label->key = text_at(item->json, key, is_key_escaped);
        label->value = is_text ? text_at(item->json, value, is_escaped) : (lw_scan_text){ 0 };
    }
}

/* Makes the object of |item|, of which only the labels are missing. */
static lw_status make_object(const lw_pending_object *pending, lw_scan_item *item, size_t labels_at,
                             lw_object **out)
{
    lw_scan_label usual[LABELS_USUAL], *labels = usual;
    size_t count = lw_node_count(lw_node_get(pending->metadata, LW_STR("labels")));
    if (count > LABELS_USUAL && !(labels = lw_alloc_zero(count, sizeof(*labels))))
        return LW_ERR_NOMEM;
    if (count > 0)
        note_labels(item, labels_at, labels);
    assert(item->label_count == count);
    lw_status st = lw_object__from_item(item, out);
    if (labels != usual)
        lw_free(labels);
    return st;
}

lw_status lw_pending_object_take(const lw_pending_object *pending, bool has_revision,
                                 lw_object **out)
{
    lw_status st = lw_pending_object_state(pending);
    lw_node *root = pending->root;
    if (st == LW_OK && has_revision && pending->made) {
        *out = lw_object_ref(pending->made);
        return LW_OK;
    }
    if (st == LW_OK && pending->kind->conversion)
        st = lw_kind_to_stored(pending->kind, pending->tree, &root);
    if (st < 0)
        return st;
    lw_buf json;
    lw_json_writer w;
    lw_scan_item item = { 0 };
    size_t labels_at = 0;
    lw_buf_init(&json, OBJECT_MAX);
    (void)lw_buf_reserve(&json, pending->managed.len + OBJECT_USUAL);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    write_document(pending, root, has_revision, LW_STR(""), &w, &item, &labels_at);
    item.json = lw_buf_view(&json);
    st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = make_object(pending, &item, labels_at, out);
    if (st == LW_OK && !pending->kind->conversion)
        lw_object__set_checked(*out, pending->checked);
    lw_buf_done(&json);
    return st;
}
