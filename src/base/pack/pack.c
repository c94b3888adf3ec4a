/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c -- finds the copies that a body consists of.
 *
 * It is greedy.  At each position it looks where the last copy from the sibling would go on.  If
 * these bytes differ, most often they were replaced by others of the same length, and both go on
 * with the same bytes after this gap.  Otherwise, and for the bytes of a long gap, it searches the
 * same four bytes in the room and in the dictionary. */
#include "base/pack/pack.h"

#include <string.h>

#include "base/pack/equal.h"
#include "base/pack/pack_format.h"

enum {
    HEX_MIN = 10,       /* shorter runs of digits are not worth a token of their own */
    GOOD_COPY = 24,     /* the dictionary is not searched for a longer one */
    DICTIONARY_MIN = 6, /* an address in the dictionary costs more */
    PATIENCE_BITS = 1,  /* after so many failures (as a power of two) positions are skipped */
    GAP_MAX = 96,       /* bytes that may be replaced by others of the same length */
    GAP_SHORT = 4,      /* nothing else is tried for so few bytes ... */
    GAP_LONG = 12,      /* ... and the dictionary is searched for more than these */
    INT_SIZE = 4,
    CHUNK = 16,
    WINDOW_STEP = 2 * CHUNK - INT_SIZE + 1, /* any four bytes are in one of two windows */
    HASH_BITS = 32,
    INDEX_STEP = 5, /* positions whose four bytes are in one word */
};

static uint32_t load4(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t load8(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static uint32_t hash(uint32_t value)
{
    return value * UINT32_C(2654435761);
}

static size_t head_of(uint32_t hashed)
{
    return hashed >> (HASH_BITS - LW_PACK_HEAD_BITS);
}

static size_t dictionary_head_of(uint32_t hashed)
{
    return hashed >> (HASH_BITS - LW_PACK_DICTIONARY_BITS);
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
        len += CHUNK;
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
        dictionary->at[dictionary_head_of(hash(load4(dictionary->bytes + i)))] = (uint16_t)i;
    return true;
}

void lw_pack_index(const lw_pack_room *room, lw_pack_heads *heads)
{
    const size_t end = room->sibling_len >= INT_SIZE ? room->sibling_len - INT_SIZE + 1 : 0;
    size_t i = 0;
    memset(heads, 0, sizeof(*heads));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; i + INDEX_STEP <= end; i += INDEX_STEP) {
        const uint64_t bytes = load8(room->bytes + i);
        const uint16_t at = (uint16_t)(i + 1);
        heads->at[head_of(hash((uint32_t)bytes))] = at;
        heads->at[head_of(hash((uint32_t)(bytes >> 8)))] = (uint16_t)(at + 1);
        heads->at[head_of(hash((uint32_t)(bytes >> 16)))] = (uint16_t)(at + 2);
        heads->at[head_of(hash((uint32_t)(bytes >> 24)))] = (uint16_t)(at + 3);
        heads->at[head_of(hash((uint32_t)(bytes >> 32)))] = (uint16_t)(at + 4);
    }
#endif
    for (; i < end; i++)
        heads->at[head_of(hash(load4(room->bytes + i)))] = (uint16_t)(i + 1);
}

/* Writing. */

typedef struct packer {
    const lw_pack_room *room;
    unsigned char *dst;
    size_t at;       /* in the room */
    size_t literals; /* where those begin that are not written yet */
    pack_shifts shifts;
} packer;

static void put_varint(packer *p, size_t value)
{
    for (; value >= 0x80; value >>= 7)
        *p->dst++ = (unsigned char)(value | 0x80);
    *p->dst++ = (unsigned char)value;
}

static void put_token(packer *p, size_t few, size_t copied)
{
    size_t code = copied > 0 ? copied - PACK_COPY_MIN + 1 : 0;
    size_t low = code < PACK_COPY_MANY ? code : PACK_COPY_MANY;
    *p->dst++ = (unsigned char)(few << PACK_COPY_BITS | low);
}

/* The rest of the length of a copy. */
static void put_copied(packer *p, size_t copied)
{
    if (copied >= PACK_COPY_MANY + PACK_COPY_MIN - 1)
        put_varint(p, copied - (PACK_COPY_MANY + PACK_COPY_MIN - 1));
}

static void put_plain(packer *p, size_t len, size_t copied)
{
    const char *bytes = p->room->bytes + p->literals;
    put_token(p, len < PACK_LITERALS_MANY ? len : PACK_LITERALS_MANY, copied);
    if (len >= PACK_LITERALS_MANY)
        put_varint(p, len - PACK_LITERALS_MANY);
    put_copied(p, copied);
    if (len <= CHUNK)
        memcpy(p->dst, bytes, CHUNK); /* there is space, and what is too much is overwritten */
    else
        memcpy(p->dst, bytes, len);
    p->dst += len;
    p->literals += len;
}

/* The values of hexadecimal digits plus 1. */
static const unsigned char hex_digits[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static unsigned hex_value(char c)
{
    return (unsigned)hex_digits[(unsigned char)c] - 1;
}

static bool is_hex(char c)
{
    return hex_digits[(unsigned char)c] > 0;
}

static void put_hex(packer *p, size_t len, size_t copied)
{
    const char *digits = p->room->bytes + p->literals;
    put_token(p, PACK_LITERALS_HEX, copied);
    put_varint(p, len);
    put_copied(p, copied);
    for (size_t i = 0; i + 1 < len; i += 2)
        *p->dst++ = (unsigned char)(hex_value(digits[i]) << 4 | hex_value(digits[i + 1]));
    if (len % 2 > 0)
        *p->dst++ = (unsigned char)(hex_value(digits[len - 1]) << 4);
    p->literals += len;
}

/* Finds the first long run of digits at or after |from|; its length is 0 if there is none before
 * |end|. */
static size_t find_hex(const char *bytes, size_t from, size_t end, size_t *at)
{
    while (from + HEX_MIN <= end) {
        size_t run = HEX_MIN; /* backwards: most runs are too short, and end soon */
        while (run > 0 && is_hex(bytes[from + run - 1]))
            run--;
        from += run;
        if (run > 0)
            continue;
        *at = from;
        run = HEX_MIN;
        while (from + run < end && is_hex(bytes[from + run]))
            run++;
        return run;
    }
    return 0;
}

/* Writes the literals before |p->at|, the last of them with the token of a copy of |copied|
 * bytes. */
static void put_any_literals(packer *p, size_t copied)
{
    size_t at = 0, len;
    while (p->at - p->literals >= HEX_MIN &&
           (len = find_hex(p->room->bytes, p->literals, p->at, &at)) > 0) {
        bool is_last = at + len == p->at;
        if (at > p->literals)
            put_plain(p, at - p->literals, 0);
        put_hex(p, len, is_last ? copied : 0);
        if (is_last)
            return;
    }
    if (p->at > p->literals || copied > 0)
        put_plain(p, p->at - p->literals, copied);
}

/* The same; most often both are few. */
static inline void put_literals(packer *p, size_t copied)
{
    size_t few = p->at - p->literals;
    if (few >= PACK_LITERALS_MANY || copied - 1 >= PACK_COPY_MANY + PACK_COPY_MIN - 2) {
        put_any_literals(p, copied);
        return;
    }
    *p->dst++ = (unsigned char)(few << PACK_COPY_BITS | (copied - PACK_COPY_MIN + 1));
    memcpy(p->dst, p->room->bytes + p->literals, CHUNK);
    p->dst += few;
}

static void put_room_address(packer *p, size_t from)
{
    size_t distance = p->at - from - 1;
    if (from < p->room->sibling_len) {
        int64_t near = (int64_t)(from - p->at) - p->shifts.sibling + PACK_NEAR_BACK;
        p->shifts.sibling = (int64_t)(from - p->at);
        if (near >= 0 && near < PACK_NEAR_END) {
            *p->dst++ = (unsigned char)near;
            return;
        }
    }
    if (distance < PACK_DISTANCE_MAX) {
        *p->dst++ = (unsigned char)(PACK_DICTIONARY_END | distance >> 8);
        *p->dst++ = (unsigned char)distance;
    } else {
        *p->dst++ = PACK_IN_ROOM;
        *p->dst++ = (unsigned char)from;
        *p->dst++ = (unsigned char)(from >> 8);
    }
}

static void put_dictionary_address(packer *p, size_t from)
{
    int64_t near = (int64_t)(from - p->at) - p->shifts.dictionary + PACK_DICTIONARY_BACK;
    p->shifts.dictionary = (int64_t)(from - p->at);
    if (near >= 0 && near < PACK_DICTIONARY_END - PACK_NEAR_END) {
        *p->dst++ = (unsigned char)(PACK_NEAR_END + near);
        return;
    }
    *p->dst++ = PACK_IN_DICTIONARY;
    *p->dst++ = (unsigned char)from;
    *p->dst++ = (unsigned char)(from >> 8);
}

/* Searching. */

/* |from| is in the room, before |at|; the sibling ends before the hint. */
static size_t room_match(const lw_pack_room *room, size_t from, size_t at, size_t left)
{
    if (from < room->sibling_len && room->sibling_len - from < left)
        left = room->sibling_len - from;
    return common(room->bytes + from, room->bytes + at, left);
}

static size_t dictionary_match(const lw_pack_room *room, size_t from, size_t at, size_t left)
{
    const lw_pack_dictionary *dictionary = room->dictionary;
    if (dictionary->len - from < left)
        left = dictionary->len - from;
    return common(dictionary->bytes + from, room->bytes + at, left);
}

/* Finds at least |min| bytes in the dictionary; 0: there are none. */
static size_t find_in_dictionary(const packer *p, uint32_t bytes, uint32_t hashed, size_t left,
                                 size_t min, size_t *from)
{
    const lw_pack_dictionary *dictionary = p->room->dictionary;
    size_t next = p->at + (size_t)p->shifts.dictionary, len;
    if (dictionary->len < INT_SIZE)
        return 0;
    if (next <= dictionary->len - INT_SIZE && load4(dictionary->bytes + next) == bytes) {
        len = dictionary_match(p->room, next, p->at, left);
        if (len >= min) {
            *from = next;
            return len;
        }
    }
    next = dictionary->at[dictionary_head_of(hashed)];
    if (load4(dictionary->bytes + next) != bytes)
        return 0;
    len = dictionary_match(p->room, next, p->at, left);
    *from = next;
    return len >= min && len >= DICTIONARY_MIN ? len : 0;
}

/* Finds what to copy to |p->at|, writes it and moves on; false: there is nothing. */
static bool copy_other(packer *p, lw_pack_heads *heads, uint32_t bytes, size_t left,
                       bool wants_dictionary)
{
    uint32_t hashed = hash(bytes);
    size_t seen = heads->at[head_of(hashed)], from = 0, len = 0;
    if (seen > 0 && load4(p->room->bytes + seen - 1) == bytes)
        len = room_match(p->room, seen - 1, p->at, left);
    if (len < PACK_COPY_MIN)
        len = 0;
    size_t longer = 0;
    if (len < GOOD_COPY && wants_dictionary)
        longer = find_in_dictionary(p, bytes, hashed, left, len + INT_SIZE, &from);
    if (len == 0 && longer == 0) {
        heads->at[head_of(hashed)] = (uint16_t)(p->at + 1);
        return false;
    }
    if (longer > 0) {
        put_literals(p, longer);
        put_dictionary_address(p, from);
        p->at += longer;
    } else {
        put_literals(p, len);
        put_room_address(p, seen - 1);
        p->at += len;
    }
    return true;
}

/* Returns the number of bytes after which body and sibling go on with the same bytes; 0: there is
 * no such gap. */
static size_t find_gap(const char *body, const char *sibling, size_t left)
{
    size_t most = left - INT_SIZE < GAP_MAX ? left - INT_SIZE : GAP_MAX;
    for (size_t at = 1; at <= most; at += WINDOW_STEP) {
        uint32_t same = lw_equal16(body + at, sibling + at) |
                        lw_equal16(body + at + CHUNK, sibling + at + CHUNK) << CHUNK;
        same &= same >> 1;
        same &= same >> 2; /* the bits of four equal bytes */
        if (same != 0) {
            size_t gap = at + (size_t)__builtin_ctz(same);
            return gap <= most ? gap : 0;
        }
    }
    return 0;
}

/* Copies from the sibling, as the last copy goes on. */
static void copy_next(packer *p, size_t next, size_t left)
{
    size_t len = room_match(p->room, next, p->at, left);
    put_literals(p, len);
    *p->dst++ = PACK_NEAR_BACK;
    p->at += len;
    p->literals = p->at;
}

/* Packs what begins at |p->at| where body and sibling, which goes on at |next|, differ.  Returns
 * false if it is a literal. */
static bool pack_difference(packer *p, lw_pack_heads *heads, uint32_t bytes, size_t next,
                            size_t end)
{
    size_t left = end - p->at, gap = 0;
    if (p->at == p->literals && next < p->room->sibling_len) { /* once for a row of literals */
        size_t same = p->room->sibling_len - next < left ? p->room->sibling_len - next : left;
        if (same >= INT_SIZE)
            gap = find_gap(p->room->bytes + p->at, p->room->bytes + next, same);
    }
    bool is_found = false;
    if (gap == 0 || gap > GAP_SHORT)
        is_found = copy_other(p, heads, bytes, left, gap == 0 || gap > GAP_LONG);
    if (is_found) {
        p->literals = p->at;
    } else if (gap > 0) {
        p->at += gap;
        copy_next(p, next + gap, end - p->at);
    }
    return is_found || gap > 0;
}

size_t lw_pack(const lw_pack_room *room, lw_pack_heads *heads, char *dst)
{
    size_t body_at = room->sibling_len + room->hint_len, end = body_at + room->body_len;
    size_t sibling_end = room->sibling_len >= INT_SIZE ? room->sibling_len - INT_SIZE + 1 : 0;
    packer p = { room, (unsigned char *)dst, body_at, body_at, pack_first_shifts(room) };
    size_t failures = 0;
    if (room->hint_len >= INT_SIZE)
        heads->at[head_of(hash(load4(room->bytes + room->sibling_len)))] =
            (uint16_t)(room->sibling_len + 1);
    while (p.at + INT_SIZE <= end) {
        uint32_t bytes = load4(room->bytes + p.at);
        size_t next = p.at + (size_t)p.shifts.sibling; /* modulo 2^64 if it is before the sibling */
        if (next < sibling_end && load4(room->bytes + next) == bytes) {
            copy_next(&p, next, end - p.at);
            failures = 0;
        } else if (pack_difference(&p, heads, bytes, next, end)) {
            failures = 0;
        } else {
            p.at += 1 + (failures++ >> PATIENCE_BITS);
        }
    }
    p.at = end;
    put_literals(&p, 0);
    return (size_t)(p.dst - (unsigned char *)dst);
}
