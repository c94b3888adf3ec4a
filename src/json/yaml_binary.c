/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_binary.c -- base64 (RFC 4648, section 4) to a string. */
#include "json/yaml_binary.h"

#include "json/text.h"

static int symbol_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

/* Appends the bytes that |text| encodes.  False when it is not base64. */
static bool decode_bytes(lw_buf *out, lw_str text)
{
    unsigned group = 0;
    unsigned symbols = 0; /* in the group at hand, padding included */
    unsigned padding = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\n' || c == '\r')
            continue;
        int value = symbol_value(c);
        if (c == '=' && symbols >= 2) {
            padding++;
            value = 0;
        } else if (value < 0 || padding > 0) {
            return false;
        }
        group = group << 6 | (unsigned)value;
        if (++symbols < 4)
            continue;
        const char bytes[] = { (char)(group >> 16 & 0xFF), (char)(group >> 8 & 0xFF),
                               (char)(group & 0xFF) };
        lw_buf_append(out, bytes, sizeof(bytes) - padding);
        group = symbols = 0;
    }
    return symbols == 0;
}

/* How long the well-formed character at the start of |s| is; 0 when there is none. */
static size_t character_length(lw_str s)
{
    unsigned char lead = (unsigned char)s.ptr[0];
    size_t len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return len <= s.len && lw_utf8_is_valid(lw_str_make(s.ptr, len)) ? len : 0;
}

static void append_repaired(lw_buf *out, lw_str bytes)
{
    for (size_t at = 0; at < bytes.len;) {
        lw_str rest = lw_str_make(bytes.ptr + at, bytes.len - at);
        size_t len = character_length(rest);
        if (len > 0)
            lw_buf_append(out, rest.ptr, len);
        else
            lw_buf_append_text(out, "\xEF\xBF\xBD");
        at += len > 0 ? len : 1;
    }
}

bool lw_yaml_binary_decode(lw_buf *out, lw_str text)
{
    lw_buf bytes;
    lw_buf_init(&bytes, out->limit);
    bool is_base64 = decode_bytes(&bytes, text);
    if (is_base64 && bytes.st < 0)
        out->st = bytes.st;
    else if (is_base64 && lw_utf8_is_valid(lw_buf_view(&bytes)))
        lw_buf_append_str(out, lw_buf_view(&bytes));
    else if (is_base64)
        append_repaired(out, lw_buf_view(&bytes));
    lw_buf_done(&bytes);
    return is_base64;
}
