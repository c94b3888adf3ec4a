/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.c -- the parts of the lexer that most blocks of a Kubernetes list do not need: escapes,
 * non-ASCII text, and words byte by byte. */
#include "json/lexer/lexer.h"

#include <stdbool.h>

enum {
    ESCAPE_NEXT = 1, /* lw_lexer.escape: the next byte follows a backslash */
};

static void fault_report(lw_lex_fault_place *fault, unsigned at, lw_lex_fault what)
{
    if (at < fault->at) {
        fault->at = at;
        fault->what = what;
    }
}

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool is_escape(uint8_t c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
    case 'u': return true;
    default: return false;
    }
}

/* Checks the byte |at| after a backslash; returns false if it is invalid. */
static bool escape_take(uint8_t *escape, const uint8_t *p, unsigned at, lw_lex_fault_place *fault)
{
    *escape = p[at] == 'u' ? 4 + ESCAPE_NEXT : 0;
    if (is_escape(p[at]))
        return true;
    fault_report(fault, at, LW_LEX_BAD_ESCAPE);
    return false;
}

/* Checks the missing hex digits from |*at| on; returns false if one is invalid. */
static bool escape_take_hex(uint8_t *escape, const uint8_t *p, unsigned n, unsigned *at,
                            lw_lex_fault_place *fault)
{
    while (*escape > ESCAPE_NEXT && *at < n) {
        if (!is_hex(p[*at])) {
            fault_report(fault, *at, LW_LEX_BAD_HEX);
            return false;
        }
        (*at)++;
        (*escape)--;
    }
    if (*escape == ESCAPE_NEXT)
        *escape = 0;
    return true;
}

uint64_t lw_lexer_escapes(uint8_t *escape, const uint8_t *p, unsigned n, uint64_t backslash,
                          lw_lex_fault_place *fault)
{
    uint64_t escaped = 0;
    unsigned at = 0;
    if (*escape == ESCAPE_NEXT) {
        escaped = 1;
        if (!escape_take(escape, p, at++, fault))
            return escaped;
    }
    if (*escape && !escape_take_hex(escape, p, n, &at, fault))
        return escaped;
    backslash &= ~lw_block_below(at);
    while (backslash) {
        at = (unsigned)__builtin_ctzll(backslash) + 1;
        if (at == n) {
            *escape = ESCAPE_NEXT;
            break;
        }
        escaped |= (uint64_t)1 << at;
        if (!escape_take(escape, p, at++, fault))
            break;
        if (*escape && !escape_take_hex(escape, p, n, &at, fault))
            break;
        backslash &= ~lw_block_below(at);
    }
    return escaped;
}

uint64_t lw_lexer_escapes_trusting(uint8_t *escape, unsigned n, uint64_t backslash)
{
    uint64_t escaped = *escape;
    backslash &= ~escaped;
    *escape = 0;
    while (backslash) {
        unsigned at = (unsigned)__builtin_ctzll(backslash) + 1;
        if (at == n) {
            *escape = ESCAPE_NEXT;
            break;
        }
        escaped |= (uint64_t)1 << at;
        backslash &= ~lw_block_below(at + 1);
    }
    return escaped;
}

/* Begins a UTF-8 sequence with |lead| (RFC 3629 section 4); false if it is not a lead byte. */
static bool utf8_begin(lw_lexer *lx, uint8_t lead)
{
    lx->utf8_low = 0x80;
    lx->utf8_high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        lx->utf8_more = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        lx->utf8_more = 2;
        if (lead == 0xE0)
            lx->utf8_low = 0xA0; /* shorter would be overlong */
        if (lead == 0xED)
            lx->utf8_high = 0x9F; /* above are the surrogates */
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        lx->utf8_more = 3;
        if (lead == 0xF0)
            lx->utf8_low = 0x90;
        if (lead == 0xF4)
            lx->utf8_high = 0x8F; /* above is beyond U+10FFFF */
    } else {
        return false;
    }
    return true;
}

static bool utf8_continue(lw_lexer *lx, uint8_t byte)
{
    if (byte < lx->utf8_low || byte > lx->utf8_high)
        return false;
    lx->utf8_more--;
    lx->utf8_low = 0x80;
    lx->utf8_high = 0xBF;
    return true;
}

static void utf8_check(lw_lexer *lx, const uint8_t *p, unsigned n, lw_lex_fault_place *fault)
{
    for (unsigned i = 0; i < n; i++) {
        bool is_right = true;
        if (lx->utf8_more)
            is_right = utf8_continue(lx, p[i]);
        else if (p[i] >= 0x80)
            is_right = utf8_begin(lx, p[i]);
        if (!is_right) {
            fault_report(fault, i, LW_LEX_BAD_UTF8);
            return;
        }
    }
}

void lw_lexer_text(lw_lexer *lx, const uint8_t *p, unsigned n, uint64_t control,
                   lw_lex_fault_place *fault)
{
    if (control)
        fault_report(fault, (unsigned)__builtin_ctzll(control), LW_LEX_CONTROL);
    utf8_check(lx, p, n, fault);
}

/* The grammar of JSON numbers (RFC 8259 section 6) and literals as one table. */

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
