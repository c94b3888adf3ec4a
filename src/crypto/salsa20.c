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

static void quarter(uint32_t x[WORDS], int a, int b, int c, int d)
{
    x[b] ^= rotate(x[a] + x[d], 7);
    x[c] ^= rotate(x[b] + x[a], 9);
    x[d] ^= rotate(x[c] + x[b], 13);
    x[a] ^= rotate(x[d] + x[c], 18);
}

static void rounds(uint32_t x[WORDS])
{
    for (int i = 0; i < ROUNDS; i += 2) {
        quarter(x, 0, 4, 8, 12);
        quarter(x, 5, 9, 13, 1);
        quarter(x, 10, 14, 2, 6);
        quarter(x, 15, 3, 7, 11);
        quarter(x, 0, 1, 2, 3);
        quarter(x, 5, 6, 7, 4);
        quarter(x, 10, 11, 8, 9);
        quarter(x, 15, 12, 13, 14);
    }
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
