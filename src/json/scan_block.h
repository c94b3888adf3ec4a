/* SPDX-License-Identifier: Apache-2.0 */
/* scan_block.h -- sort 64 bytes of JSON into bit masks, one bit a byte, lowest bit first.
 *
 * SSE2 on x86-64, NEON on arm64, and a scalar twin that says what the other two mean; a test
 * compares them.  Everything is inline: this runs once for every 64 bytes the house ever reads. */
#ifndef LW_JSON_SCAN_BLOCK_H
#define LW_JSON_SCAN_BLOCK_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

enum {
    LW_BLOCK = 64,
};

typedef struct lw_block_masks {
    uint64_t quote;     /* "            */
    uint64_t backslash; /* \            */
    uint64_t open;      /* { [          */
    uint64_t close;     /* } ]          */
    uint64_t curly;     /* bit 0x20 of the byte: tells { } from [ ] */
    uint64_t separator; /* : ,          */
    uint64_t colon;     /* :            */
    uint64_t space;     /* space \t \n \r */
    uint64_t control;   /* below 0x20, the last three of |space| included */
    uint64_t high;      /* 0x80 and up  */
} lw_block_masks;

static inline void lw_block_classify_scalar(const uint8_t *p, lw_block_masks *m)
{
    *m = (lw_block_masks){ 0 };
    for (unsigned i = 0; i < LW_BLOCK; i++) {
        uint64_t bit = (uint64_t)1 << i;
        switch (p[i]) {
        case '"': m->quote |= bit; break;
        case '\\': m->backslash |= bit; break;
        case '{':
        case '[': m->open |= bit; break;
        case '}':
        case ']': m->close |= bit; break;
        case ':':
            m->colon |= bit;
            m->separator |= bit;
            break;
        case ',': m->separator |= bit; break;
        case ' ':
        case '\t':
        case '\n':
        case '\r': m->space |= bit; break;
        default: break;
        }
        if (p[i] & 0x20)
            m->curly |= bit;
        if (p[i] < 0x20)
            m->control |= bit;
        if (p[i] >= 0x80)
            m->high |= bit;
    }
}

/* Tabs and line ends among the controls: rare enough to look at one by one only when there are
 * any. */
static inline uint64_t lw_block_blank_controls(const uint8_t *p, uint64_t control)
{
    uint64_t blank = 0;
    while (control) {
        unsigned i = (unsigned)__builtin_ctzll(control);
        if (p[i] == '\t' || p[i] == '\n' || p[i] == '\r')
            blank |= (uint64_t)1 << i;
        control &= control - 1;
    }
    return blank;
}

#if defined(__SSE2__)

#define LW_BLOCK_SIMD "SSE2"

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

static inline void lw_block_classify(const uint8_t *p, lw_block_masks *m)
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
    m->separator = m->colon | lw_block_equal(x, ',');
    m->space = lw_block_equal(x, ' ');
    m->control =
        lw_block_bits((lw_block_vectors){ lw_block_is_control(x.a), lw_block_is_control(x.b),
                                          lw_block_is_control(x.c), lw_block_is_control(x.d) });
    m->high = lw_block_bits(x);
    if (m->control)
        m->space |= lw_block_blank_controls(p, m->control);
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

#define LW_BLOCK_SIMD "NEON"

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

static inline void lw_block_classify(const uint8_t *p, lw_block_masks *m)
{
    uint8x16_t quote[4], backslash[4], open[4], close[4], curly[4], colon[4], comma[4], space[4],
        control[4], high[4];
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
    }
    m->quote = lw_block_bits(quote);
    m->backslash = lw_block_bits(backslash);
    m->open = lw_block_bits(open);
    m->close = lw_block_bits(close);
    m->curly = lw_block_bits(curly);
    m->colon = lw_block_bits(colon);
    m->separator = m->colon | lw_block_bits(comma);
    m->space = lw_block_bits(space);
    m->control = lw_block_bits(control);
    m->high = lw_block_bits(high);
    if (m->control)
        m->space |= lw_block_blank_controls(p, m->control);
}

#else

#define LW_BLOCK_SIMD "scalar"

static inline void lw_block_classify(const uint8_t *p, lw_block_masks *m)
{
    lw_block_classify_scalar(p, m);
}

#endif

/* Bit i of the result is the parity of bits 0..i: turns quotes into the stretches between them. */
static inline uint64_t lw_block_prefix_xor(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

/* The bits below |n|, which may be 64. */
static inline uint64_t lw_block_below(unsigned n)
{
    return n >= LW_BLOCK ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}

#endif
