/* SPDX-License-Identifier: Apache-2.0 */
/* structural_format.c -- names of types, and validation of string formats. */
#include <stdio.h>

#include "base/str.h"
#include "base/text/ip_range.h"
#include "base/text/text_format.h"
#include "schema/structural/structural_node.h"

const char *lw_structural_type_name(lw_structural_type type)
{
    static const char *const names[] = { "",        "object", "array",  "string",
                                         "integer", "number", "boolean" };
    return names[type];
}

static bool is_ipv4(lw_str text)
{
    lw_ip_range address;
    return lw_ip_parse(text, &address) && address.family == 4;
}

static bool is_ipv6(lw_str text)
{
    lw_ip_range address;
    return lw_ip_parse(text, &address) && address.family == 6;
}

static bool is_cidr(lw_str text)
{
    lw_ip_range range;
    return lw_ip_range_parse(text, &range);
}

static bool is_email(lw_str text)
{
    lw_str name, host;
    return lw_str_cut(text, '@', &name, &host) && name.len > 0 && host.len > 0;
}

/* Numbers with units: 1h2m3.5s. */
static bool is_duration(lw_str text)
{
    static const char *const units[] = { "ns", "us", "ms", "s", "m", "h" };
    if (lw_str_equal(text, LW_STR("0")))
        return true;
    bool has_any = false;
    while (text.len > 0) {
        size_t len = 0;
        bool is_unit = false;
        while (len < text.len && (lw_char_is_digit(text.ptr[len]) || text.ptr[len] == '.'))
            len++;
        text = lw_str_skip(text, len);
        for (size_t i = 0; !is_unit && i < sizeof(units) / sizeof(units[0]); i++) {
            is_unit = lw_str_starts_with(text, lw_str_of(units[i]));
            if (is_unit)
                text = lw_str_skip(text, lw_str_of(units[i]).len);
        }
        if (len == 0 || !is_unit)
            return false;
        has_any = true;
    }
    return has_any;
}

bool lw_structural_format_is(lw_str format, lw_str text)
{
    static const struct {
        const char *name;
        bool (*is)(lw_str text);
    } formats[] = {
        { "date-time", lw_text_is_date_time },
        { "date", lw_text_is_date },
        { "ipv4", is_ipv4 },
        { "ipv6", is_ipv6 },
        { "cidr", is_cidr },
        { "uuid", lw_text_is_uuid },
        { "email", is_email },
        { "duration", is_duration },
    };
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (lw_str_equal(format, lw_str_of(formats[i].name)))
            return formats[i].is(text);
    }
    return true;
}
