/* SPDX-License-Identifier: Apache-2.0 */
/* proto_writer.h -- the way from JSON to protobuf: its state, and the values that are neither
 * struct, list nor map.  For proto_write.c, which has the walk. */
#ifndef LW_SCHEMA_PROTO_PROTO_WRITER_H
#define LW_SCHEMA_PROTO_PROTO_WRITER_H

#include "base/buf.h"
#include "schema/types/type.h"
#include "json/cursor.h"

/* Bytes of |out| that are a field. */
typedef struct lw_proto_part {
    lw_member member;
    size_t from, to;
} lw_proto_part;

typedef struct lw_proto_writer {
    lw_buf *out;
    lw_str json;
    lw_proto_part *parts;
    size_t part_count, part_room;
    lw_buf moved;          /* a struct that is being put in order */
    lw_buf text;           /* the last string that was decoded */
    const lw_field *field; /* the one at hand, for messages */
    lw_status st;
    lw_error *err;
} lw_proto_writer;

/* Notes that the value under |at| is no |type|. */
void lw_proto_refuse(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);

/* What the JSON string |raw| says; good until the next one. */
lw_str lw_proto_decoded(lw_proto_writer *w, lw_str raw);

/* A field that is the string under the cursor. */
void lw_proto_write_string(lw_proto_writer *w, unsigned number, lw_json_cursor *at);

/* These append what stands behind the tag, or inside of the message, and step over the value; |at|
 * is NULL for zero.  False: the value is not of its type. */
bool lw_proto_put_plain(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);
bool lw_proto_put_special(lw_proto_writer *w, const lw_type *type, lw_json_cursor *at);
void lw_proto_put_raw(lw_proto_writer *w, lw_json_cursor *at);

#endif
