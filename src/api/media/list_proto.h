/* SPDX-License-Identifier: Apache-2.0 */
/* list_proto.h -- encodes a list as protobuf, item by item.
 *
 * The length of the message comes first, so the items are measured before they are written.  An
 * item is part of the encoding cached with its object (object_form.h), as long as the budget allows
 * it; otherwise it is encoded twice, and needs memory for one item only.
 *
 *     init ──▶ measure each object ──▶ begin ──▶ item or take for each, in the same order ──▶
 * end */
#ifndef LW_API_MEDIA_LIST_PROTO_H
#define LW_API_MEDIA_LIST_PROTO_H

#include "api/media/form_maker.h"
#include "api/media/list_writer.h"
#include "base/buf.h"
#include "object/form_budget.h"
#include "schema/types/type.h"

typedef struct lw_list_proto {
    const lw_type *type; /* type of an item; NULL: there is none, and init has failed */
    const lw_kind *of;
    lw_form_budget *budget; /* for cached encodings; outlives the list */
    lw_str api_version;     /* of the list; of PartialObjectMetadataList, or a view of |version| */
    lw_str kind;
    bool is_partial;
    size_t offered;       /* objects that had no encoding */
    lw_form_maker *maker; /* for them; NULL: they were few so far, or there was no memory */
    uint64_t size;        /* bytes of the message, as far as measured */
    lw_buf version;       /* apiVersion of the kind */
    lw_buf metadata;      /* metadata of the list, as a field of the message */
    lw_buf scratch;       /* the current item */
    lw_buf json;          /* the current partial item */
    lw_status st;         /* the first failure */
} lw_list_proto;

/* Initialises a list of |kind|, or of its metadata in |meta_version| with LW_MEDIA_PARTIAL_LIST.
 * LW_ERR_NOMEM; LW_ERR_UNSUPPORTED: there is no protobuf form.  Call lw_list_proto_done in any
 * case. */
lw_status lw_list_proto_init(lw_list_proto *list, const lw_kind *kind, lw_media_as as,
                             lw_str meta_version, const lw_api_list_metadata *metadata,
                             lw_form_budget *budget);
void lw_list_proto_done(lw_list_proto *list);

/* Write the beginning, an item, and the end.  The first failure is kept in list->st.
 * LW_ERR_INVALID: an object has no protobuf form. */
void lw_list_proto_begin(lw_list_proto *list, lw_buf *out);
void lw_list_proto_item(lw_list_proto *list, const lw_object *obj, lw_buf *out);
void lw_list_proto_end(lw_list_proto *list, lw_buf *out);

/* Returns true if the items are encodings cached with their objects, as that of |obj|. */
bool lw_list_proto_keeps(const lw_list_proto *list, const lw_object *obj);

/* Adds the size of an item, and caches its encoding if the budget allows it.  Returns true if it
 * had to be encoded. */
bool lw_list_proto_measure(lw_list_proto *list, const lw_object *obj);

/* Returns an item as a piece to send, using the cached encoding if there is one.  Takes the
 * reference in |*slot| and sets it to NULL.  After a failure the piece is empty. */
lw_bytes lw_list_proto_take(lw_list_proto *list, lw_object **slot);

/* Writes the complete list, from measuring to the end.  Returns list->st. */
lw_status lw_list_proto_whole(lw_list_proto *list, lw_object *const *objects, size_t count,
                              lw_buf *out);

#endif
