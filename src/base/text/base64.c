/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c -- groups of three bytes as four symbols, and back. */
#include "base/text/base64.h"

#include "base/str.h"

/* The differences between the variants. */
typedef struct variant {
    char symbol_62, symbol_63;
    bool is_padded;
} variant;

static const variant standard = { '+', '/', true };
static const variant for_urls = { '-', '_', false };

static char symbol_of(const variant *v, unsigned value)
{
    if (value < 26)
        return (char)('A' + value);
    if (value < 52)
        return (char)('a' + (value - 26));
    if (value < 62)
        return (char)('0' + (value - 52));
    return value == 62 ? v->symbol_62 : v->symbol_63;
}

static int value_of(const variant *v, char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (lw_char_is_digit(c))
        return c - '0' + 52;
    if (c == v->symbol_62)
        return 62;
    return c == v->symbol_63 ? 63 : -1;
}

/* Appends the first |count| (1 to 3) bytes at |bytes|. */
static void append_group(lw_buf *out, const variant *v, const char *bytes, size_t count)
{
    unsigned group = 0;
    for (size_t i = 0; i < 3; i++)
        group = group << 8 | (i < count ? (unsigned char)bytes[i] : 0U);
    char text[4];
    for (unsigned i = 0; i < 4; i++)
        text[i] = i <= count ? symbol_of(v, group >> (18 - 6 * i) & 0x3FU) : '=';
    lw_buf_append(out, text, v->is_padded ? 4 : count + 1);
}

static void encode(lw_buf *out, const variant *v, lw_str bytes)
{
    for (size_t at = 0; at < bytes.len; at += 3)
        append_group(out, v, bytes.ptr + at, bytes.len - at < 3 ? bytes.len - at : 3);
}

/* Appends the bytes of |count| (2 to 4) symbols at |text|. */
static bool append_decoded(lw_buf *out, const variant *v, const char *text, size_t count,
                           bool is_strict)
{
    unsigned group = 0;
    for (size_t i = 0; i < 4; i++) {
        int value = i < count ? value_of(v, text[i]) : 0;
        if (value < 0)
            return false;
        group = group << 6 | (unsigned)value;
    }
    const char bytes[] = { (char)(group >> 16 & 0xFFU), (char)(group >> 8 & 0xFFU),
                           (char)(group & 0xFFU) };
    bool is_exact =
        !(count == 2 && (group & 0xFFFFU) != 0) && !(count == 3 && (group & 0xFFU) != 0);
    if (is_strict && !is_exact)
        return false;
    lw_buf_append(out, bytes, count - 1);
    return true;
}

static bool decode(lw_buf *out, const variant *v, lw_str text)
{
    if (v->is_padded && text.len % 4 != 0)
        return false;
    if (v->is_padded && text.len > 0 && text.ptr[text.len - 1] == '=')
        text.len -= text.ptr[text.len - 2] == '=' ? 2 : 1;
    if (text.len % 4 == 1)
        return false;
    size_t before = out->len;
    for (size_t at = 0; at < text.len; at += 4) {
        size_t count = text.len - at < 4 ? text.len - at : 4;
        if (!append_decoded(out, v, text.ptr + at, count, true)) {
            lw_buf_truncate(out, before);
            return false;
        }
    }
    return true;
}

void lw_base64_encode(lw_buf *out, lw_str bytes)
{
    encode(out, &standard, bytes);
}

void lw_base64url_encode(lw_buf *out, lw_str bytes)
{
    encode(out, &for_urls, bytes);
}

bool lw_base64_decode(lw_buf *out, lw_str text)
{
    return decode(out, &standard, text);
}

/* Appends a group of four that may end with padding, after which nothing may come. */
static bool append_padded(lw_buf *out, const char group[4], bool *is_over)
{
    size_t count = group[3] != '=' ? 4 : group[2] != '=' ? 3 : 2;
    if (*is_over)
        return false;
    *is_over = count < 4;
    return append_decoded(out, &standard, group, count, false);
}

bool lw_base64_decode_lenient(lw_buf *out, lw_str text)
{
    char group[4];
    size_t before = out->len, filled = 0;
    bool is_over = false, is_good = true;
    for (size_t i = 0; i < text.len && is_good; i++) {
        if (text.ptr[i] == '\n' || text.ptr[i] == '\r')
            continue;
        group[filled++] = text.ptr[i];
        if (filled == sizeof(group)) {
            is_good = append_padded(out, group, &is_over);
            filled = 0;
        }
    }
    is_good = is_good && filled == 0;
    if (!is_good)
        lw_buf_truncate(out, before);
    return is_good;
}

static size_t skip_line_breaks(lw_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == '\n' || text.ptr[at] == '\r'))
        at++;
    return at;
}

/* Checks the text from the first '=' at |at| on, after |count| symbols of its group of four. */
static bool is_good_padding(lw_str text, size_t at, size_t count, size_t *bad)
{
    *bad = at;
    if (count < 2)
        return false;
    at++;
    if (count == 2) {
        at = skip_line_breaks(text, at);
        *bad = at == text.len ? at : at - 1;
        if (at == text.len || text.ptr[at] != '=')
            return false;
        at++;
    }
    *bad = skip_line_breaks(text, at);
    return *bad == text.len;
}

bool lw_base64_is_lenient(lw_str text, size_t *bad)
{
    size_t count = 0; /* symbols of the current group of four */
    for (size_t at = skip_line_breaks(text, 0); at < text.len;
         at = skip_line_breaks(text, at + 1)) {
        if (text.ptr[at] == '=')
            return is_good_padding(text, at, count, bad);
        *bad = at;
        if (value_of(&standard, text.ptr[at]) < 0)
            return false;
        count = (count + 1) % 4;
    }
    *bad = text.len - count;
    return count == 0;
}

bool lw_base64url_decode(lw_buf *out, lw_str text)
{
    return decode(out, &for_urls, text);
}
