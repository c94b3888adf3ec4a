/* SPDX-License-Identifier: Apache-2.0 */
/* value.c -- reads single values from valid JSON. */
#include "schema/printers/value.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/path.h"
#include "json/text.h"

lw_str lw_value_at(lw_str json, const char *pointer)
{
    lw_str value = json;
    if (json.len == 0 ||
        (pointer[0] != '\0' && lw_json_path_find(json, lw_str_of(pointer), &value) < 0) ||
        lw_str_equal(value, LW_STR("null")))
        return LW_STR("");
    return value;
}

void lw_value_pick_members(lw_str json, const lw_value_pick *picks, size_t count)
{
    lw_str raw_key, value;
    for (size_t i = 0; i < count; i++)
        *picks[i].value = LW_STR("");
    /* Of duplicate members the last one counts, as in lw_json_path_find. */
    for (lw_value_walk walk = lw_value_members(json, "");
         lw_value_next_member(&walk, &raw_key, &value);) {
        for (size_t i = 0; i < count; i++) {
            if (lw_json_text_equal(raw_key, picks[i].key))
                *picks[i].value = lw_value_at(value, "");
        }
    }
}

static bool is_string(lw_str value)
{
    return value.len >= 2 && value.ptr[0] == '"';
}

/* Returns the content of a string, not unescaped; empty for other values. */
static lw_str raw_text(lw_str value)
{
    return is_string(value) ? lw_str_make(value.ptr + 1, value.len - 2) : LW_STR("");
}

bool lw_value_is(lw_str json, const char *pointer, lw_str text)
{
    lw_str value = lw_value_at(json, pointer);
    return is_string(value) && lw_json_text_equal(raw_text(value), text);
}

bool lw_value_append(lw_str json, const char *pointer, lw_buf *out)
{
    lw_str value = lw_value_at(json, pointer);
    if (value.len == 0 || value.ptr[0] == '{' || value.ptr[0] == '[')
        return false;
    if (!is_string(value)) {
        lw_buf_append_str(out, value);
        return true;
    }
    lw_json_append_unescaped(out, raw_text(value));
    return value.len > 2;
}

int64_t lw_value_int(lw_str json, const char *pointer, int64_t fallback)
{
    lw_str value = lw_value_at(json, pointer);
    int64_t number;
    if (!lw_json_is_number(value) || !lw_json_number_to_int64(value, &number))
        return fallback;
    return number;
}

bool lw_value_bool(lw_str json, const char *pointer, bool fallback)
{
    lw_str value = lw_value_at(json, pointer);
    if (lw_str_equal(value, LW_STR("true")))
        return true;
    return lw_str_equal(value, LW_STR("false")) ? false : fallback;
}

bool lw_value_time(lw_str json, const char *pointer, lw_time *out)
{
    static const int64_t go_zero_s = INT64_C(-62135596800); /* 0001-01-01T00:00:00Z */
    lw_time time;
    if (!lw_time_parse(raw_text(lw_value_at(json, pointer)), &time) ||
        (time.s == go_zero_s && time.ns == 0))
        return false;
    *out = time;
    return true;
}

static lw_value_walk walk_over(lw_str json, const char *pointer, char opening)
{
    lw_value_walk walk = { .is_inside = false };
    lw_str value = lw_value_at(json, pointer);
    if (value.len > 0 && value.ptr[0] == opening) {
        walk.at = lw_json_cursor_on(value);
        lw_json_cursor_enter(&walk.at);
        walk.is_inside = true;
    }
    return walk;
}

lw_value_walk lw_value_elements(lw_str json, const char *pointer)
{
    return walk_over(json, pointer, '[');
}

bool lw_value_next_element(lw_value_walk *walk, lw_str *element)
{
    walk->is_inside = walk->is_inside && lw_json_cursor_next_element(&walk->at);
    if (walk->is_inside)
        *element = lw_json_cursor_skip(&walk->at);
    return walk->is_inside;
}

lw_value_walk lw_value_members(lw_str json, const char *pointer)
{
    return walk_over(json, pointer, '{');
}

bool lw_value_next_member(lw_value_walk *walk, lw_str *raw_key, lw_str *value)
{
    walk->is_inside = walk->is_inside && lw_json_cursor_next_member(&walk->at, raw_key);
    if (walk->is_inside)
        *value = lw_json_cursor_skip(&walk->at);
    return walk->is_inside;
}

size_t lw_value_count(lw_str json, const char *pointer)
{
    size_t count = 0;
    lw_str key, value;
    for (lw_value_walk walk = lw_value_elements(json, pointer);
         lw_value_next_element(&walk, &value);)
        count++;
    for (lw_value_walk walk = lw_value_members(json, pointer);
         lw_value_next_member(&walk, &key, &value);)
        count++;
    return count;
}

static int compare_pairs(const void *a, const void *b)
{
    return lw_str_compare(((const lw_value_pair *)a)->raw_key, ((const lw_value_pair *)b)->raw_key);
}

lw_status lw_value_sorted(lw_str json, const char *pointer, lw_value_pair **out, size_t *count)
{
    lw_value_pair *pairs = NULL;
    size_t used = 0, room = lw_value_count(lw_value_at(json, pointer), "");
    if (room > LW_VALUE_PAIRS_MAX)
        room = LW_VALUE_PAIRS_MAX;
    if (room > 0) {
        pairs = lw_alloc_zero(room, sizeof(*pairs));
        if (!pairs)
            return LW_ERR_NOMEM;
        lw_value_walk walk = lw_value_members(json, pointer);
        while (used < room && lw_value_next_member(&walk, &pairs[used].raw_key, &pairs[used].value))
            used++;
        qsort(pairs, used, sizeof(*pairs), compare_pairs);
    }
    *out = pairs;
    *count = used;
    return LW_OK;
}
