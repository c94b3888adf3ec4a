/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_float.c -- converts decimal text to the nearest double and back.
 *
 * The C library does the rounding.  Its locale affects only the decimal separator, so text is
 * parsed by lw_json_number_to_double, and only digits and exponent of printed numbers are used. */
#include "json/yaml/yaml_scalar.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "json/text.h"

enum {
    DIGITS_READ = 800, /* 768 digits determine the rounding; one more stands for all further ones */
    DIGITS_DOUBLE = 17,      /* always enough to read back the same double */
    DIGITS_DOUBLE_SAFE = 15, /* a decimal with this many digits is preserved by a normal double */
    DIGITS_SINGLE = 9,
    EXPONENT_MAX = 100000, /* beyond any double, and far from overflowing */
    GENERAL_PLAIN = 6,     /* digits before the point that 'g' writes without an exponent */
};

/* 0.d1d2d3... * 10^point, without zeros at the end. */
typedef struct decimal {
    char digits[DIGITS_DOUBLE];
    int count;
    int point;
    bool is_negative;
} decimal;

/* A parsed number: 0.digits * 10^point. */
typedef struct reading {
    char digits[DIGITS_READ + 1];
    size_t count;
    int64_t point;
    bool has_any; /* there was a digit, possibly only zeros */
    bool is_cut;  /* a further digit that is not zero did not fit */
} reading;

static char peek(lw_str *s)
{
    while (s->len > 0 && s->ptr[0] == '_') {
        s->ptr++;
        s->len--;
    }
    return s->len > 0 ? s->ptr[0] : '\0';
}

static void step(lw_str *s)
{
    s->ptr++;
    s->len--;
}

static void read_digit(reading *r, char c)
{
    r->has_any = true;
    if (r->count == 0 && c == '0')
        return;
    if (r->count < DIGITS_READ)
        r->digits[r->count++] = c;
    else if (c != '0')
        r->is_cut = true;
}

/* Parses the digits around the decimal point; |r->point| is the number of those before it. */
static bool read_mantissa(reading *r, lw_str *s)
{
    for (; lw_char_is_digit(peek(s)); step(s)) {
        read_digit(r, s->ptr[0]);
        if (r->count > 0)
            r->point++;
    }
    bool has_whole = r->has_any;
    if (peek(s) != '.')
        return has_whole;
    step(s);
    r->has_any = false;
    for (; lw_char_is_digit(peek(s)); step(s)) {
        if (r->count == 0 && s->ptr[0] == '0')
            r->point--;
        read_digit(r, s->ptr[0]);
    }
    return has_whole || r->has_any;
}

static bool read_exponent(reading *r, lw_str *s)
{
    if (peek(s) != 'e' && peek(s) != 'E')
        return true;
    step(s);
    bool is_negative = peek(s) == '-';
    if (is_negative || peek(s) == '+')
        step(s);
    if (!lw_char_is_digit(peek(s)))
        return false;
    int64_t exponent = 0;
    for (; lw_char_is_digit(peek(s)); step(s)) {
        if (exponent < INT64_MAX / 100)
            exponent = exponent * 10 + (s->ptr[0] - '0');
    }
    r->point += is_negative ? -exponent : exponent;
    return true;
}

static double reading_value(reading *r)
{
    if (r->count == 0)
        return 0;
    if (r->is_cut)
        r->digits[r->count++] = '1';
    int64_t point = r->point;
    if (point > EXPONENT_MAX)
        point = EXPONENT_MAX;
    if (point < -EXPONENT_MAX)
        point = -EXPONENT_MAX;
    char json[sizeof(r->digits) + 16];
    int len = snprintf(json, sizeof(json), "0.%.*se%d", (int)r->count, r->digits, (int)point);
    return lw_json_number_to_double(lw_str_make(json, (size_t)len));
}

bool lw_yaml_float_parse(lw_str text, double *out)
{
    bool is_negative = peek(&text) == '-';
    if (is_negative || peek(&text) == '+')
        step(&text);
    reading r;
    r.count = 0;
    r.point = 0;
    r.has_any = r.is_cut = false;
    if (!read_mantissa(&r, &text) || !read_exponent(&r, &text) || peek(&text) != '\0' ||
        text.len > 0)
        return false;
    double value = reading_value(&r);
    if (isinf(value))
        return false;
    *out = is_negative ? -value : value;
    return true;
}

static double decimal_value(const decimal *d)
{
    char json[DIGITS_DOUBLE + 16];
    int len = snprintf(json, sizeof(json), "0.%.*se%d", d->count, d->digits, d->point);
    return lw_json_number_to_double(lw_str_make(json, (size_t)len));
}

/* Rounds |value|, which is positive, to |count| digits. */
static void decimal_round(decimal *d, double value, int count)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "%.*e", count - 1, value);
    d->count = 0;
    int at = 0;
    for (; at < len && text[at] != 'e'; at++) {
        if (lw_char_is_digit(text[at]))
            d->digits[d->count++] = text[at];
    }
    bool is_negative = text[++at] == '-';
    int exponent = 0;
    for (at++; at < len; at++)
        exponent = exponent * 10 + (text[at] - '0');
    d->point = (is_negative ? -exponent : exponent) + 1;
}

/* Computes the next larger decimal with the same number of digits. */
static void decimal_increment(decimal *d)
{
    int at = d->count - 1;
    for (; at >= 0 && d->digits[at] == '9'; at--)
        d->digits[at] = '0';
    if (at >= 0) {
        d->digits[at]++;
        return;
    }
    d->digits[0] = '1';
    d->point++;
}

static bool decimal_reads_back(const decimal *d, double value, bool is_single)
{
    double back = decimal_value(d);
    return is_single ? (float)back == (float)value : back == value;
}

static void decimal_shortest(decimal *d, double value, bool is_single)
{
    d->is_negative = signbit(value);
    value = fabs(value);
    if (value == 0) {
        d->digits[0] = '0';
        d->count = d->point = 1;
        return;
    }
    int most = is_single ? DIGITS_SINGLE : DIGITS_DOUBLE;
    int count = is_single || value < DBL_MIN ? 1 : DIGITS_DOUBLE_SAFE;
    for (; count <= most; count++) {
        decimal_round(d, value, count);
        if (decimal_reads_back(d, value, is_single))
            break;
        /* Above a power of two, the distance between doubles is twice that below it: the nearest
         * decimal may be outside of the interval on the narrow side while the next one is inside on
         * the wide side. */
        decimal_increment(d);
        if (decimal_reads_back(d, value, is_single))
            break;
    }
    while (d->count > 1 && d->digits[d->count - 1] == '0')
        d->count--;
}

/* Writes d.ddde+XX; the exponent has at least |least| digits. */
static size_t print_exponent(char *out, const decimal *d, int least)
{
    int exponent = d->point - 1;
    int len = snprintf(out, LW_YAML_FLOAT_SIZE, "%s%c%s%.*se%c%.*d", d->is_negative ? "-" : "",
                       d->digits[0], d->count > 1 ? "." : "", d->count - 1, d->digits + 1,
                       exponent < 0 ? '-' : '+', least, exponent < 0 ? -exponent : exponent);
    return (size_t)len;
}

static size_t print_plain(char *out, const decimal *d)
{
    size_t len = 0;
    if (d->is_negative)
        out[len++] = '-';
    if (d->point <= 0)
        out[len++] = '0';
    for (int at = 0; at < d->point; at++)
        out[len++] = at < d->count ? d->digits[at] : '0';
    if (d->point >= d->count)
        return len;
    out[len++] = '.';
    for (int at = d->point; at < d->count; at++)
        out[len++] = at < 0 ? '0' : d->digits[at];
    return len;
}

size_t lw_yaml_float_json(char out[LW_YAML_FLOAT_SIZE], double value)
{
    decimal d;
    decimal_shortest(&d, value, false);
    double size = fabs(value);
    if (size != 0 && (size < 1e-6 || size >= 1e21))
        return print_exponent(out, &d, 1);
    return print_plain(out, &d);
}

static size_t print_general(char *out, double value, bool is_single)
{
    decimal d;
    decimal_shortest(&d, value, is_single);
    int exponent = d.point - 1;
    if (exponent < -4 || exponent >= GENERAL_PLAIN)
        return print_exponent(out, &d, 2);
    return print_plain(out, &d);
}

size_t lw_yaml_float_general(char out[LW_YAML_FLOAT_SIZE], double value)
{
    return print_general(out, value, false);
}

size_t lw_yaml_float_key(char out[LW_YAML_FLOAT_SIZE], double value)
{
    static const double single_end = 0x1.ffffffp+127; /* rounds to infinity */
    const char *name = NULL;
    if (isnan(value))
        name = ".nan";
    else if (value >= single_end)
        name = ".inf";
    else if (value <= -single_end)
        name = "-.inf";
    if (!name)
        return print_general(out, (float)value, true);
    size_t len = strlen(name);
    memcpy(out, name, len);
    return len;
}
