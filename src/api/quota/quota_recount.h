/* SPDX-License-Identifier: Apache-2.0 */
/* quota_recount.h -- one recount of all quotas of a namespace. */
#ifndef LW_API_QUOTA_QUOTA_RECOUNT_H
#define LW_API_QUOTA_QUOTA_RECOUNT_H

#include "api/context/port.h"

/* Recounts the quotas of |ns|.  |done| is called later or before it returns, with whether all
 * quotas could be written. */
void lw_quota_recount(lw_api_port *port, lw_str ns, void (*done)(bool is_complete, void *arg),
                      void *arg);

#endif
