/* SPDX-License-Identifier: Apache-2.0 */
/* pack_chunks.h -- takes the bytes out of a chunk that differ from the sibling, and puts them back.
 *
 * With the bit instructions of newer x86-64 processors, or a byte after the other without branches.
 * Those of the first two generations of Zen are slower than that. */
#ifndef LW_BASE_PACK_PACK_CHUNKS_H
#define LW_BASE_PACK_PACK_CHUNKS_H

#include "base/pack/pack_parts.h"

/* The bytes with a bit for each chunk of a part. */
static inline size_t lw_pack_marks(size_t part_len)
{
    return (part_len + LW_PACK_CHUNK * 8 - 1) / (LW_PACK_CHUNK * 8);
}

/* A chunk, and a bit for each of its bytes that differs. */
typedef struct pack_chunk {
    uint16_t number; /* in its part */
    uint16_t differs;
} pack_chunk;

/* Writes those bytes of |bytes| whose bits are set, and up to 16 more that are overwritten later.
 * Returns the end. */
static inline unsigned char *lw_pack_squeeze_plain(unsigned char *dst, const char *bytes,
                                                   uint32_t differs)
{
    for (size_t i = 0; i < LW_PACK_CHUNK; i++) {
        *dst = (unsigned char)bytes[i];
        dst += differs >> i & 1;
    }
    return dst;
}

/* Replaces those bytes of |bytes| whose bits are set by the next ones of |from|, of which up to 16
 * are read.  Returns where those after them are. */
static inline const unsigned char *lw_pack_spread_plain(char *bytes, const unsigned char *from,
                                                        uint32_t differs)
{
    for (size_t i = 0; i < LW_PACK_CHUNK; i++) {
        uint32_t is_other = differs >> i & 1, mask = 0U - is_other;
        bytes[i] = (char)(((unsigned char)bytes[i] & ~mask) | (*from & mask));
        from += is_other;
    }
    return from;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define LW_PACK_BITS        1
#define LW_PACK_BITS_TARGET __attribute__((target("bmi2,popcnt")))

static inline bool lw_pack_has_bits(void)
{
    return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

/* Each of eight bits as a byte of ones. */
LW_PACK_BITS_TARGET static inline uint64_t lw_pack_byte_mask(uint32_t bits)
{
    return _pdep_u64(bits, UINT64_C(0x0101010101010101)) * 0xff;
}

LW_PACK_BITS_TARGET static inline unsigned char *
lw_pack_squeeze_bits(unsigned char *dst, const char *bytes, uint32_t differs)
{
    for (size_t half = 0; half < 2; half++, differs >>= 8) {
        const uint32_t bits = differs & 0xff;
        uint64_t word = _pext_u64(lw_pack_load8(bytes + 8 * half), lw_pack_byte_mask(bits));
        memcpy(dst, &word, sizeof(word));
        dst += __builtin_popcount(bits);
    }
    return dst;
}

LW_PACK_BITS_TARGET static inline const unsigned char *
lw_pack_spread_bits(char *bytes, const unsigned char *from, uint32_t differs)
{
    for (size_t half = 0; half < 2; half++, differs >>= 8, bytes += 8) {
        const uint32_t bits = differs & 0xff;
        const uint64_t mask = lw_pack_byte_mask(bits);
        uint64_t word =
            (lw_pack_load8(bytes) & ~mask) | _pdep_u64(lw_pack_load8((const char *)from), mask);
        memcpy(bytes, &word, sizeof(word));
        from += __builtin_popcount(bits);
    }
    return from;
}
#else
static inline bool lw_pack_has_bits(void)
{
    return false;
}
#endif

#endif
