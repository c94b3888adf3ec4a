/* SPDX-License-Identifier: Apache-2.0 */
/* proto_wire.c -- writes and reads the protobuf wire format.  The length of a message is known only
 * at its end.  One byte is reserved for it; if the length needs more, the message is moved. */
#include "schema/proto/proto_wire.h"

#include <string.h>

#include "base/str.h"

enum {
    GROUP_END = 4,
    NUMBER_MAX = (1 << 29) - 1, /* largest field number */
    GROUPS_MAX = 100,           /* nesting levels of groups */
};

static size_t write_varint(unsigned char *at, uint64_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7)
        at[len++] = (unsigned char)(value | 0x80);
    at[len++] = (unsigned char)value;
    return len;
}

size_t lw_proto_varint_size(uint64_t value)
{
    size_t len = 1;
    for (; value >= 0x80; value >>= 7)
        len++;
    return len;
}

void lw_proto_put_varint(lw_buf *out, uint64_t value)
{
    unsigned char bytes[LW_PROTO_VARINT_MAX];
    lw_buf_append(out, bytes, write_varint(bytes, value));
}

void lw_proto_put_fixed64(lw_buf *out, uint64_t value)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof(bytes); i++, value >>= 8)
        bytes[i] = (unsigned char)value;
    lw_buf_append(out, bytes, sizeof(bytes));
}

void lw_proto_put_tag(lw_buf *out, unsigned number, lw_proto_wire wire)
{
    lw_proto_put_varint(out, (uint64_t)number << 3 | wire);
}

void lw_proto_put_bytes(lw_buf *out, unsigned number, lw_str bytes)
{
    unsigned char head[2 * LW_PROTO_VARINT_MAX];
    size_t len = write_varint(head, (uint64_t)number << 3 | LW_PROTO_BYTES);
    len += write_varint(head + len, bytes.len);
    lw_buf_append(out, head, len);
    lw_buf_append_str(out, bytes);
}

void lw_proto_put_int(lw_buf *out, unsigned number, int64_t value)
{
    lw_proto_put_tag(out, number, LW_PROTO_VARINT);
    lw_proto_put_varint(out, (uint64_t)value);
}

size_t lw_proto_begin(lw_buf *out)
{
    lw_buf_append_char(out, '\0');
    return out->len;
}

void lw_proto_end(lw_buf *out, size_t begun)
{
    static const char room[LW_PROTO_VARINT_MAX];
    if (out->st < 0)
        return;
    size_t len = out->len - begun, size = lw_proto_varint_size(len);
    if (size > 1) {
        lw_buf_append(out, room, size - 1);
        if (out->st < 0)
            return;
        memmove(out->data + begun + size - 1, out->data + begun, len);
    }
    (void)write_varint((unsigned char *)out->data + begun - 1, len);
}

static bool fail(lw_proto_reader *reader, const char *why)
{
    reader->error = why;
    return false;
}

bool lw_proto_next_varint(lw_proto_reader *reader, uint64_t *value)
{
    uint64_t made = 0;
    lw_str rest = reader->rest;
    for (size_t i = 0; i < LW_PROTO_VARINT_MAX; i++) {
        if (i == rest.len)
            return fail(reader, "unexpected EOF");
        unsigned char byte = (unsigned char)rest.ptr[i];
        made |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            reader->rest = lw_str_skip(rest, i + 1);
            *value = made;
            return true;
        }
    }
    return fail(reader, "proto: integer overflow");
}

static bool next_fixed(lw_proto_reader *reader, size_t size, uint64_t *value)
{
    uint64_t made = 0;
    if (reader->rest.len < size)
        return fail(reader, "unexpected EOF");
    for (size_t i = size; i > 0; i--)
        made = made << 8 | (unsigned char)reader->rest.ptr[i - 1];
    reader->rest = lw_str_skip(reader->rest, size);
    *value = made;
    return true;
}

static bool next_bytes(lw_proto_reader *reader, lw_str *bytes)
{
    uint64_t len;
    if (!lw_proto_next_varint(reader, &len))
        return false;
    if (len > reader->rest.len)
        return fail(reader, "unexpected EOF");
    *bytes = lw_str_make(reader->rest.ptr, (size_t)len);
    reader->rest = lw_str_skip(reader->rest, (size_t)len);
    return true;
}

/* Reads the value after a tag, except groups. */
static bool next_value(lw_proto_reader *reader, unsigned wire, lw_proto_item *item)
{
    switch (wire) {
    case LW_PROTO_VARINT: return lw_proto_next_varint(reader, &item->value);
    case LW_PROTO_FIXED64: return next_fixed(reader, 8, &item->value);
    case LW_PROTO_FIXED32: return next_fixed(reader, 4, &item->value);
    case LW_PROTO_BYTES: return next_bytes(reader, &item->bytes);
    default: return fail(reader, "proto: illegal wireType");
    }
}

/* Skips to the end of the current group. */
static bool skip_group(lw_proto_reader *reader)
{
    lw_proto_item ignored;
    uint64_t tag;
    for (unsigned open = 1; open > 0;) {
        if (!lw_proto_next_varint(reader, &tag))
            return false;
        unsigned wire = tag & 7;
        if (wire == LW_PROTO_GROUP && ++open > GROUPS_MAX)
            return fail(reader, "proto: groups are nested too deep");
        if (wire == GROUP_END)
            open--;
        else if (wire != LW_PROTO_GROUP && !next_value(reader, wire, &ignored))
            return false;
    }
    return true;
}

bool lw_proto_next_any(lw_proto_reader *reader, lw_proto_item *item)
{
    uint64_t tag;
    if (reader->rest.len == 0 || reader->error)
        return false;
    if (!lw_proto_next_varint(reader, &tag))
        return false;
    if (tag >> 3 == 0 || tag >> 3 > NUMBER_MAX)
        return fail(reader, "proto: illegal tag");
    if ((tag & 7) == GROUP_END)
        return fail(reader, "proto: wiretype end group for non-group");
    *item = (lw_proto_item){ .number = (unsigned)(tag >> 3), .wire = (lw_proto_wire)(tag & 7) };
    return item->wire == LW_PROTO_GROUP ? skip_group(reader)
                                        : next_value(reader, (unsigned)item->wire, item);
}
