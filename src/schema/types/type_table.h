/* SPDX-License-Identifier: Apache-2.0 */
/* type_table.h -- the types of built-in kinds, which tools/fields.py generates from
 * src/schema/fields/. */
#ifndef LW_SCHEMA_TYPES_TYPE_TABLE_H
#define LW_SCHEMA_TYPES_TYPE_TABLE_H

#include <stddef.h>

#include "schema/types/type.h"

typedef struct lw_type_kind {
    lw_gvk gvk;
    const lw_type *type;
} lw_type_kind;

/* Sorted by group, version and kind. */
extern const lw_type_kind lw_type_kinds[];
extern const size_t lw_type_kind_count;

/* The protobuf of the types once more, for a fast check of messages (schema/message): for each
 * field number its wire type and what to do with it.  The entry of a map is a message. */
typedef enum lw_wire_action {
    LW_WIRE_SLOW,       /* unknown, or too rare to be here */
    LW_WIRE_SKIP,       /* a number, string or bytes */
    LW_WIRE_ENTER,      /* a message, once */
    LW_WIRE_ENTER_EACH, /* a message of a list, or an entry of a map */
    LW_WIRE_TIME,
    LW_WIRE_QUANTITY,
    LW_WIRE_INT_OR_STRING,
} lw_wire_action;

enum {
    LW_WIRE_VARINT = 0, /* wire types */
    LW_WIRE_BYTES = 2,
};

typedef struct lw_wire_row {
    uint8_t wire;
    uint8_t action;   /* lw_wire_action */
    uint16_t entered; /* position of the message in lw_wire_spans */
} lw_wire_row;

/* The rows of a message; the first is that of field number 0. */
typedef struct lw_wire_span {
    uint16_t at, count;
} lw_wire_span;

extern const lw_wire_row *const lw_wire_rows;
extern const lw_wire_span *const lw_wire_spans;

/* All descriptions, each terminated by a zero byte; an empty one comes first. */
extern const char *const lw_type_texts;

#endif
