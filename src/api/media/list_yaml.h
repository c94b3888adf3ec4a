/* SPDX-License-Identifier: Apache-2.0 */
/* list_yaml.h -- writes a list as YAML, item by item: the same bytes as the whole list converted at
 * once, without holding the whole list. */
#ifndef LW_API_MEDIA_LIST_YAML_H
#define LW_API_MEDIA_LIST_YAML_H

#include "api/media/list_pieces.h"

/* Initialises |list| and appends everything before the first item to |out|.  |form| must outlive
 * it. LW_ERR_NOMEM, LW_ERR_LIMIT.  Call lw_list_pieces_done in any case. */
lw_status lw_list_yaml_init(lw_list_pieces *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out);

/* Appends one item; failures are in list->st and out->st.  lw_list_pieces_end appends the rest. */
void lw_list_yaml_item(lw_list_pieces *list, const lw_object *obj, lw_buf *out);

/* Appends |json|, one document, as YAML, with the keys sorted, as Go writes them.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_media_append_yaml(lw_str json, lw_buf *out);

#endif
