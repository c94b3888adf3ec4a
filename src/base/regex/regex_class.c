/* SPDX-License-Identifier: Apache-2.0 */
/* regex_class.c -- parses character classes. */
#include "base/regex/regex_program.h"

#include <string.h>

#include "base/str.h"

#define RUNE_MAX 0x10ffffu

/* Ranges by name, in order; each ends with one that is empty (high 0). */
static const lw_regex_range digits[] = { { '0', '9' }, { 0, 0 } };
static const lw_regex_range words[] = {
    { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' }, { 0, 0 }
};
static const lw_regex_range blanks[] = { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' }, { 0, 0 } };
static const lw_regex_range spaces[] = { { '\t', '\r' }, { ' ', ' ' }, { 0, 0 } };
static const lw_regex_range letters[] = { { 'A', 'Z' }, { 'a', 'z' }, { 0, 0 } };
static const lw_regex_range alnums[] = { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' }, { 0, 0 } };
static const lw_regex_range uppers[] = { { 'A', 'Z' }, { 0, 0 } };
static const lw_regex_range lowers[] = { { 'a', 'z' }, { 0, 0 } };
static const lw_regex_range puncts[] = {
    { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' }, { 0, 0 }
};
static const lw_regex_range hexes[] = { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' }, { 0, 0 } };
static const lw_regex_range tabs[] = { { '\t', '\t' }, { ' ', ' ' }, { 0, 0 } };
static const lw_regex_range prints[] = { { ' ', '~' }, { 0, 0 } };
static const lw_regex_range graphs[] = { { '!', '~' }, { 0, 0 } };
static const lw_regex_range asciis[] = { { 0, 0x7f }, { 0, 0 } };
static const lw_regex_range ascii_controls[] = { { 0, 0x1f }, { 0x7f, 0x7f }, { 0, 0 } };

/* The Unicode categories Cc (controls) and C (controls, formats, surrogates and private use). */
static const lw_regex_range controls[] = { { 0, 0x1f }, { 0x7f, 0x9f }, { 0, 0 } };
static const lw_regex_range others[] = {
    { 0, 0x1f },          { 0x7f, 0x9f },         { 0xad, 0xad },
    { 0x600, 0x605 },     { 0x61c, 0x61c },       { 0x6dd, 0x6dd },
    { 0x70f, 0x70f },     { 0x890, 0x891 },       { 0x8e2, 0x8e2 },
    { 0x180e, 0x180e },   { 0x200b, 0x200f },     { 0x202a, 0x202e },
    { 0x2060, 0x2064 },   { 0x2066, 0x206f },     { 0xd800, 0xf8ff },
    { 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },     { 0x110bd, 0x110bd },
    { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },   { 0x1bca0, 0x1bca3 },
    { 0x1d173, 0x1d17a }, { 0xe0001, 0xe0001 },   { 0xe0020, 0xe007f },
    { 0xf0000, 0xffffd }, { 0x100000, 0x10fffd }, { 0, 0 },
};

static const struct {
    const char *name; /* after \p or \P */
    const lw_regex_range *ranges;
} categories[] = {
    { "C", others },
    { "Cc", controls },
};

static const struct {
    const char *name; /* inside [: and :] */
    const lw_regex_range *ranges;
} named[] = {
    { "ascii", asciis }, { "cntrl", ascii_controls }, { "alnum", alnums }, { "alpha", letters },
    { "blank", tabs },   { "digit", digits },         { "graph", graphs }, { "lower", lowers },
    { "print", prints }, { "punct", puncts },         { "space", spaces }, { "upper", uppers },
    { "word", words },   { "xdigit", hexes },
};

lw_status lw_regex_class_add(lw_regex *regex, lw_regex_set *set, lw_regex_range range)
{
    if (regex->range_count == LW_REGEX_RANGES_MAX)
        return LW_ERR_LIMIT;
    if (set->count == 0)
        set->first = (uint32_t)regex->range_count;
    regex->ranges[regex->range_count++] = range;
    set->count++;
    return LW_OK;
}

/* Adds |ranges|, or their complement. */
static lw_status add_ranges(lw_regex *regex, lw_regex_set *set, const lw_regex_range *ranges,
                            bool is_negated)
{
    lw_status st = LW_OK;
    uint32_t next = 0;
    for (; st == LW_OK && ranges->high > 0; ranges++) {
        lw_regex_range gap = { next, ranges->low - 1 };
        if (!is_negated || ranges->low > next)
            st = lw_regex_class_add(regex, set, is_negated ? gap : *ranges);
        next = ranges->high + 1;
    }
    if (st == LW_OK && is_negated)
        st = lw_regex_class_add(regex, set, (lw_regex_range){ next, RUNE_MAX });
    return st;
}

/* Returns the ranges of \pC, \p{Cc}, \p{^C} or \PC at the beginning of |text|; NULL: there is none
 * of these. */
static const lw_regex_range *category_ranges(lw_str text, size_t *len, bool *is_negated)
{
    lw_str name = lw_str_skip(text, 2), rest;
    *is_negated = text.ptr[1] == 'P';
    *len = 3;
    if (name.len > 0 && name.ptr[0] == '{') {
        if (!lw_str_cut(lw_str_skip(name, 1), '}', &name, &rest))
            return NULL;
        *len = 4 + name.len;
        if (lw_str_starts_with(name, LW_STR("^"))) {
            *is_negated = !*is_negated;
            name = lw_str_skip(name, 1);
        }
    } else {
        name.len = name.len > 0 ? 1 : 0;
    }
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
        if (lw_str_equal(name, lw_str_of(categories[i].name)))
            return categories[i].ranges;
    }
    return NULL;
}

/* Returns the ranges of the escape at the beginning of |text| (\d etc.); NULL: it is not a class.
 */
static const lw_regex_range *escaped_ranges(lw_str text, size_t *len, bool *is_negated)
{
    char letter = text.len > 1 ? text.ptr[1] : '\0';
    *is_negated = letter == 'D' || letter == 'W' || letter == 'S';
    *len = 2;
    switch (letter) {
    case 'd':
    case 'D': return digits;
    case 'w':
    case 'W': return words;
    case 's':
    case 'S': return blanks;
    case 'p':
    case 'P': return category_ranges(text, len, is_negated);
    default: return NULL;
    }
}

bool lw_regex_escape_is_class(lw_str text)
{
    bool is_negated;
    size_t len;
    return escaped_ranges(text, &len, &is_negated) != NULL;
}

static bool read_hex(lw_str text, size_t *at, uint32_t *rune)
{
    size_t count = 0, limit = 2;
    bool has_brace = *at < text.len && text.ptr[*at] == '{';
    if (has_brace) {
        (*at)++;
        limit = 6;
    }
    *rune = 0;
    for (; count < limit && *at < text.len && lw_char_hex_value(text.ptr[*at]) >= 0; count++)
        *rune = *rune << 4 | (uint32_t)lw_char_hex_value(text.ptr[(*at)++]);
    if (has_brace)
        return count > 0 && *at < text.len && text.ptr[(*at)++] == '}' && *rune <= RUNE_MAX;
    return count == 2;
}

bool lw_regex_escape_read(lw_str text, size_t *at, uint32_t *rune)
{
    static const char letters_of[] = "afnrtv", meant[] = "\a\f\n\r\t\v";
    if (*at + 1 >= text.len)
        return false;
    char c = text.ptr[*at + 1];
    const char *control = c != '\0' ? strchr(letters_of, c) : NULL;
    *at += 2;
    if (c == 'x')
        return read_hex(text, at, rune);
    bool is_alnum = lw_char_is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if ((is_alnum && !control) || (unsigned char)c >= 0x80)
        return false;
    *rune = control ? (uint32_t)meant[control - letters_of] : (unsigned char)c;
    return true;
}

/* [:alpha:] and [:^alpha:] */
static bool read_named(lw_regex *regex, lw_str text, size_t *at, lw_regex_set *set, lw_status *st)
{
    lw_str rest = lw_str_skip(text, *at);
    bool is_negated = lw_str_starts_with(rest, LW_STR("[:^"));
    size_t begin = is_negated ? 3 : 2;
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        size_t len = strlen(named[i].name);
        lw_str name = lw_str_skip(rest, begin);
        if (!lw_str_starts_with(name, lw_str_of(named[i].name)) ||
            !lw_str_starts_with(lw_str_skip(name, len), LW_STR(":]")))
            continue;
        *at += begin + len + 2;
        *st = add_ranges(regex, set, named[i].ranges, is_negated);
        return true;
    }
    return false;
}

static bool read_member(lw_str text, size_t *at, uint32_t *rune)
{
    size_t len;
    if (*at >= text.len)
        return false;
    if (text.ptr[*at] == '\\')
        return lw_regex_escape_read(text, at, rune);
    *rune = lw_regex_rune(lw_str_skip(text, *at), &len);
    *at += len;
    return true;
}

/* Parses one element between the brackets: a class, a range or a character. */
static lw_status read_item(lw_regex *regex, lw_str text, size_t *at, lw_regex_set *set)
{
    lw_str rest = lw_str_skip(text, *at);
    lw_status st = LW_OK;
    bool is_negated;
    size_t len;
    if (lw_str_starts_with(rest, LW_STR("[:")))
        return read_named(regex, text, at, set, &st) ? st : LW_ERR_SYNTAX;
    if (rest.len > 1 && rest.ptr[0] == '\\') {
        const lw_regex_range *ranges = escaped_ranges(rest, &len, &is_negated);
        if (ranges) {
            *at += len;
            return add_ranges(regex, set, ranges, is_negated);
        }
    }
    lw_regex_range range;
    if (!read_member(text, at, &range.low))
        return LW_ERR_SYNTAX;
    range.high = range.low;
    bool is_range = *at + 1 < text.len && text.ptr[*at] == '-' && text.ptr[*at + 1] != ']';
    if (is_range) {
        (*at)++;
        if (!read_member(text, at, &range.high) || range.high < range.low)
            return LW_ERR_SYNTAX;
    }
    return lw_regex_class_add(regex, set, range);
}

static lw_status read_brackets(lw_regex *regex, lw_str text, size_t *at, lw_regex_set *set)
{
    (*at)++;
    if (*at < text.len && text.ptr[*at] == '^') {
        set->is_negated = true;
        (*at)++;
    }
    lw_status st = LW_OK;
    bool is_first = true;
    while (st == LW_OK && *at < text.len && (is_first || text.ptr[*at] != ']')) {
        st = read_item(regex, text, at, set);
        is_first = false;
    }
    if (st == LW_OK && *at >= text.len)
        return LW_ERR_SYNTAX;
    (*at)++;
    return st;
}

lw_status lw_regex_class_read(lw_regex *regex, lw_str text, size_t *at, lw_regex_set *set,
                              const char **fault)
{
    bool is_negated;
    size_t len;
    *set = (lw_regex_set){ .first = (uint32_t)regex->range_count };
    lw_status st;
    if (text.ptr[*at] == '[') {
        st = read_brackets(regex, text, at, set);
    } else {
        const lw_regex_range *ranges = escaped_ranges(lw_str_skip(text, *at), &len, &is_negated);
        set->is_negated = is_negated;
        *at += len;
        st = add_ranges(regex, set, ranges, false);
    }
    *fault = st == LW_ERR_LIMIT ? "the pattern has too many character classes"
                                : "a set that is not supported";
    return st;
}
