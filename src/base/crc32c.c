/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c.c -- CRC-32C, eight bytes per step with the instruction of x86-64 (SSE 4.2) or arm64, and
 * one byte per step with a table elsewhere.
 *
 * The instruction takes three cycles, but three can run at once.  So x86-64 reads long strings as
 * three lanes, each with a checksum of its own.  The checksum of a lane is then moved over the
 * lanes after it, which is a multiplication by a constant: x^(8n - 33) modulo the polynomial, for n
 * bytes. */
#include "base/crc32c.h"

#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

/* The checksum of each half byte, from which those of longer strings are composed: 64 bytes, so
 * that no table has to be built at run time. */
static const uint32_t half_bytes[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t lw_crc32c_scalar(uint32_t crc, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < len; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ half_bytes[crc & 15];
        crc = crc >> 4 ^ half_bytes[crc & 15];
    }
    return ~crc;
}

#if defined(__x86_64__)

#include <immintrin.h>

enum {
    LANE = 256, /* bytes */
};

#define OVER_ONE_LANE  0xb9e02b86
#define OVER_TWO_LANES 0xdd7e3b0c

static int has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t crc_eight(uint32_t crc, uint64_t word)
{
    return (uint32_t)__builtin_ia32_crc32di(crc, word);
}

static inline uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

/* Returns |crc| after some zero bytes, whose constant is |factor|. */
__attribute__((target("sse4.2,pclmul"))) static uint32_t crc_move(uint32_t crc, uint32_t factor)
{
    const __m128i product =
        _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)crc), _mm_cvtsi32_si128((int)factor), 0);
    return crc_eight(0, (uint64_t)_mm_cvtsi128_si64(product));
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t crc_lanes(uint32_t crc,
                                                                   const unsigned char *at)
{
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < LANE; i += 8) {
        crc = crc_eight(crc, word_at(at + i));
        second = crc_eight(second, word_at(at + LANE + i));
        third = crc_eight(third, word_at(at + 2 * LANE + i));
    }
    return crc_move(crc, OVER_TWO_LANES) ^ crc_move(second, OVER_ONE_LANE) ^ third;
}

__attribute__((target("sse4.2"))) static uint32_t crc_fast(uint32_t crc, const unsigned char *at,
                                                           size_t len)
{
    if (len >= (size_t)3 * LANE && __builtin_cpu_supports("pclmul")) {
        for (; len >= (size_t)3 * LANE; len -= (size_t)3 * LANE, at += 3 * LANE)
            crc = crc_lanes(crc, at);
    }
    for (; len >= 8; len -= 8, at += 8)
        crc = crc_eight(crc, word_at(at));
    for (; len > 0; len--)
        crc = __builtin_ia32_crc32qi(crc, *at++);
    return crc;
}

#elif defined(__aarch64__)

static int has_instruction(void)
{
    enum {
        CRC32 = 1 << 7, /* HWCAP_CRC32 */
    };
    return (getauxval(AT_HWCAP) & CRC32) != 0;
}

static uint32_t crc_fast(uint32_t crc, const unsigned char *at, size_t len)
{
    for (; len >= 8; len -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    }
    for (; len > 0; len--) {
        uint32_t byte = *at++;
        __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(byte));
    }
    return crc;
}

#else

static int has_instruction(void)
{
    return 0;
}

static uint32_t crc_fast(uint32_t crc, const unsigned char *at, size_t len)
{
    return ~lw_crc32c_scalar(~crc, at, len);
}

#endif

uint32_t lw_crc32c(uint32_t crc, const void *bytes, size_t len)
{
    return has_instruction() ? ~crc_fast(~crc, bytes, len) : lw_crc32c_scalar(crc, bytes, len);
}
