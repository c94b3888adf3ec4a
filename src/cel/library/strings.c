/* SPDX-License-Identifier: Apache-2.0 */
/* strings.c -- functions of strings.  Positions are counted in characters. */
#include "base/str.h"
#include "cel/functions.h"

/* Returns the byte position of a character; SIZE_MAX: the text is shorter.  The end of the text is
 * a valid position. */
static size_t byte_of(lw_str text, int64_t rune)
{
    size_t at = 0;
    if (rune < 0)
        return SIZE_MAX;
    for (; at < text.len; at++) {
        bool begins = ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
        if (begins && rune-- == 0)
            return at;
    }
    return rune == 0 ? text.len : SIZE_MAX;
}

static int64_t rune_of(lw_str text, size_t byte)
{
    lw_cel_value head = lw_cel_of_text(lw_str_make(text.ptr, byte));
    return (int64_t)lw_cel_size(&head);
}

size_t lw_cel_text_find(lw_str text, lw_str part, size_t from)
{
    if (from > text.len || part.len > text.len - from)
        return SIZE_MAX;
    if (part.len == 0)
        return from;
    const char *found = memmem(text.ptr + from, text.len - from, part.ptr, part.len);
    return found ? (size_t)(found - text.ptr) : SIZE_MAX;
}

lw_cel_value lw_cel_fn_contains(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    (void)lw_cel_charge_work(run, args[0].text.len / 16);
    return lw_cel_of_bool(lw_cel_text_find(args[0].text, args[1].text, 0) != SIZE_MAX);
}

lw_cel_value lw_cel_fn_starts_with(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(lw_str_starts_with(args[0].text, args[1].text));
}

lw_cel_value lw_cel_fn_ends_with(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(lw_str_ends_with(args[0].text, args[1].text));
}

static lw_cel_value out_of_range(lw_cel_run *run, int64_t index)
{
    return lw_cel_fail(run, "index out of range: %lld", (long long)index);
}

lw_cel_value lw_cel_fn_char_at(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str text = args[0].text;
    size_t begin = byte_of(text, args[1].integer);
    (void)count;
    if (begin == SIZE_MAX || !lw_cel_charge_work(run, text.len / 16))
        return out_of_range(run, args[1].integer);
    size_t end = begin < text.len ? begin + 1 : begin;
    while (end < text.len && ((unsigned char)text.ptr[end] & 0xc0) == 0x80)
        end++;
    return lw_cel_of_text(lw_str_make(text.ptr + begin, end - begin));
}

lw_cel_value lw_cel_fn_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str text = args[0].text, part = args[1].text;
    size_t from = count > 2 ? byte_of(text, args[2].integer) : 0;
    (void)lw_cel_charge_work(run, text.len / 16);
    if (from == SIZE_MAX)
        return part.len == 0 && args[2].integer >= 0 ? lw_cel_of_int(args[2].integer)
                                                     : out_of_range(run, args[2].integer);
    size_t found = lw_cel_text_find(text, part, from);
    return lw_cel_of_int(found == SIZE_MAX ? -1 : rune_of(text, found));
}

lw_cel_value lw_cel_fn_last_index_of(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str text = args[0].text, part = args[1].text;
    size_t last = count > 2 ? byte_of(text, args[2].integer) : text.len;
    if (last == SIZE_MAX)
        return out_of_range(run, args[2].integer);
    if (part.len > text.len)
        return lw_cel_of_int(-1);
    last = last > text.len - part.len ? text.len - part.len : last;
    for (size_t at = last + 1; at-- > 0 && lw_cel_charge_work(run, 1 + part.len / 16);) {
        if (part.len == 0 || memcmp(text.ptr + at, part.ptr, part.len) == 0)
            return lw_cel_of_int(rune_of(text, at));
    }
    return lw_cel_of_int(-1);
}

/* Copies |text| with the letters from |low| to |high| in the other case. */
static lw_cel_value turn_case(lw_cel_run *run, lw_str text, char low, char high)
{
    char *made = lw_arena_take_zero(&run->arena, text.len + 1, 1);
    if (!made || !lw_cel_charge_work(run, text.len / 16))
        return lw_cel_over(run);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        made[i] = c >= low && c <= high ? (char)(c ^ 0x20) : c;
    }
    return lw_cel_of_text(lw_str_make(made, text.len));
}

lw_cel_value lw_cel_fn_lower(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return turn_case(run, args[0].text, 'A', 'Z');
}

lw_cel_value lw_cel_fn_upper(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    return turn_case(run, args[0].text, 'a', 'z');
}

lw_cel_value lw_cel_fn_substring(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str text = args[0].text;
    size_t begin = byte_of(text, args[1].integer);
    size_t end = count > 2 ? byte_of(text, args[2].integer) : text.len;
    (void)lw_cel_charge_work(run, text.len / 16);
    if (begin == SIZE_MAX)
        return out_of_range(run, args[1].integer);
    if (end == SIZE_MAX)
        return out_of_range(run, args[2].integer);
    if (begin > end)
        return lw_cel_fail(run, "invalid substring range. start: %lld, end: %lld",
                           (long long)args[1].integer, (long long)args[2].integer);
    return lw_cel_of_text(lw_str_make(text.ptr + begin, end - begin));
}

/* Returns the length of the whitespace character at the beginning (or end) of |text|; 0: none. */
static size_t blank_at(lw_str text, bool at_end)
{
    static const char *const blanks[] = {
        " ",        "\t",     "\n",     "\v",     "\f",     "\r",     "\xc2\x85",
        "\xc2\xa0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
        "\u2005",   "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
        "\u2029",   "\u202f", "\u205f", "\u3000",
    };
    for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++) {
        lw_str blank = lw_str_of(blanks[i]);
        if (at_end ? lw_str_ends_with(text, blank) : lw_str_starts_with(text, blank))
            return blank.len;
    }
    return 0;
}

lw_cel_value lw_cel_fn_trim(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str text = args[0].text;
    (void)count;
    for (size_t len; (len = blank_at(text, false)) > 0 && lw_cel_charge_work(run, 1);)
        text = lw_str_skip(text, len);
    for (size_t len; (len = blank_at(text, true)) > 0 && lw_cel_charge_work(run, 1);)
        text.len -= len;
    return lw_cel_of_text(text);
}
