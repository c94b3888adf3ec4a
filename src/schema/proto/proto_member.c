/* SPDX-License-Identifier: Apache-2.0 */
/* proto_member.c -- finds out how a member of a struct is written. */
#include "schema/proto/proto_member.h"

/* Returns the key of |field| of |type|, or of the inline struct |via| (NULL: none). */
static uint64_t key_of(const lw_type *type, const lw_field *field, const lw_field *via)
{
    if (!via)
        return lw_proto_key_of_number(field->number);
    for (size_t i = 0; i < type->field_count; i++) {
        const lw_field *own = &type->fields[i];
        if (!(own->flags & LW_FIELD_INLINE) || own->number == 0)
            continue;
        uint64_t inner = key_of(own->type, field, own == via ? NULL : via);
        if (inner != 0)
            return lw_proto_key_of_number(own->number) | inner >> LW_PROTO_KEY_BITS;
    }
    return 0;
}

lw_proto_member lw_proto_member_named(const lw_type *type, lw_str name)
{
    const lw_member *found = lw_type_member(type, name);
    if (!found)
        return (lw_proto_member){ .field = NULL };
    const lw_type *owner = found->via ? found->via->type : type;
    size_t at = lw_wire_messages[owner->wire].fields + (size_t)(found->field - owner->fields);
    return (lw_proto_member){ .field = found->field,
                              .wire = &lw_wire_fields[at],
                              .key = key_of(type, found->field, found->via),
                              .at = (size_t)(found - type->members),
                              .is_inline = found->via != NULL };
}
