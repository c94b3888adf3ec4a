/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c -- finds the copies that a body consists of.
 *
 * It is greedy.  At each position it looks where the last copy from the sibling would go on.  If
 * these bytes differ, most often they were replaced by others of the same length, and both go on
 * with the same bytes after this gap.  Otherwise, and for the bytes of a long gap, it searches the
 * same four bytes in the room and in the dictionary.
 *
 * Half of the time is lost to branches that nobody can predict, so a branch costs as much as a
 * dozen instructions. */
#include "base/pack/pack.h"

#include "base/pack/equal.h"
#include "base/pack/pack_parts.h"

enum {
    GOOD_COPY = 24,     /* the dictionary is not searched for a longer one */
    DICTIONARY_MIN = 6, /* an address in the dictionary costs more */
    GAP_MAX = 96,       /* bytes that may be replaced by others of the same length */
    GAP_SHORT = 4,      /* nothing else is tried for a gap of so few bytes ... */
    GAP_LONG = 12,      /* ... and the dictionary is searched for more than these */
    PATIENCE_BITS = 1,  /* after so many failures (as a power of two) positions are skipped */
    INT_SIZE = 4,
    WINDOW_STEP = 2 * LW_PACK_CHUNK - INT_SIZE + 1, /* any four bytes are in one of two windows */
    INDEX_STEP = 5,                                 /* positions whose four bytes are in one word */
    LEARNED_MAX = 4096, /* positions of the body that a later copy may begin at */
};

static size_t dictionary_head_of(uint32_t hashed)
{
    return hashed >> (LW_PACK_HASH_BITS - LW_PACK_DICTIONARY_BITS);
}

/* The number of equal bytes, at most |max|; reads up to LW_PACK_SLACK bytes more. */
static inline size_t common(const char *a, const char *b, size_t max)
{
    size_t len = 0;
    while (len < max) {
        uint32_t differs = ~lw_equal16(a + len, b + len) & LW_EQUAL16_ALL;
        if (differs != 0) {
            len += (size_t)__builtin_ctz(differs);
            break;
        }
        len += LW_PACK_CHUNK;
    }
    return len < max ? len : max;
}

bool lw_pack_dictionary_add(lw_pack_dictionary *dictionary, lw_str bytes)
{
    size_t from = dictionary->len;
    if (bytes.len > LW_PACK_DICTIONARY_MAX - from)
        return false;
    memcpy(dictionary->bytes + from, bytes.ptr, bytes.len);
    dictionary->len += (uint32_t)bytes.len;
    for (size_t i = from; i + INT_SIZE <= dictionary->len; i++)
        dictionary->at[dictionary_head_of(lw_pack_hash(lw_pack_load4(dictionary->bytes + i)))] =
            (uint16_t)i;
    return true;
}

void lw_pack_index(const lw_pack_room *room, lw_pack_heads *heads)
{
    const size_t end = room->sibling_len >= INT_SIZE ? room->sibling_len - INT_SIZE + 1 : 0;
    size_t i = 0;
    memset(heads, 0, sizeof(*heads));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; i + INDEX_STEP <= end; i += INDEX_STEP) {
        const uint64_t bytes = lw_pack_load8(room->bytes + i);
        const uint16_t at = (uint16_t)(i + 1);
        heads->at[lw_pack_head_of(lw_pack_hash((uint32_t)bytes))] = at;
        heads->at[lw_pack_head_of(lw_pack_hash((uint32_t)(bytes >> 8)))] = (uint16_t)(at + 1);
        heads->at[lw_pack_head_of(lw_pack_hash((uint32_t)(bytes >> 16)))] = (uint16_t)(at + 2);
        heads->at[lw_pack_head_of(lw_pack_hash((uint32_t)(bytes >> 24)))] = (uint16_t)(at + 3);
        heads->at[lw_pack_head_of(lw_pack_hash((uint32_t)(bytes >> 32)))] = (uint16_t)(at + 4);
    }
#endif
    for (; i < end; i++)
        heads->at[lw_pack_head_of(lw_pack_hash(lw_pack_load4(room->bytes + i)))] =
            (uint16_t)(i + 1);
}

/* Writes literals and the token of a copy; most often both are few.  Returns the end. */
static inline unsigned char *put_literals(unsigned char *dst, const char *literals, size_t len,
                                          size_t copied)
{
    size_t code = copied - PACK_COPY_MIN + 1, more = code - PACK_COPY_MANY;
    if (len >= PACK_LITERALS_MANY || (code >= PACK_COPY_MANY && more >= 0x80))
        return lw_pack__put_literals(dst, literals, len, copied);
    dst[0] =
        (unsigned char)(len << PACK_COPY_BITS | (code < PACK_COPY_MANY ? code : PACK_COPY_MANY));
    dst[1] = (unsigned char)more;
    dst += code < PACK_COPY_MANY ? 1 : 2;
    memcpy(dst, literals, LW_PACK_CHUNK); /* there is space, and what is too much is overwritten */
    return dst + len;
}

/* Searching. */

/* The heads of body positions, to be put back. */
typedef struct learned {
    size_t count;
    struct {
        uint16_t head, before;
    } entries[LEARNED_MAX];
} learned;

static inline void learn(learned *l, lw_pack_heads *heads, size_t head, size_t at)
{
    if (l->count == LEARNED_MAX)
        return;
    l->entries[l->count].head = (uint16_t)head;
    l->entries[l->count++].before = heads->at[head];
    heads->at[head] = (uint16_t)(at + 1);
}

static void unlearn(const learned *l, lw_pack_heads *heads)
{
    for (size_t i = l->count; i > 0; i--)
        heads->at[l->entries[i - 1].head] = l->entries[i - 1].before;
}

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where a copy begins. */
typedef struct found {
    size_t len; /* 0: nothing was found */
    size_t from;
    bool is_in_dictionary;
} found;

/* Finds at least |min| bytes in the dictionary. */
static inline found find_in_dictionary(const lw_pack_dictionary *dictionary, const char *body,
                                       size_t left, size_t next, uint32_t hashed, size_t min)
{
    const uint32_t bytes = lw_pack_load4(body);
    if (dictionary->len < INT_SIZE)
        return (found){ 0 };
    if (next <= dictionary->len - INT_SIZE && lw_pack_load4(dictionary->bytes + next) == bytes) {
        size_t len = common(dictionary->bytes + next, body, least(left, dictionary->len - next));
        if (len >= min)
            return (found){ len, next, true };
    }
    next = dictionary->at[dictionary_head_of(hashed)];
    if (lw_pack_load4(dictionary->bytes + next) != bytes)
        return (found){ 0 };
    size_t len = common(dictionary->bytes + next, body, least(left, dictionary->len - next));
    return (found){ len >= min && len >= DICTIONARY_MIN ? len : 0, next, true };
}

/* Finds the bytes at |at| again: in the room, or rather in the dictionary, if more of them are the
 * same there and |wants_dictionary|. */
static inline found find_copy(const lw_pack_room *room, const lw_pack_heads *heads, size_t at,
                              uint32_t hashed, pack_shifts shifts, bool wants_dictionary)
{
    const char *bytes = room->bytes;
    const size_t seen = (size_t)heads->at[lw_pack_head_of(hashed)] - 1; /* SIZE_MAX: not seen */
    const size_t left = room->sibling_len + room->hint_len + room->body_len - at;
    found copy = { 0 };
    if (seen < at && lw_pack_load4(bytes + seen) == lw_pack_load4(bytes + at)) {
        /* The sibling ends before the hint. */
        size_t most = seen < room->sibling_len ? least(left, room->sibling_len - seen) : left;
        copy = (found){ common(bytes + seen, bytes + at, most), seen, false };
        if (copy.len < PACK_COPY_MIN)
            copy.len = 0;
    }
    if (copy.len >= GOOD_COPY || !wants_dictionary)
        return copy;
    const found longer =
        find_in_dictionary(room->dictionary, bytes + at, left, at + (size_t)shifts.dictionary,
                           hashed, copy.len + INT_SIZE);
    return longer.len > 0 ? longer : copy;
}

static inline unsigned char *put_address(unsigned char *dst, const lw_pack_room *room, found copy,
                                         size_t at, pack_shifts *shifts)
{
    const int64_t shift = (int64_t)(copy.from - at);
    size_t distance = at - copy.from - 1;
    if (copy.is_in_dictionary) {
        int64_t near = shift - shifts->dictionary + PACK_DICTIONARY_BACK;
        shifts->dictionary = shift;
        if (near >= 0 && near < PACK_DICTIONARY_END - PACK_NEAR_END) {
            *dst++ = (unsigned char)(PACK_NEAR_END + near);
            return dst;
        }
        *dst++ = PACK_IN_DICTIONARY;
    } else {
        if (copy.from < room->sibling_len) {
            int64_t near = shift - shifts->sibling + PACK_NEAR_BACK;
            shifts->sibling = shift;
            if (near >= 0 && near < PACK_NEAR_END) {
                *dst++ = (unsigned char)near;
                return dst;
            }
        }
        if (distance < PACK_DISTANCE_MAX) {
            *dst++ = (unsigned char)(PACK_DICTIONARY_END | distance >> 8);
            *dst++ = (unsigned char)distance;
            return dst;
        }
        *dst++ = PACK_IN_ROOM;
    }
    *dst++ = (unsigned char)copy.from;
    *dst++ = (unsigned char)(copy.from >> 8);
    return dst;
}

/* Returns the number of bytes after which body and sibling go on with the same bytes; 0: there is
 * no such gap. */
static inline size_t find_gap(const char *body, const char *sibling, size_t left)
{
    size_t most = left - INT_SIZE < GAP_MAX ? left - INT_SIZE : GAP_MAX;
    for (size_t at = 1; at <= most; at += WINDOW_STEP) {
        uint32_t same = lw_equal16(body + at, sibling + at) |
                        lw_equal16(body + at + LW_PACK_CHUNK, sibling + at + LW_PACK_CHUNK)
                            << LW_PACK_CHUNK;
        same &= same >> 1;
        same &= same >> 2; /* the bits of four equal bytes */
        if (same != 0) {
            size_t gap = at + (size_t)__builtin_ctz(same);
            return gap <= most ? gap : 0;
        }
    }
    return 0;
}

size_t lw_pack(const lw_pack_room *room, lw_pack_heads *heads, char *packed)
{
    const char *bytes = room->bytes;
    const size_t sibling_len = room->sibling_len;
    const size_t sibling_end = sibling_len >= INT_SIZE ? sibling_len - INT_SIZE + 1 : 0;
    const size_t end = sibling_len + room->hint_len + room->body_len;
    size_t at = sibling_len + room->hint_len, literals = at, failures = 0;
    unsigned char *dst = (unsigned char *)packed;
    pack_shifts shifts = pack_first_shifts(room);
    learned l;
    l.count = 0;
    if (room->hint_len >= INT_SIZE)
        learn(&l, heads, lw_pack_head_of(lw_pack_hash(lw_pack_load4(bytes + sibling_len))),
              sibling_len);
    while (at + INT_SIZE <= end) {
        size_t next = at + (size_t)shifts.sibling, gap = 0; /* modulo 2^64 before the sibling */
        if (next < sibling_end && lw_pack_load4(bytes + next) == lw_pack_load4(bytes + at)) {
            size_t len = common(bytes + next, bytes + at, least(end - at, sibling_len - next));
            dst = put_literals(dst, bytes + literals, at - literals, len);
            *dst++ = PACK_NEAR_BACK;
            failures = 0;
            next += len;
            literals = at += len;
            if (at + INT_SIZE > end)
                break;
        }
        if (at == literals && next < sibling_end) /* once for a row of literals */
            gap = find_gap(bytes + at, bytes + next, least(end - at, sibling_len - next));
        if (gap > 0 && gap <= GAP_SHORT) {
            at += gap;
            continue;
        }
        const uint32_t hashed = lw_pack_hash(lw_pack_load4(bytes + at));
        const found copy = find_copy(room, heads, at, hashed, shifts, gap == 0 || gap > GAP_LONG);
        if (copy.len > 0) {
            dst = put_literals(dst, bytes + literals, at - literals, copy.len);
            dst = put_address(dst, room, copy, at, &shifts);
            failures = 0;
            literals = at += copy.len;
            continue;
        }
        learn(&l, heads, lw_pack_head_of(hashed), at);
        at += gap > 0 ? gap : 1 + (failures++ >> PATIENCE_BITS);
    }
    if (end > literals)
        dst = lw_pack__put_literals(dst, bytes + literals, end - literals, 0);
    unlearn(&l, heads);
    return (size_t)(dst - (unsigned char *)packed);
}
