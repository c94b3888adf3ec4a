/* SPDX-License-Identifier: Apache-2.0 */
/* patch.h -- a patch applied to a document, and what is wrong with it in Kubernetes' words. */
#ifndef LW_API_PATCH_H
#define LW_API_PATCH_H

#include "api/write_call.h"

/* Applies the patch of the call to |tree|, whose root is an object and stays one.  False: the
 * write's status says why not (400, 413, 422). */
bool lw_patch_apply(lw_write_call *wc, lw_tree *tree);

#endif
