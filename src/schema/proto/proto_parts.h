/* SPDX-License-Identifier: Apache-2.0 */
/* proto_parts.h -- reads single values of a message, for code that does not need all of it. */
#ifndef LW_SCHEMA_PROTO_PROTO_PARTS_H
#define LW_SCHEMA_PROTO_PROTO_PARTS_H

#include "base/buf.h"
#include "schema/proto/proto_wire.h"
#include "schema/types/type.h"

/* Returns the field of |type| with |number|; NULL: none.  Most fields come in order, so the search
 * starts at |*next|, which is 0 at the beginning of a message. */
const lw_field *lw_proto_find_field(const lw_type *type, unsigned number, size_t *next);

/* Returns true if a value of |type| may have the wire type |wire|.  Lists of numbers may be
 * packed. */
bool lw_proto_fits_wire(const lw_type *type, lw_proto_wire wire);

/* Finds the key and value of a map entry.  |value->number| is 0 if there is no value.  False: it is
 * malformed. */
bool lw_proto_read_entry(const lw_type *element, lw_str entry, lw_str *key, lw_proto_item *value);

/* Returns true if JSON omits this value of a field that is not repeated, because it is zero. */
bool lw_proto_is_omitted(const lw_field *field, const lw_proto_item *item);

/* Appends one value as JSON; |item| is NULL for zero.  Errors as lw_proto_read. */
LW_MUST_CHECK lw_status lw_proto_read_value(const lw_type *type, const lw_proto_item *item,
                                            lw_buf *out, lw_error *err);

/* Appends a list or map as JSON: all occurrences of |field| in |message|. */
LW_MUST_CHECK lw_status lw_proto_read_repeated(const lw_field *field, lw_str message, lw_buf *out,
                                               lw_error *err);

#endif
