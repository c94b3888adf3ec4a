/* SPDX-License-Identifier: Apache-2.0 */
/* strategic_patch.h -- strategic merge patches: merge patches that know the fields of a type.
 *
 * Lists of fields that merge (LW_FIELD_PATCH_MERGE) are merged element by element, by their key or
 * as sets of plain values; all other lists are replaced.  The patch may carry directives:
 *
 *     {"$patch": "replace", ...}              a map, or the list that has it as an element
 *     {"$patch": "delete", "name": "a"}       empties a map; takes an element off a list
 *     "$retainKeys": ["type"]                 of the map, these members remain
 *     "$deleteFromPrimitiveList/args": ["a"]  values that leave a list
 *     "$setElementOrder/env": [{"name": "a"}] how a list is ordered when all is done
 *
 * Directives never stay in the document.  What a type does not know is merged as by RFC 7386. */
#ifndef LW_SCHEMA_STRATEGICPATCH_STRATEGIC_PATCH_H
#define LW_SCHEMA_STRATEGICPATCH_STRATEGIC_PATCH_H

#include <listwatch/gvk.h>

#include "base/buf.h"
#include "json/tree.h"

enum {
    /* Elements of lists, and members that $retainKeys looks at, that a patch may make us walk.
     * Without it, a patch that names one element again and again would have the lists in it merged
     * as often. */
    LW_STRATEGIC_PATCH_MAX_WALKED = 1000 * 1000,
};

/* True when the fields of |gvk| are known: it is a built-in kind. */
bool lw_strategic_patch_knows(lw_gvk gvk);

/* Applies the object |patch|, of any tree, to the document of |tree|, an object of |gvk|.  Neither
 * may nest deeper than LW_TREE_DEPTH, and then the result does not.  On failure the document is
 * left half changed, and |why| got the reason, in the words of Kubernetes:
 * LW_ERR_NOT_FOUND: |gvk| is not known.  LW_ERR_INVALID: a directive is malformed.
 * LW_ERR_UNSUPPORTED: lists of lists.  LW_ERR_INTERNAL: anything else that is wrong with the patch,
 * where Kubernetes answers as if it were the server's fault.  LW_ERR_LIMIT: too much to walk, or
 * the tree's limit.  LW_ERR_NOMEM, without words. */
lw_status lw_strategic_patch_apply(lw_tree *tree, lw_gvk gvk, const lw_node *patch, lw_buf *why);

#endif
