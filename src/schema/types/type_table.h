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

extern const lw_type_kind lw_type_kinds[];
extern const size_t lw_type_kind_count;

/* A hash table of them, at most half full: 1 plus the position of each at the hash of its kind
 * (type.c), or after it; 0: free.  The shift is 64 minus the binary logarithm of its size. */
extern const uint16_t lw_type_kind_places[];
extern const uint8_t lw_type_kind_shift;

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

/* And once more, for writing them (schema/proto).  A field that an object does not have is not in
 * its message, or zero, or a message of such fields: its bytes are constants.  Those of all fields
 * of a struct follow each other, in the order of their numbers. */
enum {
    LW_WIRE_TAG_MAX = 2, /* bytes of a tag */
    LW_WIRE_SLACK = 16,  /* bytes that may be read after the zeros or signs of any struct */
};

typedef struct lw_wire_field {
    uint16_t zeros_begin, zeros_end;    /* its bytes if it is absent, in those of the struct */
    unsigned char tag[LW_WIRE_TAG_MAX]; /* of the field, or of each element of the list */
    uint8_t tag_len;                    /* 0: not in protobuf */
    uint8_t form;                       /* lw_type_form */
} lw_wire_field;

typedef struct lw_wire_message {
    uint32_t fields; /* positions: of its first field in lw_wire_fields, ... */
    uint32_t zeros;  /* ... and of the bytes of its fields, if they are absent, in lw_wire_zeros */
    uint32_t zeros_len;
} lw_wire_message;

extern const lw_wire_field *const lw_wire_fields;     /* as the fields of each struct */
extern const lw_wire_message *const lw_wire_messages; /* at the positions of lw_wire_spans */
extern const char *const lw_wire_zeros;

/* Returns a byte in which most names differ; |name| is not empty. */
static inline unsigned char lw_wire_sign(lw_str name)
{
    return (unsigned char)(name.len * 37 + (unsigned char)name.ptr[0] * 5u +
                           (unsigned char)name.ptr[name.len - 1]);
}

/* The signs of the names of fields, at the positions of lw_wire_fields.  An inline field has any.
 */
extern const unsigned char *const lw_wire_signs;

/* All descriptions, each terminated by a zero byte; an empty one comes first. */
extern const char *const lw_type_texts;

#endif
