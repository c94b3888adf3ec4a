/* SPDX-License-Identifier: Apache-2.0 */
/* element_index.h -- where in a list a value stands first: the value itself, or of maps that of
 * their merge key.  Nobody can choose values that make it slow. */
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
    lw_element_entry *entries; /* |cap| of them; the map holds the first ones */
    size_t cap;
} lw_element_index;

/* An empty index of at most |cap| values.  LW_ERR_NOMEM. */
lw_status lw_element_index_init(lw_element_index *index, lw_hash_seed seed, size_t cap);

/* One of the first |count| elements of |list|, by |key| (empty: by themselves); elements without
 * the key are left out.  LW_ERR_NOMEM; index_done in any case. */
lw_status lw_element_index_of(lw_element_index *index, lw_hash_seed seed, const lw_node *list,
                              size_t count, lw_str key);

void lw_element_index_done(lw_element_index *index);

/* |value|, which outlives the index, stands at |position|, unless it is in already; NULL is left
 * out. */
lw_status lw_element_index_add(lw_element_index *index, const lw_node *value, size_t position);

/* Where |value| stands, or LW_NO_POSITION. */
size_t lw_element_index_find(const lw_element_index *index, const lw_node *value);

/* What tells |element| from others: itself, or its |key|; NULL: it has none. */
const lw_node *lw_element_value(const lw_node *element, lw_str key);

#endif
