/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c.c -- CRC-32C, eight bytes per step with the instruction of x86-64 (SSE 4.2) or arm64, and
 * one byte per step with a table elsewhere. */
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

static int has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t crc_eight(uint32_t crc, uint64_t word)
{
    return (uint32_t)__builtin_ia32_crc32di(crc, word);
}

__attribute__((target("sse4.2"))) static uint32_t crc_fast(uint32_t crc, const unsigned char *at,
                                                           size_t len)
{
    for (; len >= 8; len -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof(word));
        crc = crc_eight(crc, word);
    }
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
