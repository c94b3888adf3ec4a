/* SPDX-License-Identifier: Apache-2.0 */
/* block_neon.h -- classifies a block on arm64. */
#ifndef LW_JSON_LEXER_BLOCK_NEON_H
#define LW_JSON_LEXER_BLOCK_NEON_H

#include <arm_neon.h>
#include <stddef.h>

#include "json/lexer/block.h"

/* One bit from each of 64 bytes that are 0x00 or 0xff. */
static inline uint64_t lw_block_bits(const uint8x16_t v[4])
{
    static const uint8_t weight[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    const uint8x16_t w = vld1q_u8(weight);
    uint8x16_t low = vpaddq_u8(vandq_u8(v[0], w), vandq_u8(v[1], w));
    uint8x16_t high = vpaddq_u8(vandq_u8(v[2], w), vandq_u8(v[3], w));
    uint8x16_t sum = vpaddq_u8(low, high);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

LW_ALWAYS_INLINE void lw_block_classify_neon(const uint8_t *p, lw_block_masks *m)
{
    uint8x16_t quote[4], backslash[4], open[4], close[4], curly[4], colon[4], comma[4], space[4],
        control[4], high[4], digit[4], zero[4];
    for (unsigned i = 0; i < 4; i++) {
        uint8x16_t v = vld1q_u8(p + (size_t)i * 16);
        uint8x16_t folded = vorrq_u8(v, vdupq_n_u8(0x20)); /* '[' into '{', ']' into '}' */
        quote[i] = vceqq_u8(v, vdupq_n_u8('"'));
        backslash[i] = vceqq_u8(v, vdupq_n_u8('\\'));
        open[i] = vceqq_u8(folded, vdupq_n_u8('{'));
        close[i] = vceqq_u8(folded, vdupq_n_u8('}'));
        curly[i] = vtstq_u8(v, vdupq_n_u8(0x20));
        colon[i] = vceqq_u8(v, vdupq_n_u8(':'));
        comma[i] = vceqq_u8(v, vdupq_n_u8(','));
        space[i] = vceqq_u8(v, vdupq_n_u8(' '));
        control[i] = vcltq_u8(v, vdupq_n_u8(0x20));
        high[i] = vcgeq_u8(v, vdupq_n_u8(0x80));
        digit[i] = vcltq_u8(vsubq_u8(v, vdupq_n_u8('0')), vdupq_n_u8(10));
        zero[i] = vceqq_u8(v, vdupq_n_u8('0'));
    }
    m->quote = lw_block_bits(quote);
    m->backslash = lw_block_bits(backslash);
    m->open = lw_block_bits(open);
    m->close = lw_block_bits(close);
    m->curly = lw_block_bits(curly);
    m->colon = lw_block_bits(colon);
    m->comma = lw_block_bits(comma);
    m->space = lw_block_bits(space);
    m->control = lw_block_bits(control);
    m->high = lw_block_bits(high);
    m->digit = lw_block_bits(digit);
    m->zero = lw_block_bits(zero);
    if (m->control)
        m->space |= lw_block_blank_controls(p, m->control);
}

#endif
