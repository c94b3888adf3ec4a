/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c -- reads fields of objects as views into their JSON. */
#include "runtime/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    POINTER_SIZE = 512,    /* maximum length of a pointer; a longer one finds nothing */
    SELECTOR_SIZE = 16384, /* maximum size of a map of labels */
};

static lw_str unless_null(lw_str raw)
{
    return lw_str_equal(raw, lw_str_of("null")) ? lw_str_make("", 0) : raw;
}

/* Formats |*pointer| into |room| unless there is nothing to format, and finds what is there. */
static lw_str find(const lw_object *obj, char room[POINTER_SIZE], const char **pointer,
                   va_list args)
{
    lw_str raw = lw_str_make("", 0);
    if (strchr(*pointer, '%')) {
        int len = vsnprintf(room, POINTER_SIZE, *pointer, args);
        if (len < 0 || len >= POINTER_SIZE)
            return raw;
        *pointer = room;
    }
    return lw_object_raw(obj, *pointer, &raw) < 0 ? lw_str_make("", 0) : unless_null(raw);
}

/* Removes the quotes.  False: there are escapes, and the string must be decoded. */
static bool unquote(lw_str raw, lw_str *text)
{
    bool is_string = raw.len >= 2 && raw.ptr[0] == '"';
    *text = is_string ? lw_str_make(raw.ptr + 1, raw.len - 2) : lw_str_make("", 0);
    return !memchr(text->ptr, '\\', text->len);
}

/* A string with escapes is decoded and cached in the object. */
static lw_str unquoted(const lw_object *obj, const char *pointer, lw_str raw)
{
    lw_str text;
    if (unquote(raw, &text))
        return text;
    return lw_object_get_string(obj, pointer, &text) < 0 ? lw_str_make("", 0) : text;
}

lw_str lw_read_raw(const lw_object *obj, const char *pointer, ...)
{
    char room[POINTER_SIZE];
    va_list args;
    va_start(args, pointer);
    lw_str raw = find(obj, room, &pointer, args);
    va_end(args);
    return raw;
}

lw_str lw_read_text(const lw_object *obj, const char *pointer, ...)
{
    char room[POINTER_SIZE];
    va_list args;
    va_start(args, pointer);
    lw_str raw = find(obj, room, &pointer, args);
    va_end(args);
    return unquoted(obj, pointer, raw);
}

bool lw_read_has(const lw_object *obj, const char *pointer, ...)
{
    char room[POINTER_SIZE];
    va_list args;
    va_start(args, pointer);
    lw_str raw = find(obj, room, &pointer, args);
    va_end(args);
    return raw.len > 0;
}

/* The amount, a string or a number; zero if there is none or it is negative. */
static lw_quantity amount_of(lw_str raw)
{
    static const lw_quantity none = { 0, LW_QUANTITY_DECIMAL };
    lw_quantity amount;
    if (raw.len >= 2 && raw.ptr[0] == '"')
        raw = lw_str_make(raw.ptr + 1, raw.len - 2);
    return lw_quantity_parse(raw, &amount) && amount.nanos > 0 ? amount : none;
}

static lw_quantity amount_at(const lw_object *obj, const char *pointer, va_list args)
{
    char room[POINTER_SIZE];
    return amount_of(find(obj, room, &pointer, args));
}

int64_t lw_read_units(const lw_object *obj, const char *pointer, ...)
{
    va_list args;
    va_start(args, pointer);
    lw_quantity amount = amount_at(obj, pointer, args);
    va_end(args);
    return lw_quantity_units(amount);
}

int64_t lw_read_milli(const lw_object *obj, const char *pointer, ...)
{
    va_list args;
    va_start(args, pointer);
    lw_quantity amount = amount_at(obj, pointer, args);
    va_end(args);
    return lw_quantity_milli(amount);
}

bool lw_read_timestamp(const lw_object *obj, int64_t *wall_ns, const char *pointer, ...)
{
    char room[POINTER_SIZE];
    va_list args;
    va_start(args, pointer);
    lw_str raw = find(obj, room, &pointer, args);
    va_end(args);
    return lw_time_parse_ns(unquoted(obj, pointer, raw), wall_ns);
}

lw_str lw_item_raw(const lw_iter *item, const char *pointer)
{
    lw_str raw = item->json;
    if (pointer[0] == '\0') /* no search */
        return unless_null(raw);
    return lw_iter_raw(item, pointer, &raw) < 0 ? lw_str_make("", 0) : unless_null(raw);
}

lw_str lw_item_text(const lw_iter *item, const char *pointer)
{
    lw_str text;
    if (unquote(lw_item_raw(item, pointer), &text))
        return text;
    return lw_str_of(lw_iter_string(item, pointer, ""));
}

int64_t lw_item_units(const lw_iter *item, const char *pointer)
{
    return lw_quantity_units(amount_of(lw_item_raw(item, pointer)));
}

int64_t lw_item_milli(const lw_iter *item, const char *pointer)
{
    return lw_quantity_milli(amount_of(lw_item_raw(item, pointer)));
}

lw_str lw_read_condition(const lw_object *obj, const char *type, size_t *at)
{
    lw_iter condition = lw_object_iter(obj, "/status/conditions");
    while (lw_iter_next(&condition)) {
        if (!lw_text_is(lw_item_text(&condition, "/type"), type))
            continue;
        if (at)
            *at = condition.index;
        return lw_item_text(&condition, "/status");
    }
    return lw_str_make("", 0);
}

lw_status lw_read_map_selector(const lw_object *obj, const char *pointer, lw_label_selector **out)
{
    char text[SELECTOR_SIZE];
    lw_str raw = lw_read_raw(obj, "%s", pointer);
    if (raw.len == 0)
        return LW_ERR_NOT_FOUND;
    int len = snprintf(text, sizeof(text), "{\"matchLabels\":%.*s}", (int)raw.len, raw.ptr);
    if (len < 0 || len >= (int)sizeof(text))
        return LW_ERR_LIMIT;
    return lw_label_selector_from_json(out, lw_str_make(text, (size_t)len), NULL);
}

void lw_text_copy(lw_str text, char *dst, size_t size)
{
    size_t len = text.len < size ? text.len : size - 1;
    memcpy(dst, text.ptr, len);
    dst[len] = '\0';
}

bool lw_text_is(lw_str text, const char *word)
{
    return lw_str_equal(text, lw_str_of(word));
}
