/* SPDX-License-Identifier: Apache-2.0 */
/* proto_order.h -- sorts the fields of a struct whose members were not in the order of protobuf. */
#ifndef LW_SCHEMA_PROTO_PROTO_ORDER_H
#define LW_SCHEMA_PROTO_PROTO_ORDER_H

#include <stdint.h>

#include "base/buf.h"
#include "schema/types/type_table.h"

enum {
    LW_PROTO_KEY_BITS = 16, /* of a number in a key */
    LW_PROTO_KEY_TOP = 64 - LW_PROTO_KEY_BITS,
    LW_PROTO_PARTS_FEW = 64, /* parts that need no allocation */
};

/* Returns the key of the field |number| of a struct. */
static inline uint64_t lw_proto_key_of_number(unsigned number)
{
    return (uint64_t)number << LW_PROTO_KEY_TOP;
}

/* A field that was written.  The key sorts like the fields of protobuf: the number in the struct,
 * then, in a field of an inline struct, the number in that, and so on; 16 bits each. */
typedef struct lw_proto_part {
    uint64_t key;
    const lw_wire_field *field;
    size_t from, to; /* in the buffer */
} lw_proto_part;

/* The parts of all structs that are being written: those of a struct follow those of the struct
 * that contains it. */
typedef struct lw_proto_parts {
    lw_proto_part *items;
    size_t count, room;
    lw_buf moved; /* a struct whose fields are being sorted */
    lw_proto_part few[LW_PROTO_PARTS_FEW];
} lw_proto_parts;

/* |limit|: the most bytes of a struct.  The parts contain a pointer to themselves and must not be
 * copied. */
void lw_proto_parts_init(lw_proto_parts *parts, size_t limit);
void lw_proto_parts_done(lw_proto_parts *parts);

/* The part of lw_proto_parts_add that allocates.  False: out of memory. */
bool lw_proto_parts_grow(lw_proto_parts *parts);

/* The part of lw_proto_parts_add that adds what does not come last; there is room. */
void lw_proto_parts_insert(lw_proto_parts *parts, size_t first, lw_proto_part part);

/* Adds |part| to the parts from |first| on, or replaces the one with that key.  False: out of
 * memory. */
static inline bool lw_proto_parts_add(lw_proto_parts *parts, size_t first, lw_proto_part part)
{
    if (parts->count == parts->room && !lw_proto_parts_grow(parts))
        return false;
    if (parts->count > first && parts->items[parts->count - 1].key >= part.key)
        lw_proto_parts_insert(parts, first, part);
    else
        parts->items[parts->count++] = part;
    return true;
}

/* Puts the bytes of |out| from |begun| on, a |type| that was written in parts, in order: the parts
 * from |first| on, with the absent fields between them. */
void lw_proto_parts_sort(lw_proto_parts *parts, const lw_type *type, size_t first, lw_buf *out,
                         size_t begun);

#endif
