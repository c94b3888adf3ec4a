/* SPDX-License-Identifier: Apache-2.0 */
/* salsa20.c -- the Salsa20 core as its specification has it.  No branch and no address depends on a
 * key or on a text. */
#include "crypto/salsa20.h"

#include <openssl/crypto.h>
#include <stdint.h>
#include <string.h>

enum {
    WORDS = 16,
    ROUNDS = 20,
};

static uint32_t load(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void store(unsigned char *p, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(word >> (8 * i));
}

static uint32_t rotate(uint32_t word, int by)
{
    return word << by | word >> (32 - by);
}

/* Of words that are variables, so that they can be in registers: twice as fast as an array. */
#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        (b) ^= rotate((a) + (d), 7);                                                               \
        (c) ^= rotate((b) + (a), 9);                                                               \
        (d) ^= rotate((c) + (b), 13);                                                              \
        (a) ^= rotate((d) + (c), 18);                                                              \
    } while (0)

static void rounds(uint32_t x[WORDS])
{
    uint32_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    uint32_t x8 = x[8], x9 = x[9], x10 = x[10], x11 = x[11], x12 = x[12], x13 = x[13], x14 = x[14];
    uint32_t x15 = x[15];
    for (int i = 0; i < ROUNDS; i += 2) {
        QUARTER(x0, x4, x8, x12);
        QUARTER(x5, x9, x13, x1);
        QUARTER(x10, x14, x2, x6);
        QUARTER(x15, x3, x7, x11);
        QUARTER(x0, x1, x2, x3);
        QUARTER(x5, x6, x7, x4);
        QUARTER(x10, x11, x8, x9);
        QUARTER(x15, x12, x13, x14);
    }
    const uint32_t after[WORDS] = { x0, x1, x2,  x3,  x4,  x5,  x6,  x7,
                                    x8, x9, x10, x11, x12, x13, x14, x15 };
    memcpy(x, after, sizeof(after));
}

static void expand(uint32_t x[WORDS], const unsigned char *key, const unsigned char *input)
{
    static const unsigned char constant[] = "expand 32-byte k";
    for (int i = 0; i < 4; i++) {
        x[5 * i] = load(constant + 4 * i);
        x[1 + i] = load(key + 4 * i);
        x[6 + i] = load(input + 4 * i);
        x[11 + i] = load(key + 16 + 4 * i);
    }
}

void lw_hsalsa20(const unsigned char key[LW_SALSA20_KEY],
                 const unsigned char input[LW_HSALSA20_INPUT], unsigned char out[LW_SALSA20_KEY])
{
    uint32_t x[WORDS];
    expand(x, key, input);
    rounds(x);
    for (int i = 0; i < 4; i++) {
        store(out + 4 * i, x[5 * i]);
        store(out + 16 + 4 * i, x[6 + i]);
    }
    OPENSSL_cleanse(x, sizeof(x));
}

static void next_block(lw_xsalsa20 *stream)
{
    uint32_t x[WORDS], before[WORDS];
    expand(before, stream->key, stream->input);
    memcpy(x, before, sizeof(x));
    rounds(x);
    for (int i = 0; i < WORDS; i++)
        store(stream->block + 4 * i, x[i] + before[i]);
    stream->used = 0;
    for (int i = 8; i < LW_HSALSA20_INPUT && ++stream->input[i] == 0; i++)
        continue;
}

void lw_xsalsa20_init(lw_xsalsa20 *stream, const unsigned char key[LW_SALSA20_KEY],
                      const unsigned char nonce[LW_XSALSA20_NONCE])
{
    lw_hsalsa20(key, nonce, stream->key);
    memset(stream->input, 0, sizeof(stream->input));
    memcpy(stream->input, nonce + LW_HSALSA20_INPUT, 8);
    stream->used = LW_SALSA20_BLOCK;
}

void lw_xsalsa20_xor(lw_xsalsa20 *stream, const unsigned char *in, size_t len, unsigned char *out)
{
    while (len > 0) {
        if (stream->used == LW_SALSA20_BLOCK)
            next_block(stream);
        const unsigned char *block = stream->block + stream->used;
        size_t part = LW_SALSA20_BLOCK - stream->used;
        if (part > len)
            part = len;
        for (size_t i = 0; i < part; i++)
            out[i] = in[i] ^ block[i];
        stream->used += part;
        in += part;
        out += part;
        len -= part;
    }
}

void lw_xsalsa20_done(lw_xsalsa20 *stream)
{
    OPENSSL_cleanse(stream, sizeof(*stream));
}
