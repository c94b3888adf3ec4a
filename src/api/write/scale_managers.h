/* SPDX-License-Identifier: Apache-2.0 */
/* scale_managers.h -- who manages a scale: those who manage the number in the object, told as of a
 * Scale and back. */
#ifndef LW_API_WRITE_SCALE_MANAGERS_H
#define LW_API_WRITE_SCALE_MANAGERS_H

#include "schema/kinds/kind.h"
#include "schema/managedfields/managed_fields.h"

/* The version that managers of a scale have. */
#define LW_SCALE_VERSION "autoscaling/v1"

/* Whether anybody has the number, by the |managed| fields of an object (NULL: none). */
bool lw_scale_is_managed(const lw_node *managed, const lw_kind *kind);

/* Adds to |scale|, whose tree is that of |object|, the managers of |object| that have the number.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_scale_managers_of(lw_managers *scale, const lw_managers *object, const lw_kind *kind);

/* Makes |object| say of the number what |scale| says: who has it no longer, and who has it now, in
 * |version| and without a time.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_scale_managers_return(lw_managers *object, const lw_managers *scale,
                                   const lw_kind *kind, lw_str version);

#endif
