/* SPDX-License-Identifier: Apache-2.0 */
/* line.c -- one line of text with a limited length. */
#include "base/line.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char cut_mark[] = "...";

static bool continues_sequence(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Where to cut |text| so that at most |most| bytes stay.  A sequence has at most three bytes that
 * continue it; what has more is not UTF-8 and is cut anywhere. */
static size_t cut_place(const char *text, size_t most)
{
    size_t at = most;
    while (at > 0 && most - at < 3 && continues_sequence(text[at]))
        at--;
    return continues_sequence(text[at]) ? most : at;
}

static void blank_controls(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            text[i] = ' ';
    }
}

size_t lw_line_format(char *out, size_t size, const char *format, va_list args)
{
    assert(size >= sizeof(cut_mark));
    int wanted = vsnprintf(out, size, format, args);
    size_t len = wanted > 0 ? (size_t)wanted : 0;
    if (len >= size) {
        len = cut_place(out, size - sizeof(cut_mark));
        memcpy(out + len, cut_mark, sizeof(cut_mark));
        len += sizeof(cut_mark) - 1;
    }
    out[len] = '\0';
    blank_controls(out, len);
    return len;
}

size_t lw_line_copy(char *out, size_t size, const char *text, size_t len)
{
    assert(size >= sizeof(cut_mark));
    bool is_cut = len >= size;
    if (is_cut)
        len = cut_place(text, size - sizeof(cut_mark));
    if (len > 0)
        memcpy(out, text, len);
    blank_controls(out, len);
    if (is_cut) {
        memcpy(out + len, cut_mark, sizeof(cut_mark) - 1);
        len += sizeof(cut_mark) - 1;
    }
    out[len] = '\0';
    return len;
}
