/* SPDX-License-Identifier: Apache-2.0 */
/* object_field.c -- reads any field of an object by JSON Pointer.
 *
 * Strings are decoded once and attached to the object until it is freed (object_kept.h). */
#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "object/object_kept.h"
#include "object/object_message.h"
#include "json/cursor.h"
#include "json/path.h"
#include "json/text.h"

/* Removes |part| from |*pointer|, if that is its first segment. */
static bool enter_part(lw_str *pointer, lw_str part)
{
    if (!lw_str_starts_with(*pointer, part))
        return false;
    lw_str rest = lw_str_skip(*pointer, part.len);
    if (rest.len > 0 && rest.ptr[0] != '/')
        return false;
    *pointer = rest;
    return true;
}

lw_status lw_object_raw(const lw_object *obj, const char *pointer, lw_str *out)
{
    lw_str rest = lw_str_of(pointer);
    if (obj->is_message)
        return lw_object__message_raw(obj, rest, out);
    /* Most pointers begin with /spec or /metadata, whose positions are known: only that part is
     * searched. */
    if (obj->spec_at > 0 && enter_part(&rest, LW_STR("/spec")))
        return lw_json_path_find(lw_str_skip(lw_object_json(obj), obj->spec_at), rest, out);
    if (obj->metadata_at > 0 && enter_part(&rest, LW_STR("/metadata")))
        return lw_json_path_find(lw_str_skip(lw_object_json(obj), obj->metadata_at - 1), rest, out);
    return lw_json_path_find(lw_object_json(obj), rest, out);
}

lw_status lw_object_get_string(const lw_object *obj, const char *pointer, lw_str *out)
{
    lw_str value;
    if (obj->is_message)
        return lw_object__message_string(obj, lw_str_of(pointer), out);
    lw_status st = lw_object_raw(obj, pointer, &value);
    if (st < 0)
        return st;
    if (value.ptr[0] != '"')
        return LW_ERR_INVALID;
    return lw_object__decode(obj, value, out);
}

lw_status lw_object__use_string(const lw_object *obj, const char *pointer,
                                void (*use)(void *arg, lw_str text), void *arg)
{
    lw_str value;
    if (obj->is_message)
        return lw_object__message_use(obj, lw_str_of(pointer), use, arg);
    lw_status st = lw_object_raw(obj, pointer, &value);
    if (st < 0)
        return st;
    if (value.len < 2 || value.ptr[0] != '"')
        return LW_ERR_INVALID;
    if (memchr(value.ptr, '\\', value.len))
        st = lw_object__decode(obj, value, &value);
    else
        value = lw_str_make(value.ptr + 1, value.len - 2);
    if (st == LW_OK)
        use(arg, value);
    return st;
}

const char *lw_object_string(const lw_object *obj, const char *pointer, const char *fallback)
{
    lw_str text;
    return lw_object_get_string(obj, pointer, &text) < 0 ? fallback : text.ptr;
}

int64_t lw_object__int_or(lw_str value, int64_t fallback)
{
    int64_t number;
    return lw_json_is_number(value) && lw_json_number_to_int64(value, &number) ? number : fallback;
}

bool lw_object__bool_or(lw_str value, bool fallback)
{
    if (lw_str_equal(value, LW_STR("true")))
        return true;
    return lw_str_equal(value, LW_STR("false")) ? false : fallback;
}

int64_t lw_object_int(const lw_object *obj, const char *pointer, int64_t fallback)
{
    lw_str value;
    if (obj->is_message)
        return lw_object__message_int(obj, lw_str_of(pointer), fallback);
    return lw_object_raw(obj, pointer, &value) < 0 ? fallback : lw_object__int_or(value, fallback);
}

bool lw_object_bool(const lw_object *obj, const char *pointer, bool fallback)
{
    lw_str value;
    if (obj->is_message)
        return lw_object__message_bool(obj, lw_str_of(pointer), fallback);
    return lw_object_raw(obj, pointer, &value) < 0 ? fallback : lw_object__bool_or(value, fallback);
}

bool lw_object__enter_metadata(const lw_object *obj, lw_json_cursor *c)
{
    assert(!obj->is_message); /* for the server, whose objects are JSON */
    *c = lw_json_cursor_on(lw_str_skip(lw_object_json(obj), obj->metadata_at));
    return obj->metadata_at > 0;
}

const char *lw_object_annotation(const lw_object *obj, const char *key)
{
    if (obj->is_message)
        return lw_object__message_annotation(obj, lw_str_of(key));
    lw_str json = lw_object_json(obj), text;
    if (obj->metadata_at == 0)
        return NULL;
    /* Not by pointer: the key would need escaping, and the position of metadata is known. */
    lw_json_cursor at = lw_json_cursor_on(lw_str_skip(json, obj->metadata_at - 1));
    if (!lw_json_cursor_find_member(&at, LW_STR("annotations")) ||
        !lw_json_cursor_find_member(&at, lw_str_of(key)) ||
        lw_json_cursor_type(&at) != LW_JSON_STRING)
        return NULL;
    return lw_object__decode(obj, lw_json_cursor_skip(&at), &text) < 0 ? NULL : text.ptr;
}
