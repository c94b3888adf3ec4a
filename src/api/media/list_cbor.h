/* SPDX-License-Identifier: Apache-2.0 */
/* list_cbor.h -- writes a list as CBOR, item by item; the items are in an array without a length.
 */
#ifndef LW_API_MEDIA_LIST_CBOR_H
#define LW_API_MEDIA_LIST_CBOR_H

#include "api/media/list_pieces.h"

/* Initialises |list| and appends everything before the first item to |out|.  |form| must outlive
 * it. LW_ERR_NOMEM, LW_ERR_LIMIT.  Call lw_list_pieces_done in any case. */
lw_status lw_list_cbor_init(lw_list_pieces *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out);

/* Appends one item; failures are in list->st and out->st.  lw_list_pieces_end appends the rest. */
void lw_list_cbor_item(lw_list_pieces *list, const lw_object *obj, lw_buf *out);

#endif
