/* SPDX-License-Identifier: Apache-2.0 */
/* object.c -- makes an object from the result of the scanner, counts references, and reads its
 * fixed parts.
 *
 * Invariant: after it was made, only the reference count and the list of attached data
 * (object_kept.h) change, both atomically; so any thread may read any object to which it has a
 * reference.  See object.h for the layout of the block. */
#include "object/object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/object_body.h"
#include "object/object_spare.h"
#include "json/text.h"

/* A text that is copied into the block. */
typedef struct source_text {
    lw_str raw;
    bool is_escaped;
} source_text;

static source_text source_of(const lw_scan_item *item, lw_scan_text text)
{
    if (!text.is_present)
        return (source_text){ 0 };
    return (source_text){ lw_str_make(item->json.ptr + text.at, text.len), text.is_escaped };
}

/* Collects the texts of the block.  If apiVersion or kind is missing, both are inherited, like in
 * client-go. */
static void gather_fields(source_text *fields, const lw_scan_item *item, lw_str api_version,
                          lw_str kind)
{
    fields[LW_OBJECT_API_VERSION] = source_of(item, item->api_version);
    fields[LW_OBJECT_KIND] = source_of(item, item->kind);
    fields[LW_OBJECT_NAMESPACE] = source_of(item, item->ns);
    fields[LW_OBJECT_NAME] = source_of(item, item->name);
    fields[LW_OBJECT_UID] = source_of(item, item->uid);
    fields[LW_OBJECT_RESOURCE_VERSION] = source_of(item, item->resource_version);

    bool is_typed = fields[LW_OBJECT_API_VERSION].raw.len > 0 && fields[LW_OBJECT_KIND].raw.len > 0;
    if (!is_typed && kind.len > 0) {
        fields[LW_OBJECT_API_VERSION] = (source_text){ api_version, false };
        fields[LW_OBJECT_KIND] = (source_text){ kind, false };
    }
}

/* Bytes before the JSON.  Decoding never grows a text, so this is enough, and exact when nothing is
 * escaped. */
static uint64_t head_size(const lw_scan_item *item, const source_text *fields)
{
    uint64_t size = LW_OBJECT_HEAD + item->label_count * sizeof(lw_object_label_entry);
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++)
        size += fields[i].raw.len + 1;
    for (size_t i = 0; i < item->label_count; i++)
        size += (uint64_t)item->labels[i].key.len + 1 + item->labels[i].value.len + 1;
    return size;
}

/* Decodes |text| into the block at |*at|, terminates it, and moves |*at| past it. */
static void put_text(lw_object *obj, uint32_t *at, source_text text)
{
    char *dst = (char *)obj + *at;
    size_t len = text.raw.len;
    if (text.is_escaped)
        len = lw_json_unescape(dst, text.raw);
    else if (len > 0)
        memcpy(dst, text.raw.ptr, len);
    dst[len] = '\0';
    *at += (uint32_t)len + 1;
}

static lw_str label_key(const lw_object *obj, const lw_object_label_entry *label)
{
    return lw_str_make((const char *)obj + label->key_at, label->value_at - label->key_at - 1);
}

static lw_str label_value(const lw_object *obj, const lw_object_label_entry *label)
{
    return lw_str_make((const char *)obj + label->value_at, label->value_len);
}

/* By key, then by place in the document. */
static int compare_labels(const void *a, const void *b, void *arg)
{
    const lw_object *obj = arg;
    const lw_object_label_entry *x = a, *y = b;
    int order = lw_str_compare(label_key(obj, x), label_key(obj, y));
    return order ? order : (x->key_at > y->key_at) - (x->key_at < y->key_at);
}

/* Of labels with the same key, which are adjacent, only the last one is kept. */
static void drop_repeated_labels(lw_object *obj)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < obj->label_count; i++) {
        if (i + 1 < obj->label_count &&
            lw_str_equal(label_key(obj, &obj->labels[i]), label_key(obj, &obj->labels[i + 1])))
            continue;
        obj->labels[kept++] = obj->labels[i];
    }
    obj->label_count = kept & LW_OBJECT_LABELS_MAX;
}

void lw_object__sort_labels(lw_object *obj)
{
    bool is_sorted = true; /* as servers write them */
    for (uint32_t i = 1; i < obj->label_count && is_sorted; i++)
        is_sorted = lw_str_compare(label_key(obj, &obj->labels[i - 1]),
                                   label_key(obj, &obj->labels[i])) < 0;
    if (is_sorted)
        return;
    qsort_r(obj->labels, obj->label_count, sizeof(obj->labels[0]), compare_labels, obj);
    drop_repeated_labels(obj);
}

static void put_labels(lw_object *obj, uint32_t *at, const lw_scan_item *item)
{
    for (size_t i = 0; i < item->label_count; i++) {
        lw_object_label_entry *label = &obj->labels[i];
        label->key_at = *at;
        put_text(obj, at, source_of(item, item->labels[i].key));
        label->value_at = *at;
        put_text(obj, at, source_of(item, item->labels[i].value));
        label->value_len = *at - label->value_at - 1;
    }
    obj->label_count = (uint32_t)item->label_count & LW_OBJECT_LABELS_MAX;
    lw_object__sort_labels(obj);
}

static uint64_t read_revision(lw_str text)
{
    uint64_t revision;
    return lw_str_to_uint64(text, &revision) ? revision : 0;
}

lw_status lw_object__from_list_item(const lw_scan_item *item, lw_str api_version, lw_str kind,
                                    lw_object_spare *spare, lw_object **out)
{
    source_text fields[LW_OBJECT_FIELD_COUNT];
    if (item->label_count > LW_OBJECT_LABELS_MAX)
        return LW_ERR_LIMIT;
    gather_fields(fields, item, api_version, kind);
    uint64_t json_at = head_size(item, fields);
    if (json_at + item->json.len + 1 > UINT32_MAX)
        return LW_ERR_LIMIT;
    lw_object *obj = lw_object__spare_alloc(spare, (size_t)json_at + item->json.len + 1);
    if (!obj)
        return LW_ERR_NOMEM;

    lw_ref_init(&obj->refs);
    atomic_init(&obj->strings, NULL);
    obj->json_at = (uint32_t)json_at;
    obj->json_len = (uint32_t)item->json.len;
    obj->metadata_at = item->metadata_at;
    obj->spec_at = item->spec_at;
    obj->is_stale = false;
    obj->is_message = false;
    obj->is_packed = false;
    obj->shares_labels = false;
    obj->is_typed = false;
    obj->checked = LW_OBJECT_UNCHECKED;
    memcpy((char *)obj + json_at, item->json.ptr, item->json.len);
    ((char *)obj)[json_at + item->json.len] = '\0';

    uint32_t at = (uint32_t)(LW_OBJECT_HEAD + item->label_count * sizeof(obj->labels[0]));
    for (size_t i = 0; i < LW_OBJECT_FIELD_COUNT; i++) {
        obj->text_at[i] = at;
        put_text(obj, &at, fields[i]);
    }
    obj->text_at[LW_OBJECT_FIELD_COUNT] = at;
    put_labels(obj, &at, item);
    obj->revision = read_revision(lw_object__field(obj, LW_OBJECT_RESOURCE_VERSION));
    lw_object__find_splice(obj, item->resource_version);
    *out = obj;
    return LW_OK;
}

lw_status lw_object__from_item(const lw_scan_item *item, lw_object **out)
{
    return lw_object__from_list_item(item, LW_STR(""), LW_STR(""), NULL, out);
}

lw_status lw_object__error(lw_error *err, lw_status st)
{
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    return lw_error_set(err, st, "the object is larger than 4 GiB or has too many labels");
}

lw_str lw_object__field(const lw_object *obj, lw_object_field field)
{
    uint32_t at = obj->text_at[field];
    return lw_str_make((const char *)obj + at, obj->text_at[field + 1] - at - 1);
}

bool lw_object__find_label(const lw_object *obj, lw_str key, lw_str *value)
{
    obj = lw_object__labels_of(obj);
    size_t low = 0, high = obj->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = lw_str_compare(label_key(obj, &obj->labels[middle]), key);
        if (order == 0) {
            *value = label_value(obj, &obj->labels[middle]);
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

lw_object *lw_object_ref(const lw_object *obj)
{
    /* Readers have a const object; only the reference count changes. */
    lw_object *counted = (lw_object *)(uintptr_t)obj;
    lw_ref_inc(&counted->refs);
    return counted;
}

void lw_object_unref(lw_object *obj)
{
    if (!obj || !lw_ref_dec(&obj->refs))
        return;
    lw_object__free_kept(obj);
    if (obj->is_packed)
        obj->origin->ops->release(obj);
    lw_free(obj);
}

static const char *field_text(const lw_object *obj, lw_object_field field)
{
    return (const char *)obj + obj->text_at[field];
}

const char *lw_object_api_version(const lw_object *obj)
{
    return field_text(obj, LW_OBJECT_API_VERSION);
}

const char *lw_object_kind(const lw_object *obj)
{
    return field_text(obj, LW_OBJECT_KIND);
}

const char *lw_object_namespace(const lw_object *obj)
{
    return field_text(obj, LW_OBJECT_NAMESPACE);
}

const char *lw_object_name(const lw_object *obj)
{
    return field_text(obj, LW_OBJECT_NAME);
}

const char *lw_object_uid(const lw_object *obj)
{
    return field_text(obj, LW_OBJECT_UID);
}

const char *lw_object_resource_version(const lw_object *obj)
{
    return field_text(obj, LW_OBJECT_RESOURCE_VERSION);
}

uint64_t lw_object_revision(const lw_object *obj)
{
    return obj->revision;
}

lw_key lw_object_key(const lw_object *obj)
{
    return (lw_key){ .ns = lw_object__field(obj, LW_OBJECT_NAMESPACE),
                     .name = lw_object__field(obj, LW_OBJECT_NAME) };
}

const char *lw_object_label(const lw_object *obj, const char *key)
{
    lw_str value;
    return lw_object__find_label(obj, lw_str_of(key), &value) ? value.ptr : NULL;
}

void lw_object__mark_stale(lw_object *obj)
{
    obj->is_stale = true;
}

bool lw_object__is_stale(const lw_object *obj)
{
    return obj->is_stale;
}

void lw_object__set_checked(lw_object *obj, lw_object_check checked)
{
    obj->checked = checked & 3u;
}

lw_object_check lw_object__checked(const lw_object *obj)
{
    return (lw_object_check)obj->checked;
}

size_t lw_object_label_count(const lw_object *obj)
{
    return lw_object__labels_of(obj)->label_count;
}

lw_label lw_object_label_at(const lw_object *obj, size_t index)
{
    obj = lw_object__labels_of(obj);
    assert(index < obj->label_count);
    const lw_object_label_entry *entry = &obj->labels[index];
    return (lw_label){ .key = label_key(obj, entry), .value = label_value(obj, entry) };
}

lw_str lw_object_json(const lw_object *obj)
{
    if (obj->is_message)
        return lw_object__message_json(obj);
    return lw_str_make((const char *)obj + obj->json_at, obj->json_len);
}

lw_status lw_object__append_json(const lw_object *obj, lw_buf *out)
{
    if (obj->is_message)
        return lw_object__message_append_json(obj, out);
    lw_buf_append_str(out, lw_object_json(obj));
    return out->st;
}

size_t lw_object_memory(const lw_object *obj)
{
    return (size_t)obj->json_at + obj->json_len + 1 + lw_object__kept_memory(obj);
}

static const char *const drop_nothing[] = { NULL };

lw_scan_options lw_object__scan_options(const lw_read_options *options, lw_scan_shape shape)
{
    lw_scan_options scan = { .shape = shape };
    if (!options)
        return scan;
    scan.trusts_input = options->trusts_input;
    scan.max_item = options->max_object_size;
    scan.drop = options->drop;
    scan.keep = options->keep;
    if (!scan.drop && !scan.keep && options->keeps_managed_fields)
        scan.drop = drop_nothing;
    return scan;
}

static lw_status take_object(const lw_scan_item *item, void *arg, lw_error *err)
{
    lw_status st = lw_object__from_item(item, arg);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

lw_status lw_object_from_json_with(lw_object **out, const char *json, size_t len,
                                   const lw_read_options *options, lw_error *err)
{
    lw_object *obj = NULL;
    lw_scan *scan = NULL;
    lw_scan_options how = lw_object__scan_options(options, LW_SCAN_OBJECT);
    how.on_item = take_object;
    how.arg = &obj;
    lw_status st = lw_scan_new(&scan, &how, err);
    if (st < 0)
        return st;
    st = lw_scan_feed(scan, json, len, err);
    if (st == LW_OK)
        st = lw_scan_finish(scan, err);
    lw_scan_free(scan);
    if (st < 0) {
        lw_object_unref(obj);
        return st;
    }
    *out = obj;
    return LW_OK;
}

lw_status lw_object_from_json(lw_object **out, const char *json, size_t len, lw_error *err)
{
    return lw_object_from_json_with(out, json, len, NULL, err);
}
