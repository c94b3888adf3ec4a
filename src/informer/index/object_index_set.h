/* SPDX-License-Identifier: Apache-2.0 */
/* object_index_set.h -- the objects that have one value under one index: an array in which each
 * member knows its place, so that one leaves in O(1). */
#ifndef LW_INFORMER_INDEX_OBJECT_INDEX_SET_H
#define LW_INFORMER_INDEX_OBJECT_INDEX_SET_H

#include "informer/index/object_index.h"

extern const lw_map_type lw_object_index_sets_by_value;

/* The set of |value| in the table |at|, a new empty one where there is none.  LW_ERR_NOMEM. */
lw_status lw_object_index_set_find_or_make(lw_object_index *index, size_t at, lw_str value,
                                           lw_object_index_set **out);

/* Room for one more member.  LW_ERR_NOMEM. */
lw_status lw_object_index_set_reserve(lw_object_index *index, lw_object_index_set *set);

/* Adds the object of items[item] where there is room, and notes it as its membership |slot|. */
void lw_object_index_set_add(lw_object_index *index, lw_object_index_set *set, uint32_t item,
                             uint32_t slot);

/* Takes out the member at |place|; the set may be empty then. */
void lw_object_index_set_remove(lw_object_index *index, lw_object_index_set *set, uint32_t place);

/* Frees |set| if nobody is in it. */
void lw_object_index_set_drop_if_empty(lw_object_index *index, lw_object_index_set *set);
void lw_object_index_set_free(lw_object_index_set *set);

/* The memberships of |item|. */
static inline lw_object_index_membership *lw_object_index_memberships(lw_object_index_item *item)
{
    return item->count == 1 ? &item->in.one : item->in.many;
}

#endif
