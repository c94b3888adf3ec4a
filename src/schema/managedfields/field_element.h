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
    LW_ELEMENT_UNKNOWN, /* well-formed, of an unknown kind */
    LW_ELEMENT_NONE,    /* not an element */
} lw_element_kind;

lw_element_kind lw_element_kind_of(lw_str element);

/* Appends the canonical form of |element|: keys sorted, no whitespace.  |tree| is used for
 * temporary nodes.  LW_ERR_INVALID: not an element. */
lw_status lw_element_normalize(lw_tree *tree, lw_str element, lw_buf *out);

/* True if |element| is certainly a key in canonical form: it has only strings without escapes and
 * short integers, like nearly all keys. */
bool lw_element_is_plain_key(lw_str element);

/* Compares as Kubernetes does: fields, keys, values, indices; numbers by value.  Both elements must
 * be canonical.  If memory runs out, |*st| becomes LW_ERR_NOMEM and the bytes are compared. */
int lw_element_compare(lw_str a, lw_str b, lw_status *st);

/* Appends |element| for messages: .name, [name="a"], [="x"], [7]. */
lw_status lw_element_append_text(lw_buf *out, lw_str element);

#endif
