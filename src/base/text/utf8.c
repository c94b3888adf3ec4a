/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c -- the well-formed sequences of the Unicode standard, table 3-7, byte by byte. */
#include "base/text/utf8.h"

/* Begins a character with |lead|; false if |lead| is not a lead byte. */
static bool begin(lw_utf8_check *check, unsigned char lead)
{
    check->low = 0x80;
    check->high = 0xBF;
    if (lead < 0x80) {
        check->left = 0;
    } else if (lead >= 0xC2 && lead <= 0xDF) {
        check->left = 1;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        check->left = 2;
        check->low = lead == 0xE0 ? 0xA0 : 0x80;  /* not overlong */
        check->high = lead == 0xED ? 0x9F : 0xBF; /* not a surrogate */
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        check->left = 3;
        check->low = lead == 0xF0 ? 0x90 : 0x80;
        check->high = lead == 0xF4 ? 0x8F : 0xBF; /* U+10FFFF is the last */
    } else {
        return false;
    }
    return true;
}

bool lw_utf8_check_feed(lw_utf8_check *check, lw_str piece)
{
    for (size_t i = 0; i < piece.len; i++) {
        unsigned char byte = (unsigned char)piece.ptr[i];
        if (check->left == 0) {
            if (!begin(check, byte))
                return false;
            continue;
        }
        if (byte < check->low || byte > check->high)
            return false;
        check->left--;
        check->low = 0x80;
        check->high = 0xBF;
    }
    return true;
}
