/* SPDX-License-Identifier: Apache-2.0 */
/* patch_body.h -- a patch applied to a document, and what is wrong with it in Kubernetes' words. */
#ifndef LW_API_WRITE_PATCH_BODY_H
#define LW_API_WRITE_PATCH_BODY_H

#include "api/write/write_call.h"

/* True when what the call is about takes strategic merge patches: a built-in kind. */
bool lw_patch_takes_strategic(const lw_write_call *wc);

/* Applies the patch of the call to |tree|, whose root is an object and stays one.  False: the
 * write's status says why not (400, 413, 422, 500).  What it brings along that the kind does not
 * have is treated as fieldValidation says. */
bool lw_patch_apply(lw_write_call *wc, lw_tree *tree);

#endif
