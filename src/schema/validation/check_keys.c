/* SPDX-License-Identifier: Apache-2.0 */
/* check_keys.c -- finds duplicate keys by sorting, because an object may have very many. */
#include "schema/validation/check_keys.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/text.h"

typedef struct key {
    lw_str raw; /* still escaped */
    size_t place;
} key;

/* Compares the decoded bytes. */
static int compare_raw(lw_str a, lw_str b)
{
    char small_a[4], small_b[4];
    lw_str part_a = { NULL, 0 }, part_b = { NULL, 0 };
    for (;;) {
        bool has_a = part_a.len > 0 || lw_json_text_next(&a, small_a, &part_a);
        bool has_b = part_b.len > 0 || lw_json_text_next(&b, small_b, &part_b);
        if (!has_a || !has_b)
            return (int)has_a - (int)has_b;
        size_t len = part_a.len < part_b.len ? part_a.len : part_b.len;
        int order = memcmp(part_a.ptr, part_b.ptr, len);
        if (order != 0)
            return order;
        part_a = lw_str_skip(part_a, len);
        part_b = lw_str_skip(part_b, len);
    }
}

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    int order = compare_raw(x->raw, y->raw);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static size_t count_members(lw_json_cursor at)
{
    size_t count = 0;
    lw_str raw;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_member(&at, &raw)) {
        (void)lw_json_cursor_skip(&at);
        count++;
    }
    return count;
}

/* |keys| must be sorted by key, then by position. */
static lw_status mark(const key *keys, size_t count, bool **again)
{
    bool *marks = NULL;
    for (size_t i = 1; i < count; i++) {
        if (compare_raw(keys[i - 1].raw, keys[i].raw) != 0)
            continue;
        if (!marks)
            marks = lw_alloc_zero(count, sizeof(*marks));
        if (!marks)
            return LW_ERR_NOMEM;
        marks[keys[i].place] = true;
    }
    *again = marks;
    return LW_OK;
}

lw_status lw_check_repeated_keys(lw_json_cursor at, bool **again)
{
    size_t count = count_members(at);
    if (count < 2) {
        *again = NULL;
        return LW_OK;
    }
    key *keys = lw_alloc_zero(count, sizeof(*keys));
    if (!keys)
        return LW_ERR_NOMEM;
    lw_json_cursor_enter(&at);
    for (size_t i = 0; lw_json_cursor_next_member(&at, &keys[i].raw); i++) {
        keys[i].place = i;
        (void)lw_json_cursor_skip(&at);
        if (i + 1 == count)
            break;
    }
    qsort(keys, count, sizeof(*keys), compare_keys);
    lw_status st = mark(keys, count, again);
    lw_free(keys);
    return st;
}
