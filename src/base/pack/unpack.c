/* SPDX-License-Identifier: Apache-2.0 */
/* unpack.c -- restores a packed body.
 *
 * What is read after the packed bytes, which is less than LW_PACK_SLACK, is noticed when |from| is
 * after |end|.
 *
 * Most sequences are short, and there is one for each 44 bytes of a pod: they are restored in a
 * loop of their own, in chunks of 16 bytes.  What is written too much is overwritten by what
 * follows, and after the body there is slack. */
#include "base/pack/pack_chunks.h"

enum {
    MARKS = 8, /* in a byte */
    VARINT_MORE = 0x80,
    SHORT_TO = PACK_LITERALS_MANY + PACK_COPY_MANY + PACK_COPY_MIN, /* bytes of a short sequence */
    SHORT_MORE_MAX = 1 << 14, /* ... unless its copy is longer, by up to this */
};

/* For functions that are compiled for more than one set of instructions, or are the body of a loop.
 */
#define INLINE static inline __attribute__((always_inline))

typedef struct unpacker {
    const lw_pack_room *room;
    const unsigned char *from, *end;
    char *body;
    size_t at;      /* in the body */
    size_t body_at; /* in the room */
    /* The positions in the sibling and in the dictionary that the last copies would go on at are
     * those in the body plus these, modulo 2^64. */
    size_t sibling_shift, dictionary_shift;
} unpacker;

/* Short sequences: at most a chunk of literals, and a copy from one piece of the body, the sibling
 * or the dictionary. */

/* Adds what does not fit into the token.  False: the sequence is not short, or does not fit into
 * |space| bytes. */
INLINE bool add_short_lengths(unpacker *u, size_t *literals, size_t *copied, size_t space)
{
    size_t more = 0;
    if (*literals == PACK_LITERALS_MANY)
        *literals += *u->from++;
    if (*copied == PACK_COPY_MANY)
        more = *u->from++;
    if (more >= VARINT_MORE)
        more += ((size_t)*u->from++ << 7) - VARINT_MORE;
    *copied += more;
    return *literals <= LW_PACK_CHUNK && more < SHORT_MORE_MAX &&
           *literals + *copied + PACK_COPY_MIN <= space;
}

INLINE const char *find_in_dictionary(unpacker *u, size_t at, size_t len)
{
    u->dictionary_shift = at - u->at;
    return at <= LW_PACK_DICTIONARY_MAX - len ? u->room->dictionary->bytes + at : NULL;
}

INLINE const char *find_in_sibling(unpacker *u, size_t at, size_t len)
{
    const size_t sibling_len = u->room->sibling_len;
    u->sibling_shift = at - u->at;
    return at < sibling_len && len <= sibling_len - at ? u->room->bytes + at : NULL;
}

/* Gets the source of a copy of |len| bytes; NULL: the sequence is not short. */
INLINE const char *get_short_source(unpacker *u, size_t len)
{
    const unsigned char *from = u->from;
    const size_t code = from[0];
    if (code >= PACK_DISTANCE_END) {
        u->from = from + 3;
        return code == PACK_IN_DICTIONARY
                   ? find_in_dictionary(u, from[1] | (size_t)from[2] << 8, len)
                   : NULL;
    }
    if (code >= PACK_DICTIONARY_END) { /* most of them */
        const size_t distance = ((code & 0x1f) << 8 | from[1]) + 1;
        u->from = from + 2;
        if (distance > u->at)
            return find_in_sibling(u, u->body_at + u->at - distance, len);
        return len <= distance ? u->body + (u->at - distance) : NULL;
    }
    u->from = from + 1;
    if (code >= PACK_NEAR_END)
        return find_in_dictionary(
            u, u->at + u->dictionary_shift + code - (PACK_NEAR_END + PACK_DICTIONARY_BACK), len);
    return find_in_sibling(u, u->at + u->sibling_shift + code - PACK_NEAR_BACK, len);
}

/* The places may overlap: what is wrong then is written too much. */
INLINE void copy_chunk(char *dst, const char *src)
{
    char chunk[LW_PACK_CHUNK];
    memcpy(chunk, src, sizeof(chunk));
    memcpy(dst, chunk, sizeof(chunk));
}

INLINE void copy_two_chunks(char *dst, const char *src)
{
    copy_chunk(dst, src);
    copy_chunk(dst + LW_PACK_CHUNK, src + LW_PACK_CHUNK);
}

INLINE void copy_chunks(char *dst, const char *src, size_t len)
{
    copy_two_chunks(dst, src);
    for (size_t i = 2 * LW_PACK_CHUNK; i < len; i += 2 * LW_PACK_CHUNK)
        copy_two_chunks(dst + i, src + i);
}

/* Restores the next sequence, up to |end|; false: it is not short. */
INLINE bool get_short_sequence(unpacker *u, size_t end)
{
    const size_t token = *u->from++;
    size_t literals = token >> PACK_COPY_BITS, copied = token & PACK_COPY_MANY;
    if (literals == PACK_LITERALS_HEX || copied == 0)
        return false;
    if ((literals == PACK_LITERALS_MANY || copied == PACK_COPY_MANY) &&
        !add_short_lengths(u, &literals, &copied, end - u->at))
        return false;
    memcpy(u->body + u->at, u->from, LW_PACK_CHUNK);
    u->from += literals;
    u->at += literals;
    const size_t len = copied + PACK_COPY_MIN - 1;
    const char *source = get_short_source(u, len);
    if (!source)
        return false;
    copy_chunks(u->body + u->at, source, len);
    u->at += len;
    return true;
}

/* Restores sequences up to one that is not short, or is close to an end. */
static void get_short_sequences(unpacker *unpacked, size_t end)
{
    unpacker u = *unpacked; /* whose members are in registers */
    while (u.from < u.end && end - u.at >= SHORT_TO) {
        const unpacker before = u;
        if (!get_short_sequence(&u, end)) {
            u = before;
            break;
        }
    }
    *unpacked = u;
}

/* Any sequence. */

static bool get_varint(unpacker *u, size_t *value)
{
    size_t sum = 0;
    for (unsigned shift = 0; shift < 28 && u->from < u->end; shift += 7) {
        size_t byte = *u->from++;
        sum |= (byte & 0x7f) << shift;
        if (byte < VARINT_MORE) {
            *value += sum;
            return true;
        }
    }
    return false;
}

static bool get_literals(unpacker *u, size_t len)
{
    if (len > (size_t)(u->end - u->from))
        return false;
    memcpy(u->body + u->at, u->from, len);
    u->from += len;
    u->at += len;
    return true;
}

static bool get_hex(unpacker *u, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *dst = u->body + u->at;
    if ((len + 1) / 2 > (size_t)(u->end - u->from))
        return false;
    for (size_t i = 0; i < len; i += 2) { /* may write one more, which is slack */
        unsigned byte = *u->from++;
        dst[i] = digits[byte >> 4];
        dst[i + 1] = digits[byte & 15];
    }
    u->at += len;
    return true;
}

/* Gets the position of a copy in the room or in the dictionary. */
static size_t get_address(unpacker *u, bool *is_in_dictionary)
{
    const size_t code = *u->from++;
    *is_in_dictionary = code >= PACK_NEAR_END && code < PACK_DICTIONARY_END;
    if (code < PACK_NEAR_END)
        return u->at + u->sibling_shift + code - PACK_NEAR_BACK;
    if (code < PACK_DICTIONARY_END)
        return u->at + u->dictionary_shift + code - (PACK_NEAR_END + PACK_DICTIONARY_BACK);
    if (code < PACK_DISTANCE_END)
        return u->body_at + u->at - 1 - ((code & 0x1f) << 8 | *u->from++);
    *is_in_dictionary = code == PACK_IN_DICTIONARY;
    const size_t at = u->from[0] | (size_t)u->from[1] << 8;
    u->from += 2;
    return at;
}

/* Copies from before this position; false: it is not.  The source may go on from the room to the
 * body, or repeat what is copied. */
static bool copy_in_room(unpacker *u, size_t source, size_t len)
{
    const bool is_in_body = source >= u->body_at;
    const char *before = u->room->bytes;
    char *dst = u->body + u->at;
    if (source >= u->body_at + u->at)
        return false;
    if (source < u->room->sibling_len)
        u->sibling_shift = source - u->at;
    if (len <= (is_in_body ? u->body_at + u->at : u->body_at) - source) {
        memcpy(dst, is_in_body ? u->body + (source - u->body_at) : before + source, len);
        return true;
    }
    for (size_t i = 0; i < len; i++, source++)
        dst[i] = source < u->body_at ? before[source] : u->body[source - u->body_at];
    return true;
}

static bool copy_from_dictionary(unpacker *u, size_t source, size_t len)
{
    if (len > LW_PACK_DICTIONARY_MAX)
        return false;
    const char *bytes = find_in_dictionary(u, source, len);
    if (bytes)
        memcpy(u->body + u->at, bytes, len);
    return bytes != NULL;
}

static bool get_copy(unpacker *u, size_t len)
{
    bool is_in_dictionary;
    const size_t at = get_address(u, &is_in_dictionary);
    if (!(is_in_dictionary ? copy_from_dictionary(u, at, len) : copy_in_room(u, at, len)))
        return false;
    u->at += len;
    return u->from <= u->end;
}

/* Restores the next sequence, up to |end|. */
static bool get_sequence(unpacker *u, size_t end)
{
    if (u->from >= u->end)
        return false;
    const size_t token = *u->from++;
    size_t literals = token >> PACK_COPY_BITS, copied = token & PACK_COPY_MANY;
    const bool is_hex = literals == PACK_LITERALS_HEX;
    if (is_hex)
        literals = 0;
    if ((is_hex || literals == PACK_LITERALS_MANY) && !get_varint(u, &literals))
        return false;
    if (copied == PACK_COPY_MANY && !get_varint(u, &copied))
        return false;
    const size_t len = copied > 0 ? copied + PACK_COPY_MIN - 1 : 0;
    if (literals + len > end - u->at)
        return false;
    if (is_hex ? !get_hex(u, literals) : !get_literals(u, literals))
        return false;
    return len == 0 || get_copy(u, len);
}

/* Restores up to |end|. */
static bool get_sequences(unpacker *u, size_t end)
{
    bool is_good = true;
    while (is_good && u->at < end) {
        get_short_sequences(u, end);
        is_good = u->at == end || get_sequence(u, end);
    }
    return is_good && u->from <= u->end;
}

/* Bodies that were compared with their siblings. */

typedef const unsigned char *spread_fn(char *bytes, const unsigned char *from, uint32_t differs);

/* Puts the next bytes over those of the sibling, the |len| bytes at |dst|, in those chunks that
 * have a mark. */
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
            if (at >= len || u->from >= u->end)
                return false;
            u->from = spread(dst + at, u->from + 2, u->from[0] | (uint32_t)u->from[1] << 8);
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
    const uint64_t from = u->at + shift;
    char *dst = u->body + u->at;
    if (len > room->body_len - u->at || from > sibling_len || len > sibling_len - from)
        return false;
    memcpy(dst, sibling + from, len);
    u->at += len;
    return lw_pack_has_bits() ? get_chunks_bits(u, dst, len)
                              : get_chunks(u, dst, len, lw_pack_spread_plain);
}

static bool get_aligned(unpacker *u)
{
    uint64_t shift = 0;
    const size_t body_len = u->room->body_len;
    while (u->at < body_len) {
        size_t head = 0, change = 0;
        if (!get_varint(u, &head))
            return false;
        if (head & PACK_ALIGNED_LITERALS) {
            if (head >> 1 > body_len - u->at || !get_sequences(u, u->at + (head >> 1)))
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

lw_status lw_unpack(const lw_pack_room *room, lw_str packed, char *body)
{
    const unsigned char *bytes = (const unsigned char *)packed.ptr;
    unpacker u = { .room = room,
                   .from = bytes,
                   .end = bytes + packed.len,
                   .body = body,
                   .body_at = room->sibling_len + room->hint_len };
    bool is_aligned = packed.len > 0 && bytes[0] == PACK_ALIGNED;
    u.from += is_aligned;
    bool is_good = is_aligned ? get_aligned(&u) : get_sequences(&u, room->body_len);
    return is_good && u.from == u.end ? LW_OK : LW_ERR_INTERNAL;
}
