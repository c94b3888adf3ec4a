/* SPDX-License-Identifier: Apache-2.0 */
/* scan_word.c -- the grammar of JSON numbers (RFC 8259 section 6) and literals as one table. */
#include "json/scan_word.h"

enum {
    OTHER,
    ZERO,
    DIGIT, /* 1 to 9 */
    MINUS,
    PLUS,
    POINT,
    LOWER_E,
    UPPER_E,
    A,
    F,
    L,
    N,
    R,
    S,
    T,
    U,
    CLASS_COUNT,
};

static const uint8_t class_of[256] = {
    ['0'] = ZERO,  ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT,   ['4'] = DIGIT,   ['5'] = DIGIT,
    ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,   ['-'] = MINUS,   ['+'] = PLUS,
    ['.'] = POINT, ['a'] = A,     ['f'] = F,     ['e'] = LOWER_E, ['E'] = UPPER_E, ['l'] = L,
    ['n'] = N,     ['r'] = R,     ['s'] = S,     ['t'] = T,       ['u'] = U,
};

static const uint8_t step[LW_WORD_COUNT][CLASS_COUNT] = {
    [LW_WORD_START] = { [MINUS] = LW_WORD_MINUS,
                        [ZERO] = LW_WORD_ZERO,
                        [DIGIT] = LW_WORD_INT,
                        [T] = LW_WORD_T,
                        [F] = LW_WORD_F,
                        [N] = LW_WORD_N },
    [LW_WORD_MINUS] = { [ZERO] = LW_WORD_ZERO, [DIGIT] = LW_WORD_INT },
    [LW_WORD_ZERO] = { [POINT] = LW_WORD_POINT, [LOWER_E] = LW_WORD_E, [UPPER_E] = LW_WORD_E },
    [LW_WORD_INT] = { [ZERO] = LW_WORD_INT,
                      [DIGIT] = LW_WORD_INT,
                      [POINT] = LW_WORD_POINT,
                      [LOWER_E] = LW_WORD_E,
                      [UPPER_E] = LW_WORD_E },
    [LW_WORD_POINT] = { [ZERO] = LW_WORD_FRACTION, [DIGIT] = LW_WORD_FRACTION },
    [LW_WORD_FRACTION] = { [ZERO] = LW_WORD_FRACTION,
                           [DIGIT] = LW_WORD_FRACTION,
                           [LOWER_E] = LW_WORD_E,
                           [UPPER_E] = LW_WORD_E },
    [LW_WORD_E] = { [MINUS] = LW_WORD_E_SIGN,
                    [PLUS] = LW_WORD_E_SIGN,
                    [ZERO] = LW_WORD_EXPONENT,
                    [DIGIT] = LW_WORD_EXPONENT },
    [LW_WORD_E_SIGN] = { [ZERO] = LW_WORD_EXPONENT, [DIGIT] = LW_WORD_EXPONENT },
    [LW_WORD_EXPONENT] = { [ZERO] = LW_WORD_EXPONENT, [DIGIT] = LW_WORD_EXPONENT },
    [LW_WORD_T] = { [R] = LW_WORD_TR },
    [LW_WORD_TR] = { [U] = LW_WORD_TRU },
    [LW_WORD_TRU] = { [LOWER_E] = LW_WORD_LITERAL },
    [LW_WORD_F] = { [A] = LW_WORD_FA },
    [LW_WORD_FA] = { [L] = LW_WORD_FAL },
    [LW_WORD_FAL] = { [S] = LW_WORD_FALS },
    [LW_WORD_FALS] = { [LOWER_E] = LW_WORD_LITERAL },
    [LW_WORD_N] = { [U] = LW_WORD_NU },
    [LW_WORD_NU] = { [L] = LW_WORD_NUL },
    [LW_WORD_NUL] = { [L] = LW_WORD_LITERAL },
};

lw_word lw_word_step(lw_word state, uint8_t byte)
{
    return (lw_word)step[state][class_of[byte]];
}

lw_word lw_word_run(lw_word state, const uint8_t *bytes, unsigned len)
{
    for (unsigned i = 0; i < len; i++)
        state = lw_word_step(state, bytes[i]);
    return state;
}

bool lw_word_is_complete(lw_word state)
{
    return state == LW_WORD_ZERO || state == LW_WORD_INT || state == LW_WORD_FRACTION ||
           state == LW_WORD_EXPONENT || state == LW_WORD_LITERAL;
}
