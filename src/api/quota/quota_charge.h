/* SPDX-License-Identifier: Apache-2.0 */
/* quota_charge.h -- what a write is charged to the quotas of its namespace, before it is stored.
 *
 *     prepare ──▶ start ──▶ quota after quota: a write of its status ──▶ over
 *                   └──────────────── refused ─────────────────────────▶
 *
 * Each charge is a guarded write like any other: whoever else charges or counts at the same time
 * has to look again.  A charge whose object is not stored in the end is given back by counting.
 * Threads: that of the write's loop. */
#ifndef LW_API_QUOTA_QUOTA_CHARGE_H
#define LW_API_QUOTA_QUOTA_CHARGE_H

#include "api/write/write.h"

/* The hook "admit" of the write engine (hooks.h): sets write->grant to a charge if the object that
 * is to be stored, write->next, is counted by quotas and its namespace has any.  |subresource| as
 * in lw_change.  LW_ERR_NOMEM, LW_ERR_LIMIT, or why the cache cannot be read. */
lw_status lw_quota_admit(lw_write *write, unsigned subresource);

#endif
