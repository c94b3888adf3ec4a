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

/* The definition of an index; lives as long as the indexer. */
typedef struct lw_object_index_definition {
    const char *name;
    lw_index_fn fn;
    void *arg;
} lw_object_index_definition;

enum {
    LW_INDEXES_MAX = 64,                  /* of one cache */
    LW_OBJECT_INDEX_VALUES_MAX = 1 << 16, /* of one object, in all indexes together */
};

/* The objects with one value in one index. A set is never empty. */
typedef struct lw_object_index_set lw_object_index_set;

/* One object in one set. */
typedef struct lw_object_index_member {
    lw_object *object; /* borrowed from |places| */
    uint32_t item;     /* its place in |places| and |items| */
    uint32_t slot;     /* index of the membership of the item */
} lw_object_index_member;

/* The same relation from the item to the set. */
typedef struct lw_object_index_membership {
    lw_object_index_set *set;
    uint32_t place; /* in the members of |set| */
} lw_object_index_membership;

struct lw_object_index_set {
    lw_str value; /* the bytes follow the struct */
    size_t table; /* which index */
    lw_object_index_member *members;
    uint32_t count, capacity;
    uint64_t mark; /* of the last object that got this value; see gather */
};

/* The data of the writer about an object. Most objects have one membership, the namespace, which is
 * stored in place. */
typedef struct lw_object_index_item {
    union {
        lw_object_index_membership one;
        lw_object_index_membership *many;
    } in;
    uint32_t count; /* memberships */
    uint32_t bytes; /* size of the object when it was added */
} lw_object_index_item;

typedef struct lw_object_index_table {
    const lw_object_index_definition *definition;
    lw_map sets; /* lw_object_index_set by value */
} lw_object_index_table;

typedef struct lw_object_index {
    lw_object_places places; /* without gaps */
    lw_ref refs;
    /* Parallel to places.objects, so that the memory that lookups read is small. */
    lw_object_index_item *items;
    size_t item_capacity;
    lw_object_index_table tables[LW_INDEXES_MAX];
    size_t table_count;
    uint64_t mark;
    lw_object_index_set **values; /* of the object being put, see gather */
    size_t value_count, value_capacity;
    uint64_t object_bytes, own_bytes;
} lw_object_index;

/* Makes an empty one with |count| (<= LW_INDEXES_MAX) indexes. LW_ERR_NOMEM. */
lw_status lw_object_index_new(lw_object_index **out,
                              const lw_object_index_definition *const *definitions, size_t count);
lw_object_index *lw_object_index_ref(lw_object_index *index);
void lw_object_index_unref(lw_object_index *index); /* NULL does nothing */

/* Stores |obj| and takes a reference; |*old| is the previous object, which the caller unrefs, or
 * NULL. LW_ERR_NOMEM, LW_ERR_LIMIT: nothing changed. */
lw_status lw_object_index_put(lw_object_index *index, const lw_object *obj, lw_object **old);

/* As lw_object_index_put, but stores |kept|, another form of |obj| whose values are expensive to
 * find. */
lw_status lw_object_index_put_as(lw_object_index *index, const lw_object *obj,
                                 const lw_object *kept, lw_object **old);

/* Replaces the object at |place| with |obj|, which has the same key and values, and takes a
 * reference; the caller unrefs the previous one.  Never fails. */
void lw_object_index_exchange(lw_object_index *index, size_t place, const lw_object *obj);

/* Removes the object of |key| and returns it; the caller unrefs it. NULL: there is none. */
lw_object *lw_object_index_remove(lw_object_index *index, lw_key key);

/* Borrowed; NULL: there is none. */
lw_object *lw_object_index_get(const lw_object_index *index, lw_key key);

/* Return the index |name|, and the objects with |value| in it; NULL: there is none. */
const lw_object_index_table *lw_object_index_find_table(const lw_object_index *index, lw_str name);
const lw_object_index_set *lw_object_index_find_set(const lw_object_index_table *table,
                                                    lw_str value);

/* Returns the memory of the objects and of the index, in bytes. */
size_t lw_object_index_bytes(const lw_object_index *index);

/* Returns true if items, places, sets and memberships are consistent; O(n), for tests. */
bool lw_object_index_check(const lw_object_index *index);

#endif
