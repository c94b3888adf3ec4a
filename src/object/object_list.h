/* SPDX-License-Identifier: Apache-2.0 */
/* object_list.h -- what the readers need of a list: its metadata. */
#ifndef LW_OBJECT_OBJECT_LIST_H
#define LW_OBJECT_OBJECT_LIST_H

#include <listwatch/object_list.h>

#include "json/scan.h"

/* List metadata that owns its strings, all in one block. */
typedef struct lw_list_metadata_copy {
    lw_list_metadata view;
    char *block; /* NULL: nothing was said, all strings are "" */
} lw_list_metadata_copy;

void lw_list_metadata__init(lw_list_metadata_copy *copy);
void lw_list_metadata__done(lw_list_metadata_copy *copy);

/* Replaces what |copy| holds by |metadata|, or by what |envelope| says.  LW_ERR_NOMEM. */
lw_status lw_list_metadata__set(lw_list_metadata_copy *copy, const lw_list_metadata *metadata);
lw_status lw_list_metadata__read(lw_list_metadata_copy *copy, const lw_scan_envelope *envelope);

/* Gives |list| its own copy of |metadata|.  LW_ERR_NOMEM. */
lw_status lw_object_list__set_metadata(lw_object_list *list, const lw_list_metadata *metadata);

/* Adds |obj| and eats the reference, on error too. */
lw_status lw_object_list__append_take(lw_object_list *list, lw_object *obj);

/* Adds a reference to |obj| to the lw_object_list |list|: an lw_object_fn for the readers. */
lw_status lw_object_list__collect(const lw_object *obj, void *list, lw_error *err);

#endif
