/* SPDX-License-Identifier: Apache-2.0 */
/* field_place.h -- a place in a type, and how apply sees what stands there.
 *
 * Where nothing is known of a type (NULL), objects are maps and everything else is one thing. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_PLACE_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_PLACE_H

#include "base/buf.h"
#include "schema/types/type.h"
#include "json/tree.h"

typedef enum lw_shape {
    LW_SHAPE_LEAF,      /* one thing: a scalar, or something that is replaced as a whole */
    LW_SHAPE_STRUCT,    /* its fields are named by the type */
    LW_SHAPE_MAP,       /* any names */
    LW_SHAPE_KEYED,     /* a list whose items are told apart by some of their members */
    LW_SHAPE_VALUE_SET, /* a list whose items are told apart by being different */
} lw_shape;

typedef struct lw_place {
    const lw_type *type;   /* NULL: not known */
    const lw_field *field; /* whose value it is; NULL: the root, or an item of a built-in type */
} lw_place;

enum {
    LW_FIELD_DEPTH = 256, /* places below this are leaves, whatever their type */
};

lw_shape lw_place_shape(lw_place place, const lw_node *value);

/* The member |name| of a struct or map.  False: there is no such field. */
bool lw_place_member(lw_place place, lw_str name, lw_place *out);

/* True when |name| is a field that the type at |place| names. */
bool lw_place_names(lw_place place, lw_str name);

/* The items of a list or map. */
lw_place lw_place_item(lw_place place);

/* The place of what stands under |element| of a field set. */
bool lw_place_under(lw_place place, lw_str element, lw_place *out);

/* True when Go's struct has the field even when nobody has set it: its absence is a zero. */
bool lw_place_is_always_there(lw_place place);

/* True when |value| (NULL: absent) is what Go takes for nothing: null, zero, empty. */
bool lw_value_is_zero(const lw_node *value);

/* True when Go would leave |value| out of the field it has at |place|. */
bool lw_place_leaves_out(lw_place place, const lw_node *value);

/* Appends the element of |item| of the list at |place|, "k:{...}" or "v:...".  NULL, or what is
 * wrong with the item, as Kubernetes says it; nothing is appended then. */
const char *lw_place_append_element(lw_place place, const lw_node *item, lw_buf *out);

#endif
