/* SPDX-License-Identifier: Apache-2.0 */
/* equal.h -- compares 16 bytes at once, for each instruction set. */
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

#if defined(__SSE2__)
static inline uint32_t lw_equal16(const char *a, const char *b)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
}
#elif defined(__aarch64__)
static inline uint32_t lw_equal16(const char *a, const char *b)
{
    static const uint8_t bit_of[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t same = vceqq_u8(vld1q_u8((const uint8_t *)a), vld1q_u8((const uint8_t *)b));
    uint8x16_t bits = vandq_u8(same, vld1q_u8(bit_of));
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
#else
static inline uint32_t lw_equal16(const char *a, const char *b)
{
    return lw_equal16_plain(a, b);
}
#endif

#endif
