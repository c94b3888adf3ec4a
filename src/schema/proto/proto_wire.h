/* SPDX-License-Identifier: Apache-2.0 */
/* proto_wire.h -- the protobuf wire format: varints, tags and length-delimited fields. */
#ifndef LW_SCHEMA_PROTO_PROTO_WIRE_H
#define LW_SCHEMA_PROTO_PROTO_WIRE_H

#include <stdint.h>

#include "base/buf.h"

/* The wire type of a value, which is part of its tag. */
typedef enum lw_proto_wire {
    LW_PROTO_VARINT = 0,
    LW_PROTO_FIXED64 = 1,
    LW_PROTO_BYTES = 2, /* length-delimited: strings, bytes, messages */
    LW_PROTO_GROUP = 3, /* only skipped */
    LW_PROTO_FIXED32 = 5,
} lw_proto_wire;

enum {
    LW_PROTO_VARINT_MAX = 10, /* bytes */
};

void lw_proto_put_varint(lw_buf *out, uint64_t value);
void lw_proto_put_fixed64(lw_buf *out, uint64_t value);
void lw_proto_put_tag(lw_buf *out, unsigned number, lw_proto_wire wire);

/* Append a whole field. */
void lw_proto_put_bytes(lw_buf *out, unsigned number, lw_str bytes);
void lw_proto_put_int(lw_buf *out, unsigned number, int64_t value);

/* Returns the number of bytes that |value| takes as a varint. */
size_t lw_proto_varint_size(uint64_t value);

/* lw_proto_end inserts the length of the bytes appended since lw_proto_begin before them. */
size_t lw_proto_begin(lw_buf *out);
void lw_proto_end(lw_buf *out, size_t begun);

/* One field of a message. */
typedef struct lw_proto_item {
    unsigned number;
    lw_proto_wire wire;
    uint64_t value; /* for LW_PROTO_VARINT, LW_PROTO_FIXED64, LW_PROTO_FIXED32 */
    lw_str bytes;   /* for LW_PROTO_BYTES */
} lw_proto_item;

/* A position in a message; starts as { message, NULL }. */
typedef struct lw_proto_reader {
    lw_str rest;
    const char *error; /* the error in Go's words; NULL: none so far */
} lw_proto_reader;

/* Reads the next field.  False: there is none, or reader->error is set. */
bool lw_proto_next_any(lw_proto_reader *reader, lw_proto_item *item);

/* The same, inlined for the most common cases: a tag of one or two bytes, and a short number or a
 * length of one or two bytes. */
static inline bool lw_proto_next(lw_proto_reader *reader, lw_proto_item *item)
{
    const unsigned char *p = (const unsigned char *)reader->rest.ptr;
    size_t left = reader->rest.len, used = 1;
    if (left < 4 || p[0] < 1 << 3 || reader->error)
        return lw_proto_next_any(reader, item);
    unsigned tag = p[0];
    if (tag >= 0x80) {
        if (p[1] >= 0x80 || p[1] == 0)
            return lw_proto_next_any(reader, item);
        tag = (tag & 0x7f) | (unsigned)p[used++] << 7;
    }
    size_t value = p[used++];
    lw_proto_wire wire = (lw_proto_wire)(tag & 7);
    if (value >= 0x80) {
        if (p[used] >= 0x80 || wire != LW_PROTO_BYTES)
            return lw_proto_next_any(reader, item);
        value = (value & 0x7f) | (size_t)p[used++] << 7;
    }
    size_t len = wire == LW_PROTO_BYTES ? value : 0;
    if (wire != LW_PROTO_BYTES && wire != LW_PROTO_VARINT)
        return lw_proto_next_any(reader, item);
    if (len > left - used)
        return lw_proto_next_any(reader, item);
    item->number = tag >> 3;
    item->wire = wire;
    item->value = wire == LW_PROTO_VARINT ? value : 0;
    item->bytes = lw_str_make(wire == LW_PROTO_BYTES ? reader->rest.ptr + used : NULL, len);
    used += len;
    reader->rest = lw_str_make(reader->rest.ptr + used, left - used);
    return true;
}

/* Returns |rest|, a part of a message, from its first field |number| on, or from an earlier one
 * that only lw_proto_next_any can read.  A search for few fields that skips the others with it
 * costs a third. */
static inline lw_str lw_proto_skip_others(lw_str rest, unsigned number)
{
    if (rest.len < 4)
        return rest; /* may be NULL */
    const unsigned char *p = (const unsigned char *)rest.ptr, *end = p + rest.len;
    while (end - p >= 4) {
        unsigned tag = p[0], value;
        size_t used = 1;
        if (tag >= 0x80) {
            if (p[1] >= 0x80 || p[1] == 0)
                break;
            tag = (tag & 0x7f) | (unsigned)p[used++] << 7;
        }
        if (tag < 1 << 3 || tag >> 3 == number)
            break;
        value = p[used++];
        if ((tag & 7) == LW_PROTO_BYTES) {
            if (value >= 0x80) {
                if (p[used] >= 0x80)
                    break;
                value = (value & 0x7f) | (unsigned)p[used++] << 7;
            }
            if (value > (size_t)(end - p) - used)
                break;
            used += value;
        } else if ((tag & 7) != LW_PROTO_VARINT || value >= 0x80) {
            break;
        }
        p += used;
    }
    return lw_str_make((const char *)p, (size_t)(end - p));
}

/* Reads a number without a tag, as in packed lists. */
bool lw_proto_next_varint(lw_proto_reader *reader, uint64_t *value);

#endif
