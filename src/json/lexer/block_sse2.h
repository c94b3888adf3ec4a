/* SPDX-License-Identifier: Apache-2.0 */
/* block_sse2.h -- classifies a block on x86-64 with SSE2. */
#ifndef LW_JSON_LEXER_BLOCK_SSE2_H
#define LW_JSON_LEXER_BLOCK_SSE2_H

#include <emmintrin.h>

#include "json/lexer/block.h"

/* Four vectors by name, not in an array: gcc 12 at -O2 would put that in memory. */
typedef struct lw_block_vectors {
    __m128i a, b, c, d;
} lw_block_vectors;

/* The high bit of each of 64 bytes. */
static inline uint64_t lw_block_bits(lw_block_vectors x)
{
    uint64_t low = (unsigned)_mm_movemask_epi8(x.a) | (unsigned)_mm_movemask_epi8(x.b) << 16;
    uint64_t high = (unsigned)_mm_movemask_epi8(x.c) | (unsigned)_mm_movemask_epi8(x.d) << 16;
    return low | high << 32;
}

static inline lw_block_vectors lw_block_load(const uint8_t *p)
{
    const __m128i *v = (const __m128i *)(const void *)p;
    return (lw_block_vectors){ _mm_loadu_si128(v), _mm_loadu_si128(v + 1), _mm_loadu_si128(v + 2),
                               _mm_loadu_si128(v + 3) };
}

static inline uint64_t lw_block_equal(lw_block_vectors x, char byte)
{
    const __m128i to = _mm_set1_epi8(byte);
    return lw_block_bits((lw_block_vectors){ _mm_cmpeq_epi8(x.a, to), _mm_cmpeq_epi8(x.b, to),
                                             _mm_cmpeq_epi8(x.c, to), _mm_cmpeq_epi8(x.d, to) });
}

static inline __m128i lw_block_is_control(__m128i v)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
}

static inline __m128i lw_block_is_digit(__m128i v)
{
    const __m128i from_zero = _mm_sub_epi8(v, _mm_set1_epi8('0'));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero);
}

LW_ALWAYS_INLINE void lw_block_classify_sse2(const uint8_t *p, lw_block_masks *m)
{
    const lw_block_vectors x = lw_block_load(p);
    const __m128i lower = _mm_set1_epi8(0x20); /* turns '[' into '{' and ']' into '}' */
    const lw_block_vectors folded = { _mm_or_si128(x.a, lower), _mm_or_si128(x.b, lower),
                                      _mm_or_si128(x.c, lower), _mm_or_si128(x.d, lower) };
    m->quote = lw_block_equal(x, '"');
    m->backslash = lw_block_equal(x, '\\');
    m->open = lw_block_equal(folded, '{');
    m->close = lw_block_equal(folded, '}');
    /* Two places up, bit 0x20 is the one that is gathered. */
    m->curly = lw_block_bits((lw_block_vectors){ _mm_slli_epi16(x.a, 2), _mm_slli_epi16(x.b, 2),
                                                 _mm_slli_epi16(x.c, 2), _mm_slli_epi16(x.d, 2) });
    m->colon = lw_block_equal(x, ':');
    m->comma = lw_block_equal(x, ',');
    m->space = lw_block_equal(x, ' ');
    m->control =
        lw_block_bits((lw_block_vectors){ lw_block_is_control(x.a), lw_block_is_control(x.b),
                                          lw_block_is_control(x.c), lw_block_is_control(x.d) });
    m->high = lw_block_bits(x);
    m->digit = lw_block_bits((lw_block_vectors){ lw_block_is_digit(x.a), lw_block_is_digit(x.b),
                                                 lw_block_is_digit(x.c), lw_block_is_digit(x.d) });
    m->zero = lw_block_equal(x, '0');
    if (m->control)
        m->space |= lw_block_blank_controls(p, m->control);
}

#endif
