/* SPDX-License-Identifier: Apache-2.0 */
/* proto_put.h -- inline parts of fields, for callers that have made room. */
#ifndef LW_SCHEMA_PROTO_PROTO_PUT_H
#define LW_SCHEMA_PROTO_PROTO_PUT_H

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

#endif
