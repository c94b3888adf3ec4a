/* SPDX-License-Identifier: Apache-2.0 */
/* proto_member.h -- finds out how a member of a struct is written. */
#ifndef LW_SCHEMA_PROTO_PROTO_MEMBER_H
#define LW_SCHEMA_PROTO_PROTO_MEMBER_H

#include <string.h>

#include "base/pack/equal.h"
#include "base/str.h"
#include "schema/proto/proto_order.h"
#include "schema/types/type_table.h"

typedef struct lw_proto_member {
    const lw_field *field;     /* NULL: unknown */
    const lw_wire_field *wire; /* how it is written */
    uint64_t key;              /* as of a lw_proto_part; 0: protobuf does not have it */
    size_t at;                 /* position in the members of the type */
    bool is_inline;            /* a field of an inline struct */
} lw_proto_member;

/* Returns the member |name| of |type|, also one that an inline struct has. */
lw_proto_member lw_proto_member_named(const lw_type *type, lw_str name);

static inline bool lw_proto_is_named(const lw_field *field, lw_str name)
{
    return field->name.len == name.len && !(field->flags & LW_FIELD_INLINE) &&
           lw_str_same(field->name.ptr, name.ptr, name.len);
}

/* Returns the position of the field |name| among the next few of |type| from |guess| on, or
 * SIZE_MAX: most members come in the order of the fields. */
static inline size_t lw_proto_guess_field(const lw_type *type, const unsigned char *signs,
                                          lw_str name, size_t guess)
{
    enum {
        GUESSES = 16
    };
    char wanted[GUESSES];
    if (name.len == 0)
        return SIZE_MAX;
    memset(wanted, lw_wire_sign(name), sizeof(wanted));
    for (uint32_t same = lw_equal16((const char *)signs + guess, wanted); same; same &= same - 1) {
        size_t i = guess + (unsigned)__builtin_ctz(same);
        if (i >= type->field_count)
            break;
        if (lw_proto_is_named(&type->fields[i], name))
            return i;
    }
    return SIZE_MAX;
}

#endif
