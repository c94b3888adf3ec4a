/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c -- type conversions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "cel/functions.h"
#include "json/text.h"

lw_cel_value lw_cel_fn_dyn(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return args[0];
}

lw_cel_value lw_cel_fn_type(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return (lw_cel_value){ .kind = LW_CEL_TYPE, .integer = args[0].kind };
}

static lw_cel_value out_of_range(lw_cel_run *run)
{
    return lw_cel_fail(run, "range error: integer overflow");
}

static lw_cel_value bad_text(lw_cel_run *run, const char *type)
{
    return lw_cel_fail(run, "type conversion error from 'string' to '%s'", type);
}

lw_cel_value lw_cel_fn_int(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    static const double two63 = 9223372036854775808.0;
    lw_cel_value made = lw_cel_of_int(args[0].integer);
    (void)count;
    switch ((lw_cel_kind)args[0].kind) {
    case LW_CEL_UINT: return args[0].natural > INT64_MAX ? out_of_range(run) : made;
    case LW_CEL_DOUBLE:
        if (!(args[0].real > -two63 && args[0].real < two63))
            return out_of_range(run);
        made.integer = (int64_t)args[0].real;
        return made;
    case LW_CEL_STRING:
        return lw_str_to_int64(args[0].text, &made.integer) ? made : bad_text(run, "int");
    case LW_CEL_TIMESTAMP: return lw_cel_of_int(args[0].time.s);
    case LW_CEL_DURATION: return lw_cel_of_int(args[0].integer);
    default: return made;
    }
}

lw_cel_value lw_cel_fn_uint(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    static const double two64 = 18446744073709551616.0;
    lw_cel_value made = { .kind = LW_CEL_UINT, .natural = args[0].natural };
    (void)count;
    switch ((lw_cel_kind)args[0].kind) {
    case LW_CEL_INT: return args[0].integer < 0 ? out_of_range(run) : made;
    case LW_CEL_DOUBLE:
        if (!(args[0].real > -1 && args[0].real < two64))
            return out_of_range(run);
        made.natural = args[0].real < 0 ? 0 : (uint64_t)args[0].real;
        return made;
    case LW_CEL_STRING:
        return lw_str_to_uint64(args[0].text, &made.natural) ? made : bad_text(run, "uint");
    default: return made;
    }
}

/* Parses numbers as Go does: also "1.", ".5", "+1", "inf". */
static bool read_double(lw_str text, double *out)
{
    lw_str rest = text;
    bool is_negative = rest.len > 0 && rest.ptr[0] == '-';
    if (rest.len > 0 && (rest.ptr[0] == '-' || rest.ptr[0] == '+'))
        rest = lw_str_skip(rest, 1);
    if (lw_str_equal(rest, LW_STR("inf")) || lw_str_equal(rest, LW_STR("Inf")) ||
        lw_str_equal(rest, LW_STR("Infinity"))) {
        *out = is_negative ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    if (lw_str_equal(rest, LW_STR("NaN"))) {
        *out = (double)NAN;
        return true;
    }
    if (!lw_json_is_number(rest) || rest.ptr[0] == '-')
        return false;
    *out = lw_json_number_to_double(rest);
    *out = is_negative ? -*out : *out;
    return true;
}

lw_cel_value lw_cel_fn_double(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    double real = args[0].real;
    (void)count;
    switch ((lw_cel_kind)args[0].kind) {
    case LW_CEL_INT: return lw_cel_of_double((double)args[0].integer);
    case LW_CEL_UINT: return lw_cel_of_double((double)args[0].natural);
    case LW_CEL_STRING:
        if (!read_double(args[0].text, &real))
            return bad_text(run, "double");
        return lw_cel_of_double(real);
    default: return args[0];
    }
}

lw_cel_value lw_cel_fn_bool(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    static const char *const yes[] = { "true", "True", "TRUE", "t", "T", "1" };
    static const char *const no[] = { "false", "False", "FALSE", "f", "F", "0" };
    (void)count;
    if (args[0].kind == LW_CEL_BOOL)
        return args[0];
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (lw_str_equal(args[0].text, lw_str_of(yes[i])))
            return lw_cel_of_bool(true);
        if (lw_str_equal(args[0].text, lw_str_of(no[i])))
            return lw_cel_of_bool(false);
    }
    return bad_text(run, "bool");
}

lw_cel_value lw_cel_fn_bytes(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_value bytes = args[0];
    (void)run, (void)count;
    bytes.kind = LW_CEL_BYTES;
    return bytes;
}

/* Appends the fewest digits that read back as |real|, as Go prints it: 1e+06, 0.25. */
static void append_double(lw_buf *out, double real)
{
    char digits[40];
    int precision = 0;
    if (isnan(real) || isinf(real)) {
        lw_buf_append_text(out, isnan(real) ? "NaN" : real > 0 ? "+Inf" : "-Inf");
        return;
    }
    do {
        (void)snprintf(digits, sizeof(digits), "%.*e", precision, real);
    } while (lw_json_number_to_double(lw_str_of(digits)) != real && ++precision < 17);
    long exponent = strtol(strchr(digits, 'e') + 1, NULL, 10);
    if (exponent < -4 || exponent >= 6)
        lw_buf_append_text(out, digits);
    else
        lw_buf_printf(out, "%.*f", precision > exponent ? precision - (int)exponent : 0, real);
}

/* Appends nanoseconds as seconds, without trailing zeros: 90.5s. */
static void append_duration(lw_buf *out, int64_t ns)
{
    uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    lw_buf_printf(out, "%s%" PRIu64, ns < 0 ? "-" : "", magnitude / 1000000000);
    unsigned rest = (unsigned)(magnitude % 1000000000);
    if (rest > 0) {
        lw_buf_printf(out, ".%09u", rest);
        while (out->len > 0 && out->data[out->len - 1] == '0')
            lw_buf_truncate(out, out->len - 1);
    }
    lw_buf_append_char(out, 's');
}

static void append_time(lw_buf *out, lw_time time)
{
    char text[LW_TIME_TEXT_SIZE];
    if (lw_time_format(text, time) < 0)
        return;
    lw_buf_append(out, text, strlen(text) - 1);
    if (time.ns > 0) {
        lw_buf_printf(out, ".%09d", (int)time.ns);
        while (out->len > 0 && out->data[out->len - 1] == '0')
            lw_buf_truncate(out, out->len - 1);
    }
    lw_buf_append_char(out, 'Z');
}

bool lw_cel_append_text(lw_buf *out, const lw_cel_value *value)
{
    char quantity[LW_QUANTITY_SIZE];
    switch ((lw_cel_kind)value->kind) {
    case LW_CEL_NULL: lw_buf_append_text(out, "null"); break;
    case LW_CEL_BOOL: lw_buf_append_text(out, value->boolean ? "true" : "false"); break;
    case LW_CEL_INT: lw_buf_printf(out, "%" PRId64, value->integer); break;
    case LW_CEL_UINT: lw_buf_printf(out, "%" PRIu64, value->natural); break;
    case LW_CEL_DOUBLE: append_double(out, value->real); break;
    case LW_CEL_STRING:
    case LW_CEL_BYTES: lw_buf_append_str(out, value->text); break;
    case LW_CEL_DURATION: append_duration(out, value->integer); break;
    case LW_CEL_TIMESTAMP: append_time(out, value->time); break;
    case LW_CEL_TYPE: lw_buf_append_text(out, lw_cel_kind_name((lw_cel_kind)value->integer)); break;
    case LW_CEL_IP:
    case LW_CEL_CIDR: lw_cel_append_address(out, value->address, value->kind == LW_CEL_CIDR); break;
    case LW_CEL_URL: lw_buf_append_str(out, value->url->text); break;
    case LW_CEL_QUANTITY:
        lw_quantity_format(quantity, *value->quantity);
        lw_buf_append_text(out, quantity);
        break;
    default: return false;
    }
    return true;
}

lw_cel_value lw_cel_fn_string(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_buf text;
    (void)count;
    if (args[0].kind == LW_CEL_STRING)
        return args[0];
    if (args[0].kind == LW_CEL_BYTES)
        return lw_utf8_is_valid(args[0].text)
                   ? lw_cel_of_text(args[0].text)
                   : lw_cel_fail(run, "invalid UTF-8 in bytes, cannot convert to string");
    lw_buf_init(&text, LW_CEL_TEXT_MAX);
    (void)lw_cel_append_text(&text, &args[0]);
    return lw_cel_take_buf(run, &text);
}
