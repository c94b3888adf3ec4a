/* SPDX-License-Identifier: Apache-2.0 */
/* regex.c -- regular expressions: matches, find, findAll.  Constant patterns are compiled with the
 * program. */
#include "base/regex/regex.h"
#include "base/str.h"
#include "cel/functions.h"

/* Returns the pattern of a call; the caller frees |*own|.  NULL: |*error| is the error. */
static const lw_regex *pattern_of(lw_cel_run *run, lw_str text, lw_regex **own, lw_cel_value *error)
{
    lw_error err = LW_ERROR_INIT;
    *own = NULL;
    if (run->pattern)
        return run->pattern;
    (void)lw_cel_charge_work(run, text.len);
    lw_status st = lw_regex_new(own, text, &err);
    if (st == LW_OK)
        return *own;
    if (st == LW_ERR_NOMEM)
        run->st = st;
    *error = st == LW_ERR_NOMEM ? lw_cel_over(run)
                                : lw_cel_fail(run, "error parsing regexp: %s", err.message);
    return NULL;
}

/* Returns the error of a failed match. */
static lw_cel_value too_long(lw_cel_run *run, lw_status st)
{
    if (run->st == LW_OK)
        run->st = st;
    return lw_cel_over(run);
}

lw_cel_value lw_cel_fn_matches(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_regex *own;
    lw_cel_value result;
    bool is_match = false;
    const lw_regex *pattern = pattern_of(run, args[1].text, &own, &result);
    (void)count;
    if (!pattern)
        return result;
    (void)lw_cel_charge_work(run, args[0].text.len);
    lw_status st = lw_regex_match(pattern, args[0].text, &is_match);
    lw_regex_free(own);
    return st < 0 ? too_long(run, st) : lw_cel_of_bool(is_match);
}

lw_cel_value lw_cel_fn_find(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_regex *own;
    lw_cel_value result;
    lw_str match = LW_STR("");
    bool is_match = false;
    const lw_regex *pattern = pattern_of(run, args[1].text, &own, &result);
    (void)count;
    if (!pattern)
        return result;
    (void)lw_cel_charge_work(run, args[0].text.len);
    lw_status st = lw_regex_find(pattern, args[0].text, 0, &match, &is_match);
    lw_regex_free(own);
    return st < 0 ? too_long(run, st) : lw_cel_of_text(match);
}

/* Finds the next match at or after |*from|, which moves past it.  An empty match directly after the
 * previous one does not count. */
static lw_status next_match(const lw_regex *pattern, lw_str text, size_t *from, size_t *last_end,
                            lw_str *match, bool *is_match)
{
    lw_status st = LW_OK;
    *is_match = false;
    while (st == LW_OK && *from <= text.len) {
        st = lw_regex_find(pattern, text, *from, match, is_match);
        if (st < 0 || !*is_match)
            return st;
        size_t begin = (size_t)(match->ptr - text.ptr), end = begin + match->len;
        bool is_stale = match->len == 0 && begin == *last_end;
        *from = end;
        if (match->len == 0) {
            do {
                ++*from;
            } while (*from < text.len && ((unsigned char)text.ptr[*from] & 0xc0) == 0x80);
        }
        *last_end = end;
        if (!is_stale)
            return st;
        *is_match = false;
    }
    return st;
}

lw_cel_value lw_cel_fn_find_all(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_regex *own;
    lw_cel_value result;
    lw_str text = args[0].text, match;
    int64_t most = count > 2 ? args[2].integer : -1;
    size_t from = 0, last_end = SIZE_MAX, made = 0;
    const lw_regex *pattern = pattern_of(run, args[1].text, &own, &result);
    if (!pattern)
        return result;
    /* A text has at most as many matches as positions. */
    size_t room = most >= 0 && (uint64_t)most < text.len + 1 ? (size_t)most : text.len + 1;
    lw_cel_value *items = lw_arena_take_zero(&run->arena, room + 1, sizeof(*items));
    lw_status st = LW_OK;
    bool is_match = items != NULL;
    while (is_match && st == LW_OK && made < room && lw_cel_charge_work(run, 16)) {
        st = next_match(pattern, text, &from, &last_end, &match, &is_match);
        (void)lw_cel_charge_work(run, is_match ? match.len : text.len);
        if (st == LW_OK && is_match)
            items[made++] = lw_cel_of_text(match);
    }
    lw_regex_free(own);
    if (st < 0)
        return too_long(run, st);
    return items ? lw_cel_of_list(items, made) : lw_cel_over(run);
}
