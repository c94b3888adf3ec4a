/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c -- keys of WebSocket requests, and SHA-1 of short texts: liblistwatch uses no library
 * for digests. */
#include "websocket/accept.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/random.h"
#include "base/str.h"
#include "base/text/base64.h"

enum {
    KEY_BYTES = 16,
    KEY_TEXT_MAX = 64,
    BLOCK_SIZE = 64,
    BLOCKS_MAX = 2,
    LENGTH_SIZE = 8, /* bytes of the length at the end of the last block */
    ROUNDS = 80,
};

static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return ((b & c) | (~b & d)) + 0x5A827999;
    if (round < 40)
        return (b ^ c ^ d) + 0x6ED9EBA1;
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
    return (b ^ c ^ d) + 0xCA62C1D6;
}

static void take_block(uint32_t state[5], const unsigned char *block)
{
    uint32_t words[ROUNDS], at[5];
    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (size_t i = 16; i < ROUNDS; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    memcpy(at, state, sizeof(at));
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t next = rotate(at[0], 5) + mix(i, at[1], at[2], at[3]) + at[4] + words[i];
        at[4] = at[3];
        at[3] = at[2];
        at[2] = rotate(at[1], 30);
        at[1] = at[0];
        at[0] = next;
    }
    for (size_t i = 0; i < 5; i++)
        state[i] += at[i];
}

void lw_websocket__sha1(lw_str bytes, unsigned char digest[LW_WEBSOCKET_SHA1_SIZE])
{
    uint32_t state[5] = { 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0 };
    unsigned char text[BLOCKS_MAX * BLOCK_SIZE] = { 0 };
    assert(bytes.len < sizeof(text) - LENGTH_SIZE);
    size_t used = bytes.len + 1 + LENGTH_SIZE <= BLOCK_SIZE ? BLOCK_SIZE : sizeof(text);
    uint64_t bits = (uint64_t)bytes.len * 8;
    if (bytes.len > 0)
        memcpy(text, bytes.ptr, bytes.len);
    text[bytes.len] = 0x80;
    for (size_t i = 0; i < LENGTH_SIZE; i++)
        text[used - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (size_t at = 0; at < used; at += BLOCK_SIZE)
        take_block(state, text + at);
    for (size_t i = 0; i < LW_WEBSOCKET_SHA1_SIZE; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* |size| is that of the text with its NUL. */
static void encode(char *out, size_t size, const void *bytes, size_t len)
{
    lw_buf text = { .data = out, .cap = size - 1, .limit = size - 1 };
    lw_base64_encode(&text, lw_str_make(bytes, len));
    assert(text.st == LW_OK && text.len == size - 1);
    out[size - 1] = '\0';
}

lw_status lw_websocket_make_key(char key[LW_WEBSOCKET_KEY_SIZE])
{
    unsigned char bytes[KEY_BYTES];
    lw_status st = lw_entropy_fill(bytes, sizeof(bytes));
    if (st < 0)
        return st;
    encode(key, LW_WEBSOCKET_KEY_SIZE, bytes, sizeof(bytes));
    return LW_OK;
}

void lw_websocket_accept_of(lw_str key, char out[LW_WEBSOCKET_ACCEPT_SIZE])
{
    char text[KEY_TEXT_MAX + sizeof(guid)];
    unsigned char digest[LW_WEBSOCKET_SHA1_SIZE];
    assert(key.len <= KEY_TEXT_MAX);
    memcpy(text, key.ptr, key.len);
    memcpy(text + key.len, guid, sizeof(guid) - 1);
    lw_websocket__sha1(lw_str_make(text, key.len + sizeof(guid) - 1), digest);
    encode(out, LW_WEBSOCKET_ACCEPT_SIZE, digest, sizeof(digest));
}
