/* SPDX-License-Identifier: Apache-2.0 */
/* path.c -- JSON Pointers: their syntax, and looking them up in a text. */
#include "json/path.h"

#include <stdint.h>

#include "base/str.h"
#include "json/cursor.h"
#include "json/text.h"

lw_status lw_json_path_check(lw_str pointer)
{
    if (pointer.len > 0 && pointer.ptr[0] != '/')
        return LW_ERR_INVALID;
    while (pointer.len > 0) {
        const char *tilde = memchr(pointer.ptr, '~', pointer.len);
        if (!tilde)
            break;
        pointer = lw_str_skip(pointer, (size_t)(tilde - pointer.ptr) + 1);
        if (pointer.len == 0 || (pointer.ptr[0] != '0' && pointer.ptr[0] != '1'))
            return LW_ERR_INVALID;
    }
    return LW_OK;
}

bool lw_json_path_next(lw_str *rest, lw_str *segment)
{
    if (rest->len == 0)
        return false;
    lw_str s = lw_str_skip(*rest, rest->ptr[0] == '/');
    const char *slash = s.len ? memchr(s.ptr, '/', s.len) : NULL;
    size_t len = slash ? (size_t)(slash - s.ptr) : s.len;
    *segment = lw_str_make(s.ptr, len);
    *rest = lw_str_skip(s, len);
    return true;
}

/* Takes one decoded byte off the non-empty |*segment|. */
static char next_byte(lw_str *segment)
{
    char c = segment->ptr[0];
    size_t used = 1;
    if (c == '~' && segment->len > 1 && (segment->ptr[1] == '0' || segment->ptr[1] == '1')) {
        c = segment->ptr[1] == '1' ? '/' : '~';
        used = 2;
    }
    *segment = lw_str_skip(*segment, used);
    return c;
}

void lw_json_path_append_decoded(lw_buf *buf, lw_str segment)
{
    while (segment.len > 0) {
        const char *tilde = memchr(segment.ptr, '~', segment.len);
        size_t run = tilde ? (size_t)(tilde - segment.ptr) : segment.len;
        lw_buf_append(buf, segment.ptr, run);
        segment = lw_str_skip(segment, run);
        if (segment.len > 0)
            lw_buf_append_char(buf, next_byte(&segment));
    }
}

bool lw_json_path_index(lw_str segment, size_t *index)
{
    uint64_t value;
    if (segment.len > 1 && segment.ptr[0] == '0')
        return false;
    if (!lw_str_to_uint64(segment, &value) || value > SIZE_MAX)
        return false;
    *index = (size_t)value;
    return true;
}

/* True when the JSON key |raw| and the pointer's |segment| decode to the same name. */
static bool key_matches(lw_str raw, lw_str segment)
{
    char small[4];
    lw_str piece;
    while (lw_json_text_next(&raw, small, &piece)) {
        for (size_t i = 0; i < piece.len; i++) {
            if (segment.len == 0 || next_byte(&segment) != piece.ptr[i])
                return false;
        }
    }
    return segment.len == 0;
}

/* Moves from the object under the cursor to its member |segment|, the last of that name. */
static bool enter_member(lw_json_cursor *c, lw_str segment)
{
    if (segment.len == 0 || !memchr(segment.ptr, '~', segment.len))
        return lw_json_cursor_find_member(c, segment);
    lw_json_cursor walk = *c;
    bool is_found = false;
    lw_str raw_key;
    lw_json_cursor_enter(&walk);
    while (lw_json_cursor_next_member(&walk, &raw_key)) {
        if (key_matches(raw_key, segment)) {
            *c = walk;
            is_found = true;
        }
        (void)lw_json_cursor_skip(&walk);
    }
    return is_found;
}

/* Moves from the array under the cursor to its element |segment|. */
static bool enter_element(lw_json_cursor *c, lw_str segment)
{
    size_t index;
    if (!lw_json_path_index(segment, &index))
        return false;
    lw_json_cursor_enter(c);
    while (lw_json_cursor_next_element(c)) {
        if (index-- == 0)
            return true;
        (void)lw_json_cursor_skip(c);
    }
    return false;
}

static bool enter(lw_json_cursor *c, lw_str segment)
{
    switch (lw_json_cursor_type(c)) {
    case LW_JSON_OBJECT: return enter_member(c, segment);
    case LW_JSON_ARRAY: return enter_element(c, segment);
    default: return false;
    }
}

lw_status lw_json_path_find(lw_str json, lw_str pointer, lw_str *value)
{
    if (lw_json_path_check(pointer) < 0)
        return LW_ERR_INVALID;
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_str segment;
    while (lw_json_path_next(&pointer, &segment)) {
        if (!enter(&c, segment))
            return LW_ERR_NOT_FOUND;
    }
    *value = lw_json_cursor_skip(&c);
    return LW_OK;
}
