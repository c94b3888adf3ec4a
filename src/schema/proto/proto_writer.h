/* SPDX-License-Identifier: Apache-2.0 */
/* proto_writer.h -- the state of the JSON to protobuf encoder, and the encoding of values that are
 * not structs, lists or maps.  proto_write.c contains the walk along the type. */
#ifndef LW_SCHEMA_PROTO_PROTO_WRITER_H
#define LW_SCHEMA_PROTO_PROTO_WRITER_H

#include "base/buf.h"
#include "schema/proto/proto_field.h"
#include "schema/proto/proto_order.h"
#include "schema/proto/proto_value.h"
#include "schema/types/type.h"
#include "schema/types/type_table.h"
#include "json/cursor.h"

/* The time that was written last. */
typedef struct lw_proto_time {
    lw_str text; /* in the document; empty: none */
    bool is_micro;
    size_t len;
    char message[LW_PROTO_TIME_MAX + LW_PROTO_STRIDE];
} lw_proto_time;

typedef struct lw_proto_writer {
    lw_buf *out;
    lw_str json;
    lw_proto_parts parts;
    lw_buf text;           /* the string decoded last */
    const lw_field *field; /* the current field, for error messages */
    lw_proto_time time;
    lw_status st;
    lw_error *err;
} lw_proto_writer;

/* Records the error that the value at |at| (NULL: zero) is not a valid |type|. */
void lw_proto_refuse(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);

/* Decodes the JSON string |raw|.  The result is valid until the next call. */
lw_str lw_proto_decoded(lw_proto_writer *w, lw_str raw);

/* Appends the JSON string |raw| as |field|. */
void lw_proto_write_escaped(lw_proto_writer *w, const lw_wire_field *field, lw_str raw);

/* Appends the value at the cursor, before which there are no blanks, as |field|, a |type| or a list
 * of it, which is neither a string, a struct, an either, a list nor a map.  |at|: NULL for zero. */
void lw_proto_write_scalar(lw_proto_writer *w, const lw_wire_field *field, const lw_type *type,
                           lw_json_cursor *at);

/* Appends the true or false at the cursor.  False: it is neither, and nothing was appended. */
static inline bool lw_proto_write_bool(lw_buf *out, const lw_wire_field *field, lw_json_cursor *at)
{
    char first = at->at < at->end ? *at->at : 'n';
    ptrdiff_t len = (ptrdiff_t)(first == 't' ? sizeof("true") : sizeof("false")) - 1;
    if ((first != 't' && first != 'f') || at->end - at->at < len)
        return false;
    at->at += len;
    lw_proto_number(out, field, first == 't');
    return true;
}

#endif
