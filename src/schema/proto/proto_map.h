/* SPDX-License-Identifier: Apache-2.0 */
/* proto_map.h -- the entries of a map in the order of their keys, each key once: the last one. */
#ifndef LW_SCHEMA_PROTO_PROTO_MAP_H
#define LW_SCHEMA_PROTO_PROTO_MAP_H

#include "base/buf.h"
#include "json/cursor.h"

typedef struct lw_proto_map_entry {
    lw_str key;   /* decoded */
    lw_str value; /* JSON, or the entry's message */
} lw_proto_map_entry;

enum {
    LW_PROTO_MAP_SMALL = 8, /* entries for which no memory is needed */
};

typedef struct lw_proto_map {
    lw_proto_map_entry *entries;
    size_t count, room;
    lw_buf keys; /* those that were escaped */
    lw_proto_map_entry small[LW_PROTO_MAP_SMALL];
} lw_proto_map;

/* An empty one, for lw_proto_map_add.  It points into itself: it cannot be copied. */
void lw_proto_map_init(lw_proto_map *map);
void lw_proto_map_done(lw_proto_map *map);

/* Appends an entry; the views outlive the map.  LW_ERR_NOMEM. */
lw_status lw_proto_map_add(lw_proto_map *map, lw_str key, lw_str value);

/* Puts the entries in order. */
void lw_proto_map_sort(lw_proto_map *map);

/* The sorted members of the object under |at|, whose text outlives the map.  LW_ERR_NOMEM, with an
 * empty map.  Call lw_proto_map_done in any case. */
lw_status lw_proto_map_of_json(lw_proto_map *map, lw_json_cursor at);

#endif
