/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c -- restores a packed body.
 *
 * Short copies are made in chunks of 16 bytes; what is written too much is overwritten by what
 * follows, and after the body there is slack. */
#include "base/pack/pack_chunks.h"

enum {
    MARKS = 8,                     /* in a byte */
    CHUNK_MAX = 2 + LW_PACK_CHUNK, /* bytes that are read for a chunk */
    SHORT_MAX = 3 * LW_PACK_CHUNK, /* literals and copies up to this are short */
    SHORT_FROM = 64,               /* a sequence with short literals reads less */
    SHORT_TO = 2 * SHORT_MAX,      /* short literals and a short copy write this */
};

/* For functions that are compiled for more than one set of instructions, or with and without
 * checks. */
#define INLINE static inline __attribute__((always_inline))

typedef struct unpacker {
    const lw_pack_room *room;
    const unsigned char *from, *end;
    size_t at, body_end; /* in the room */
    pack_shifts shifts;
} unpacker;

INLINE bool get_varint(unpacker *u, size_t *value)
{
    size_t sum = 0;
    for (unsigned shift = 0; shift < 28 && u->from < u->end; shift += 7) {
        size_t byte = *u->from++;
        sum |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value += sum;
            return true;
        }
    }
    return false;
}

/* Sequences.  One is roomy if both sides have so many bytes left that short literals and a short
 * copy need no check, and may be made in chunks. */

INLINE bool is_roomy_at(const unpacker *u)
{
    return u->end - u->from >= SHORT_FROM && u->body_end - u->at >= SHORT_TO;
}

INLINE void copy_short(char *dst, const void *src, size_t len)
{
    const char *from = src;
    memcpy(dst, from, LW_PACK_CHUNK);
    if (len > LW_PACK_CHUNK) {
        memcpy(dst + LW_PACK_CHUNK, from + LW_PACK_CHUNK, LW_PACK_CHUNK);
        memcpy(dst + 2 * LW_PACK_CHUNK, from + 2 * LW_PACK_CHUNK, LW_PACK_CHUNK);
    }
}

INLINE bool get_literals(unpacker *u, size_t len, bool is_roomy)
{
    char *dst = u->room->bytes + u->at;
    if (is_roomy && len <= SHORT_MAX)
        copy_short(dst, u->from, len);
    else if (len <= (size_t)(u->end - u->from) && len <= u->body_end - u->at)
        memcpy(dst, u->from, len);
    else
        return false;
    u->from += len;
    u->at += len;
    return true;
}

INLINE bool get_hex(unpacker *u, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *dst = u->room->bytes + u->at;
    if ((len + 1) / 2 > (size_t)(u->end - u->from) || len > u->body_end - u->at)
        return false;
    for (size_t i = 0; i < len; i += 2) { /* may write one more, which is slack */
        unsigned byte = *u->from++;
        dst[i] = digits[byte >> 4];
        dst[i + 1] = digits[byte & 15];
    }
    u->at += len;
    return true;
}

/* Gets the source of a copy of |len| bytes; NULL: it is not in the dictionary or before this
 * position. */
INLINE const char *get_source(unpacker *u, size_t len, bool is_roomy)
{
    const lw_pack_room *room = u->room;
    if (!is_roomy && u->from == u->end)
        return NULL;
    size_t code = *u->from++, source;
    bool is_in_dictionary = false;
    if (code < PACK_NEAR_END) {
        source = u->at + (size_t)u->shifts.sibling + code - PACK_NEAR_BACK;
    } else if (code < PACK_DICTIONARY_END) {
        is_in_dictionary = true;
        code -= PACK_NEAR_END + PACK_DICTIONARY_BACK; /* modulo 2^64 */
        source = u->at + (size_t)u->shifts.dictionary + code;
    } else if (!is_roomy && (size_t)(u->end - u->from) < (code < PACK_DISTANCE_END ? 1U : 2U)) {
        return NULL;
    } else if (code < PACK_DISTANCE_END) {
        source = u->at - 1 - ((code & 0x1f) << 8 | *u->from++);
    } else {
        is_in_dictionary = code == PACK_IN_DICTIONARY;
        source = u->from[0] | (size_t)u->from[1] << 8;
        u->from += 2;
    }
    if (is_in_dictionary) {
        u->shifts.dictionary = (int64_t)(source - u->at);
        bool is_inside = source < LW_PACK_DICTIONARY_MAX && len <= LW_PACK_DICTIONARY_MAX - source;
        return is_inside ? room->dictionary->bytes + source : NULL;
    }
    if (source < room->sibling_len)
        u->shifts.sibling = (int64_t)(source - u->at);
    return source < u->at ? u->room->bytes + source : NULL;
}

INLINE bool get_copy(unpacker *u, size_t len, bool is_roomy)
{
    char *dst = u->room->bytes + u->at;
    const bool is_short = is_roomy && len <= SHORT_MAX;
    if (!is_short && len > u->body_end - u->at)
        return false;
    const char *src = get_source(u, len, is_roomy);
    if (!src)
        return false;
    uintptr_t distance = (uintptr_t)dst - (uintptr_t)src; /* huge for the dictionary */
    if (is_short && distance >= LW_PACK_CHUNK) {
        copy_short(dst, src, len);
    } else if (distance >= len) {
        memcpy(dst, src, len);
    } else {
        for (size_t i = 0; i < len; i++)
            dst[i] = src[i];
    }
    u->at += len;
    return true;
}

INLINE bool get_sequence(unpacker *u, bool is_roomy)
{
    if (u->from == u->end)
        return false;
    size_t token = *u->from++, literals = token >> PACK_COPY_BITS, copied = token & PACK_COPY_MANY;
    bool is_hex = literals == PACK_LITERALS_HEX;
    if (is_hex)
        literals = 0;
    if ((is_hex || literals == PACK_LITERALS_MANY) && !get_varint(u, &literals))
        return false;
    if (copied == PACK_COPY_MANY && !get_varint(u, &copied))
        return false;
    if (is_hex ? !get_hex(u, literals) : !get_literals(u, literals, is_roomy))
        return false;
    return copied == 0 ||
           get_copy(u, copied + PACK_COPY_MIN - 1, is_roomy && literals <= SHORT_MAX);
}

/* Restores up to |end|. */
static bool get_sequences(unpacker *unpacked, size_t end)
{
    unpacker u = *unpacked; /* whose members are in registers */
    bool is_good = true;
    while (is_good && u.at < end)
        is_good = is_roomy_at(&u) ? get_sequence(&u, true) : get_sequence(&u, false);
    *unpacked = u;
    return is_good && u.at == end;
}

/* Bodies that were compared with their siblings. */

typedef const unsigned char *spread_fn(char *bytes, const unsigned char *from, uint32_t differs);

/* Puts the bytes of the next chunk over those of the sibling. */
INLINE bool get_chunk(unpacker *u, char *dst, spread_fn *spread)
{
    const size_t left = (size_t)(u->end - u->from);
    if (left >= CHUNK_MAX) {
        u->from = spread(dst, u->from + 2, u->from[0] | (uint32_t)u->from[1] << 8);
        return true;
    }
    unsigned char last[CHUNK_MAX] = { 0 }; /* more than there is would be read */
    memcpy(last, u->from, left);
    size_t len = (size_t)(spread(dst, last + 2, last[0] | (uint32_t)last[1] << 8) - last);
    if (len > left)
        return false;
    u->from += len;
    return true;
}

/* Changes the |len| bytes at |dst|, in those chunks that have a mark. */
INLINE bool get_chunks(unpacker *u, char *dst, size_t len, spread_fn *spread)
{
    const size_t bytes = lw_pack_marks(len);
    const unsigned char *marks = u->from;
    if (bytes > (size_t)(u->end - u->from))
        return false;
    u->from += bytes;
    for (size_t i = 0; i < bytes; i++, dst += MARKS * LW_PACK_CHUNK, len -= MARKS * LW_PACK_CHUNK) {
        for (unsigned left = marks[i]; left != 0; left &= left - 1) {
            size_t at = (size_t)__builtin_ctz(left) * LW_PACK_CHUNK;
            if (at >= len || !get_chunk(u, dst + at, spread))
                return false;
        }
    }
    return true;
}

#ifdef LW_PACK_BITS
LW_PACK_BITS_TARGET static bool get_chunks_bits(unpacker *u, char *dst, size_t len)
{
    return get_chunks(u, dst, len, lw_pack_spread_bits);
}
#else
static bool get_chunks_bits(unpacker *u, char *dst, size_t len)
{
    return get_chunks(u, dst, len, lw_pack_spread_plain);
}
#endif

/* |shift| is modulo 2^64. */
static bool get_compared(unpacker *u, size_t len, uint64_t shift)
{
    const lw_pack_room *room = u->room;
    const char *sibling = room->sibling_len > 0 ? u->room->bytes : room->dictionary->bytes;
    const size_t sibling_len = room->sibling_len > 0 ? room->sibling_len : LW_PACK_DICTIONARY_MAX;
    const uint64_t from = u->at - room->sibling_len - room->hint_len + shift;
    char *dst = u->room->bytes + u->at;
    if (len > u->body_end - u->at || from > sibling_len || len > sibling_len - from)
        return false;
    memcpy(dst, sibling + from, len);
    u->at += len;
    return lw_pack_has_bits() ? get_chunks_bits(u, dst, len)
                              : get_chunks(u, dst, len, lw_pack_spread_plain);
}

static bool get_aligned(unpacker *u)
{
    uint64_t shift = 0;
    while (u->at < u->body_end) {
        size_t head = 0, change = 0;
        if (!get_varint(u, &head))
            return false;
        if (head & PACK_ALIGNED_LITERALS) {
            if (head >> 1 > u->body_end - u->at || !get_sequences(u, u->at + (head >> 1)))
                return false;
            continue;
        }
        if (!get_varint(u, &change))
            return false;
        shift += (change >> 1) ^ (0 - (uint64_t)(change & 1));
        if (!get_compared(u, head >> 1, shift))
            return false;
    }
    return true;
}

lw_status lw_unpack(const lw_pack_room *room, lw_str packed)
{
    size_t body_at = room->sibling_len + room->hint_len;
    const unsigned char *bytes = (const unsigned char *)packed.ptr;
    unpacker u = {
        room, bytes, bytes + packed.len, body_at, body_at + room->body_len, pack_first_shifts(room)
    };
    bool is_aligned = packed.len > 0 && bytes[0] == PACK_ALIGNED;
    u.from += is_aligned;
    bool is_good = is_aligned ? get_aligned(&u) : get_sequences(&u, u.body_end);
    return is_good && u.from == u.end ? LW_OK : LW_ERR_INTERNAL;
}
