/* SPDX-License-Identifier: Apache-2.0 */
/* proto_envelope.c -- the envelope around a message: four magic bytes, then runtime.Unknown { 1: {
 * 1: apiVersion, 2: kind }, 2: message, 3: encoding, 4: content type }. */
#include "schema/proto/proto.h"

#include "base/error.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/proto/proto_wire.h"

static const lw_str magic = { "k8s", 4 }; /* including the NUL */

enum {
    TYPE_META = 1,
    MESSAGE = 2,
    CONTENT_ENCODING = 3,
    CONTENT_TYPE = 4,
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
