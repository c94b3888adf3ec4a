/* SPDX-License-Identifier: Apache-2.0 */
/* pack_format.h -- the format of packed bodies, for both directions.
 *
 *   token    3 bits: literals, 5 bits: copied bytes; a varint follows where they do not fit, first
 *            that of the literals
 *   address  0x00-0x7f       of the sibling, relative to where the last copy from it would go on
 *            0x80-0xbf       of the dictionary, likewise
 *            0xc0-0xdf, +1   distance back from here
 *            0xe0, +2        in the dictionary
 *            0xe1, +2        in the room
 *
 * A body that was compared with its sibling in order (pack_aligned.c) begins with PACK_ALIGNED,
 * which is no token, and consists of parts
 *
 *   varint   2 * length + 1: literals, as sequences that copy nothing; or
 *            2 * length: the bytes of the sibling, but
 *   varint   where they are, minus where they are in the body, changes by (0, -1, 1, -2 ...)
 *   marks    a bit for each chunk of 16 bytes that differs, rounded up to bytes
 *   chunks   for each of those: 2 bytes with a bit for each byte that differs, and these bytes */
#ifndef LW_BASE_PACK_PACK_FORMAT_H
#define LW_BASE_PACK_PACK_FORMAT_H

#include "base/pack/pack.h"

enum {
    PACK_COPY_BITS = 5,
    PACK_COPY_MIN = 4,   /* shorter copies do not pay; the token has 0 for no copy */
    PACK_COPY_MANY = 31, /* a varint follows, to be added to PACK_COPY_MANY + PACK_COPY_MIN - 1 */
    PACK_LITERALS_MANY = 6, /* a varint follows, to be added */
    PACK_LITERALS_HEX = 7,  /* a varint follows: the number of digits, two in a byte */
    PACK_NEAR_BACK = 32,
    PACK_NEAR_END = 0x80,
    PACK_DICTIONARY_BACK = 16,
    PACK_DICTIONARY_END = 0xc0,
    PACK_DISTANCE_END = 0xe0,
    PACK_DISTANCE_MAX = 1 << 13,
    PACK_IN_DICTIONARY = 0xe0,
    PACK_IN_ROOM = 0xe1,
    PACK_ALIGNED = 0,
    PACK_ALIGNED_LITERALS = 1,
};

/* The positions that the last copies would go on at are those of the body plus these. */
typedef struct pack_shifts {
    int64_t sibling, dictionary;
} pack_shifts;

static inline pack_shifts pack_first_shifts(const lw_pack_room *room)
{
    int64_t body_at = (int64_t)(room->sibling_len + room->hint_len);
    return (pack_shifts){ -body_at, -body_at };
}

#endif
