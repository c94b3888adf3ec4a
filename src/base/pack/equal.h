/* SPDX-License-Identifier: Apache-2.0 */
/* equal.h -- compares or classifies 16 bytes at once, for each instruction set. */
#ifndef LW_BASE_PACK_EQUAL_H
#define LW_BASE_PACK_EQUAL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define LW_EQUAL16_ALL UINT32_C(0xFFFF)

/* Returns a bit for each of 16 bytes that are equal; that of the first one is the lowest. */
static inline uint32_t lw_equal16_plain(const char *a, const char *b)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 16; i++)
        bits |= (uint32_t)(a[i] == b[i]) << i;
    return bits;
}

/* Returns a bit for each of 16 bytes that are hexadecimal digits (lower case). */
static inline uint32_t lw_hex16_plain(const char *a)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < 16; i++)
        bits |= (uint32_t)((a[i] >= '0' && a[i] <= '9') || (a[i] >= 'a' && a[i] <= 'f')) << i;
    return bits;
}

#if defined(__SSE2__)
static inline uint32_t lw_hex16(const char *a)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i digit = _mm_sub_epi8(x, _mm_set1_epi8('0'));
    __m128i letter = _mm_sub_epi8(x, _mm_set1_epi8('a'));
    digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(digit, letter));
}

static inline uint32_t lw_equal16(const char *a, const char *b)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
}
#elif defined(__aarch64__)
static inline uint32_t lw_bits16(uint8x16_t is_set)
{
    static const uint8_t bit_of[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t bits = vandq_u8(is_set, vld1q_u8(bit_of));
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}

static inline uint32_t lw_hex16(const char *a)
{
    uint8x16_t x = vld1q_u8((const uint8_t *)a);
    uint8x16_t is_digit = vcleq_u8(vsubq_u8(x, vdupq_n_u8('0')), vdupq_n_u8(9));
    uint8x16_t is_letter = vcleq_u8(vsubq_u8(x, vdupq_n_u8('a')), vdupq_n_u8(5));
    return lw_bits16(vorrq_u8(is_digit, is_letter));
}

static inline uint32_t lw_equal16(const char *a, const char *b)
{
    return lw_bits16(vceqq_u8(vld1q_u8((const uint8_t *)a), vld1q_u8((const uint8_t *)b)));
}
#else
static inline uint32_t lw_hex16(const char *a)
{
    return lw_hex16_plain(a);
}

static inline uint32_t lw_equal16(const char *a, const char *b)
{
    return lw_equal16_plain(a, b);
}
#endif

#endif
