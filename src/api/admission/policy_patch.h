/* SPDX-License-Identifier: Apache-2.0 */
/* policy_patch.h -- changes an object as a mutation of a policy says. */
#ifndef LW_API_ADMISSION_POLICY_PATCH_H
#define LW_API_ADMISSION_POLICY_PATCH_H

#include "api/pending/pending_object.h"

/* Merges |config|, an apply configuration of |scratch|, into the object, as server-side apply
 * merges.  LW_ERR_INVALID: it cannot be applied, and |why| says so; LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_policy_patch_apply(lw_pending_object *pending, lw_tree *scratch,
                                              lw_node *config, lw_buf *why);

/* Applies |patch|, an array of JSON Patch operations of |scratch|.  A "test" that fails leaves the
 * object as it is.  The same errors. */
LW_MUST_CHECK lw_status lw_policy_patch_json(lw_pending_object *pending, lw_tree *scratch,
                                             const lw_node *patch, lw_buf *why);

#endif
