/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation.h -- fields that a kind does not have, and fields that are there twice: what the
 * query's fieldValidation says about them. */
#ifndef LW_API_PENDING_FIELD_VALIDATION_H
#define LW_API_PENDING_FIELD_VALIDATION_H

#include "api/http/call.h"
#include "json/tree.h"

/* Looks at the body of the call, read as |body|, a document of |gvk|.  Ignore: nothing happens;
 * Warn, and when nothing is said: each finding becomes a Warning header; Strict: false, and
 * |status| names them all (400).  A kind without a known type is not looked at. */
bool lw_field_validation_check(lw_api_call *call, lw_gvk gvk, const lw_tree *body,
                               lw_api_status *status);

/* The same of |patched|, what the patch of the call, of type |patch_type|, has made of a document
 * of |gvk|: what the patch has brought along counts, what was in |before| (may be NULL) already
 * does not.  Strict: 422. */
bool lw_field_validation_check_patched(lw_api_call *call, lw_gvk gvk, lw_body_type patch_type,
                                       const lw_tree *patched, const lw_object *before,
                                       lw_api_status *status);

#endif
