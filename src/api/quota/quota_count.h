/* SPDX-License-Identifier: Apache-2.0 */
/* quota_count.h -- counts the usage of a quota in a namespace, and writes its status. */
#ifndef LW_API_QUOTA_QUOTA_COUNT_H
#define LW_API_QUOTA_QUOTA_COUNT_H

#include "api/quota/quota_check.h"
#include "api/write/write.h"

/* Counts the usage in |ns| of each resource in the spec of |quota|, by the cached objects of all
 * served kinds.  A resource that no kind uses keeps its value in |quota|.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT, or an error of the cache. */
lw_status lw_quota_count(lw_api_port *port, lw_str ns, const lw_quota *quota, lw_amounts *used);

/* Creates write->next from write->current, of which |quota| was parsed, with |used| in its status;
 * with |takes_hard| the limits of the status become those of the spec.  Returns PUT, KEEP or
 * REFUSE. */
lw_write_decision lw_quota_write_status(lw_write *write, const lw_quota *quota,
                                        const lw_amounts *used, bool takes_hard);

#endif
