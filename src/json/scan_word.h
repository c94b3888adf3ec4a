/* SPDX-License-Identifier: Apache-2.0 */
/* scan_word.h -- numbers and the words true, false, null, a byte at a time.
 *
 * The state is one byte, so a word may be cut anywhere.  LW_WORD_FAILED is a dead end. */
#ifndef LW_JSON_SCAN_WORD_H
#define LW_JSON_SCAN_WORD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum lw_word {
    LW_WORD_FAILED,
    LW_WORD_START,
    LW_WORD_MINUS,    /* -       */
    LW_WORD_ZERO,     /* 0       */
    LW_WORD_INT,      /* 12      */
    LW_WORD_POINT,    /* 1.      */
    LW_WORD_FRACTION, /* 1.2     */
    LW_WORD_E,        /* 1e      */
    LW_WORD_E_SIGN,   /* 1e+     */
    LW_WORD_EXPONENT, /* 1e+2    */
    LW_WORD_T,
    LW_WORD_TR,
    LW_WORD_TRU,
    LW_WORD_F,
    LW_WORD_FA,
    LW_WORD_FAL,
    LW_WORD_FALS,
    LW_WORD_N,
    LW_WORD_NU,
    LW_WORD_NUL,
    LW_WORD_LITERAL, /* true, false or null, whole */
    LW_WORD_COUNT,
} lw_word;

/* The state after |byte|. */
lw_word lw_word_step(lw_word state, uint8_t byte);

/* The state after |len| bytes. */
lw_word lw_word_run(lw_word state, const uint8_t *bytes, unsigned len);

/* True when the bytes so far are a whole word. */
bool lw_word_is_complete(lw_word state);

#endif
