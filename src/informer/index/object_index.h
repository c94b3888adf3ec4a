/* SPDX-License-Identifier: Apache-2.0 */
/* object_index.h -- objects by key and by the values of named indexes: the data of an indexer,
 * without its locks.
 *
 * Readers look at |places| and at the members of sets only; items are the writer's.  Threads: any
 * number of readers (const functions), or one writer. */
#ifndef LW_INFORMER_INDEX_OBJECT_INDEX_H
#define LW_INFORMER_INDEX_OBJECT_INDEX_H

#include <listwatch/informer.h>

#include "base/ref.h"
#include "informer/index/object_places.h"

/* What an index is; lives as long as the indexer. */
typedef struct lw_object_index_definition {
    const char *name;
    lw_index_fn fn;
    void *arg;
} lw_object_index_definition;

enum {
    LW_INDEXES_MAX = 64,                  /* of one cache */
    LW_OBJECT_INDEX_VALUES_MAX = 1 << 16, /* of one object, in all indexes together */
};

/* The objects that have one value under one index.  There is no empty one. */
typedef struct lw_object_index_set lw_object_index_set;

/* One object in one set. */
typedef struct lw_object_index_member {
    lw_object *object; /* borrowed from |places| */
    uint32_t item;     /* its place in |places| and |items| */
    uint32_t slot;     /* which of the item's memberships this is */
} lw_object_index_member;

/* The other way round. */
typedef struct lw_object_index_membership {
    lw_object_index_set *set;
    uint32_t place; /* in the members of |set| */
} lw_object_index_membership;

struct lw_object_index_set {
    lw_str value; /* the bytes follow the struct */
    size_t table; /* which index */
    lw_object_index_member *members;
    uint32_t count, capacity;
    uint64_t mark; /* of the last object that was given this value; see gather */
};

/* What the writer knows of an object.  Most have one membership, the namespace: that one needs no
 * block of its own. */
typedef struct lw_object_index_item {
    union {
        lw_object_index_membership one;
        lw_object_index_membership *many;
    } in;
    uint32_t count; /* memberships */
    uint32_t bytes; /* the object took when it came */
} lw_object_index_item;

typedef struct lw_object_index_table {
    const lw_object_index_definition *definition;
    lw_map sets; /* lw_object_index_set by value */
} lw_object_index_table;

typedef struct lw_object_index {
    lw_object_places places; /* without gaps */
    lw_ref refs;
    /* Beside places.objects: what lookups touch stays small. */
    lw_object_index_item *items;
    size_t item_capacity;
    lw_object_index_table tables[LW_INDEXES_MAX];
    size_t table_count;
    uint64_t mark;
    lw_object_index_set **values; /* of the object being put, see gather */
    size_t value_count, value_capacity;
    uint64_t object_bytes, own_bytes;
} lw_object_index;

/* An empty one with |count| (<= LW_INDEXES_MAX) indexes.  LW_ERR_NOMEM. */
lw_status lw_object_index_new(lw_object_index **out,
                              const lw_object_index_definition *const *definitions, size_t count);
lw_object_index *lw_object_index_ref(lw_object_index *index);
void lw_object_index_unref(lw_object_index *index); /* NULL does nothing */

/* Puts |obj|, of which it takes a reference; |*old| is the caller's to unref, or NULL.
 * LW_ERR_NOMEM, LW_ERR_LIMIT: nothing changed. */
lw_status lw_object_index_put(lw_object_index *index, const lw_object *obj, lw_object **old);

/* Takes out the object of |key| and returns it, to unref; NULL: there is none. */
lw_object *lw_object_index_remove(lw_object_index *index, lw_key key);

/* Borrowed; NULL: there is none. */
lw_object *lw_object_index_get(const lw_object_index *index, lw_key key);

/* The index |name|, or NULL; the objects with |value|, or NULL where there is none. */
const lw_object_index_table *lw_object_index_find_table(const lw_object_index *index, lw_str name);
const lw_object_index_set *lw_object_index_find_set(const lw_object_index_table *table,
                                                    lw_str value);

/* Bytes of the objects and of everything here. */
size_t lw_object_index_bytes(const lw_object_index *index);

/* True when items, places, sets and memberships agree; O(n), for tests. */
bool lw_object_index_check(const lw_object_index *index);

#endif
