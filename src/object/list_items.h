/* SPDX-License-Identifier: Apache-2.0 */
/* list_items.h -- makes objects from the items of a list, which may have their type from the
 * list. */
#ifndef LW_OBJECT_LIST_ITEMS_H
#define LW_OBJECT_LIST_ITEMS_H

#include "object/object_list.h"

typedef struct lw_list_items {
    lw_list_metadata_copy metadata; /* of the current document, or of the last one */
    bool is_begun;                  /* an item of the current document was read */
} lw_list_items;

void lw_list_items__init(lw_list_items *items);
void lw_list_items__done(lw_list_items *items);

/* Makes an object from the next |item|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_list_items__next(lw_list_items *items, const lw_scan_item *item, lw_object **out,
                              lw_error *err);

/* Stores the metadata of the complete document.  LW_ERR_NOMEM. */
lw_status lw_list_items__end(lw_list_items *items, const lw_scan_envelope *envelope, lw_error *err);

/* Drops the current document. */
void lw_list_items__reset(lw_list_items *items);

#endif
