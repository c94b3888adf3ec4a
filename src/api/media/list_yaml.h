/* SPDX-License-Identifier: Apache-2.0 */
/* list_yaml.h -- writes a list as YAML, item by item: the same bytes as the whole list converted at
 * once, without holding the whole list. */
#ifndef LW_API_MEDIA_LIST_YAML_H
#define LW_API_MEDIA_LIST_YAML_H

#include "api/media/list_writer.h"

typedef struct lw_list_yaml {
    lw_list_writer writer; /* writes each item to |json| */
    lw_buf json;
    lw_buf item;  /* the item as YAML */
    lw_buf after; /* what follows the last item */
    lw_status st; /* the first failure */
} lw_list_yaml;

/* Initialises the writer and appends everything before the first item to |out|.  |form| must
 * outlive the writer.  LW_ERR_NOMEM, LW_ERR_LIMIT.  Call lw_list_yaml_done in any case. */
lw_status lw_list_yaml_init(lw_list_yaml *list, const lw_kind *kind, lw_media_as as,
                            const lw_table_form *form, const lw_api_list_metadata *metadata,
                            lw_buf *out);
void lw_list_yaml_done(lw_list_yaml *list);

/* Append one item, and everything after the last; failures are in list->st and out->st. */
void lw_list_yaml_item(lw_list_yaml *list, const lw_object *obj, lw_buf *out);
void lw_list_yaml_end(lw_list_yaml *list, lw_buf *out);

/* Appends |json|, one document, as YAML, with the keys sorted, as Go writes them.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_media_append_yaml(lw_str json, lw_buf *out);

#endif
