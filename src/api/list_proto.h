/* SPDX-License-Identifier: Apache-2.0 */
/* list_proto.h -- a list as protobuf, item by item.
 *
 * The length of the whole stands at the beginning, so the items are measured first and written
 * then; what it costs in memory is one item.
 *
 *     init ──▶ measure each object ──▶ begin ──▶ item for each, in the same order ──▶ end */
#ifndef LW_API_LIST_PROTO_H
#define LW_API_LIST_PROTO_H

#include "api/list_writer.h"
#include "schema/type.h"

typedef struct lw_list_proto {
    const lw_type *type; /* of an item; NULL: there is none, and init has failed */
    lw_str api_version;  /* of the list; of PartialObjectMetadataList, or in |version| */
    lw_str kind;
    bool is_partial;
    uint64_t size;   /* of the message, as far as it is measured */
    lw_buf version;  /* apiVersion of the kind */
    lw_buf metadata; /* the list's, as a field of the message */
    lw_buf scratch;  /* the item at hand */
    lw_buf json;     /* the partial item at hand */
    lw_status st;    /* the first failure */
} lw_list_proto;

/* A list of |kind|, or of the metadata alone in |meta_version| with LW_MEDIA_PARTIAL_LIST.
 * LW_ERR_NOMEM; LW_ERR_UNSUPPORTED: there is no such form.  Call lw_list_proto_done in any case. */
lw_status lw_list_proto_init(lw_list_proto *list, const lw_kind *kind, lw_media_as as,
                             lw_str meta_version, const lw_list_metadata *metadata);
void lw_list_proto_done(lw_list_proto *list);

/* Failures stick: see list->st.  LW_ERR_INVALID: an object has no such form. */
void lw_list_proto_measure(lw_list_proto *list, const lw_object *obj);
void lw_list_proto_begin(lw_list_proto *list, lw_buf *out);
void lw_list_proto_item(lw_list_proto *list, const lw_object *obj, lw_buf *out);
void lw_list_proto_end(lw_list_proto *list, lw_buf *out);

#endif
