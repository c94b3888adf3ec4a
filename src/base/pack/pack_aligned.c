/* SPDX-License-Identifier: Apache-2.0 */
/* pack_aligned.c -- packs by comparing a body with its sibling from the beginning to the end.
 *
 *     sibling   name: web-x2p4z   image: a   node: node-017   ip: 10.4.17.3    ready
 *     body      name: web-8kq7m   image: a   node: node-243   ip: 10.4.9.121   ready
 *                         ^^^^^                        ^^^          ^^^^^^^^
 *                  the same distance ("shift")              │ another shift from here on
 *
 * While bytes are replaced by as many others, both are compared in chunks without a branch that
 * depends on them.  When nothing in a chunk and in some after it is equal, bytes were inserted or
 * removed, and the place where both go on is searched: the first four bytes of which the sibling
 * has the next sixteen as well.  The bytes before it are literals. */
#include "base/pack/equal.h"
#include "base/pack/pack_chunks.h"
#include "base/pack/pack_parts.h"

enum {
    CHUNKS_MAX = LW_PACK_BODY_MAX / LW_PACK_CHUNK + 1,
    AHEAD = 64,      /* so many bytes may differ before they are taken for an insertion */
    SEARCHED = 256,  /* so many are searched for the place where both go on ... */
    SEARCH_STEP = 4, /* ... but only each of these positions */
    BACK_MAX = 64,   /* so many that were compared are compared again; otherwise all would be, */
                     /* again and again, where a body repeats itself */
};

/* For functions that are compiled for more than one set of instructions. */
#define INLINE static inline __attribute__((always_inline))

typedef struct aligner {
    const char *sibling, *body;
    size_t sibling_len, body_len;
    const uint16_t *heads; /* where four bytes of the sibling are ... */
    unsigned head_bits;
    size_t head_of_first; /* ... plus this */
    unsigned char *dst;
    int64_t shift;   /* the byte of the sibling that belongs to one of the body is this far on */
    int64_t written; /* the shift of the last part */
    bool has_bits;
    size_t count; /* chunks of this part that differ */
    pack_chunk chunks[CHUNKS_MAX];
} aligner;

static uint32_t same_at(const aligner *a, size_t at)
{
    return lw_equal16(a->body + at, a->sibling + (int64_t)at + a->shift);
}

/* A bit for each sequence of four equal bytes. */
static uint32_t fours(uint32_t same)
{
    same &= same >> 1;
    return same & same >> 2;
}

/* Returns where the body or its sibling ends, or |start| if the sibling ended before. */
static size_t end_of_both(const aligner *a, size_t start)
{
    int64_t end = (int64_t)a->sibling_len - a->shift;
    if (end < (int64_t)start)
        return start;
    return end < (int64_t)a->body_len ? (size_t)end : a->body_len;
}

/* Returns the position after a chunk that differs from which on both are similar again, or |end|;
 * 0: there is none. */
static size_t look_ahead(const aligner *a, size_t at, size_t end)
{
    for (size_t next = at + LW_PACK_CHUNK; next <= at + AHEAD; next += LW_PACK_CHUNK) {
        if (next >= end)
            return end - at <= LW_PACK_CHUNK ? end : 0;
        if (end - next >= LW_PACK_CHUNK && fours(same_at(a, next)) != 0)
            return next;
    }
    return 0;
}

/* Compares from |start| on, and notes which chunks differ.  Returns |end|, or where the body and
 * the sibling have nothing in common any more. */
static size_t compare(aligner *a, size_t start, size_t end)
{
    size_t count = 0, similar = 0, at = start;
    for (uint16_t number = 0; at < end; at += LW_PACK_CHUNK, number++) {
        const uint32_t same = same_at(a, at);
        const uint32_t differs = ~same & LW_EQUAL16_ALL;
        a->chunks[count] = (pack_chunk){ number, (uint16_t)differs };
        count += differs != 0;
        if (__builtin_expect(fours(same) == 0, 0) && at >= similar) {
            similar = look_ahead(a, at, end);
            if (similar == 0)
                break;
        }
    }
    a->count = count;
    return at < end ? at : end;
}

/* Forgets what was noted after |len| bytes of the part. */
static void cut(aligner *a, size_t len)
{
    while (a->count > 0) {
        pack_chunk *last = &a->chunks[a->count - 1];
        size_t at = (size_t)last->number * LW_PACK_CHUNK;
        if (at < len && len - at < LW_PACK_CHUNK)
            last->differs &= (uint16_t)((1U << (len - at)) - 1);
        if (at < len && last->differs != 0)
            return;
        a->count--;
    }
}

static inline unsigned char *put_head(unsigned char *dst, pack_chunk chunk, unsigned char *marks)
{
    marks[chunk.number / 8] |= (unsigned char)(1U << chunk.number % 8);
    *dst++ = (unsigned char)chunk.differs;
    *dst++ = (unsigned char)(chunk.differs >> 8);
    return dst;
}

typedef unsigned char *squeeze_fn(unsigned char *dst, const char *bytes, uint32_t differs);

INLINE unsigned char *put_chunks(const aligner *a, const char *bytes, unsigned char *marks,
                                 unsigned char *dst, squeeze_fn *squeeze)
{
    for (size_t i = 0; i < a->count; i++) {
        const pack_chunk chunk = a->chunks[i];
        dst = put_head(dst, chunk, marks);
        dst = squeeze(dst, bytes + (size_t)chunk.number * LW_PACK_CHUNK, chunk.differs);
    }
    return dst;
}

#ifdef LW_PACK_BITS
LW_PACK_BITS_TARGET static unsigned char *put_chunks_bits(const aligner *a, const char *bytes,
                                                          unsigned char *marks, unsigned char *dst)
{
    return put_chunks(a, bytes, marks, dst, lw_pack_squeeze_bits);
}
#else
static unsigned char *put_chunks_bits(const aligner *a, const char *bytes, unsigned char *marks,
                                      unsigned char *dst)
{
    return put_chunks(a, bytes, marks, dst, lw_pack_squeeze_plain);
}
#endif

/* Writes the bytes that were compared. */
static void put_compared(aligner *a, size_t start, size_t end)
{
    const size_t marks = lw_pack_marks(end - start);
    const int64_t change = a->shift - a->written;
    if (start == end)
        return;
    cut(a, end - start);
    a->written = a->shift;
    a->dst = lw_pack_put_varint(a->dst, (end - start) << 1);
    a->dst = lw_pack_put_varint(a->dst, change < 0 ? ~((size_t)change << 1) : (size_t)change << 1);
    memset(a->dst, 0, marks);
    const char *bytes = a->body + start;
    unsigned char *chunks = a->dst + marks;
    a->dst = a->has_bits ? put_chunks_bits(a, bytes, a->dst, chunks)
                         : put_chunks(a, bytes, a->dst, chunks, lw_pack_squeeze_plain);
}

static void put_literals(aligner *a, size_t start, size_t end)
{
    if (start == end)
        return;
    a->dst = lw_pack_put_varint(a->dst, (end - start) << 1 | PACK_ALIGNED_LITERALS);
    a->dst = lw_pack__put_literals(a->dst, a->body + start, end - start, 0);
}

/* Finds a position from |at| on, or a little before, where both go on with another shift.  Returns
 * it; otherwise the position where to compare again. */
static size_t find_shift(const aligner *a, size_t start, size_t at, int64_t *shift)
{
    const size_t end = at + SEARCHED < a->body_len ? at + SEARCHED : a->body_len;
    const size_t begin = at - start > BACK_MAX ? at - BACK_MAX : start;
    for (; at + LW_PACK_CHUNK <= end; at += SEARCH_STEP) {
        const uint32_t hashed = lw_pack_hash(lw_pack_load4(a->body + at));
        const size_t head = a->heads[hashed >> (LW_PACK_HASH_BITS - a->head_bits)];
        size_t from = head - (head > 0 ? a->head_of_first : 0); /* whatever is there is compared */
        if (__builtin_expect(lw_equal16(a->body + at, a->sibling + from) != LW_EQUAL16_ALL, 1) ||
            from + LW_PACK_CHUNK > a->sibling_len)
            continue;
        for (; at > begin && from > 0 && a->body[at - 1] == a->sibling[from - 1]; at--)
            from--;
        *shift = (int64_t)from - (int64_t)at;
        return at;
    }
    return end;
}

size_t lw_pack_aligned(const lw_pack_room *room, const lw_pack_heads *heads, char *dst, size_t most)
{
    const lw_pack_dictionary *dictionary = room->dictionary;
    const bool has_sibling = room->sibling_len > 0;
    const unsigned char *last = (unsigned char *)dst + most;
    aligner a;
    if (!has_sibling && LW_PACK_DICTIONARY_MAX - dictionary->len >= room->body_len)
        return 0;
    a.sibling = has_sibling ? room->bytes : dictionary->bytes;
    a.sibling_len = has_sibling ? room->sibling_len : dictionary->len;
    a.heads = has_sibling ? heads->at : dictionary->at;
    a.head_bits = has_sibling ? LW_PACK_HEAD_BITS : LW_PACK_DICTIONARY_BITS;
    a.head_of_first = has_sibling;
    a.body = room->bytes + room->sibling_len + room->hint_len;
    a.body_len = room->body_len;
    a.dst = (unsigned char *)dst;
    a.shift = a.written = 0;
    a.has_bits = lw_pack_has_bits();
    *a.dst++ = PACK_ALIGNED;
    for (size_t start = 0; start < a.body_len && a.dst <= last;) {
        int64_t shift = a.shift;
        size_t lost = compare(&a, start, end_of_both(&a, start)), next = lost;
        if (lost < a.body_len)
            next = find_shift(&a, start, lost, &shift);
        size_t end = next < lost ? next : lost;
        put_compared(&a, start, end);
        put_literals(&a, end, next);
        a.shift = shift;
        start = next;
    }
    return a.dst <= last ? (size_t)(a.dst - (unsigned char *)dst) : 0;
}
