/* SPDX-License-Identifier: Apache-2.0 */
/* semver.c -- semantic versions of semver.org 2.0.0. */
#include "base/str.h"
#include "cel/functions.h"

/* Parses digits without a leading zero that fit into 64 bits. */
static bool read_number(lw_str text, uint64_t *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!lw_char_is_digit(text.ptr[i]))
            return false;
    }
    return text.len > 0 && (text.len == 1 || text.ptr[0] != '0') && lw_str_to_uint64(text, out);
}

static bool is_all_digits(lw_str text)
{
    size_t count = 0;
    while (count < text.len && lw_char_is_digit(text.ptr[count]))
        count++;
    return text.len > 0 && count == text.len;
}

/* True for identifiers separated by dots; |numbers_are_plain|: numbers must not have leading
 * zeros. */
static bool are_identifiers(lw_str text, bool numbers_are_plain)
{
    bool has_more = true;
    while (has_more) {
        lw_str part;
        uint64_t number;
        has_more = lw_str_cut(text, '.', &part, &text);
        if (part.len == 0)
            return false;
        if (numbers_are_plain && is_all_digits(part) && !read_number(part, &number))
            return false;
        for (size_t i = 0; i < part.len; i++) {
            char c = part.ptr[i];
            if (!lw_char_is_digit(c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-')
                return false;
        }
    }
    return true;
}

/* Parses "1.2.3-rc.1+build".  Lenient: a leading "v" and leading zeros are dropped, and missing
 * parts at the end are 0. */
static bool parse(lw_str text, bool is_lenient, lw_cel_semver *out)
{
    lw_str parts[3], *last;
    size_t count = 0;
    bool has_more = true, has_build = false, has_pre = false;
    *out = (lw_cel_semver){ .numbers = { 0 } };
    if (is_lenient && lw_str_starts_with(text, LW_STR("v")))
        text = lw_str_skip(text, 1);
    while (has_more && count < 2)
        has_more = lw_str_cut(text, '.', &parts[count++], &text);
    if (has_more)
        parts[count++] = text;
    if (count < 3 && !is_lenient)
        return false;
    last = &parts[count - 1];
    lw_str build = LW_STR("");
    if (count == 3) {
        has_build = lw_str_cut(*last, '+', last, &build);
        has_pre = lw_str_cut(*last, '-', last, &out->pre);
    }
    for (size_t i = 0; i < count; i++) {
        while (is_lenient && parts[i].len > 1 && parts[i].ptr[0] == '0')
            parts[i] = lw_str_skip(parts[i], 1);
        if (!read_number(parts[i], &out->numbers[i]))
            return false;
    }
    return (!has_pre || are_identifiers(out->pre, true)) &&
           (!has_build || are_identifiers(build, false));
}

static bool is_lenient(const lw_cel_value *args, size_t count)
{
    return count > 1 && args[1].boolean;
}

lw_cel_value lw_cel_fn_semver(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_semver *version = lw_arena_take_zero(&run->arena, 1, sizeof(*version));
    if (!version)
        return lw_cel_over(run);
    if (!parse(args[0].text, is_lenient(args, count), version))
        return lw_cel_fail(run, "'%.*s' is not a valid semantic version", LW_STR_ARG(args[0].text));
    return (lw_cel_value){ .kind = LW_CEL_SEMVER, .semver = version };
}

lw_cel_value lw_cel_fn_is_semver(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_semver version;
    (void)run;
    return lw_cel_of_bool(parse(args[0].text, is_lenient(args, count), &version));
}

/* Numbers precede words, and compare by value. */
static int compare_identifiers(lw_str a, lw_str b)
{
    uint64_t left = 0, right = 0;
    bool is_number = read_number(a, &left), is_other = read_number(b, &right);
    if (is_number && is_other)
        return left < right ? -1 : left > right;
    if (is_number != is_other)
        return is_number ? -1 : 1;
    int order = lw_str_compare(a, b);
    return order < 0 ? -1 : order > 0;
}

/* A version follows its pre-releases. */
static int compare_pre(lw_str a, lw_str b)
{
    if (a.len == 0 || b.len == 0)
        return a.len > 0 ? -1 : b.len > 0;
    bool has_left = true, has_right = true;
    while (has_left && has_right) {
        lw_str left, right;
        has_left = lw_str_cut(a, '.', &left, &a);
        has_right = lw_str_cut(b, '.', &right, &b);
        int order = compare_identifiers(left, right);
        if (order != 0)
            return order;
    }
    return has_left - has_right;
}

int lw_cel_semver_compare(const lw_cel_semver *a, const lw_cel_semver *b)
{
    for (size_t i = 0; i < 3; i++) {
        if (a->numbers[i] != b->numbers[i])
            return a->numbers[i] < b->numbers[i] ? -1 : 1;
    }
    return compare_pre(a->pre, b->pre);
}

static int compare(const lw_cel_value *args)
{
    return lw_cel_semver_compare(args[0].semver, args[1].semver);
}

lw_cel_value lw_cel_fn_semver_compare(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int(compare(args));
}

lw_cel_value lw_cel_fn_semver_is_less(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(compare(args) < 0);
}

lw_cel_value lw_cel_fn_semver_is_greater(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(compare(args) > 0);
}

lw_cel_value lw_cel_fn_semver_major(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int((int64_t)args[0].semver->numbers[0]);
}

lw_cel_value lw_cel_fn_semver_minor(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int((int64_t)args[0].semver->numbers[1]);
}

lw_cel_value lw_cel_fn_semver_patch(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int((int64_t)args[0].semver->numbers[2]);
}
