/* SPDX-License-Identifier: Apache-2.0 */
/* percent.c -- %xx in paths and queries. */
#include "api/percent.h"

/* The value of a hexadecimal digit, or -1. */
static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool lw_percent_decode(lw_str raw, bool plus_is_blank, lw_buf *out)
{
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        if (c == '+' && plus_is_blank) {
            c = ' ';
        } else if (c == '%') {
            int high = i + 2 < raw.len ? hex_value(raw.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_value(raw.ptr[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        lw_buf_append_char(out, c);
    }
    return true;
}
