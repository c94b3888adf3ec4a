/* SPDX-License-Identifier: Apache-2.0 */
/* check_value.c -- whether a text is base64, or a quantity. */
#include "schema/validation/check_value.h"

#include "base/str.h"
#include "base/text/base64.h"

void lw_check_base64(lw_str text, lw_buf *fault)
{
    size_t bad;
    if (!lw_base64_is_lenient(text, &bad))
        lw_buf_printf(fault, "illegal base64 data at input byte %zu", bad);
}

static lw_str skip_digits(lw_str text)
{
    while (text.len > 0 && lw_char_is_digit(text.ptr[0]))
        text = lw_str_skip(text, 1);
    return text;
}

/* Steps over letters that suffixes are made of, a sign, and digits; true when nothing is left. */
static bool looks_like_suffix(lw_str text)
{
    while (text.len > 0 && memchr("eEinumkKMGTP", text.ptr[0], 12))
        text = lw_str_skip(text, 1);
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-'))
        text = lw_str_skip(text, 1);
    return skip_digits(text).len == 0;
}

static bool is_exponent(lw_str text)
{
    if (text.len < 2 || (text.ptr[0] != 'e' && text.ptr[0] != 'E'))
        return false;
    text = lw_str_skip(text, 1);
    int64_t ignored;
    return lw_str_to_int64(lw_str_skip(text, text.ptr[0] == '+' ? 1 : 0), &ignored);
}

static bool is_suffix(lw_str text)
{
    static const char *const suffixes[] = { "",  "n", "u",  "m",  "k",  "M",  "G",  "T",
                                            "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (lw_str_equal(text, lw_str_of(suffixes[i])))
            return true;
    }
    return is_exponent(text);
}

void lw_check_quantity(lw_str text, lw_buf *fault)
{
    lw_str rest = lw_str_trim(text);
    bool is_empty = rest.len == 0;
    if (rest.len > 0 && (rest.ptr[0] == '+' || rest.ptr[0] == '-'))
        rest = lw_str_skip(rest, 1);
    rest = skip_digits(rest);
    if (rest.len > 0 && rest.ptr[0] == '.')
        rest = skip_digits(lw_str_skip(rest, 1));
    if (is_empty || !looks_like_suffix(rest))
        lw_buf_append_text(fault, "quantities must match the regular expression "
                                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    else if (!is_suffix(rest))
        lw_buf_append_text(fault, "unable to parse quantity's suffix");
}
