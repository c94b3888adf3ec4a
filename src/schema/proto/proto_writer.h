/* SPDX-License-Identifier: Apache-2.0 */
/* proto_writer.h -- the state of the JSON to protobuf encoder, and the encoding of values that are
 * not structs, lists or maps.  proto_write.c contains the walk along the type. */
#ifndef LW_SCHEMA_PROTO_PROTO_WRITER_H
#define LW_SCHEMA_PROTO_PROTO_WRITER_H

#include "base/buf.h"
#include "schema/types/type.h"
#include "json/cursor.h"

/* The range of bytes of |out| that contains a field. */
typedef struct lw_proto_part {
    lw_member member;
    size_t from, to;
} lw_proto_part;

typedef struct lw_proto_writer {
    lw_buf *out;
    lw_str json;
    lw_proto_part *parts;
    size_t part_count, part_room;
    lw_buf moved;          /* a struct whose fields are being sorted */
    lw_buf text;           /* the string decoded last */
    const lw_field *field; /* the current field, for error messages */
    lw_status st;
    lw_error *err;
} lw_proto_writer;

/* Records the error that the value at |at| is not a valid |type|. */
void lw_proto_refuse(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);

/* Decodes the JSON string |raw|.  The result is valid until the next call. */
lw_str lw_proto_decoded(lw_proto_writer *w, lw_str raw);

/* Appends the string at the cursor as a field. */
void lw_proto_write_string(lw_proto_writer *w, unsigned number, lw_json_cursor *at);

/* Append the bytes after the tag, or the contents of the message, and move the cursor past the
 * value.  |at| is NULL for zero.  False: the value is not of its type. */
bool lw_proto_put_plain(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);
bool lw_proto_put_special(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);
void lw_proto_put_raw(lw_proto_writer *w, lw_json_cursor *at);

#endif
