/* SPDX-License-Identifier: Apache-2.0 */
/* replacement.h -- the whole state of a resource, collected while a list arrives.
 *
 * Objects by key, in the order of arrival.  If a key arrives again, it keeps its position and gets
 * the later object.  One thread at a time. */
#ifndef LW_INFORMER_INDEX_REPLACEMENT_H
#define LW_INFORMER_INDEX_REPLACEMENT_H

#include <listwatch/object.h>

#include "informer/index/object_index.h"

typedef struct lw_replacement lw_replacement;

lw_status lw_replacement_new(lw_replacement **out);
void lw_replacement_free(lw_replacement *replacement); /* NULL does nothing */

/* Takes its own reference.  LW_ERR_NOMEM, LW_ERR_LIMIT (LW_OBJECT_LIST_MAX_COUNT): nothing changed.
 */
lw_status lw_replacement_put(lw_replacement *replacement, const lw_object *obj);
/* Puts |kept|, another form of |obj|. */
lw_status lw_replacement_put_as(lw_replacement *replacement, const lw_object *obj,
                                const lw_object *kept);
/* With an index, the last object moves to the position of this one. */
void lw_replacement_remove(lw_replacement *replacement, lw_key key);
lw_object *lw_replacement_get(const lw_replacement *replacement, lw_key key); /* borrowed */
size_t lw_replacement_count(const lw_replacement *replacement);

/* Closes the gaps of removed objects and frees the memory of the keys. Afterwards nothing may be
 * put, removed or looked up by key. Never fails. */
void lw_replacement_finish(lw_replacement *replacement);

/* Collects the objects in |index|, which is empty, so that it is complete when the list is.  Only
 * if lw_replacement_can_take_index: before the first object. */
void lw_replacement_set_index_take(lw_replacement *replacement, lw_object_index *index);
bool lw_replacement_can_take_index(const lw_replacement *replacement);

/* Takes the index after the end; |*out| is NULL if there is none.  The objects stay here as well.
 * LW_ERR_NOMEM: nothing changed. */
LW_MUST_CHECK lw_status lw_replacement_take_index(lw_replacement *replacement,
                                                  lw_object_index **out);

/* Return the objects in the order of arrival, after the end; borrowed. */
const lw_object *lw_replacement_at(const lw_replacement *replacement, size_t index);
const lw_object *const *lw_replacement_objects(const lw_replacement *replacement);

#endif
