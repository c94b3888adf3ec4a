/* SPDX-License-Identifier: Apache-2.0 */
/* block_clmul.h -- from quotes to strings in one carry-less multiplication.  For files
 * compiled with -mpclmul. */
#ifndef LW_JSON_LEXER_BLOCK_CLMUL_H
#define LW_JSON_LEXER_BLOCK_CLMUL_H

#include <immintrin.h>
#include <stdint.h>

/* The same as lw_block_prefix_xor. */
static inline uint64_t lw_block_prefix_xor_clmul(uint64_t bits)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi64x(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

#endif
