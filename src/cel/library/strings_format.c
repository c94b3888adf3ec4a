/* SPDX-License-Identifier: Apache-2.0 */
/* strings_format.c -- "%s of %d".format([...]): %s, %d, %f, %e, %b, %o, %x, %X and %%. */
#include <inttypes.h>

#include "base/str.h"
#include "cel/functions.h"

enum {
    PRECISION_DEFAULT = 6,
    PRECISION_MAX = 100,
    DEPTH_MAX = 32, /* nesting levels of lists and maps that are shown */
};

static bool append_shown(lw_cel_run *run, lw_buf *out, const lw_cel_value *value, unsigned depth);

static bool append_map(lw_cel_run *run, lw_buf *out, const lw_cel_value *map, unsigned depth)
{
    bool is_good = true;
    lw_buf_append_char(out, '{');
    for (size_t i = 0; is_good && i < lw_cel_size(map); i++) {
        lw_cel_value key = lw_cel_key_at(map, i), value = lw_cel_value_at(run, map, i);
        lw_buf_append_text(out, i > 0 ? ", " : "");
        is_good = append_shown(run, out, &key, depth);
        lw_buf_append_text(out, ": ");
        is_good = is_good && append_shown(run, out, &value, depth);
    }
    lw_buf_append_char(out, '}');
    return is_good;
}

static bool append_list(lw_cel_run *run, lw_buf *out, const lw_cel_value *list, unsigned depth)
{
    bool is_good = true;
    lw_buf_append_char(out, '[');
    for (size_t i = 0; is_good && i < lw_cel_size(list); i++) {
        lw_cel_value item = lw_cel_item(run, list, i);
        lw_buf_append_text(out, i > 0 ? ", " : "");
        is_good = append_shown(run, out, &item, depth);
    }
    lw_buf_append_char(out, ']');
    return is_good;
}

/* Appends a value as %s shows it. */
static bool append_shown(lw_cel_run *run, lw_buf *out, const lw_cel_value *value, unsigned depth)
{
    if (!lw_cel_charge_work(run, 1) || depth == DEPTH_MAX)
        return false;
    if (value->kind == LW_CEL_LIST)
        return append_list(run, out, value, depth + 1);
    if (value->kind == LW_CEL_MAP)
        return append_map(run, out, value, depth + 1);
    return lw_cel_append_text(out, value);
}

/* Appends the sign of an integer and returns its magnitude. */
static bool take_sign(const lw_cel_value *value, lw_buf *out, uint64_t *magnitude)
{
    bool is_negative = value->kind == LW_CEL_INT && value->integer < 0;
    if (value->kind != LW_CEL_INT && value->kind != LW_CEL_UINT)
        return false;
    if (is_negative)
        lw_buf_append_char(out, '-');
    *magnitude = is_negative ? -value->natural : value->natural;
    return true;
}

static void append_binary(lw_buf *out, uint64_t magnitude)
{
    int bit = 63;
    while (bit > 0 && !(magnitude >> bit & 1))
        bit--;
    for (; bit >= 0; bit--)
        lw_buf_append_char(out, magnitude >> bit & 1 ? '1' : '0');
}

static bool append_hex(lw_buf *out, const lw_cel_value *value, bool is_upper)
{
    uint64_t magnitude;
    if (value->kind != LW_CEL_STRING && value->kind != LW_CEL_BYTES) {
        if (!take_sign(value, out, &magnitude))
            return false;
        lw_buf_printf(out, is_upper ? "%" PRIX64 : "%" PRIx64, magnitude);
        return true;
    }
    for (size_t i = 0; i < value->text.len; i++)
        lw_buf_printf(out, is_upper ? "%02X" : "%02x", (unsigned char)value->text.ptr[i]);
    return true;
}

static bool append_real(lw_buf *out, const lw_cel_value *value, bool is_scientific, int precision)
{
    double real = value->real;
    if (value->kind == LW_CEL_INT)
        real = (double)value->integer;
    else if (value->kind == LW_CEL_UINT)
        real = (double)value->natural;
    else if (value->kind != LW_CEL_DOUBLE)
        return false;
    lw_buf_printf(out, is_scientific ? "%.*e" : "%.*f", precision, real);
    return true;
}

static bool append_by(lw_cel_run *run, lw_buf *out, char verb, int precision,
                      const lw_cel_value *value)
{
    uint64_t magnitude;
    switch (verb) {
    case 's': return append_shown(run, out, value, 0);
    case 'f':
    case 'e': return append_real(out, value, verb == 'e', precision);
    case 'x':
    case 'X': return append_hex(out, value, verb == 'X');
    case 'd':
        return (value->kind == LW_CEL_INT || value->kind == LW_CEL_UINT ||
                value->kind == LW_CEL_DOUBLE) &&
               lw_cel_append_text(out, value);
    case 'o':
        if (!take_sign(value, out, &magnitude))
            return false;
        lw_buf_printf(out, "%" PRIo64, magnitude);
        return true;
    case 'b':
        if (value->kind == LW_CEL_BOOL)
            lw_buf_append_char(out, value->boolean ? '1' : '0');
        else if (!take_sign(value, out, &magnitude))
            return false;
        else
            append_binary(out, magnitude);
        return true;
    default: return false;
    }
}

/* Parses ".3" of "%.3f". */
static int take_precision(lw_str *rest)
{
    int precision = 0;
    if (rest->len == 0 || rest->ptr[0] != '.')
        return PRECISION_DEFAULT;
    *rest = lw_str_skip(*rest, 1);
    while (rest->len > 0 && lw_char_is_digit(rest->ptr[0]) && precision <= PRECISION_MAX) {
        precision = precision * 10 + (rest->ptr[0] - '0');
        *rest = lw_str_skip(*rest, 1);
    }
    return precision > PRECISION_MAX ? PRECISION_MAX : precision;
}

/* Formats all arguments; returns NULL, or the error. */
static const char *append_all(lw_cel_run *run, lw_buf *out, lw_str rest, const lw_cel_value *list)
{
    size_t used = 0;
    while (rest.len > 0 && lw_cel_charge_work(run, 1)) {
        char c = rest.ptr[0];
        rest = lw_str_skip(rest, 1);
        if (c != '%') {
            lw_buf_append_char(out, c);
            continue;
        }
        int precision = take_precision(&rest);
        if (rest.len == 0)
            return "unexpected end of string";
        char verb = rest.ptr[0];
        rest = lw_str_skip(rest, 1);
        if (verb == '%') {
            lw_buf_append_char(out, '%');
            continue;
        }
        if (used == lw_cel_size(list))
            return "index out of range: the format string has more clauses than arguments";
        lw_cel_value value = lw_cel_item(run, list, used++);
        if (!append_by(run, out, verb, precision, &value))
            return "unknown formatting clause, or an argument of the wrong type";
    }
    return NULL;
}

lw_cel_value lw_cel_fn_format(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_buf out;
    (void)count;
    lw_buf_init(&out, LW_CEL_VALUES_MAX);
    const char *error = append_all(run, &out, args[0].text, &args[1]);
    lw_cel_value made = lw_cel_take_buf(run, &out);
    return error && !lw_cel_is_over(run) ? lw_cel_fail(run, "error during formatting: %s", error)
                                         : made;
}
