/* SPDX-License-Identifier: Apache-2.0 */
/* quota_count.h -- what the objects of a namespace take from a quota; and its status, written. */
#ifndef LW_API_QUOTA_QUOTA_COUNT_H
#define LW_API_QUOTA_QUOTA_COUNT_H

#include "api/quota/quota_check.h"
#include "api/write/write.h"

/* Sets of each resource in the spec of |quota| how much of it is used in |ns|: by the objects in
 * the cache, all kinds that are served.  What no kind can take from stays as |quota| has it.
 * LW_ERR_NOMEM, LW_ERR_LIMIT, or why the cache cannot say. */
lw_status lw_quota_count(lw_api_port *port, lw_str ns, const lw_quota *quota, lw_amounts *used);

/* Makes write->next of write->current, which |quota| was read of, with |used| in its status; with
 * |takes_hard| its limits are those of the spec from now on.  PUT, KEEP or REFUSE. */
lw_write_decision lw_quota_write_status(lw_write *write, const lw_quota *quota,
                                        const lw_amounts *used, bool takes_hard);

#endif
