/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.h -- internal functions of lists, for readers: metadata, items, and lw_object_list.
 */
#ifndef LW_OBJECT_OBJECT_LIST_H
#define LW_OBJECT_OBJECT_LIST_H

#include <listwatch/object_list.h>

#include "object/object_spare.h"
#include "json/scan.h"

/* List metadata that owns its strings, all in one block. */
typedef struct lw_list_metadata_copy {
    lw_list_metadata view;
    char *block; /* NULL: all strings are "" */
} lw_list_metadata_copy;

void lw_list_metadata__init(lw_list_metadata_copy *copy);
void lw_list_metadata__done(lw_list_metadata_copy *copy);

/* Replace the content of |copy| with |metadata|, or with that of |envelope|.  LW_ERR_NOMEM. */
lw_status lw_list_metadata__set(lw_list_metadata_copy *copy, const lw_list_metadata *metadata);
lw_status lw_list_metadata__read(lw_list_metadata_copy *copy, const lw_scan_envelope *envelope);

/* Sets the metadata of |list| to a copy.  LW_ERR_NOMEM. */
lw_status lw_object_list__set_metadata(lw_object_list *list, const lw_list_metadata *metadata);

/* Appends |obj| and takes the reference, also on error. */
lw_status lw_object_list__append_take(lw_object_list *list, lw_object *obj);

/* Appends |obj| to the lw_object_list |list|: an lw_object_fn for readers. */
lw_status lw_object_list__collect(const lw_object *obj, void *list, lw_error *err);

/* The state of a reader that makes objects from the items of a list.  Items without a type get it
 * from the list. */
typedef struct lw_list_items {
    lw_list_metadata_copy metadata; /* of the current document, or of the last one */
    bool is_begun;                  /* an item of the current document was read */
} lw_list_items;

void lw_list_items__init(lw_list_items *items);
void lw_list_items__done(lw_list_items *items);

/* Makes an object from the next |item|; |spare| (object_spare.h) may be NULL.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_list_items__next(lw_list_items *items, const lw_scan_item *item,
                              lw_object_spare *spare, lw_object **out, lw_error *err);

/* Stores the metadata of the complete document.  LW_ERR_NOMEM. */
lw_status lw_list_items__end(lw_list_items *items, const lw_scan_envelope *envelope, lw_error *err);

/* Drops the current document. */
void lw_list_items__reset(lw_list_items *items);

#endif
