/* SPDX-License-Identifier: Apache-2.0 */
/* block_avx512.h -- classifies a block on x86-64 with AVX-512, whose comparisons return masks.
 * For files compiled with -mavx512bw. */
#ifndef LW_JSON_LEXER_BLOCK_AVX512_H
#define LW_JSON_LEXER_BLOCK_AVX512_H

#include <immintrin.h>

#include "json/lexer/block.h"

static inline uint64_t lw_block_equal(__m512i v, char byte)
{
    return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(byte));
}

LW_ALWAYS_INLINE void lw_block_classify_avx512(const uint8_t *p, lw_block_masks *m)
{
    const __m512i v = _mm512_loadu_si512((const void *)p);
    const __m512i lower = _mm512_set1_epi8(0x20); /* turns '[' into '{' and ']' into '}' */
    const __m512i folded = _mm512_or_si512(v, lower);
    m->quote = lw_block_equal(v, '"');
    m->backslash = lw_block_equal(v, '\\');
    m->open = lw_block_equal(folded, '{');
    m->close = lw_block_equal(folded, '}');
    m->curly = _mm512_test_epi8_mask(v, lower);
    m->colon = lw_block_equal(v, ':');
    m->comma = lw_block_equal(v, ',');
    m->space = lw_block_equal(v, ' ');
    m->control = _mm512_cmplt_epu8_mask(v, lower);
    m->high = _mm512_movepi8_mask(v);
    m->digit =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    m->zero = lw_block_equal(v, '0');
    if (m->control)
        m->space |= lw_block_blank_controls(p, m->control);
}

#endif
