/* SPDX-License-Identifier: Apache-2.0 */
/* field_element.h -- one element of a path in a field set: "f:name", "k:{...}", "v:...", "i:7". */
#ifndef LW_SCHEMA_MANAGEDFIELDS_FIELD_ELEMENT_H
#define LW_SCHEMA_MANAGEDFIELDS_FIELD_ELEMENT_H

#include "base/buf.h"
#include "json/tree.h"

typedef enum lw_element_kind {
    LW_ELEMENT_SELF, /* "." */
    LW_ELEMENT_FIELD,
    LW_ELEMENT_KEY,
    LW_ELEMENT_VALUE,
    LW_ELEMENT_INDEX,
    LW_ELEMENT_UNKNOWN, /* well-formed, of a kind that is not ours to know */
    LW_ELEMENT_NONE,    /* no element at all */
} lw_element_kind;

lw_element_kind lw_element_kind_of(lw_str element);

/* Appends |element| in its one form: keys sorted, no blanks.  |tree| is for the work on the way.
 * LW_ERR_INVALID: it is no element. */
lw_status lw_element_normalize(lw_tree *tree, lw_str element, lw_buf *out);

/* True when |element| is surely a key in its one form: nothing but texts without anything to escape
 * and short integers, as nearly all are. */
bool lw_element_is_plain_key(lw_str element);

/* Orders elements as Kubernetes does: fields, keys, values, indices; numbers by what they count.
 * Both must be in their one form.  Without memory for it |*st| becomes LW_ERR_NOMEM, and the order
 * is that of their bytes. */
int lw_element_compare(lw_str a, lw_str b, lw_status *st);

/* Appends |element| as people read it: .name, [name="a"], [="x"], [7]. */
lw_status lw_element_append_text(lw_buf *out, lw_str element);

#endif
