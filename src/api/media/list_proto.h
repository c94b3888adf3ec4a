/* SPDX-License-Identifier: Apache-2.0 */
/* list_proto.h -- a list as protobuf, item by item.
 *
 * The length of the whole stands at the beginning, so the items are measured first and written
 * then.  An item is a part of the form that is kept with its object (object_form.h), as long as
 * there is room for forms; else it is made twice, and what it costs in memory is one item.
 *
 *     init ──▶ measure each object ──▶ begin ──▶ item or take for each, in the same order ──▶ end
 */
#ifndef LW_API_MEDIA_LIST_PROTO_H
#define LW_API_MEDIA_LIST_PROTO_H

#include "api/media/list_writer.h"
#include "base/bytes.h"
#include "object/form_budget.h"
#include "schema/types/type.h"

typedef struct lw_list_proto {
    const lw_type *type; /* of an item; NULL: there is none, and init has failed */
    const lw_kind *of;
    lw_form_budget *budget; /* for the forms that are kept; outlives the list */
    lw_str api_version;     /* of the list; of PartialObjectMetadataList, or in |version| */
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
                             lw_str meta_version, const lw_api_list_metadata *metadata,
                             lw_form_budget *budget);
void lw_list_proto_done(lw_list_proto *list);

/* Failures stick: see list->st.  LW_ERR_INVALID: an object has no such form. */
void lw_list_proto_begin(lw_list_proto *list, lw_buf *out);
void lw_list_proto_item(lw_list_proto *list, const lw_object *obj, lw_buf *out);
void lw_list_proto_end(lw_list_proto *list, lw_buf *out);

/* Adds the size of an item, and keeps its form if there is room.  True: it had to be made. */
bool lw_list_proto_measure(lw_list_proto *list, const lw_object *obj);

/* An item as a piece to send, with the bytes that are kept if there are any.  Takes the reference
 * in |*slot|, and leaves NULL.  After a failure the piece is empty. */
lw_bytes lw_list_proto_take(lw_list_proto *list, lw_object **slot);

/* All of it at once: from measuring to the end.  LW_OK, or list->st. */
lw_status lw_list_proto_whole(lw_list_proto *list, lw_object *const *objects, size_t count,
                              lw_buf *out);

#endif
