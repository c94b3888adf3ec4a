/* SPDX-License-Identifier: Apache-2.0 */
/* proto_map.h -- the entries of a map, sorted by key.  Of duplicate keys the last entry is kept. */
#ifndef LW_SCHEMA_PROTO_PROTO_MAP_H
#define LW_SCHEMA_PROTO_PROTO_MAP_H

#include "base/buf.h"
#include "json/cursor.h"

typedef struct lw_proto_map_entry {
    lw_str key;   /* decoded */
    lw_str value; /* JSON, or the entry's message */
} lw_proto_map_entry;

enum {
    LW_PROTO_MAP_SMALL = 8, /* entries that need no allocation */
};

typedef struct lw_proto_map {
    lw_proto_map_entry *entries;
    size_t count, room;
    lw_buf keys; /* decoded keys that had escapes */
    lw_proto_map_entry small[LW_PROTO_MAP_SMALL];
} lw_proto_map;

/* Initializes an empty map.  It contains pointers to itself and must not be copied. */
void lw_proto_map_init(lw_proto_map *map);
void lw_proto_map_done(lw_proto_map *map);

/* Appends an entry.  Both views must outlive the map.  LW_ERR_NOMEM. */
lw_status lw_proto_map_add(lw_proto_map *map, lw_str key, lw_str value);

/* Sorts the entries and drops duplicates. */
void lw_proto_map_sort(lw_proto_map *map);

/* Initializes the map with the sorted members of the object at |at|, whose text must outlive the
 * map.  LW_ERR_NOMEM leaves the map empty.  Call lw_proto_map_done in any case. */
lw_status lw_proto_map_of_json(lw_proto_map *map, lw_json_cursor at);

#endif
