/* SPDX-License-Identifier: Apache-2.0 */
/* deletion.h -- what becomes of an object that somebody wants deleted: it goes, or it is marked and
 * waits for its grace period or its finalizers. */
#ifndef LW_API_WRITE_DELETION_H
#define LW_API_WRITE_DELETION_H

#include "api/http/delete_options.h"
#include "api/write/write.h"

/* Decides about write->current.  DELETE, PUT (marked), KEEP (marked already), REFUSE, or ASK:
 * webhooks are called. */
lw_write_decision lw_deletion_decide(lw_write *write, const lw_api_delete_options *options);

/* Checks uid and resourceVersion in |options|; false: write->status has the conflict. */
bool lw_deletion_meets_preconditions(lw_write *write, const lw_api_delete_options *options);

#endif
