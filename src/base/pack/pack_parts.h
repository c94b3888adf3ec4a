/* SPDX-License-Identifier: Apache-2.0 */
/* pack_parts.h -- what the files that pack share.  Each function that writes returns the end of
 * what it has written. */
#ifndef LW_BASE_PACK_PACK_PARTS_H
#define LW_BASE_PACK_PACK_PARTS_H

#include <string.h>

#include "base/pack/pack_format.h"

enum {
    LW_PACK_CHUNK = 16, /* bytes that are compared or copied at once */
    LW_PACK_HASH_BITS = 32,
};

static inline uint32_t lw_pack_load4(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint64_t lw_pack_load8(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint32_t lw_pack_hash(uint32_t value)
{
    return value * UINT32_C(2654435761);
}

static inline size_t lw_pack_head_of(uint32_t hashed)
{
    return hashed >> (LW_PACK_HASH_BITS - LW_PACK_HEAD_BITS);
}

static inline unsigned char *lw_pack_put_varint(unsigned char *dst, size_t value)
{
    for (; value >= 0x80; value >>= 7)
        *dst++ = (unsigned char)(value | 0x80);
    *dst++ = (unsigned char)value;
    return dst;
}

/* Writes any number of literals, the last of them with the token of a copy of |copied| bytes; 0: no
 * copy follows.  Runs of hexadecimal digits take half a byte for each. */
unsigned char *lw_pack__put_literals(unsigned char *dst, const char *literals, size_t len,
                                     size_t copied);

#endif
