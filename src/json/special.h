/* SPDX-License-Identifier: Apache-2.0 */
/* special.h -- finds the end of a JSON string, or its first escape, 16 bytes at once, and sees on
 * the way whether a writer would escape something in it. */
#ifndef LW_JSON_SPECIAL_H
#define LW_JSON_SPECIAL_H

#include <stdbool.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>
#endif

/* Returns the first quote or backslash from |from| on; |end| if there is none. */
const char *lw_json_find_special_plain(const char *from, const char *end);

/* The same, inline; the last bytes before |end| are left to that function. */
static inline const char *lw_json_find_special(const char *from, const char *end)
{
#if defined(__SSE2__)
    for (; end - from >= 16; from += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        __m128i is_special = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
                                          _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
        unsigned found = (unsigned)_mm_movemask_epi8(is_special);
        if (found)
            return from + __builtin_ctz(found);
    }
#elif defined(__aarch64__)
    for (; end - from >= 16; from += 16) {
        uint8x16_t x = vld1q_u8((const uint8_t *)from);
        uint8x16_t is_special =
            vorrq_u8(vceqq_u8(x, vdupq_n_u8('"')), vceqq_u8(x, vdupq_n_u8('\\')));
        /* Four bits of each byte. */
        uint8x8_t bits = vshrn_n_u16(vreinterpretq_u16_u8(is_special), 4);
        uint64_t found = vget_lane_u64(vreinterpret_u64_u8(bits), 0);
        if (found)
            return from + __builtin_ctzll(found) / 4;
    }
#endif
    return lw_json_find_special_plain(from, end);
}

/* The same in a valid text.  |*is_plain|: lw_json_append_quoted would escape none of the bytes
 * before it.  False: it is not known. */
static inline const char *lw_json_find_string_end(const char *from, const char *end, bool *is_plain)
{
#if defined(__SSE2__)
    unsigned before = 0; /* bytes that would be, or that are not ASCII */
    for (; end - from >= 16; from += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)from);
        __m128i is_special = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
                                          _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
        /* '<' and '>' differ in one bit.  The high bit of x itself counts, too. */
        __m128i is_escaped = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('&')),
                                          _mm_cmpeq_epi8(_mm_or_si128(x, _mm_set1_epi8('<' ^ '>')),
                                                         _mm_set1_epi8('>')));
        unsigned found = (unsigned)_mm_movemask_epi8(is_special);
        unsigned escaped = (unsigned)_mm_movemask_epi8(_mm_or_si128(is_escaped, x));
        if (found) {
            *is_plain = !(before | (escaped & (found - 1) & ~found));
            return from + __builtin_ctz(found);
        }
        before |= escaped;
    }
#endif
    *is_plain = false;
    return lw_json_find_special(from, end);
}

#endif
