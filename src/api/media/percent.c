/* SPDX-License-Identifier: Apache-2.0 */
/* percent.c -- percent-decoding of paths and queries. */
#include "api/media/percent.h"

#include "base/str.h"

bool lw_percent_decode(lw_str raw, bool plus_is_blank, lw_buf *out)
{
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.ptr[i];
        if (c == '+' && plus_is_blank) {
            c = ' ';
        } else if (c == '%') {
            int high = i + 2 < raw.len ? lw_char_hex_value(raw.ptr[i + 1]) : -1;
            int low = high >= 0 ? lw_char_hex_value(raw.ptr[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        lw_buf_append_char(out, c);
    }
    return true;
}
