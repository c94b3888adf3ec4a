/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_binary.c -- base64 (RFC 4648, section 4) to a string. */
#include "json/yaml_binary.h"

#include "base/base64.h"
#include "json/text.h"

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
    bool is_base64 = lw_base64_decode_lenient(&bytes, text);
    if (is_base64 && bytes.st < 0)
        out->st = bytes.st;
    else if (is_base64 && lw_utf8_is_valid(lw_buf_view(&bytes)))
        lw_buf_append_str(out, lw_buf_view(&bytes));
    else if (is_base64)
        append_repaired(out, lw_buf_view(&bytes));
    lw_buf_done(&bytes);
    return is_base64;
}
