/* SPDX-License-Identifier: Apache-2.0 */
/* list_pieces.h -- the JSON of a list in pieces, for formats that are converted from JSON: the list
 * without items, then one item at a time. */
#ifndef LW_API_MEDIA_LIST_PIECES_H
#define LW_API_MEDIA_LIST_PIECES_H

#include "api/media/list_writer.h"

enum {
    LW_LIST_ITEM_MAX = 64 * 1024 * 1024, /* bytes of one item */
    LW_LIST_FRAME_MAX = 1024 * 1024,     /* bytes of everything but the items */
};

typedef struct lw_list_pieces {
    lw_list_writer writer; /* writes each item to |json| */
    lw_buf json;
    lw_buf after; /* what follows the last item, in the other format */
    lw_status st; /* the first failure */
} lw_list_pieces;

/* Converts |empty|, the list without items: what is before the items to |out|, what is after them
 * to list->after.  LW_ERR_NOMEM, LW_ERR_LIMIT, LW_ERR_INTERNAL. */
typedef lw_status (*lw_list_convert_fn)(lw_list_pieces *list, lw_str empty, lw_buf *out);

/* Initialises the pieces and appends everything before the first item to |out|.  |form| must
 * outlive them.  Returns list->st, also that of |convert|.  Call lw_list_pieces_done in any case.
 */
lw_status lw_list_pieces_init(lw_list_pieces *list, const lw_kind *kind, lw_media_as as,
                              const lw_table_form *form, const lw_api_list_metadata *metadata,
                              lw_list_convert_fn convert, lw_buf *out);
void lw_list_pieces_done(lw_list_pieces *list);

/* Returns the JSON of an item, valid until the next call; empty: list->st says why not. */
lw_str lw_list_pieces_item(lw_list_pieces *list, const lw_object *obj);

/* Appends everything after the last item. */
void lw_list_pieces_end(lw_list_pieces *list, lw_buf *out);

#endif
