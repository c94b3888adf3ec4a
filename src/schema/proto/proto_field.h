/* SPDX-License-Identifier: Apache-2.0 */
/* proto_field.h -- appends fields whose tags are in the table of types, inline.  Where the buffer
 * is nearly full, the bytes go through lw_buf_append. */
#ifndef LW_SCHEMA_PROTO_PROTO_FIELD_H
#define LW_SCHEMA_PROTO_PROTO_FIELD_H

#include <string.h>

#include "schema/proto/proto_put.h"
#include "schema/types/type_table.h"

enum {
    LW_PROTO_STRIDE = 16, /* bytes that lw_proto_copy copies at once */
};

/* Writes the tag of |field| to |at|, which must have room; returns the position after it. */
static inline char *lw_proto_write_tag_of(char *at, const lw_wire_field *field)
{
    memcpy(at, field->tag, LW_WIRE_TAG_MAX);
    return at + field->tag_len;
}

/* Copies |bytes| to |at|, which must have room for LW_PROTO_STRIDE bytes more; |end| is the end of
 * what may be read.  Most strings are short: a call of memcpy would take longer. */
static inline char *lw_proto_copy(char *at, lw_str bytes, const char *end)
{
    if ((size_t)(end - bytes.ptr) < bytes.len + LW_PROTO_STRIDE ||
        bytes.len > 4 * LW_PROTO_STRIDE) {
        if (bytes.len > 0)
            memcpy(at, bytes.ptr, bytes.len);
        return at + bytes.len;
    }
    for (size_t i = 0; i < bytes.len; i += LW_PROTO_STRIDE)
        memcpy(at + i, bytes.ptr + i, LW_PROTO_STRIDE);
    return at + bytes.len;
}

static inline void lw_proto_tag(lw_buf *out, const lw_wire_field *field)
{
    if (!lw_proto_fits(out, LW_WIRE_TAG_MAX)) {
        lw_buf_append(out, field->tag, field->tag_len);
        return;
    }
    out->len = (size_t)(lw_proto_write_tag_of(out->data + out->len, field) - out->data);
}

/* Appends a varint field. */
static inline void lw_proto_number(lw_buf *out, const lw_wire_field *field, uint64_t value)
{
    if (!lw_proto_fits(out, LW_WIRE_TAG_MAX + LW_PROTO_VARINT_MAX)) {
        lw_buf_append(out, field->tag, field->tag_len);
        lw_proto_put_varint(out, value);
        return;
    }
    char *at = lw_proto_write_tag_of(out->data + out->len, field);
    out->len = (size_t)(lw_proto_write_varint(at, value) - out->data);
}

/* Appends a string or bytes field; |end| is the end of what may be read after |bytes|. */
static inline void lw_proto_bytes(lw_buf *out, const lw_wire_field *field, lw_str bytes,
                                  const char *end)
{
    if (!lw_proto_fits(out, LW_WIRE_TAG_MAX + LW_PROTO_VARINT_MAX + LW_PROTO_STRIDE + bytes.len)) {
        lw_buf_append(out, field->tag, field->tag_len);
        lw_proto_put_varint(out, bytes.len);
        lw_buf_append_str(out, bytes);
        return;
    }
    char *at = lw_proto_write_tag_of(out->data + out->len, field);
    at = lw_proto_write_varint(at, bytes.len);
    out->len = (size_t)(lw_proto_copy(at, bytes, end) - out->data);
}

/* Appends the bytes of absent fields: those of |zeros| from |begin| to |end|. */
static inline void lw_proto_zeros(lw_buf *out, const char *zeros, size_t begin, size_t end)
{
    const char *from = zeros + begin;
    size_t len = end - begin;
    if (len == 0)
        return;
    if (len > LW_WIRE_SLACK || !lw_proto_fits(out, LW_WIRE_SLACK)) {
        lw_buf_append(out, from, len);
        return;
    }
    memcpy(out->data + out->len, from, LW_WIRE_SLACK);
    out->len += len;
}

/* Appends the tag of a message and one byte for its length.  lw_proto_message_end fills it in. */
static inline size_t lw_proto_message_begin(lw_buf *out, const lw_wire_field *field)
{
    lw_proto_number(out, field, 0);
    return out->len;
}

static inline void lw_proto_message_end(lw_buf *out, size_t begun)
{
    if (out->st == LW_OK && out->len - begun <= LW_PROTO_SHORT_MAX)
        out->data[begun - 1] = (char)(out->len - begun);
    else
        lw_proto_end(out, begun);
}

#endif
