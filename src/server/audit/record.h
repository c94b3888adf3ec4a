/* SPDX-License-Identifier: Apache-2.0 */
/* record.h -- audit events without bodies in a queue of bytes: what is known is copied when a stage
 * is reached; the thread of the log makes lines of it, many in a row, which costs half as much. */
#ifndef LW_SERVER_AUDIT_RECORD_H
#define LW_SERVER_AUDIT_RECORD_H

#include "server/audit/event.h"

/* Whether a record can carry |facts|: not if a Status was replied, and not if the memory of a user
 * could end before the record is read. */
bool lw_audit_record_fits(const lw_audit_facts *facts);

/* Appends a record, with references to the users; returns out->st.  After an error nothing was
 * appended. */
LW_MUST_CHECK lw_status lw_audit_record_append(lw_buf *out, const lw_audit_facts *facts,
                                               lw_audit_stage stage, int64_t now_ns);

/* Removes the first of |records|, which are not empty, and appends its line; returns out->st. */
LW_MUST_CHECK lw_status lw_audit_record_write(lw_str *records, lw_buf *out);

#endif
