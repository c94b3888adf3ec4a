/* SPDX-License-Identifier: Apache-2.0 */
/* proto_envelope.c -- the envelope around a message: four magic bytes, then runtime.Unknown { 1: {
 * 1: apiVersion, 2: kind }, 2: message, 3: encoding, 4: content type }. */
#include "schema/proto/proto.h"

#include "base/error.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/proto/proto_wire.h"
#include "json/cursor.h"
#include "json/text.h"

static const lw_str magic = { "k8s", 4 }; /* including the NUL */

enum {
    TYPE_META = 1,
    MESSAGE = 2,
    CONTENT_ENCODING = 3,
    CONTENT_TYPE = 4,
    NAME_MAX_BYTES = 1024, /* limit of the decoded kind and apiVersion */
};

const lw_type *lw_proto_type(lw_str api_version, lw_str kind)
{
    lw_gvk gvk = { .kind = kind };
    if (lw_api_version_parse(api_version, &gvk.group, &gvk.version, NULL) < 0)
        return NULL;
    /* v1beta1 and v1 of this group have the same encoding. */
    if (lw_str_equal(gvk.group, LW_STR("meta.k8s.io")) &&
        lw_str_equal(gvk.version, LW_STR("v1beta1")))
        gvk.version = LW_STR("v1");
    return lw_type_of_kind(gvk);
}

static bool read_type_meta(lw_str message, lw_proto_document *document)
{
    lw_proto_reader reader = { message, NULL };
    lw_proto_item item;
    while (lw_proto_next(&reader, &item)) {
        if (item.number > 2)
            continue;
        if (item.wire != LW_PROTO_BYTES)
            return false;
        *(item.number == 1 ? &document->api_version : &document->kind) = item.bytes;
    }
    return !reader.error;
}

lw_status lw_proto_open(lw_str bytes, lw_proto_document *document, lw_error *err)
{
    lw_proto_reader reader = { lw_str_skip(bytes, magic.len), NULL };
    lw_proto_item item;
    lw_proto_document found = { .kind = LW_STR("") };
    if (!lw_str_starts_with(bytes, magic))
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "provided data does not appear to be a protobuf message, expected "
                            "prefix [107 56 115 0]");
    while (lw_proto_next(&reader, &item)) {
        if (item.number > CONTENT_TYPE)
            continue;
        if (item.wire != LW_PROTO_BYTES)
            return lw_error_set(err, LW_ERR_SYNTAX, "proto: wrong wireType for field Unknown");
        if (item.number == TYPE_META && !read_type_meta(item.bytes, &found))
            return lw_error_set(err, LW_ERR_SYNTAX, "proto: wrong wireType for field TypeMeta");
        if (item.number == MESSAGE)
            found.message = item.bytes;
    }
    if (reader.error)
        return lw_error_set(err, LW_ERR_SYNTAX, "%s", reader.error);
    *document = found;
    return LW_OK;
}

void lw_proto_envelope_begin(lw_buf *out, lw_str api_version, lw_str kind, size_t len)
{
    lw_buf_append_str(out, magic);
    lw_proto_put_tag(out, TYPE_META, LW_PROTO_BYTES);
    size_t begun = lw_proto_begin(out);
    lw_proto_put_bytes(out, 1, api_version);
    lw_proto_put_bytes(out, 2, kind);
    lw_proto_end(out, begun);
    lw_proto_put_tag(out, MESSAGE, LW_PROTO_BYTES);
    lw_proto_put_varint(out, len);
}

void lw_proto_envelope_end(lw_buf *out)
{
    lw_proto_put_bytes(out, CONTENT_ENCODING, LW_STR(""));
    lw_proto_put_bytes(out, CONTENT_TYPE, LW_STR(""));
}

size_t lw_proto_envelope_message_at(lw_str document)
{
    lw_proto_reader reader = { lw_str_skip(document, magic.len), NULL };
    lw_proto_item type_meta;
    (void)lw_proto_next(&reader, &type_meta);
    return document.len - reader.rest.len;
}

/* Finds the kind and apiVersion of |json|, decoded into |text|. */
static void find_names(lw_str json, lw_buf *text, lw_proto_document *names)
{
    lw_json_cursor at = lw_json_cursor_on(json);
    lw_str raw_key;
    if (lw_json_cursor_type(&at) != LW_JSON_OBJECT)
        return;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_member(&at, &raw_key)) {
        bool is_kind = lw_str_equal(raw_key, LW_STR("kind"));
        bool is_wanted = is_kind || lw_str_equal(raw_key, LW_STR("apiVersion"));
        if (!is_wanted || lw_json_cursor_type(&at) != LW_JSON_STRING) {
            (void)lw_json_cursor_skip(&at);
            continue;
        }
        size_t before = text->len;
        lw_json_append_unescaped(text, lw_json_cursor_string(&at));
        *(is_kind ? &names->kind : &names->api_version) = lw_str_skip(lw_buf_view(text), before);
        if (names->kind.len > 0 && names->api_version.len > 0)
            return;
    }
}

lw_status lw_proto_write_document(lw_str json, lw_buf *out, lw_error *err)
{
    char room[NAME_MAX_BYTES];
    lw_buf text = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    lw_proto_document names = { .kind = LW_STR("") };
    find_names(json, &text, &names);
    /* The discovery documents of the core group have no apiVersion. */
    lw_str version = names.api_version.len > 0 ? names.api_version : LW_STR("v1");
    const lw_type *type = text.st == LW_OK ? lw_proto_type(version, names.kind) : NULL;
    if (!type)
        return lw_error_set(err, LW_ERR_UNSUPPORTED,
                            "%.*s in %.*s has no protobuf encoding: use application/json",
                            LW_STR_ARG(names.kind), LW_STR_ARG(names.api_version));
    lw_proto_envelope_begin(out, names.api_version, names.kind, 0);
    /* The length was written as one byte; lw_proto_end makes room for more. */
    size_t begun = out->len;
    lw_status st = lw_proto_write(type, json, out, err);
    if (st < 0)
        return st;
    lw_proto_end(out, begun);
    lw_proto_envelope_end(out);
    return out->st < 0
               ? lw_error_set(
                     err, out->st,
                     "cannot write the protobuf message: out of memory or over the size limit")
               : LW_OK;
}
