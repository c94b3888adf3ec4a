/* SPDX-License-Identifier: Apache-2.0 */
/* strings_split.c -- splits, joins, replaces and quotes strings. */
#include "base/str.h"
#include "cel/functions.h"

/* Returns the length of the character at the beginning of |text|, which is not empty. */
static size_t rune_len(lw_str text)
{
    size_t len = 1;
    while (len < text.len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
        len++;
    return len;
}

/* The empty string matches before every character, and at the end. */
static void replace_empty(lw_cel_run *run, lw_str text, lw_str by, int64_t times, lw_buf *out)
{
    for (; times != 0 && lw_cel_charge_work(run, 1 + by.len / 16); times--) {
        lw_buf_append_str(out, by);
        if (text.len == 0)
            return;
        size_t len = rune_len(text);
        lw_buf_append(out, text.ptr, len);
        text = lw_str_skip(text, len);
    }
    lw_buf_append_str(out, text);
}

lw_cel_value lw_cel_fn_replace(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str text = args[0].text, part = args[1].text, by = args[2].text;
    int64_t times = count > 3 ? args[3].integer : -1;
    size_t at = 0;
    lw_buf out;
    lw_buf_init(&out, LW_CEL_VALUES_MAX);
    if (part.len == 0) {
        replace_empty(run, text, by, times, &out);
        return lw_cel_take_buf(run, &out);
    }
    for (; times != 0 && lw_cel_charge_work(run, 1 + by.len / 16); times--) {
        size_t found = lw_cel_text_find(text, part, at);
        if (found == SIZE_MAX)
            break;
        lw_buf_append(&out, text.ptr + at, found - at);
        lw_buf_append_str(&out, by);
        at = found + part.len;
    }
    lw_buf_append_str(&out, lw_str_skip(text, at));
    return lw_cel_take_buf(run, &out);
}

/* Returns the number of pieces, at most |most|. */
static size_t count_pieces(lw_str text, lw_str separator, uint64_t most)
{
    size_t pieces = 1, at = 0;
    if (separator.len == 0) {
        lw_cel_value value = lw_cel_of_text(text);
        pieces = lw_cel_size(&value);
        return pieces < most ? pieces : (size_t)most;
    }
    while (pieces < most && (at = lw_cel_text_find(text, separator, at)) != SIZE_MAX) {
        at += separator.len;
        pieces++;
    }
    return pieces;
}

lw_cel_value lw_cel_fn_split(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str rest = args[0].text, separator = args[1].text;
    int64_t most = count > 2 ? args[2].integer : -1;
    size_t pieces = most == 0 ? 0 : count_pieces(rest, separator, (uint64_t)most);
    lw_cel_value *items = lw_arena_take_zero(&run->arena, pieces + 1, sizeof(*items));
    if (!items || !lw_cel_charge_work(run, pieces + rest.len / 16))
        return lw_cel_over(run);
    for (size_t i = 0; i < pieces; i++) {
        size_t end = rest.len, skip = 0;
        if (i + 1 < pieces) {
            end = separator.len == 0 ? rune_len(rest) : lw_cel_text_find(rest, separator, 0);
            skip = separator.len;
        }
        items[i] = lw_cel_of_text(lw_str_make(rest.ptr, end));
        rest = lw_str_skip(rest, end + skip);
    }
    return lw_cel_of_list(items, pieces);
}

lw_cel_value lw_cel_fn_join(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_str separator = count > 1 ? args[1].text : LW_STR("");
    lw_buf out;
    lw_buf_init(&out, LW_CEL_VALUES_MAX);
    for (size_t i = 0; i < lw_cel_size(&args[0]) && lw_cel_charge_work(run, 1); i++) {
        lw_cel_value item = lw_cel_item(run, &args[0], i);
        if (item.kind != LW_CEL_STRING) {
            lw_buf_done(&out);
            return lw_cel_no_overload(run);
        }
        if (i > 0)
            lw_buf_append_str(&out, separator);
        lw_buf_append_str(&out, item.text);
    }
    return lw_cel_take_buf(run, &out);
}

lw_cel_value lw_cel_fn_quote(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    static const char plain[] = "\a\b\f\n\r\t\v\\\"", letters[] = "abfnrtv\\\"";
    lw_str text = args[0].text;
    lw_buf out;
    (void)count;
    lw_buf_init(&out, LW_CEL_VALUES_MAX);
    lw_buf_append_char(&out, '"');
    for (size_t i = 0; i < text.len; i++) {
        const char *at = text.ptr[i] ? strchr(plain, text.ptr[i]) : NULL;
        if (at)
            lw_buf_append_char(&out, '\\');
        lw_buf_append_char(&out, at ? letters[at - plain] : text.ptr[i]);
    }
    lw_buf_append_char(&out, '"');
    return lw_cel_take_buf(run, &out);
}
