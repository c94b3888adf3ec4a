/* SPDX-License-Identifier: Apache-2.0 */
/* quote.c -- quotes strings like Go, which is common in messages of Kubernetes. */
#include "object/quote.h"

#include <stdint.h>

#include "base/str.h"

/* Assigned characters above ASCII that do not print: controls, separators, format characters,
 * surrogates, private use, noncharacters. */
static const uint32_t unprintable[][2] = {
    { 0x80, 0xA0 },       { 0xAD, 0xAD },        { 0x600, 0x605 },     { 0x61C, 0x61C },
    { 0x6DD, 0x6DD },     { 0x70F, 0x70F },      { 0x890, 0x891 },     { 0x8E2, 0x8E2 },
    { 0x1680, 0x1680 },   { 0x180E, 0x180E },    { 0x2000, 0x200F },   { 0x2028, 0x202F },
    { 0x205F, 0x206F },   { 0x3000, 0x3000 },    { 0xD800, 0xF8FF },   { 0xFDD0, 0xFDEF },
    { 0xFEFF, 0xFEFF },   { 0xFFF9, 0xFFFB },    { 0xFFFE, 0xFFFF },   { 0x110BD, 0x110BD },
    { 0x110CD, 0x110CD }, { 0x13430, 0x1343F },  { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A },
    { 0xE0001, 0xE007F }, { 0xF0000, 0x10FFFF },
};

static bool is_printable(uint32_t rune)
{
    if (rune < 0x80)
        return rune >= 0x20 && rune != 0x7F;
    for (size_t i = 0; i < sizeof(unprintable) / sizeof(unprintable[0]); i++) {
        if (rune >= unprintable[i][0] && rune <= unprintable[i][1])
            return false;
    }
    return true;
}

/* Decodes one character; returns its length, or 0 if it is not well-formed UTF-8. */
static size_t decode_rune(lw_str s, uint32_t *rune)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char lead = (unsigned char)s.ptr[0];
    if (lead < 0x80) {
        *rune = lead;
        return 1;
    }
    size_t len = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || s.len < len)
        return 0;
    uint32_t value = lead & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        unsigned char next = (unsigned char)s.ptr[i];
        if ((next & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3Fu);
    }
    if (value < smallest[len] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *rune = value;
    return len;
}

static void append_escaped(lw_buf *buf, uint32_t rune)
{
    static const char letters[] = "abtnvfr"; /* of 0x07 to 0x0D */
    if (rune >= 0x07 && rune <= 0x0D)
        lw_buf_printf(buf, "\\%c", letters[rune - 0x07]);
    else if (rune < 0x80)
        lw_buf_printf(buf, "\\x%02x", (unsigned)rune);
    else if (rune < 0x10000)
        lw_buf_printf(buf, "\\u%04x", (unsigned)rune);
    else
        lw_buf_printf(buf, "\\U%08x", (unsigned)rune);
}

void lw_quote_append(lw_buf *buf, lw_str s)
{
    lw_buf_append_char(buf, '"');
    while (s.len > 0) {
        uint32_t rune = 0;
        size_t len = decode_rune(s, &rune);
        if (len == 0) {
            lw_buf_printf(buf, "\\x%02x", (unsigned)(unsigned char)s.ptr[0]);
            len = 1;
        } else if (rune == '"' || rune == '\\') {
            lw_buf_append_char(buf, '\\');
            lw_buf_append_char(buf, (char)rune);
        } else if (is_printable(rune)) {
            lw_buf_append(buf, s.ptr, len);
        } else {
            append_escaped(buf, rune);
        }
        s = lw_str_skip(s, len);
    }
    lw_buf_append_char(buf, '"');
}
