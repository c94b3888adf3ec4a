/* SPDX-License-Identifier: Apache-2.0 */
/* scale.h -- how many there are to be: a Scale of autoscaling/v1, made from an object and written
 * back into it. */
#ifndef LW_API_WRITE_SCALE_H
#define LW_API_WRITE_SCALE_H

#include "api/write/write_call.h"

lw_gvk lw_scale_gvk(void);

/* Appends the Scale of |obj|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_scale_write(const lw_kind *kind, const lw_object *obj, lw_buf *out);

/* Writes what |scale| says into the object of the write; its resourceVersion, if any, is a
 * precondition.  |managed|: the managedFields that an apply has made; NULL: it was none. */
lw_write_decision lw_scale_change(lw_write *write, const lw_node *scale, const lw_node *managed);

/* Decisions of a PUT and of a PATCH of a scale, and the reply to both. */
lw_write_decision lw_scale_decide_update(lw_write *write);
lw_write_decision lw_scale_decide_patch(lw_write *write);
void lw_scale_answer(lw_write *write);

#endif
