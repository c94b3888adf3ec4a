/* SPDX-License-Identifier: Apache-2.0 */
/* block_avx2.h -- classifies a block on x86-64 with AVX2.  For files compiled with -mavx2. */
#ifndef LW_JSON_LEXER_BLOCK_AVX2_H
#define LW_JSON_LEXER_BLOCK_AVX2_H

#include <immintrin.h>

#include "json/lexer/block.h"

/* The high bit of each of 64 bytes. */
static inline uint64_t lw_block_bits(__m256i low, __m256i high)
{
    return (uint64_t)(unsigned)_mm256_movemask_epi8(low) |
           (uint64_t)(unsigned)_mm256_movemask_epi8(high) << 32;
}

static inline uint64_t lw_block_equal(__m256i low, __m256i high, char byte)
{
    const __m256i to = _mm256_set1_epi8(byte);
    return lw_block_bits(_mm256_cmpeq_epi8(low, to), _mm256_cmpeq_epi8(high, to));
}

static inline __m256i lw_block_is_control(__m256i v)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
}

static inline __m256i lw_block_is_digit(__m256i v)
{
    const __m256i from_zero = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(from_zero, _mm256_set1_epi8(9)), from_zero);
}

LW_ALWAYS_INLINE void lw_block_classify_avx2(const uint8_t *p, lw_block_masks *m)
{
    const __m256i *v = (const __m256i *)(const void *)p;
    const __m256i low = _mm256_loadu_si256(v);
    const __m256i high = _mm256_loadu_si256(v + 1);
    const __m256i lower = _mm256_set1_epi8(0x20); /* turns '[' into '{' and ']' into '}' */
    const __m256i folded_low = _mm256_or_si256(low, lower);
    const __m256i folded_high = _mm256_or_si256(high, lower);
    m->quote = lw_block_equal(low, high, '"');
    m->backslash = lw_block_equal(low, high, '\\');
    m->open = lw_block_equal(folded_low, folded_high, '{');
    m->close = lw_block_equal(folded_low, folded_high, '}');
    /* Two places up, bit 0x20 is the one that is gathered. */
    m->curly = lw_block_bits(_mm256_slli_epi16(low, 2), _mm256_slli_epi16(high, 2));
    m->colon = lw_block_equal(low, high, ':');
    m->comma = lw_block_equal(low, high, ',');
    m->space = lw_block_equal(low, high, ' ');
    m->control = lw_block_bits(lw_block_is_control(low), lw_block_is_control(high));
    m->high = lw_block_bits(low, high);
    m->digit = lw_block_bits(lw_block_is_digit(low), lw_block_is_digit(high));
    m->zero = lw_block_equal(low, high, '0');
    if (m->control)
        m->space |= lw_block_blank_controls(p, m->control);
}

#endif
