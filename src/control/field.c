/* SPDX-License-Identifier: Apache-2.0 */
/* field.c -- looks at the JSON text itself. */
#include "field.h"

#include <stdio.h>
#include <string.h>

#include "moment.h"

enum {
    CONDITIONS_MAX = 64, /* that are looked through */
    POINTER_SIZE = 64,
};

bool lw_field_exists(const lw_object *obj, const char *pointer)
{
    lw_str raw;
    return lw_object_raw(obj, pointer, &raw) == LW_OK && !lw_str_equal(raw, lw_str_of("null"));
}

/* The text between the quotes, where there are no escapes in it. */
static bool plain_text(const lw_object *obj, const char *pointer, lw_str *text)
{
    lw_str raw;
    if (lw_object_raw(obj, pointer, &raw) < 0 || raw.len < 2 || raw.ptr[0] != '"')
        return false;
    *text = lw_str_make(raw.ptr + 1, raw.len - 2);
    return text->len == 0 || !memchr(text->ptr, '\\', text->len);
}

bool lw_field_is(const lw_object *obj, const char *pointer, const char *text)
{
    lw_str found;
    return plain_text(obj, pointer, &found) && lw_str_equal(found, lw_str_of(text));
}

void lw_field_copy(const lw_object *obj, const char *pointer, char *dst, size_t size)
{
    lw_str found = { NULL, 0 };
    if (!plain_text(obj, pointer, &found))
        found.len = 0;
    (void)snprintf(dst, size, "%.*s", (int)found.len, found.len > 0 ? found.ptr : "");
}

bool lw_field_moment(const lw_object *obj, const char *pointer, int64_t *wall_ns)
{
    char text[LW_MOMENT_SIZE];
    lw_field_copy(obj, pointer, text, sizeof(text));
    return lw_moment_parse(text, wall_ns);
}

int lw_field_condition(const lw_object *obj, const char *type)
{
    char pointer[POINTER_SIZE];
    lw_str raw;
    for (int i = 0; i < CONDITIONS_MAX; i++) {
        (void)snprintf(pointer, sizeof(pointer), "/status/conditions/%d/type", i);
        if (lw_object_raw(obj, pointer, &raw) < 0)
            return -1;
        if (lw_field_is(obj, pointer, type))
            return i;
    }
    return -1;
}
