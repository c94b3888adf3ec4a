/* SPDX-License-Identifier: Apache-2.0 */
/* quota_charge.h -- charges a write to the quotas of its namespace, before it is stored.
 *
 *     prepare ──▶ start ──▶ for each quota: write its status ──▶ over
 *                   └──────────────── refused ────────────────────▶
 *
 * Each charge is a conditional write: a concurrent charge or recount makes it decide again.  If the
 * object is not stored in the end, a recount corrects the charge.  Threads: the write's loop. */
#ifndef LW_API_QUOTA_QUOTA_CHARGE_H
#define LW_API_QUOTA_QUOTA_CHARGE_H

#include "api/write/write.h"

/* The hook "admit" of the write engine (hooks.h): sets write->grant to a charge if write->next, the
 * object to be stored, is counted by quotas and its namespace has any.  |subresource| as in
 * lw_change. LW_ERR_NOMEM, LW_ERR_LIMIT, or an error of the cache. */
lw_status lw_quota_admit(lw_write *write, unsigned subresource);

#endif
