/* SPDX-License-Identifier: Apache-2.0 */
/* element_index.h -- maps a value to its first position in a list.  The value is the element
 * itself, or the merge key of a map.  The hash is seeded, so that no client can choose values that
 * collide. */
#ifndef LW_SCHEMA_STRATEGICPATCH_ELEMENT_INDEX_H
#define LW_SCHEMA_STRATEGICPATCH_ELEMENT_INDEX_H

#include "base/map.h"
#include "json/tree.h"

#define LW_NO_POSITION SIZE_MAX

typedef struct lw_element_entry {
    const lw_node *value;
    size_t position;
} lw_element_entry;

typedef struct lw_element_index {
    lw_map map;
    lw_element_entry *entries; /* |cap| entries; the map contains the first of each value */
    size_t cap;
} lw_element_index;

/* Initializes an empty index of at most |cap| values.  LW_ERR_NOMEM. */
lw_status lw_element_index_init(lw_element_index *index, lw_hash_seed seed, size_t cap);

/* Initializes an index of the first |count| elements of |list| by |key| (empty: by the elements
 * themselves).  Elements without the key are skipped.  LW_ERR_NOMEM; call index_done in any
 * case. */
lw_status lw_element_index_of(lw_element_index *index, lw_hash_seed seed, const lw_node *list,
                              size_t count, lw_str key);

void lw_element_index_done(lw_element_index *index);

/* Adds |value| at |position|, unless it is present or NULL.  |value| must outlive the index. */
lw_status lw_element_index_add(lw_element_index *index, const lw_node *value, size_t position);

/* Returns the position of |value|, or LW_NO_POSITION. */
size_t lw_element_index_find(const lw_element_index *index, const lw_node *value);

/* Returns the identity of |element|: its |key| if there is one, else itself; NULL: it lacks the
 * key. */
const lw_node *lw_element_value(const lw_node *element, lw_str key);

#endif
