/* SPDX-License-Identifier: Apache-2.0 */
/* block_scalar.h -- classifies a block byte by byte, on any machine.  The reference for the
 * others. */
#ifndef LW_JSON_LEXER_BLOCK_SCALAR_H
#define LW_JSON_LEXER_BLOCK_SCALAR_H

#include "json/lexer/block.h"

static inline void lw_block_classify_scalar(const uint8_t *p, lw_block_masks *m)
{
    *m = (lw_block_masks){ 0 };
    for (unsigned i = 0; i < LW_BLOCK; i++) {
        uint64_t bit = (uint64_t)1 << i;
        switch (p[i]) {
        case '"': m->quote |= bit; break;
        case '\\': m->backslash |= bit; break;
        case '{':
        case '[': m->open |= bit; break;
        case '}':
        case ']': m->close |= bit; break;
        case ':': m->colon |= bit; break;
        case ',': m->comma |= bit; break;
        case ' ':
        case '\t':
        case '\n':
        case '\r': m->space |= bit; break;
        default: break;
        }
        if (p[i] & 0x20)
            m->curly |= bit;
        if (p[i] < 0x20)
            m->control |= bit;
        if (p[i] >= 0x80)
            m->high |= bit;
        if (p[i] >= '0' && p[i] <= '9')
            m->digit |= bit;
        if (p[i] == '0')
            m->zero |= bit;
    }
}

#endif
