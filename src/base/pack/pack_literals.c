/* SPDX-License-Identifier: Apache-2.0 */
/* pack_literals.c -- writes bytes that are not copies, digits of identifiers in half their length.
 */
#include "base/pack/equal.h"
#include "base/pack/pack_parts.h"

enum {
    HEX_MIN = 10, /* shorter runs of digits are not worth a token of their own */
    WORD = 8,
    MASK_BITS = 64,
};

/* The token, and the lengths that do not fit into it. |few| is the code of the literals, and
 * |more| their rest. */
static inline unsigned char *put_token(unsigned char *dst, size_t few, size_t more, size_t copied)
{
    size_t code = copied > 0 ? copied - PACK_COPY_MIN + 1 : 0;
    *dst++ =
        (unsigned char)(few << PACK_COPY_BITS | (code < PACK_COPY_MANY ? code : PACK_COPY_MANY));
    if (few >= PACK_LITERALS_MANY)
        dst = lw_pack_put_varint(dst, more);
    if (code >= PACK_COPY_MANY)
        dst = lw_pack_put_varint(dst, code - PACK_COPY_MANY);
    return dst;
}

static inline unsigned char *put_plain(unsigned char *dst, const char *literals, size_t len,
                                       size_t copied)
{
    size_t few = len < PACK_LITERALS_MANY ? len : PACK_LITERALS_MANY;
    dst = put_token(dst, few, len - few, copied);
    if (len <= LW_PACK_CHUNK)
        memcpy(dst, literals,
               LW_PACK_CHUNK); /* there is space, and what is too much is overwritten */
    else
        memcpy(dst, literals, len);
    return dst + len;
}

/* The values of hexadecimal digits. */
static unsigned hex_value(char c)
{
    unsigned byte = (unsigned char)c;
    return (byte & 0xf) + (byte >> 6) * 9;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static unsigned char *put_hex(unsigned char *dst, const char *digits, size_t len, size_t copied)
{
    size_t i = 0;
    dst = put_token(dst, PACK_LITERALS_HEX, len, copied);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; i + WORD <= len; i += WORD) { /* hex_value of eight digits */
        uint64_t word = lw_pack_load8(digits + i);
        word =
            (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) + (word >> 6 & UINT64_C(0x0101010101010101)) * 9;
        word = (word << 4 | word >> 8) & UINT64_C(0x00ff00ff00ff00ff);
        word = (word | word >> 8) & UINT64_C(0x0000ffff0000ffff);
        uint32_t bytes = (uint32_t)(word | word >> 16);
        memcpy(dst, &bytes, sizeof(bytes));
        dst += sizeof(bytes);
    }
#endif
    for (; i + 1 < len; i += 2)
        *dst++ = (unsigned char)(hex_value(digits[i]) << 4 | hex_value(digits[i + 1]));
    if (len % 2 > 0)
        *dst++ = (unsigned char)(hex_value(digits[len - 1]) << 4);
    return dst;
}

/* Returns a bit for each of up to 64 bytes that are digits. */
static uint64_t hex_mask(const char *bytes, size_t len)
{
    uint64_t mask = 0;
    size_t most = len < MASK_BITS ? len : MASK_BITS;
    for (size_t i = 0; i < most; i += LW_PACK_CHUNK)
        mask |= (uint64_t)lw_hex16(bytes + i) << i;
    return most < MASK_BITS ? mask & ((UINT64_C(1) << most) - 1) : mask;
}

/* Finds the first long run of digits; its length is 0 if there is none. */
static size_t find_hex(const char *bytes, size_t len, size_t *at)
{
    for (size_t from = 0; from + HEX_MIN <= len; from += MASK_BITS - HEX_MIN + 1) {
        uint64_t mask = hex_mask(bytes + from, len - from), runs = mask & mask >> 1;
        runs &= runs >> 2;
        runs &= runs >> 4; /* the bits where 8 digits begin ... */
        runs &= runs >> (HEX_MIN - WORD);
        if (runs == 0)
            continue;
        size_t run = HEX_MIN;
        *at = from + (size_t)__builtin_ctzll(runs);
        uint64_t others = ~(mask >> (*at - from));
        run = others != 0 ? (size_t)__builtin_ctzll(others) : MASK_BITS;
        while (*at + run < len && is_hex(bytes[*at + run])) /* after the mask */
            run++;
        return run;
    }
    return 0;
}

unsigned char *lw_pack__put_literals(unsigned char *dst, const char *literals, size_t len,
                                     size_t copied)
{
    size_t at = 0, run;
    while (len >= HEX_MIN && (run = find_hex(literals, len, &at)) > 0) {
        bool is_last = at + run == len;
        if (at > 0)
            dst = put_plain(dst, literals, at, 0);
        dst = put_hex(dst, literals + at, run, is_last ? copied : 0);
        if (is_last)
            return dst;
        literals += at + run;
        len -= at + run;
    }
    return len > 0 || copied > 0 ? put_plain(dst, literals, len, copied) : dst;
}
