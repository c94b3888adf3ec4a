/* SPDX-License-Identifier: Apache-2.0 */
/* message_maker.h -- makes objects from messages, one after the other. */
#ifndef LW_SCHEMA_MESSAGE_MESSAGE_MAKER_H
#define LW_SCHEMA_MESSAGE_MESSAGE_MAKER_H

#include <listwatch/label.h>
#include <listwatch/object.h>
#include <listwatch/read_options.h>

#include "base/buf.h"
#include "object/object_spare.h"
#include "schema/message/message_known.h"
#include "schema/proto/proto.h"

typedef struct lw_message_maker {
    bool keeps_managed_fields, trusts_input;
    size_t max_object; /* bytes of one message after dropping */
    lw_label *labels;  /* of the current object */
    size_t label_room;
    lw_buf metadata;          /* its metadata, if it has to be put together */
    uint64_t checked;         /* objects */
    lw_known_messages *known; /* NULL: none yet */
    lw_object_spare spare;    /* for users that release its objects with lw_object__spare_unref */
} lw_message_maker;

/* Initializes a maker; |read| must not have paths. */
void lw_message_maker_init(lw_message_maker *maker, const lw_read_options *read);
void lw_message_maker_done(lw_message_maker *maker);

/* Returns the most bytes that one message may have before dropping. */
size_t lw_message_maker_wire_max(const lw_message_maker *maker);

/* Returns the type of the objects of a kind; NULL: unknown, or its objects have no metadata. */
const lw_type *lw_message_type(lw_str api_version, lw_str kind);

/* Makes an object from |document|, whose names are those of its list unless |is_typed|.  Errors as
 * lw_message_object. */
LW_MUST_CHECK lw_status lw_message_make(lw_message_maker *maker, const lw_type *type,
                                        const lw_proto_document *document, bool is_typed,
                                        lw_object **out, lw_error *err);

#endif
