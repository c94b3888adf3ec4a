/* SPDX-License-Identifier: Apache-2.0 */
/* session_internal.h -- what an evaluation asks of its session. */
#ifndef LW_CEL_SESSION_INTERNAL_H
#define LW_CEL_SESSION_INTERNAL_H

#include "cel/session.h"
#include "cel/value.h"

/* Binds the declared variable |index| of |type| if the session has its value. */
bool lw_cel_session_bind(lw_cel_run *run, size_t index, const lw_cel_type *type, lw_cel_value *out);

/* Finds the composed variable |name| and evaluates it if that was not done.  True: |*out| is its
 * value or an error; false: there is none. */
bool lw_cel_session_member(lw_cel_run *run, lw_str name, lw_cel_value *out);

const lw_cel_authorizer *lw_cel_session_authorizer(const struct lw_cel_session *session);

/* Converts a value to JSON; see lw_cel_session_node. */
lw_status lw_cel_value_node(lw_cel_run *run, const lw_cel_value *value, lw_tree *tree,
                            lw_node **out, lw_buf *why);

#endif
