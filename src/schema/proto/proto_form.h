/* SPDX-License-Identifier: Apache-2.0 */
/* proto_form.h -- the protobuf encoding of each form of type. */
#ifndef LW_SCHEMA_PROTO_PROTO_FORM_H
#define LW_SCHEMA_PROTO_PROTO_FORM_H

#include "schema/proto/proto_wire.h"
#include "schema/types/type.h"

/* Returns the wire type of a single value, list element or map entry. */
static inline lw_proto_wire lw_proto_wire_of(lw_type_form form)
{
    switch (form) {
    case LW_TYPE_BOOL:
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: return LW_PROTO_VARINT;
    case LW_TYPE_DOUBLE: return LW_PROTO_FIXED64;
    default: return LW_PROTO_BYTES;
    }
}

/* True if such a value is encoded as a message, not as a number, a string or bytes. */
static inline bool lw_proto_is_message(lw_type_form form)
{
    return lw_proto_wire_of(form) == LW_PROTO_BYTES && form != LW_TYPE_STRING &&
           form != LW_TYPE_BYTES;
}

#endif
