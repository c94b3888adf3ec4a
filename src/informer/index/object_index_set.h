/* SPDX-License-Identifier: Apache-2.0 */
/* object_index_set.h -- the objects with one value in one index: an array whose members know their
 * index in it, so that removing one takes O(1). */
#ifndef LW_INFORMER_INDEX_OBJECT_INDEX_SET_H
#define LW_INFORMER_INDEX_OBJECT_INDEX_SET_H

#include "informer/index/object_index.h"

extern const lw_map_type lw_object_index_sets_by_value;

/* Returns the set of |value| in the table |at|; creates an empty one if there is none.
 * LW_ERR_NOMEM. */
lw_status lw_object_index_set_find_or_make(lw_object_index *index, size_t at, lw_str value,
                                           lw_object_index_set **out);

/* Reserves space for one more member. LW_ERR_NOMEM. */
lw_status lw_object_index_set_reserve(lw_object_index *index, lw_object_index_set *set);

/* Adds the object of items[item] to the reserved space, and records it as membership |slot| of the
 * item. */
void lw_object_index_set_add(lw_object_index *index, lw_object_index_set *set, uint32_t item,
                             uint32_t slot);

/* Removes the member at |place|; the set may be empty afterwards. */
void lw_object_index_set_remove(lw_object_index *index, lw_object_index_set *set, uint32_t place);

/* Frees |set| if it is empty. */
void lw_object_index_set_drop_if_empty(lw_object_index *index, lw_object_index_set *set);
void lw_object_index_set_free(lw_object_index_set *set);

/* Returns the memberships of |item|. */
static inline lw_object_index_membership *lw_object_index_memberships(lw_object_index_item *item)
{
    return item->count == 1 ? &item->in.one : item->in.many;
}

#endif
