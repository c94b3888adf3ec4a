/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h -- one of status.conditions of a pending object. */
#ifndef LW_API_PENDING_CONDITION_H
#define LW_API_PENDING_CONDITION_H

#include "api/pending/pending_object.h"

typedef struct lw_pending_condition {
    const char *type, *status, *reason;
    lw_str message;
} lw_pending_condition;

/* Sets the condition of this type; its lastTransitionTime becomes |wall_ns| if its status changes.
 */
void lw_pending_condition_set(lw_pending_object *pending, const lw_pending_condition *condition,
                              int64_t wall_ns);

#endif
