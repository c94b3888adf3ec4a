/* SPDX-License-Identifier: Apache-2.0 */
/* store_line.c -- one object as a line of an export. */
#include "server/offline/store_line.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "store/store.h"
#include "json/cursor.h"
#include "json/scan.h"
#include "json/text.h"

/* Raw newlines may be between the tokens of a JSON text; they must not be in a line. */
static bool fits_in_line(lw_str value)
{
    return lw_json_validate(value, 0, NULL) == LW_OK && !memchr(value.ptr, '\n', value.len);
}

void lw_store_line_append(lw_buf *out, lw_str key, lw_str value)
{
    lw_buf_append_text(out, "{\"key\":");
    lw_json_append_quoted(out, key);
    if (fits_in_line(value)) {
        lw_buf_append_text(out, ",\"value\":");
        lw_buf_append_str(out, value);
        lw_buf_append_char(out, '}');
    } else {
        lw_buf_append_text(out, ",\"base64\":\"");
        lw_base64_encode(out, value);
        lw_buf_append_text(out, "\"}");
    }
}

static lw_status not_a_line(const char *what, lw_error *err)
{
    return lw_error_set(err, LW_ERR_INVALID,
                        "%s; a line must be {\"key\":\"/...\",\"value\":{...}}", what);
}

static lw_status take_member(lw_json_cursor *c, lw_str name, lw_buf *key, lw_buf *value,
                             lw_error *err)
{
    bool is_string = lw_json_cursor_type(c) == LW_JSON_STRING;
    if (lw_json_text_equal(name, LW_STR("key")) && is_string && key->len == 0)
        lw_json_append_unescaped(key, lw_json_cursor_string(c));
    else if (lw_json_text_equal(name, LW_STR("value")) && value->len == 0 &&
             lw_json_cursor_type(c) == LW_JSON_OBJECT)
        lw_buf_append_str(value, lw_json_cursor_skip(c));
    else if (lw_json_text_equal(name, LW_STR("base64")) && is_string && value->len == 0) {
        if (!lw_base64_decode(value, lw_json_cursor_string(c)) && value->st == LW_OK)
            return not_a_line("\"base64\" is not base64", err);
    } else
        return not_a_line("unknown, repeated or mistyped member", err);
    return LW_OK;
}

lw_status lw_store_line_parse(lw_str line, lw_buf *key, lw_buf *value, lw_error *err)
{
    lw_status st = lw_json_validate(line, 0, err);
    if (st < 0)
        return st;
    lw_json_cursor c = lw_json_cursor_on(line);
    if (lw_json_cursor_type(&c) != LW_JSON_OBJECT)
        return not_a_line("not an object", err);
    lw_json_cursor_enter(&c);
    for (lw_str name; st == LW_OK && lw_json_cursor_next_member(&c, &name);)
        st = take_member(&c, name, key, value, err);
    if (st < 0)
        return st;
    if (key->st == LW_ERR_NOMEM || value->st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (key->st < 0 || value->st < 0)
        return lw_error_set(err, LW_ERR_LIMIT,
                            "the key or the value is too long; limits: %d and %d", LW_STORE_KEY_MAX,
                            LW_STORE_VALUE_MAX);
    if (key->len == 0 || key->data[0] != '/' || value->len == 0)
        return not_a_line("the key or the value is missing", err);
    return LW_OK;
}
