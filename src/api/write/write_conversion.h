/* SPDX-License-Identifier: Apache-2.0 */
/* write_conversion.h -- writes of custom resources whose versions a webhook converts.
 *
 *     look ──▶ current: stored version → version of the request ──▶ decide
 *     decided ──▶ next: version of the request → storage version ──▶ store
 *     stored ──▶ result: storage version → version of the request ──▶ reply
 *
 * Each step waits for the webhook unless nothing needs to be converted.  The server's own writes
 * (garbage collection, deletion of namespaces and definitions) change metadata only: they leave
 * objects in the version they are stored in, and work while a webhook fails. */
#ifndef LW_API_WRITE_WRITE_CONVERSION_H
#define LW_API_WRITE_WRITE_CONVERSION_H

#include "api/write/write.h"

/* Converts write->current before the decision.  False: return |*decision|, which is ASK or
 * REFUSE; when the answer is there, write->decide is called. */
LW_MUST_CHECK bool lw_write_convert_current(lw_write *write, lw_write_decision *decision);

/* Converts write->next, after the decision to store it.  False: as above; when the answer is there,
 * the decision is taken again. */
LW_MUST_CHECK bool lw_write_convert_next(lw_write *write, lw_write_decision *decision);

/* Converts write->result, which is stored, and calls write->done.  If the webhook fails, the
 * outcome is REFUSE. */
void lw_write_convert_result(lw_write *write);

#endif
