/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h -- UTF-8 checked as it comes, in pieces cut anywhere. */
#ifndef LW_BASE_UTF8_H
#define LW_BASE_UTF8_H

#include <stdbool.h>

#include <listwatch/str.h>

/* Where in a character the last piece ended; starts zeroed. */
typedef struct lw_utf8_check {
    unsigned char left;      /* bytes the character still needs */
    unsigned char low, high; /* between which the next of them must be */
} lw_utf8_check;

/* Takes the next piece.  False when no continuation can make it well-formed (no surrogates,
 * nothing overlong, nothing beyond U+10FFFF); the check must not be used after that. */
bool lw_utf8_check_feed(lw_utf8_check *check, lw_str piece);

/* True when what was fed ends with a whole character. */
static inline bool lw_utf8_check_is_whole(const lw_utf8_check *check)
{
    return check->left == 0;
}

#endif
