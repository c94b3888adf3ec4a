/* SPDX-License-Identifier: Apache-2.0 */
/* quantity.c -- reading and writing amounts of resources. */
#include <listwatch/quantity.h>

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"

typedef lw_quantity_nanos nanos;

enum {
    NANO = 9,         /* significant digits after the decimal point */
    DIGITS_MAX = 36,  /* of a number that is read exactly */
    BINARY_STEP = 10, /* powers of two between Ki and Mi */
    BINARY_SMALL = 1024,
};

#define UNIT      ((nanos)1000000000)
#define NANOS_MAX ((nanos)INT64_MAX * UNIT)

/* The factor of a suffix: 2^binary * 10^decimal. */
typedef struct scale {
    int binary;
    int64_t decimal;
    lw_quantity_form form;
} scale;

static const struct {
    lw_str text;
    scale scale;
} suffixes[] = {
    { LW_STR_INIT("n"), { 0, -9, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("u"), { 0, -6, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("m"), { 0, -3, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT(""), { 0, 0, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("k"), { 0, 3, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("M"), { 0, 6, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("G"), { 0, 9, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("T"), { 0, 12, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("P"), { 0, 15, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("E"), { 0, 18, LW_QUANTITY_DECIMAL } },
    { LW_STR_INIT("Ki"), { 10, 0, LW_QUANTITY_BINARY } },
    { LW_STR_INIT("Mi"), { 20, 0, LW_QUANTITY_BINARY } },
    { LW_STR_INIT("Gi"), { 30, 0, LW_QUANTITY_BINARY } },
    { LW_STR_INIT("Ti"), { 40, 0, LW_QUANTITY_BINARY } },
    { LW_STR_INIT("Pi"), { 50, 0, LW_QUANTITY_BINARY } },
    { LW_STR_INIT("Ei"), { 60, 0, LW_QUANTITY_BINARY } },
};

static bool read_exponent(lw_str text, scale *out)
{
    enum {
        EXPONENT_MAX = 1000,
    };
    bool is_negative = text.ptr[1] == '-';
    lw_str digits = lw_str_skip(text, is_negative || text.ptr[1] == '+' ? 2 : 1);
    uint64_t value = 0;
    if (!lw_str_to_uint64(digits, &value) || value > EXPONENT_MAX)
        return false;
    *out = (scale){ 0, is_negative ? -(int64_t)value : (int64_t)value, LW_QUANTITY_EXPONENT };
    return true;
}

static bool read_suffix(lw_str text, scale *out)
{
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        if (lw_str_equal(text, suffixes[i].text)) {
            *out = suffixes[i].scale;
            return true;
        }
    }
    return text.len > 1 && (text.ptr[0] == 'e' || text.ptr[0] == 'E') && read_exponent(text, out);
}

/* |value| * 2^|binary| * 10^|power|, rounded up; NANOS_MAX where that is exceeded. */
static nanos scaled(nanos value, int64_t power, int binary)
{
    bool is_cut = false;
    for (; binary > 0; binary--) {
        if (value > ((nanos)1 << 125))
            return NANOS_MAX;
        value *= 2;
    }
    for (; power < 0 && value > 0; power++) {
        is_cut |= value % 10 != 0;
        value /= 10;
    }
    for (; power > 0 && value > 0; power--) {
        if (value > NANOS_MAX / 10)
            return NANOS_MAX;
        value *= 10;
    }
    value += is_cut;
    return value > NANOS_MAX ? NANOS_MAX : value;
}

/* Reads digits with a point among them: |*value| / 10^|*places|.  Returns what follows. */
static bool read_number(lw_str text, nanos *value, int64_t *places, lw_str *rest)
{
    size_t at = 0, digits = 0, significant = 0;
    bool has_point = false;
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (c == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (!lw_char_is_digit(c))
            break;
        digits++;
        significant += significant > 0 || c != '0';
        if (significant > DIGITS_MAX)
            return false;
        *value = *value * 10 + (c - '0');
        *places += has_point;
    }
    *rest = lw_str_skip(text, at);
    return digits > 0;
}

bool lw_quantity_parse(lw_str text, lw_quantity *out)
{
    bool is_negative = text.len > 0 && text.ptr[0] == '-';
    nanos value = 0;
    int64_t places = 0;
    lw_str rest;
    scale by;
    if (is_negative || (text.len > 0 && text.ptr[0] == '+'))
        text = lw_str_skip(text, 1);
    if (!read_number(text, &value, &places, &rest) || !read_suffix(rest, &by))
        return false;
    value = scaled(value, by.decimal + NANO - places, by.binary);
    *out = (lw_quantity){ is_negative ? -value : value, by.form };
    return true;
}

static void print(char text[LW_QUANTITY_SIZE], bool is_negative, nanos value, const char *suffix)
{
    (void)snprintf(text, LW_QUANTITY_SIZE, "%s%" PRIu64 "%s", is_negative ? "-" : "",
                   (uint64_t)value, suffix);
}

static void format_binary(char text[LW_QUANTITY_SIZE], bool is_negative, nanos value)
{
    static const char *const names[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
    size_t step = 0;
    value = (value + UNIT - 1) / UNIT;
    for (; value % BINARY_SMALL == 0 && step < 6; step++)
        value /= BINARY_SMALL;
    print(text, is_negative, value, names[step]);
}

static void format_decimal(char text[LW_QUANTITY_SIZE], bool is_negative, nanos value,
                           lw_quantity_form form)
{
    static const char *const names[] = { "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };
    char exponent[8];
    size_t step = 0;
    for (; value % 1000 == 0 && step < 9; step++)
        value /= 1000;
    (void)snprintf(exponent, sizeof(exponent), "e%d", (int)step * 3 - NANO);
    print(text, is_negative, value,
          form == LW_QUANTITY_EXPONENT && step != 3 ? exponent : names[step]);
}

void lw_quantity_format(char text[LW_QUANTITY_SIZE], lw_quantity quantity)
{
    bool is_negative = quantity.nanos < 0;
    nanos value = is_negative ? -quantity.nanos : quantity.nanos;
    if (value == 0)
        (void)snprintf(text, LW_QUANTITY_SIZE, "0");
    else if (quantity.form == LW_QUANTITY_BINARY && value >= BINARY_SMALL * UNIT)
        format_binary(text, is_negative, value);
    else
        format_decimal(text, is_negative, value, quantity.form);
}

static lw_quantity bounded(nanos value, lw_quantity a, lw_quantity b)
{
    if (value > NANOS_MAX)
        value = NANOS_MAX;
    if (value < -NANOS_MAX)
        value = -NANOS_MAX;
    return (lw_quantity){ value, a.nanos == 0 ? b.form : a.form };
}

lw_quantity lw_quantity_add(lw_quantity a, lw_quantity b)
{
    return bounded(a.nanos + b.nanos, a, b);
}

lw_quantity lw_quantity_subtract(lw_quantity a, lw_quantity b)
{
    return bounded(a.nanos - b.nanos, a, b);
}

int lw_quantity_compare(lw_quantity a, lw_quantity b)
{
    return (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

/* |value| / |unit|, rounded away from zero. */
static nanos divided(nanos value, nanos unit)
{
    nanos rest = value % unit;
    return value / unit + (rest > 0) - (rest < 0);
}

lw_quantity lw_quantity_whole(lw_quantity quantity)
{
    quantity.nanos = divided(quantity.nanos, UNIT) * UNIT;
    return quantity;
}

static int64_t count_of(nanos value, nanos unit)
{
    nanos count = divided(value, unit);
    if (count > INT64_MAX)
        return INT64_MAX;
    return count < INT64_MIN ? INT64_MIN : (int64_t)count;
}

int64_t lw_quantity_units(lw_quantity quantity)
{
    return count_of(quantity.nanos, UNIT);
}

int64_t lw_quantity_milli(lw_quantity quantity)
{
    return count_of(quantity.nanos, UNIT / 1000);
}

lw_quantity lw_quantity_of_count(int64_t count)
{
    return (lw_quantity){ (nanos)count * UNIT, LW_QUANTITY_DECIMAL };
}
