/* SPDX-License-Identifier: Apache-2.0 */
/* replacement.h -- the whole state of a resource, collected while a list arrives.
 *
 * Objects by key, in the order of arrival.  If a key arrives again, it keeps its position and gets
 * the later object.  One thread at a time. */
#ifndef LW_INFORMER_INDEX_REPLACEMENT_H
#define LW_INFORMER_INDEX_REPLACEMENT_H

#include <listwatch/object.h>

typedef struct lw_replacement lw_replacement;

lw_status lw_replacement_new(lw_replacement **out);
void lw_replacement_free(lw_replacement *replacement); /* NULL does nothing */

/* Takes its own reference.  LW_ERR_NOMEM, LW_ERR_LIMIT (LW_OBJECT_LIST_MAX_COUNT): nothing changed.
 */
lw_status lw_replacement_put(lw_replacement *replacement, const lw_object *obj);
void lw_replacement_remove(lw_replacement *replacement, lw_key key);
lw_object *lw_replacement_get(const lw_replacement *replacement, lw_key key); /* borrowed */
size_t lw_replacement_count(const lw_replacement *replacement);

/* Closes the gaps of removed objects and frees the memory of the keys. Afterwards nothing may be
 * put, removed or looked up by key. Never fails. */
void lw_replacement_finish(lw_replacement *replacement);

/* Return the objects in the order of arrival, after that; borrowed. */
const lw_object *lw_replacement_at(const lw_replacement *replacement, size_t index);
const lw_object *const *lw_replacement_objects(const lw_replacement *replacement);

#endif
