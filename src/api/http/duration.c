/* SPDX-License-Identifier: Apache-2.0 */
/* duration.c -- Go's time.ParseDuration, in its words. */
#include "api/http/duration.h"

#include <stdint.h>

#include "base/str.h"
#include "object/quote.h"

static const struct {
    const char *name;
    double ns;
} units[] = {
    { "ns", 1 },   { "us", 1e3 }, { "\xc2\xb5s", 1e3 }, { "\xce\xbcs", 1e3 },
    { "ms", 1e6 }, { "s", 1e9 },  { "m", 60 * 1e9 },    { "h", 3600 * 1e9 },
};

static bool refuse(lw_buf *message, const char *why, lw_str text)
{
    lw_buf_append_text(message, why);
    lw_quote_append(message, text);
    return false;
}

/* Takes digits with at most one dot off |*rest|.  False: there are none. */
static bool take_number(lw_str *rest, double *number)
{
    double value = 0, scale = 1;
    bool has_digit = false, has_dot = false;
    while (rest->len > 0) {
        char c = rest->ptr[0];
        if (c == '.' && !has_dot) {
            has_dot = true;
        } else if (lw_char_is_digit(c)) {
            has_digit = true;
            value = value * 10 + (c - '0');
            if (has_dot)
                scale *= 10;
        } else {
            break;
        }
        *rest = lw_str_skip(*rest, 1);
    }
    *number = value / scale;
    return has_digit;
}

/* Takes all that is neither a digit nor a dot off |*rest|. */
static lw_str take_unit(lw_str *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != '.' && !lw_char_is_digit(rest->ptr[len]))
        len++;
    lw_str unit = lw_str_make(rest->ptr, len);
    *rest = lw_str_skip(*rest, len);
    return unit;
}

static bool unit_ns(lw_str unit, double *ns)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (lw_str_equal(unit, lw_str_of(units[i].name))) {
            *ns = units[i].ns;
            return true;
        }
    }
    return false;
}

bool lw_duration_parse(lw_str text, int64_t *ns, lw_buf *message)
{
    static const char invalid[] = "time: invalid duration ";
    lw_str rest = text;
    bool is_negative = rest.len > 0 && rest.ptr[0] == '-';
    double total = 0;
    if (rest.len > 0 && (rest.ptr[0] == '-' || rest.ptr[0] == '+'))
        rest = lw_str_skip(rest, 1);
    if (rest.len == 0)
        return refuse(message, invalid, text);
    if (lw_str_equal(rest, LW_STR("0"))) {
        *ns = 0;
        return true;
    }
    while (rest.len > 0) {
        double number, scale;
        if (!take_number(&rest, &number))
            return refuse(message, invalid, text);
        lw_str unit = take_unit(&rest);
        if (unit.len == 0)
            return refuse(message, "time: missing unit in duration ", text);
        if (!unit_ns(unit, &scale)) {
            lw_buf_append_text(message, "time: unknown unit ");
            lw_quote_append(message, unit);
            return refuse(message, " in duration ", text);
        }
        total += number * scale;
    }
    if (total > 9.2e18)
        return refuse(message, invalid, text);
    *ns = is_negative ? -(int64_t)total : (int64_t)total;
    return true;
}
