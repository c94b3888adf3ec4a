/* SPDX-License-Identifier: Apache-2.0 */
/* object_iter.c -- walks the arrays and objects inside an object.
 *
 * The position is a cursor on the JSON of the object, which was validated when the object was
 * made. */
#include <listwatch/object_iter.h>

#include "base/str.h"
#include "object/object_kept.h"
#include "json/cursor.h"
#include "json/path.h"
#include "json/text.h"

/* Returns an iterator on |json|, a value inside |obj|. */
static lw_iter iter_on(const lw_object *obj, lw_str json)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    lw_json_type type = lw_json_cursor_type(&c);
    lw_iter iter = { .object = obj };
    if (type != LW_JSON_ARRAY && type != LW_JSON_OBJECT)
        return iter;
    lw_json_cursor_enter(&c);
    iter.at = c.at;
    iter.end = c.end;
    iter.close = type == LW_JSON_ARRAY ? ']' : '}';
    return iter;
}

lw_iter lw_object_iter(const lw_object *obj, const char *pointer)
{
    lw_str json;
    if (lw_object_raw(obj, pointer, &json) < 0)
        json = LW_STR("null");
    return iter_on(obj, json);
}

/* Reads the key at the cursor; a key with escapes is decoded and attached to the object. */
static lw_str read_key(const lw_object *obj, lw_json_cursor *c)
{
    const char *quote = c->at;
    bool is_escaped;
    lw_str key = lw_json_cursor_text(c, &is_escaped);
    if (is_escaped)
        (void)lw_object__decode(obj, lw_str_make(quote, (size_t)(c->at - quote)), &key);
    lw_json_cursor_skip_blanks(c);
    if (c->at < c->end && *c->at == ':')
        c->at++;
    return key;
}

bool lw_iter_next(lw_iter *iter)
{
    lw_json_cursor c = { iter->at, iter->end };
    if (iter->close == '\0')
        return false;
    bool has_more = lw_json_cursor_next(&c, iter->close);
    if (has_more) {
        iter->key = iter->close == '}' ? read_key(iter->object, &c) : LW_STR("");
        iter->json = lw_json_cursor_skip(&c);
        iter->index += iter->is_started ? 1 : 0;
        iter->is_started = true;
    } else {
        iter->close = '\0';
        iter->key = iter->json = LW_STR("");
    }
    iter->at = c.at;
    return has_more;
}

lw_status lw_iter_raw(const lw_iter *iter, const char *pointer, lw_str *out)
{
    if (iter->json.len == 0)
        return LW_ERR_NOT_FOUND;
    return lw_json_path_find(iter->json, lw_str_of(pointer), out);
}

lw_iter lw_iter_enter(const lw_iter *iter, const char *pointer)
{
    lw_str json;
    if (lw_iter_raw(iter, pointer, &json) < 0)
        json = LW_STR("null");
    return iter_on(iter->object, json);
}

const char *lw_iter_string(const lw_iter *iter, const char *pointer, const char *fallback)
{
    lw_str value, text;
    if (lw_iter_raw(iter, pointer, &value) < 0 || value.ptr[0] != '"' ||
        lw_object__decode(iter->object, value, &text) < 0)
        return fallback;
    return text.ptr;
}

int64_t lw_iter_int(const lw_iter *iter, const char *pointer, int64_t fallback)
{
    lw_str value;
    return lw_iter_raw(iter, pointer, &value) < 0 ? fallback : lw_object__int_or(value, fallback);
}

bool lw_iter_bool(const lw_iter *iter, const char *pointer, bool fallback)
{
    lw_str value;
    return lw_iter_raw(iter, pointer, &value) < 0 ? fallback : lw_object__bool_or(value, fallback);
}
