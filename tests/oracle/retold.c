/* SPDX-License-Identifier: Apache-2.0 */
/* retold.c -- see retold.h. */
#include "oracle/retold.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "json/scan.h"
#include "json/text.h"

/* The UTF-16 unit of the escape \uXXXX at |at|, or -1. */
static int32_t unit_at(lw_str s, size_t at)
{
    if (s.len - at < 6 || s.ptr[at] != '\\' || s.ptr[at + 1] != 'u')
        return -1;
    int32_t unit = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = s.ptr[i] ? strchr(digits, s.ptr[i]) : NULL;
        if (!digit)
            return -1;
        int32_t value = (int32_t)(digit - digits);
        unit = unit * 16 + (value > 15 ? value - 6 : value);
    }
    return unit;
}

static bool is_high(int32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(int32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

/* Copies the escape at |at|, or what it is retold as; returns how long it was. */
static size_t retell_escape(lw_buf *out, lw_str s, size_t at, bool *is_changed)
{
    int32_t unit = unit_at(s, at);
    size_t len = unit >= 0 ? 6 : s.len - at < 2 ? 1 : 2;
    if (is_high(unit) && is_low(unit_at(s, at + 6))) {
        len = 12;
    } else if (is_high(unit) || is_low(unit)) {
        lw_buf_append_text(out, "\\u0041");
        *is_changed = true;
        return len;
    }
    lw_buf_append(out, s.ptr + at, len);
    return len;
}

/* Copies the string whose quote is at |at|; returns how long it was. */
static size_t retell_string(lw_buf *out, lw_str s, size_t at, bool *is_changed)
{
    size_t i = at + 1;
    lw_buf_append_char(out, '"');
    while (i < s.len && s.ptr[i] != '"') {
        if (s.ptr[i] == '\\')
            i += retell_escape(out, s, i, is_changed);
        else
            lw_buf_append_char(out, s.ptr[i++]);
    }
    if (i < s.len)
        lw_buf_append_char(out, s.ptr[i++]);
    return i - at;
}

/* True when |word| is a number, but none that fits 64 bits or a double. */
static bool is_beyond(lw_str word)
{
    char text[2048];
    if (!lw_json_is_number(word) || word.len >= sizeof(text))
        return false;
    memcpy(text, word.ptr, word.len);
    text[word.len] = '\0';
    if (strpbrk(text, ".eE"))
        return isinf(strtod(text, NULL));
    errno = 0;
    if (text[0] == '-')
        (void)strtoll(text, NULL, 10);
    else
        (void)strtoull(text, NULL, 10);
    return errno == ERANGE;
}

/* Copies the number, word or rubbish at |at|; returns how long it was. */
static size_t retell_word(lw_buf *out, lw_str s, size_t at, bool *is_changed)
{
    static const char ends[] = " \t\n\r,:[]{}\"";
    size_t end = at;
    while (end < s.len && !memchr(ends, s.ptr[end], sizeof(ends) - 1))
        end++;
    lw_str word = lw_str_make(s.ptr + at, end - at);
    if (is_beyond(word)) {
        lw_buf_append_char(out, '0');
        *is_changed = true;
    } else {
        lw_buf_append_str(out, word);
    }
    return word.len;
}

bool retold_for_simdjson(lw_buf *out, lw_str document)
{
    bool is_changed = false;
    lw_buf_reset(out);
    for (size_t i = 0; i < document.len;) {
        if (document.ptr[i] == '"')
            i += retell_string(out, document, i, &is_changed);
        else if (memchr(" \t\n\r,:[]{}", document.ptr[i], 10))
            lw_buf_append_char(out, document.ptr[i++]);
        else
            i += retell_word(out, document, i, &is_changed);
    }
    return is_changed;
}

/* How many bytes of the shape of a UTF-8 sequence are at |at|; 1 when it has none. */
static size_t shape_at(lw_str s, size_t at)
{
    unsigned char first = (unsigned char)s.ptr[at];
    size_t len = first >> 5 == 0x6 ? 2 : first >> 4 == 0xE ? 3 : first >> 3 == 0x1E ? 4 : 1;
    if (len > s.len - at)
        return 1;
    for (size_t i = 1; i < len; i++) {
        if ((unsigned char)s.ptr[at + i] >> 6 != 0x2)
            return 1;
    }
    return len;
}

/* Where the string that begins at |at| ends: after its quote, or at the end of the document. */
static size_t string_end(lw_str s, size_t at)
{
    for (at++; at < s.len && s.ptr[at] != '"'; at++) {
        if (s.ptr[at] == '\\')
            at++;
    }
    return at < s.len ? at + 1 : s.len;
}

/* True when |rest|, from a quote to the end of the document, is a string but for the closing quote.
 * At the end yajl reads a blank, so an escape must not be left open. */
static bool is_unfinished_string(lw_str rest)
{
    lw_buf text;
    lw_buf_init(&text, rest.len + 2);
    lw_buf_append_str(&text, rest);
    lw_buf_append_text(&text, " \"");
    bool is_string = lw_json_validate(lw_buf_view(&text), 0, NULL) == LW_OK;
    lw_buf_done(&text);
    return is_string;
}

/* Copies |document| with ? for what is UTF-8 by its shape only. */
static bool retell_utf8(lw_buf *out, lw_str document)
{
    bool is_changed = false;
    for (size_t i = 0; i < document.len;) {
        size_t len = shape_at(document, i);
        lw_str sequence = lw_str_make(document.ptr + i, len);
        if (len > 1 && !lw_utf8_is_valid(sequence)) {
            lw_buf_append_char(out, '?');
            is_changed = true;
        } else {
            lw_buf_append_str(out, sequence);
        }
        i += len;
    }
    return is_changed;
}

bool retold_by_yajl(lw_buf *out, lw_str document)
{
    lw_buf_reset(out);
    bool is_changed = retell_utf8(out, document);
    for (size_t i = 0; i < out->len; i++) {
        char c = out->data[i];
        if (c == '\v' || c == '\f') {
            out->data[i] = ' ';
            is_changed = true;
        } else if (c == '"') {
            lw_str rest = lw_str_skip(lw_buf_view(out), i);
            i = string_end(lw_buf_view(out), i) - 1;
            if (i + 1 == out->len && is_unfinished_string(rest)) {
                lw_buf_truncate(out, out->len - rest.len);
                is_changed = true;
            }
        }
    }
    return is_changed;
}
