/* SPDX-License-Identifier: Apache-2.0 */
/* number.c -- JSON numbers as text: exact integers, exact comparison, nearest double.
 *
 * A number is parsed as its significant digits and a power of ten, so that results do not depend on
 * its notation, and the work does not depend on the size of the exponent. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "json/text.h"

enum {
    /* After this many digits, only whether there is another non-zero digit can affect the rounding:
     * the longest exact midpoint of two doubles has 767 digits. */
    DOUBLE_DIGITS = 780,
    DOUBLE_EXPONENT = 100000, /* out of range for a double with any such digits */
    UINT64_SAFE_DIGITS = 19,
};

/* Larger exponents are not computed; texts are much shorter than this, so sums do not overflow. */
static const int64_t exponent_limit = INT64_MAX / 4;

/* The value is +-digits * 10^exponent.  Zero has no digits. */
typedef struct decimal {
    bool is_negative;
    bool is_saturated;  /* the exponent is too large to be computed */
    const char *digits; /* from the first to the last digit that is not 0; may contain a '.' */
    size_t count;       /* of digits, without the '.' */
    int64_t exponent;   /* of the last digit */
} decimal;

/* Parses the exponent after the 'e'. */
static int64_t read_exponent(const char *p, const char *end, bool *is_saturated)
{
    bool is_negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    int64_t value = 0;
    for (; p < end && lw_char_is_digit(*p); p++) {
        if (value < exponent_limit / 10)
            value = value * 10 + (*p - '0');
        else
            *is_saturated = true;
    }
    if (*is_saturated)
        value = exponent_limit;
    return is_negative ? -value : value;
}

static decimal decimal_read(lw_str number)
{
    const char *p = number.ptr;
    const char *end = p + number.len;
    decimal d = { .is_negative = number.len > 0 && *p == '-' };
    size_t seen = 0;            /* digits so far */
    size_t first = 0, last = 0; /* digits seen before and with the significant ones */
    size_t point = SIZE_MAX;    /* digits before the '.' */
    for (p += d.is_negative; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            point = seen;
            continue;
        }
        seen++;
        if (*p == '0')
            continue;
        if (!d.digits) {
            d.digits = p;
            first = seen - 1;
        }
        last = seen;
    }
    d.count = last - first;
    d.exponent = (int64_t)(point == SIZE_MAX ? seen : point) - (int64_t)last;
    if (p < end)
        d.exponent += read_exponent(p + 1, end, &d.is_saturated);
    return d;
}

/* Returns the digit at |*p| and advances past it, and past a '.' before it. */
static char next_digit(const char **p)
{
    if (**p == '.')
        ++*p;
    return *(*p)++;
}

bool lw_json_number_to_int64(lw_str number, int64_t *out)
{
    decimal d = decimal_read(number);
    if (d.count == 0) {
        *out = 0;
        return true;
    }
    if (d.exponent < 0 || d.count > UINT64_SAFE_DIGITS ||
        d.exponent > UINT64_SAFE_DIGITS - (int64_t)d.count)
        return false;
    uint64_t magnitude = 0;
    const char *p = d.digits;
    for (size_t i = 0; i < d.count; i++)
        magnitude = magnitude * 10 + (uint64_t)(next_digit(&p) - '0');
    for (int64_t i = 0; i < d.exponent; i++)
        magnitude *= 10;
    if (magnitude > (uint64_t)INT64_MAX + (d.is_negative ? 1 : 0))
        return false;
    /* -magnitude in two steps: -INT64_MIN does not fit into int64_t. */
    *out = d.is_negative ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return true;
}

bool lw_json_number_equal(lw_str a, lw_str b)
{
    if (lw_str_equal(a, b))
        return true;
    decimal x = decimal_read(a);
    decimal y = decimal_read(b);
    if (x.count == 0 || y.count == 0)
        return x.count == y.count;
    if (x.is_negative != y.is_negative || x.count != y.count || x.exponent != y.exponent ||
        x.is_saturated || y.is_saturated)
        return false;
    for (size_t i = 0; i < x.count; i++) {
        if (next_digit(&x.digits) != next_digit(&y.digits))
            return false;
    }
    return true;
}

double lw_json_number_to_double(lw_str number)
{
    decimal d = decimal_read(number);
    if (d.count == 0)
        return d.is_negative ? -0.0 : 0.0;
    /* Only digits and an exponent: without a decimal separator, strtod does not depend on the
     * locale. */
    char text[DOUBLE_DIGITS + 32];
    size_t kept = d.count < DOUBLE_DIGITS ? d.count : DOUBLE_DIGITS;
    size_t len = 0;
    text[len++] = d.is_negative ? '-' : '+';
    for (size_t i = 0; i < kept; i++)
        text[len++] = next_digit(&d.digits);
    int64_t exponent = d.exponent + (int64_t)(d.count - kept);
    if (kept < d.count) {
        text[len++] = '1'; /* the truncated part is not zero: its last digit is not 0 */
        exponent--;
    }
    if (exponent > DOUBLE_EXPONENT || exponent < -DOUBLE_EXPONENT)
        exponent = exponent > 0 ? DOUBLE_EXPONENT : -DOUBLE_EXPONENT;
    (void)snprintf(text + len, sizeof(text) - len, "e%d", (int)exponent);
    int saved = errno; /* strtod sets errno for range errors; only the value is used here */
    double value = strtod(text, NULL);
    errno = saved;
    return value;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && lw_char_is_digit(*p))
        p++;
    return p;
}

bool lw_json_is_number(lw_str s)
{
    if (s.len == 0)
        return false;
    const char *p = s.ptr;
    const char *end = p + s.len;
    p += *p == '-';
    const char *integer = p;
    p = skip_digits(p, end);
    if (p == integer || (*integer == '0' && p - integer > 1))
        return false;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        p = skip_digits(p, end);
        if (p == fraction)
            return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        const char *exponent = p;
        p = skip_digits(p, end);
        if (p == exponent)
            return false;
    }
    return p == end;
}
