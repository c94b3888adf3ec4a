/* SPDX-License-Identifier: Apache-2.0 */
/* block.h -- classifies 64 bytes of JSON into bit masks, one bit per byte, lowest bit first.
 *
 * The implementation depends on the machine: block_{scalar,sse2,avx2,avx512,neon}.h each
 * define one lw_block_classify_*; the scalar one is the reference. */
#ifndef LW_JSON_LEXER_BLOCK_H
#define LW_JSON_LEXER_BLOCK_H

#include <stdint.h>

/* For the few functions whose work must stay in the caller's registers. */
#define LW_ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    LW_BLOCK = 64,
};

typedef struct lw_block_masks {
    uint64_t quote;     /* "            */
    uint64_t backslash; /* \            */
    uint64_t open;      /* { [          */
    uint64_t close;     /* } ]          */
    uint64_t curly;     /* bit 0x20 of the byte: tells { } from [ ] */
    uint64_t colon;     /* :            */
    uint64_t comma;     /* ,            */
    uint64_t space;     /* space \t \n \r */
    uint64_t control;   /* below 0x20, the last three of |space| included */
    uint64_t high;      /* 0x80 and up  */
    uint64_t digit;     /* 0 to 9       */
    uint64_t zero;      /* 0            */
} lw_block_masks;

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
