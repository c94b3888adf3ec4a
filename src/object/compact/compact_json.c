/* SPDX-License-Identifier: Apache-2.0 */
/* compact_json.c -- reads packed JSON like a message, so that only what is asked for is kept. */
#include <string.h>

#include "base/str.h"
#include "object/compact/compact_internal.h"
#include "json/cursor.h"
#include "json/path.h"

static lw_status append_all(const void *type, lw_str api_version, lw_str kind, lw_str message,
                            lw_buf *out)
{
    (void)type;
    (void)api_version;
    (void)kind;
    lw_buf_append_str(out, message);
    return out->st;
}

/* Finds the value of the dotted |field|. */
static bool find_dotted(lw_str message, lw_str field, lw_str *out)
{
    lw_json_cursor at = lw_json_cursor_on(message);
    bool more = true;
    while (more) {
        lw_str segment;
        more = lw_str_cut(field, '.', &segment, &field);
        if (!lw_json_cursor_find_member(&at, segment))
            return false;
    }
    *out = lw_json_cursor_skip(&at);
    return true;
}

static lw_status find(const void *type, lw_str message, lw_str path, char separator,
                      lw_message_value *value)
{
    lw_str json;
    (void)type;
    lw_status st = separator == '/' ? lw_json_path_find(message, path, &json) : LW_OK;
    if (separator != '/' && !find_dotted(message, path, &json))
        st = LW_ERR_NOT_FOUND;
    if (st < 0)
        return st;
    *value = (lw_message_value){ .form = LW_MESSAGE_OTHER, .text = json };
    value->at = (uint32_t)(json.ptr - message.ptr) + 1;
    if (json.ptr[0] == '"' && json.len >= 2 && !memchr(json.ptr, '\\', json.len)) {
        value->form = LW_MESSAGE_STRING;
        value->text = lw_str_make(json.ptr + 1, json.len - 2);
    } else if (json.ptr[0] == 'n') {
        value->form = LW_MESSAGE_NULL;
    } else if (json.ptr[0] == 't' || json.ptr[0] == 'f') {
        value->form = LW_MESSAGE_BOOL;
        value->number = json.ptr[0] == 't';
    }
    return LW_OK;
}

static lw_status write(const lw_message_value *value, lw_buf *out)
{
    bool is_string = value->form == LW_MESSAGE_STRING;
    if (is_string)
        lw_buf_append_char(out, '"');
    lw_buf_append_str(out, value->text);
    if (is_string)
        lw_buf_append_char(out, '"');
    return out->st;
}

const lw_message_ops lw_compact__json_ops = { .json = append_all, .find = find, .write = write };
