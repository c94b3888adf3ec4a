/* SPDX-License-Identifier: Apache-2.0 */
/* quota_charge.h -- what a write is charged to the quotas of its namespace, before it is stored.
 *
 *     prepare ──▶ start ──▶ quota after quota: a write of its status ──▶ over
 *                   └──────────────── refused ─────────────────────────▶
 *
 * Each charge is a guarded write like any other: whoever else charges or counts at the same time
 * has to look again.  A charge whose object is not stored in the end is given back by counting.
 * Threads: that of the write's loop. */
#ifndef LW_API_QUOTA_CHARGE_H
#define LW_API_QUOTA_CHARGE_H

#include "api/write.h"

typedef struct lw_quota_charge lw_quota_charge;

/* Makes write->charge if what is decided, write->next, has to do with quotas and the namespace has
 * any.  |subresource| as in lw_change.  LW_ERR_NOMEM, LW_ERR_LIMIT, or why the cache cannot say. */
lw_status lw_quota_prepare(lw_write *write, unsigned subresource);

/* Charges; |over| is called later or right here.  Not |is_granted|: the write's status says why. */
void lw_quota_charge_start(lw_quota_charge *charge, void (*over)(lw_write *write, bool is_granted));

/* Frees it, when it is over or was not started.  |is_stored|: the object is.  NULL does nothing. */
void lw_quota_charge_free(lw_quota_charge *charge, bool is_stored);

#endif
