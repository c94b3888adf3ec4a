/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_patch.h -- strategic merge patches: merge patches that use the fields of a type.
 *
 * Lists of fields that merge (LW_FIELD_PATCH_MERGE) are merged element by element, by their merge
 * key or as sets of scalars.  All other lists are replaced.  The patch may contain directives:
 *
 *     {"$patch": "replace", ...}              replaces a map, or the list that contains it
 *     {"$patch": "delete", "name": "a"}       empties a map, or removes an element of a list
 *     "$retainKeys": ["type"]                 removes all other members of the map
 *     "$deleteFromPrimitiveList/args": ["a"]  removes values from a list
 *     "$setElementOrder/env": [{"name": "a"}] the order of the merged list
 *
 * Directives never remain in the document.  Fields that the type does not declare are merged as in
 * RFC 7386. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_PATCH_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_PATCH_H

#include <listwatch/gvk.h>

#include "base/buf.h"
#include "json/tree.h"

enum {
    /* The number of list elements, and members checked by $retainKeys, that one patch may visit.
     * Without the limit, a patch that names one element many times would merge the lists in it each
     * time. */
    LW_STRATEGIC_PATCH_MAX_WALKED = 1000 * 1000,
};

/* True if the fields of |gvk| are known: it is a built-in kind. */
bool lw_strategic_patch_knows(lw_gvk gvk);

/* Applies the object |patch|, of any tree, to the document of |tree|, an object of |gvk|.  Neither
 * may be nested deeper than LW_TREE_DEPTH; then the result is not either.  On failure the document
 * is partly changed, and |why| contains the reason in the words of Kubernetes.  LW_ERR_NOT_FOUND:
 * |gvk| is unknown.  LW_ERR_INVALID: a directive is malformed.  LW_ERR_UNSUPPORTED: lists of lists.
 * LW_ERR_INTERNAL: any other error in the patch, which Kubernetes reports as a server error.
 * LW_ERR_LIMIT: too many elements to visit, or the limit of the tree.  LW_ERR_NOMEM, without a
 * reason. */
lw_status lw_strategic_patch_apply(lw_tree *tree, lw_gvk gvk, const lw_node *patch, lw_buf *why);

#endif
