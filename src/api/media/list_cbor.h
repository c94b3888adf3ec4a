/* SPDX-License-Identifier: Apache-2.0 */
/* list_cbor.h -- writes a list as CBOR, item by item; the items are in an array without a length.
 */
#ifndef LW_API_MEDIA_LIST_CBOR_H
#define LW_API_MEDIA_LIST_CBOR_H

#include "api/media/list_writer.h"

typedef struct lw_list_cbor {
    lw_list_writer writer; /* writes each item to |json| */
    lw_buf json;
    lw_buf after; /* what follows the last item */
    lw_status st; /* the first failure */
} lw_list_cbor;

/* Initialises the writer and appends everything before the first item to |out|.  |form| must
 * outlive the writer.  LW_ERR_NOMEM, LW_ERR_LIMIT.  Call lw_list_cbor_done in any case. */
lw_status lw_list_cbor_init(lw_list_cbor *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out);
void lw_list_cbor_done(lw_list_cbor *list);

/* Append one item, and everything after the last; failures are in list->st and out->st. */
void lw_list_cbor_item(lw_list_cbor *list, const lw_object *obj, lw_buf *out);
void lw_list_cbor_end(lw_list_cbor *list, lw_buf *out);

#endif
