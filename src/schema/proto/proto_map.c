/* SPDX-License-Identifier: Apache-2.0 */
/* proto_map.c -- sorted map entries.  Servers write maps sorted, and then no sorting is needed. */
#include "schema/proto/proto_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "json/text.h"

void lw_proto_map_init(lw_proto_map *map)
{
    map->entries = map->small;
    map->count = 0;
    map->room = LW_PROTO_MAP_SMALL;
    lw_buf_init(&map->keys, SIZE_MAX - 1);
}

void lw_proto_map_done(lw_proto_map *map)
{
    if (map->entries != map->small)
        lw_free(map->entries);
    lw_buf_done(&map->keys);
}

static lw_status grow(lw_proto_map *map)
{
    bool is_small = map->entries == map->small;
    lw_proto_map_entry *entries =
        lw_realloc_array(is_small ? NULL : map->entries, 2 * map->room, sizeof(*entries));
    if (!entries)
        return LW_ERR_NOMEM;
    if (is_small)
        memcpy(entries, map->small, sizeof(map->small));
    map->entries = entries;
    map->room *= 2;
    return LW_OK;
}

lw_status lw_proto_map_add(lw_proto_map *map, lw_str key, lw_str value)
{
    if (map->count == map->room && grow(map) < 0)
        return LW_ERR_NOMEM;
    map->entries[map->count++] = (lw_proto_map_entry){ key, value };
    return LW_OK;
}

/* Compares by key, then by position: all values are views into one text. */
static int compare_entries(const void *a, const void *b)
{
    const lw_proto_map_entry *x = a, *y = b;
    int order = lw_str_compare(x->key, y->key);
    return order ? order : (x->value.ptr > y->value.ptr) - (x->value.ptr < y->value.ptr);
}

void lw_proto_map_sort(lw_proto_map *map)
{
    size_t kept = 0;
    bool is_sorted = true;
    for (size_t i = 1; i < map->count && is_sorted; i++)
        is_sorted = lw_str_compare(map->entries[i - 1].key, map->entries[i].key) < 0;
    if (is_sorted)
        return;
    qsort(map->entries, map->count, sizeof(map->entries[0]), compare_entries);
    for (size_t i = 0; i < map->count; i++) {
        if (i + 1 == map->count || !lw_str_equal(map->entries[i].key, map->entries[i + 1].key))
            map->entries[kept++] = map->entries[i];
    }
    map->count = kept;
}

/* Decodes |raw|; the result is never longer.  Room for all keys is allocated at once so that views
 * of earlier keys stay valid.  A NULL pointer in the result: out of memory. */
static lw_str decode_key(lw_proto_map *map, lw_str raw, size_t most)
{
    if (raw.len == 0 || !memchr(raw.ptr, '\\', raw.len))
        return raw.ptr ? raw : LW_STR("");
    if (!map->keys.data && lw_buf_reserve(&map->keys, most) < 0)
        return lw_str_make(NULL, 0);
    size_t before = map->keys.len;
    lw_json_append_unescaped(&map->keys, raw);
    return lw_str_skip(lw_buf_view(&map->keys), before);
}

lw_status lw_proto_map_of_json(lw_proto_map *map, lw_json_cursor at)
{
    lw_json_cursor whole = at;
    size_t most = lw_json_cursor_skip(&whole).len;
    lw_str raw_key;
    lw_proto_map_init(map);
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_member(&at, &raw_key)) {
        lw_str key = decode_key(map, raw_key, most);
        lw_str value = lw_json_cursor_skip(&at);
        if (!key.ptr || lw_proto_map_add(map, key, value) < 0) {
            map->count = 0;
            return LW_ERR_NOMEM;
        }
    }
    lw_proto_map_sort(map);
    return LW_OK;
}
