/* SPDX-License-Identifier: Apache-2.0 */
/* message_maker.c -- makes objects from messages: finds the parts of the metadata that an object
 * has decoded, and leaves the managedFields out of the copy. */
#include "schema/message/message_maker.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "schema/message/message.h"
#include "schema/message/message_parts.h"
#include "schema/proto/proto_parts.h"
#include "schema/proto/proto_put.h"
#include "json/text.h"

enum {
    OBJECT_MAX = 8 * 1024 * 1024, /* the default of lw_read_options.max_object_size */
    METADATA = 1,                 /* field numbers: of objects ... */
    NAME = 1,                     /* ... and of their metadata */
    NAMESPACE = 3,
    UID = 5,
    RESOURCE_VERSION = 6,
    LABELS = 11,
    MANAGED_FIELDS = 17,
    LABELS_FIRST = 16,
    KNOWN_FROM = 16, /* objects */
};

static lw_status message_json(const void *type, lw_str api_version, lw_str kind, lw_str message,
                              lw_buf *out)
{
    lw_proto_document head = { .api_version = api_version, .kind = kind };
    return lw_proto_read(type, kind.len > 0 ? &head : NULL, message, out, NULL);
}

static const lw_message_ops ops = { .json = message_json,
                                    .find = lw_message__find,
                                    .write = lw_message__write,
                                    .controller = lw_message__controller };

void lw_message_maker_init(lw_message_maker *maker, const lw_read_options *read)
{
    *maker = (lw_message_maker){
        .keeps_managed_fields = read->keeps_managed_fields,
        .trusts_input = read->trusts_input,
        .max_object = read->max_object_size > 0 ? read->max_object_size : OBJECT_MAX,
    };
    lw_buf_init(&maker->metadata, lw_message_maker_wire_max(maker));
}

void lw_message_maker_done(lw_message_maker *maker)
{
    lw_free(maker->labels);
    lw_free(maker->known);
    lw_object__spare_done(&maker->spare);
    lw_buf_done(&maker->metadata);
}

size_t lw_message_maker_wire_max(const lw_message_maker *maker)
{
    size_t twice = 2 * maker->max_object;
    return twice < LW_MESSAGE_MAX - 1 ? twice : LW_MESSAGE_MAX - 1;
}

const lw_type *lw_message_type(lw_str api_version, lw_str kind)
{
    const lw_type *type = lw_proto_type(api_version, kind);
    const lw_field *metadata = type ? lw_type_field_numbered(type, METADATA) : NULL;
    return metadata && lw_str_equal(metadata->type->name, LW_STR("ObjectMeta")) ? type : NULL;
}

bool lw_message_has_kind(lw_str api_version, lw_str kind)
{
    return lw_message_type(api_version, kind) != NULL;
}

bool lw_message_find_kind(lw_str api_version, lw_str kind, const lw_message_ops **out,
                          const void **type)
{
    const lw_type *found = lw_message_type(api_version, kind);
    *out = &ops;
    *type = found;
    return found != NULL;
}

/* The metadata of a message. */
typedef struct metadata {
    lw_str all;
    size_t tag; /* where its field begins in the message */
    bool is_there;
    size_t managed_at, managed_end; /* from the first to the last of its managedFields; 0: none */
    bool is_mixed;                  /* other fields are between them */
} metadata;

static lw_status malformed(lw_error *err, const char *why)
{
    return lw_error_set(err, LW_ERR_SYNTAX, "malformed protobuf in metadata: %s", why);
}

/* Reads { 1: key, 2: value } as servers write it, with short texts.  False: it is another way. */
static inline bool read_short_label(lw_str entry, lw_label *label)
{
    const unsigned char *p = (const unsigned char *)entry.ptr;
    if (entry.len < 4 || p[0] != (1 << 3 | LW_PROTO_BYTES) || p[1] >= 0x80 || p[1] > entry.len - 4)
        return false;
    size_t key = p[1];
    if (p[2 + key] != (2 << 3 | LW_PROTO_BYTES) || p[3 + key] >= 0x80 ||
        p[3 + key] != entry.len - 4 - key)
        return false;
    label->key = lw_str_make(entry.ptr + 2, key);
    label->value = lw_str_make(entry.ptr + 4 + key, entry.len - 4 - key);
    return true;
}

static bool read_label(lw_str entry, lw_label *label)
{
    static const lw_type string = { .form = LW_TYPE_STRING };
    lw_proto_item value;
    if (read_short_label(entry, label))
        return true;
    if (!lw_proto_read_entry(&string, entry, &label->key, &value))
        return false;
    label->value = value.number > 0 ? value.bytes : LW_STR("");
    return true;
}

static lw_status add_label(lw_message_maker *maker, lw_message_parts *parts, lw_str entry,
                           lw_error *err)
{
    lw_label label;
    if (!read_label(entry, &label))
        return malformed(err, "a label");
    if (!lw_utf8_is_valid(label.key) || !lw_utf8_is_valid(label.value))
        return malformed(err, "a label is not UTF-8");
    if (parts->label_count == maker->label_room) {
        size_t room = 2 * maker->label_room + LABELS_FIRST;
        lw_label *labels = lw_realloc_array(maker->labels, room, sizeof(*labels));
        if (!labels)
            return lw_error_nomem(err);
        maker->labels = labels;
        maker->label_room = room;
    }
    maker->labels[parts->label_count++] = label;
    return LW_OK;
}

static void note_managed(metadata *found, size_t at, size_t end)
{
    if (found->managed_end == 0)
        found->managed_at = at;
    else if (found->managed_end != at)
        found->is_mixed = true;
    found->managed_end = end;
}

/* Collects the texts and labels of an object. */
static lw_status read_metadata(lw_message_maker *maker, lw_message_parts *parts, metadata *found,
                               lw_error *err)
{
    static const signed char field_of[RESOURCE_VERSION + 1] = {
        [0] = -1,
        [NAME] = LW_OBJECT_NAME,
        [2] = -1,
        [NAMESPACE] = LW_OBJECT_NAMESPACE,
        [4] = -1,
        [UID] = LW_OBJECT_UID,
        [RESOURCE_VERSION] = LW_OBJECT_RESOURCE_VERSION,
    };
    lw_proto_reader from = { found->all, NULL };
    lw_proto_item item;
    lw_status st = LW_OK;
    for (size_t at = 0; st == LW_OK && lw_proto_next(&from, &item);
         at = found->all.len - from.rest.len) {
        bool is_text = item.number <= RESOURCE_VERSION && field_of[item.number] >= 0;
        if ((is_text || item.number == LABELS) && item.wire != LW_PROTO_BYTES)
            return malformed(err, "wrong wireType");
        if (is_text && !lw_utf8_is_valid(item.bytes))
            return malformed(err, "it is not UTF-8");
        if (is_text)
            parts->fields[field_of[item.number]] = item.bytes;
        else if (item.number == LABELS)
            st = add_label(maker, parts, item.bytes, err);
        else if (item.number == MANAGED_FIELDS)
            note_managed(found, at, found->all.len - from.rest.len);
    }
    parts->labels = maker->labels;
    return from.error ? malformed(err, from.error) : st;
}

/* Finds the metadata of |message|. */
static lw_status find_metadata(lw_str message, metadata *found, lw_error *err)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    found->all = lw_str_make(message.ptr, 0);
    for (size_t at = 0; lw_proto_next(&from, &item); at = message.len - from.rest.len) {
        if (item.number != METADATA)
            continue;
        if (item.wire != LW_PROTO_BYTES)
            return malformed(err, "wrong wireType");
        if (found->is_there)
            return malformed(err, "duplicate field");
        found->is_there = true;
        found->all = item.bytes;
        found->tag = at;
    }
    return from.error ? malformed(err, from.error) : LW_OK;
}

/* Without memory there are none; nor for a few objects, as a watch may never get more. */
static lw_known_messages *known_of(lw_message_maker *maker)
{
    if (!maker->known && maker->checked++ >= KNOWN_FROM)
        maker->known = lw_alloc_zero(1, sizeof(*maker->known));
    return maker->known;
}

/* Checks |message|, without its managedFields if they are dropped: first the fast way. */
static lw_status check(lw_message_maker *maker, const lw_type *type, lw_str message,
                       const metadata *found, lw_error *err)
{
    unsigned skipped = maker->keeps_managed_fields ? 0 : MANAGED_FIELDS;
    lw_known_messages *known = known_of(maker);
    if (maker->keeps_managed_fields || found->managed_end == 0) {
        if (lw_message__is_good(type, message, known))
            return LW_OK;
    } else if (!found->is_mixed) {
        const lw_type *of_metadata = lw_type_field_numbered(type, METADATA)->type;
        size_t end = (size_t)(found->all.ptr - message.ptr) + found->all.len;
        lw_str before = lw_str_make(found->all.ptr, found->managed_at);
        if (lw_message__is_good(type, lw_str_make(message.ptr, found->tag), known) &&
            lw_message__is_good(of_metadata, before, known) &&
            lw_message__is_good(of_metadata, lw_str_skip(found->all, found->managed_end), known) &&
            lw_message__is_good(type, lw_str_skip(message, end), known))
            return LW_OK;
    }
    return lw_message__check(type, message, skipped, err);
}

/* Copies the metadata without managedFields that are not all together. */
static lw_status sort_out(lw_message_maker *maker, const metadata *found)
{
    lw_proto_reader from = { found->all, NULL };
    lw_proto_item item;
    lw_buf_reset(&maker->metadata);
    for (const char *tag = found->all.ptr; lw_proto_next(&from, &item); tag = from.rest.ptr) {
        if (item.number != MANAGED_FIELDS)
            lw_buf_append(&maker->metadata, tag, (size_t)(from.rest.ptr - tag));
    }
    return maker->metadata.st;
}

/* Sets the pieces of |message| without the managedFields.  |head| gets the new tag of metadata. */
static lw_status cut_pieces(lw_message_maker *maker, lw_message_parts *parts, lw_str message,
                            const metadata *found, char head[2 * LW_PROTO_VARINT_MAX])
{
    lw_str *pieces = parts->pieces;
    if (maker->keeps_managed_fields || found->managed_end == 0) {
        pieces[0] = message;
        return LW_OK;
    }
    pieces[0] = lw_str_make(message.ptr, found->tag);
    if (found->is_mixed) {
        if (sort_out(maker, found) < 0)
            return LW_ERR_NOMEM;
        pieces[2] = lw_buf_view(&maker->metadata);
    } else {
        pieces[2] = lw_str_make(found->all.ptr, found->managed_at);
        pieces[3] = lw_str_skip(found->all, found->managed_end);
    }
    char *end = lw_proto_write_tag(head, METADATA, LW_PROTO_BYTES);
    end = lw_proto_write_varint(end, pieces[2].len + pieces[3].len);
    pieces[1] = lw_str_make(head, (size_t)(end - head));
    pieces[4] = lw_str_skip(message, (size_t)(found->all.ptr - message.ptr) + found->all.len);
    return LW_OK;
}

static lw_status too_large(const lw_message_maker *maker, lw_error *err)
{
    return lw_error_set(err, LW_ERR_LIMIT, "an object is larger than %zu bytes", maker->max_object);
}

static size_t size_of_pieces(const lw_message_parts *parts)
{
    size_t size = 0;
    for (size_t i = 0; i < LW_MESSAGE_PIECES_MAX; i++)
        size += parts->pieces[i].len;
    return size;
}

lw_status lw_message_make(lw_message_maker *maker, const lw_type *type,
                          const lw_proto_document *document, bool is_typed, lw_object **out,
                          lw_error *err)
{
    lw_message_parts parts = {
        .ops = &ops, .type = type, .is_typed = is_typed, .spare = &maker->spare
    };
    metadata found = { .managed_end = 0 };
    char head[2 * LW_PROTO_VARINT_MAX];
    lw_str message = document->message;
    if (message.len > lw_message_maker_wire_max(maker))
        return too_large(maker, err);
    parts.fields[LW_OBJECT_API_VERSION] = document->api_version;
    parts.fields[LW_OBJECT_KIND] = document->kind;
    lw_status st = find_metadata(message, &found, err);
    if (st == LW_OK)
        st = read_metadata(maker, &parts, &found, err);
    if (st == LW_OK && !maker->trusts_input)
        st = check(maker, type, message, &found, err);
    if (st < 0)
        return st;
    if (cut_pieces(maker, &parts, message, &found, head) < 0)
        return lw_error_nomem(err);
    if (size_of_pieces(&parts) > maker->max_object)
        return too_large(maker, err);
    st = lw_object__from_message(&parts, out);
    return st < 0 ? lw_object__error(err, st) : LW_OK;
}

lw_status lw_message_object(lw_object **out, lw_str bytes, const lw_read_options *read,
                            lw_error *err)
{
    lw_proto_document document;
    lw_message_maker maker;
    lw_status st = lw_proto_open(bytes, &document, err);
    if (st < 0)
        return st;
    const lw_type *type = lw_message_type(document.api_version, document.kind);
    if (!type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED, "objects of kind \"%.*s\" are read as JSON",
                            LW_STR_ARG(document.kind));
    lw_message_maker_init(&maker, read);
    st = lw_message_make(&maker, type, &document, true, out, err);
    lw_message_maker_done(&maker);
    return st;
}

bool lw_message_is_document(lw_str bytes)
{
    return lw_str_starts_with(bytes, lw_str_make("k8s", 4));
}

lw_status lw_message_append_json(lw_str bytes, lw_buf *out, lw_error *err)
{
    lw_proto_document document;
    lw_status st = lw_proto_open(bytes, &document, err);
    if (st < 0)
        return st;
    const lw_type *type = lw_proto_type(document.api_version, document.kind);
    if (!type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED, "there is no kind \"%.*s\"",
                            LW_STR_ARG(document.kind));
    return lw_proto_read(type, &document, document.message, out, err);
}
