/* SPDX-License-Identifier: Apache-2.0 */
/* field_place.h -- a position in a type, and how apply treats the value there.
 *
 * Where the type is unknown (NULL), objects are maps and all other values are atomic. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_PLACE_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_PLACE_H

#include "base/buf.h"
#include "schema/types/type.h"
#include "json/tree.h"

typedef enum lw_shape {
    LW_SHAPE_LEAF,      /* atomic: a scalar, or a value that is replaced as a whole */
    LW_SHAPE_STRUCT,    /* the type declares its fields */
    LW_SHAPE_MAP,       /* any member names */
    LW_SHAPE_KEYED,     /* an associative list whose items have key members */
    LW_SHAPE_VALUE_SET, /* an associative list of unique scalars */
} lw_shape;

typedef struct lw_place {
    const lw_type *type; /* NULL: unknown */
    const lw_field
        *field; /* the field of the value; NULL: the root, or an item of a built-in type */
} lw_place;

enum {
    LW_FIELD_DEPTH = 256, /* values nested deeper are leaves, whatever their type */
};

lw_shape lw_place_shape(lw_place place, const lw_node *value);

/* Returns the place of the items of a list or map. */
static inline lw_place lw_place_item(lw_place place)
{
    const lw_type *type = place.type;
    bool is_list = type && (type->form == LW_TYPE_LIST || type->form == LW_TYPE_MAP);
    return is_list ? (lw_place){ type->element, type->fields } : (lw_place){ NULL, NULL };
}

/* Finds the place of the member |name| of a struct or map.  False: there is no such field. */
static inline bool lw_place_member(lw_place place, lw_str name, lw_place *out)
{
    if (!place.type || place.type->form != LW_TYPE_STRUCT) {
        *out = lw_place_item(place);
        return true;
    }
    const lw_member *member = lw_type_member(place.type, name);
    *out = member ? (lw_place){ member->field->type, member->field } : (lw_place){ NULL, NULL };
    return member || place.type->takes_others;
}

/* True if the type at |place| declares the field |name|. */
bool lw_place_names(lw_place place, lw_str name);

/* Finds the place of the value at |element| of a field set. */
bool lw_place_under(lw_place place, lw_str element, lw_place *out);

/* True if the Go struct always writes the field, so that an absent field is a zero.  Types made at
 * run time have no such fields. */
static inline bool lw_place_is_always_there(lw_place place)
{
    unsigned added = LW_FIELD_ADDED | LW_FIELD_POINTER;
    return place.field && (place.field->flags & added) == LW_FIELD_ADDED;
}

/* True if |value| (NULL: absent) is zero in Go: null, 0, false, "" or empty. */
bool lw_value_is_zero(const lw_node *value);

/* True if Go would omit |value| from the field at |place|. */
bool lw_place_leaves_out(lw_place place, const lw_node *value);

/* Appends the path element of |item| of the list at |place|, "k:{...}" or "v:...".  Returns NULL,
 * or the error in the item in the words of Kubernetes; then nothing is appended. */
const char *lw_place_append_element(lw_place place, const lw_node *item, lw_buf *out);

#endif
