/* SPDX-License-Identifier: Apache-2.0 */
/* proto_put.h -- fast inline versions of the lw_proto_put_* functions.  They call those functions
 * when the buffer is full. */
#ifndef LW_SCHEMA_PROTO_PROTO_PUT_H
#define LW_SCHEMA_PROTO_PROTO_PUT_H

#include <string.h>

#include "schema/proto/proto_wire.h"

enum {
    LW_PROTO_SHORT_MAX = 127, /* the largest number that is encoded in one byte */
};

/* True if |bytes| more bytes fit without an allocation. */
static inline bool lw_proto_fits(const lw_buf *out, size_t bytes)
{
    return out->st == LW_OK && out->cap - out->len >= bytes;
}

/* Writes |value| to |at|, which must have room; returns the position after it. */
static inline char *lw_proto_write_varint(char *at, uint64_t value)
{
    for (; value > LW_PROTO_SHORT_MAX; value >>= 7)
        *at++ = (char)(unsigned char)(value | 0x80);
    *at++ = (char)(unsigned char)value;
    return at;
}

static inline char *lw_proto_write_tag(char *at, unsigned number, lw_proto_wire wire)
{
    return lw_proto_write_varint(at, (uint64_t)number << 3 | (uint64_t)wire);
}

static inline void lw_proto_tag(lw_buf *out, unsigned number, lw_proto_wire wire)
{
    if (!lw_proto_fits(out, LW_PROTO_VARINT_MAX)) {
        lw_proto_put_tag(out, number, wire);
        return;
    }
    out->len = (size_t)(lw_proto_write_tag(out->data + out->len, number, wire) - out->data);
}

static inline void lw_proto_zero(lw_buf *out, unsigned number, lw_proto_wire wire)
{
    if (!lw_proto_fits(out, LW_PROTO_VARINT_MAX + 1)) {
        lw_proto_put_zero(out, number, wire);
        return;
    }
    char *at = lw_proto_write_tag(out->data + out->len, number, wire);
    *at++ = 0;
    out->len = (size_t)(at - out->data);
}

static inline void lw_proto_bytes(lw_buf *out, unsigned number, lw_str bytes)
{
    if (!lw_proto_fits(out, 2 * LW_PROTO_VARINT_MAX + bytes.len)) {
        lw_proto_put_bytes(out, number, bytes);
        return;
    }
    char *at = lw_proto_write_tag(out->data + out->len, number, LW_PROTO_BYTES);
    at = lw_proto_write_varint(at, bytes.len);
    if (bytes.len > 0)
        memcpy(at, bytes.ptr, bytes.len);
    out->len = (size_t)(at - out->data) + bytes.len;
}

/* Appends the tag of a message and one byte for its length.  lw_proto_message_end fills it in. */
static inline size_t lw_proto_message_begin(lw_buf *out, unsigned number)
{
    lw_proto_zero(out, number, LW_PROTO_BYTES);
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
