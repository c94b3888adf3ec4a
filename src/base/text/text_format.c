/* SPDX-License-Identifier: Apache-2.0 */
/* text_format.c -- checks formats of texts like Kubernetes. */
#include "base/text/text_format.h"

#include <stdio.h>

#include "base/str.h"
#include "base/text/time_text.h"

enum {
    DATE_LEN = 10,
    TIME_SIZE = 32,
    UUID_DIGITS = 32,
};

bool lw_text_is_date_time(lw_str text)
{
    lw_time time;
    return lw_time_parse(text, &time);
}

bool lw_text_is_date(lw_str text)
{
    char whole[TIME_SIZE];
    if (text.len != DATE_LEN)
        return false;
    (void)snprintf(whole, sizeof(whole), "%.*sT00:00:00Z", LW_STR_ARG(text));
    return lw_text_is_date_time(lw_str_of(whole));
}

bool lw_text_is_uuid(lw_str text)
{
    unsigned digits = 0;
    bool was_dash = true;
    for (size_t i = 0; i < text.len; i++) {
        bool is_group = digits == 8 || digits == 12 || digits == 16 || digits == 20;
        bool is_dash = text.ptr[i] == '-';
        if (is_dash ? !is_group || was_dash : lw_char_hex_value(text.ptr[i]) < 0)
            return false;
        digits += !is_dash;
        was_dash = is_dash;
    }
    return digits == UUID_DIGITS;
}
