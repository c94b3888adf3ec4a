/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation.h -- checks for unknown and duplicate fields, as the parameter fieldValidation
 * requires. */
#ifndef LW_API_PENDING_FIELD_VALIDATION_H
#define LW_API_PENDING_FIELD_VALIDATION_H

#include "api/http/call.h"
#include "json/tree.h"

/* Checks the body of the call, parsed as |body|, a document of |gvk|.  Ignore: findings have no
 * effect; Warn (the default): each finding becomes a Warning header; Strict: returns false, and
 * |status| lists them all (400).  False also if a value has the wrong type.  A kind without a known
 * type is not checked. */
bool lw_field_validation_check(lw_api_call *call, lw_gvk gvk, lw_tree *body, lw_api_status *status);

/* The same for a new object.  |*is_typed|: the document is in typed form already
 * (schema/validation/typed.h), which is seen on the way. */
bool lw_field_validation_check_new(lw_api_call *call, lw_gvk gvk, lw_tree *body, bool *is_typed,
                                   lw_api_status *status);

/* Checks |patched|, the document of |gvk| after the patch of the call, which has |patch_type|.
 * Only findings that the patch has caused count, not those already in |before| (may be NULL).
 * Strict: 422. */
bool lw_field_validation_check_patched(lw_api_call *call, lw_gvk gvk, lw_body_type patch_type,
                                       const lw_tree *patched, const lw_object *before,
                                       lw_api_status *status);

#endif
