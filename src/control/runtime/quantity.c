/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.c -- digits, a point somewhere, and a suffix that says what they are times. */
#include "runtime/quantity.h"

#include <stddef.h>

enum {
    DIGITS_MAX = 18, /* that fit into 64 bits whatever they are; later ones only round up */
    EXPONENT_MAX = 40,
};

/* number * 10^tens * 2^twos, and a little more where |has_rest|. */
typedef struct amount {
    uint64_t number;
    int tens;
    int twos;
    bool has_rest;
} amount;

__extension__ typedef unsigned __int128 wide;

typedef struct suffix {
    const char *name;
    int tens;
    int twos;
} suffix;

static const suffix suffixes[] = {
    { "", 0, 0 },    { "n", -9, 0 },  { "u", -6, 0 },  { "m", -3, 0 },
    { "k", 3, 0 },   { "M", 6, 0 },   { "G", 9, 0 },   { "T", 12, 0 },
    { "P", 15, 0 },  { "E", 18, 0 },  { "Ki", 0, 10 }, { "Mi", 0, 20 },
    { "Gi", 0, 30 }, { "Ti", 0, 40 }, { "Pi", 0, 50 }, { "Ei", 0, 60 },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(amount *a, char digit, int *count, bool is_fraction)
{
    if (*count < DIGITS_MAX) {
        a->number = a->number * 10 + (uint64_t)(digit - '0');
        a->tens -= is_fraction ? 1 : 0;
        *count += a->number > 0 ? 1 : 0;
    } else {
        a->has_rest |= digit != '0';
        a->tens += is_fraction ? 0 : 1;
    }
}

/* Reads digits and a point; returns how many bytes they take, 0 where there is no digit. */
static size_t read_digits(amount *a, lw_str text)
{
    bool has_point = false, has_digit = false;
    int count = 0;
    size_t at = 0;
    for (; at < text.len; at++) {
        if (is_digit(text.ptr[at])) {
            has_digit = true;
            take_digit(a, text.ptr[at], &count, has_point);
        } else if (text.ptr[at] == '.' && !has_point) {
            has_point = true;
        } else {
            break;
        }
    }
    return has_digit ? at : 0;
}

/* "e3", "E-2": a power of ten.  "E" alone is a suffix. */
static bool read_exponent(amount *a, lw_str text)
{
    int value = 0;
    size_t at = 1;
    if (text.len < 2 || (text.ptr[0] != 'e' && text.ptr[0] != 'E'))
        return false;
    bool is_negative = text.ptr[at] == '-';
    if (text.ptr[at] == '-' || text.ptr[at] == '+')
        at++;
    if (at == text.len)
        return false;
    for (; at < text.len; at++) {
        if (!is_digit(text.ptr[at]))
            return false;
        if (value < EXPONENT_MAX)
            value = value * 10 + (text.ptr[at] - '0');
    }
    a->tens += is_negative ? -value : value;
    return true;
}

static bool read_suffix(amount *a, lw_str text)
{
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (lw_str_equal(text, lw_str_of(suffixes[i].name))) {
            a->tens += suffixes[i].tens;
            a->twos = suffixes[i].twos;
            return true;
        }
    }
    return read_exponent(a, text);
}

static bool read_amount(amount *a, lw_str text)
{
    if (text.len > 0 && text.ptr[0] == '+')
        text = lw_str_make(text.ptr + 1, text.len - 1);
    size_t used = read_digits(a, text);
    return used > 0 && read_suffix(a, lw_str_make(text.ptr + used, text.len - used));
}

static int64_t whole(const amount *a)
{
    /* 18 digits times 10^k times 2^60 pass 128 bits; what large powers leave is far above 2^63. */
    wide value = a->number;
    bool has_rest = a->has_rest;
    if (value == 0)
        return has_rest ? 1 : 0;
    value <<= a->twos;
    for (int tens = a->tens; tens > 0; tens--) {
        if (value > INT64_MAX)
            return INT64_MAX;
        value *= 10;
    }
    for (int tens = a->tens; tens < 0 && value > 0; tens++) {
        has_rest |= value % 10 != 0;
        value /= 10;
    }
    value += has_rest ? 1 : 0;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

bool lw_quantity_units(lw_str text, int64_t *out)
{
    amount a = { 0, 0, 0, false };
    if (!read_amount(&a, text))
        return false;
    *out = whole(&a);
    return true;
}

bool lw_quantity_milli(lw_str text, int64_t *out)
{
    amount a = { 0, 0, 0, false };
    if (!read_amount(&a, text))
        return false;
    a.tens += 3;
    *out = whole(&a);
    return true;
}
