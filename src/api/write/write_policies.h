/* SPDX-License-Identifier: Apache-2.0 */
/* write_policies.h -- shows writes that have no pending object to the admission policies:
 * deletions, and what is created or updated below an object (bindings, evictions, scales, tokens).
 */
#ifndef LW_API_WRITE_WRITE_POLICIES_H
#define LW_API_WRITE_WRITE_POLICIES_H

#include "api/write/ask.h"

/* Returns true if no policy denies the deletion of write->current.  False: write->status says
 * why. */
bool lw_policies_admit_delete(lw_write *write);

/* The same for |ask|, which is not a deletion; |old| is the JSON of the old object, or empty. */
bool lw_policies_admit_ask(lw_write *write, const lw_ask *ask, lw_str subresource, lw_str old);

/* Sets |*changed| to what the mutating policies make of ask->object, or to NULL if they do not
 * change it.  False: write->status says why. */
bool lw_policies_mutate_ask(lw_write *write, const lw_ask *ask, lw_str subresource,
                            lw_tree **changed);

#endif
