/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c -- parses Accept and Accept-Encoding; malformed parts are ignored. */
#include "api/media/accept.h"

#include "api/media/ascii.h"
#include "base/str.h"

enum {
    QUALITY_FULL = 1000,
};

/* Parses "0.95" as thousandths; a malformed value counts as 1, as in Go's goautoneg. */
static int parse_quality(lw_str text)
{
    lw_str whole, fraction;
    (void)lw_str_cut(text, '.', &whole, &fraction);
    if (!lw_str_equal(whole, LW_STR("0")))
        return QUALITY_FULL;
    int value = 0, digit = QUALITY_FULL / 10;
    for (size_t i = 0; i < fraction.len && digit > 0; i++, digit /= 10) {
        if (!lw_char_is_digit(fraction.ptr[i]))
            return QUALITY_FULL;
        value += digit * (fraction.ptr[i] - '0');
    }
    return value;
}

bool lw_accept_next_parameter(lw_str *rest, lw_str *name, lw_str *value)
{
    while (rest->len > 0) {
        lw_str parameter;
        (void)lw_str_cut(*rest, ';', &parameter, rest);
        (void)lw_str_cut(lw_str_trim(parameter), '=', name, value);
        *name = lw_str_trim(*name);
        *value = lw_str_trim(*value);
        if (value->len >= 2 && value->ptr[0] == '"' && value->ptr[value->len - 1] == '"')
            *value = lw_str_make(value->ptr + 1, value->len - 2);
        if (name->len > 0)
            return true;
    }
    return false;
}

static int quality_of(lw_str parameters)
{
    lw_str name, value;
    while (lw_accept_next_parameter(&parameters, &name, &value)) {
        if (lw_ascii_equal(name, LW_STR("q")))
            return parse_quality(value);
    }
    return QUALITY_FULL;
}

static bool parse_clause(lw_str text, lw_accept_clause *clause)
{
    lw_str range;
    (void)lw_str_cut(text, ';', &range, &clause->parameters);
    range = lw_str_trim(range);
    if (!lw_str_cut(range, '/', &clause->type, &clause->subtype)) {
        if (!lw_str_equal(range, LW_STR("*")))
            return false;
        clause->subtype = LW_STR("*");
    }
    clause->quality = quality_of(clause->parameters);
    return clause->type.len > 0 && clause->subtype.len > 0 && clause->quality > 0;
}

/* Returns how specific a clause is: 0 for a wildcard type, up to an exact type. */
static int exactness(const lw_accept_clause *clause)
{
    if (lw_str_equal(clause->type, LW_STR("*")))
        return 0;
    return lw_str_equal(clause->subtype, LW_STR("*")) ? 1 : 2;
}

static bool is_better(const lw_accept_clause *a, const lw_accept_clause *b)
{
    if (a->quality != b->quality)
        return a->quality > b->quality;
    return exactness(a) > exactness(b);
}

size_t lw_accept_parse(lw_str header, lw_accept_clause clauses[LW_ACCEPT_CLAUSES_MAX])
{
    size_t count = 0;
    while (header.len > 0 && count < LW_ACCEPT_CLAUSES_MAX) {
        lw_str text;
        lw_accept_clause clause;
        (void)lw_str_cut(header, ',', &text, &header);
        if (!parse_clause(text, &clause))
            continue;
        size_t place = count++;
        for (; place > 0 && is_better(&clause, &clauses[place - 1]); place--)
            clauses[place] = clauses[place - 1];
        clauses[place] = clause;
    }
    return count;
}

bool lw_accept_takes_coding(lw_str header, lw_str coding)
{
    while (header.len > 0) {
        lw_str text, name, parameters;
        (void)lw_str_cut(header, ',', &text, &header);
        (void)lw_str_cut(text, ';', &name, &parameters);
        if (lw_ascii_equal(lw_str_trim(name), coding))
            return quality_of(parameters) > 0;
    }
    return false;
}
