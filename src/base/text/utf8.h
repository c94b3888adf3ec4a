/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h -- validates UTF-8 in pieces that may be split anywhere. */
#ifndef LW_BASE_TEXT_UTF8_H
#define LW_BASE_TEXT_UTF8_H

#include <stdbool.h>

#include <listwatch/str.h>

/* The state between two pieces; zeroed initially. */
typedef struct lw_utf8_check {
    unsigned char left;      /* missing bytes of the character */
    unsigned char low, high; /* range of the next byte */
} lw_utf8_check;

/* Validates the next piece.  Returns false if it is not well-formed (surrogates, overlong forms,
 * above U+10FFFF); then the check must not be used any more. */
bool lw_utf8_check_feed(lw_utf8_check *check, lw_str piece);

/* Returns true if the input so far ends with a complete character. */
static inline bool lw_utf8_check_is_whole(const lw_utf8_check *check)
{
    return check->left == 0;
}

#endif
