/* SPDX-License-Identifier: Apache-2.0 */
/* line.h -- the line of JSON of an audit event, without bodies.
 *
 * Nearly all of it is the same in all events of a request: that is written once, when the request
 * is received, and copied to each line. */
#ifndef LW_SERVER_AUDIT_LINE_H
#define LW_SERVER_AUDIT_LINE_H

#include "base/buf.h"
#include "base/text/time_text.h"
#include "server/audit/policy.h"

struct lw_audit_facts;

/* What the events of a request have in common; zeros: not written yet. */
typedef struct lw_audit_line {
    lw_buf bytes;                          /* up to the stage, the user, the agent, the object */
    size_t stage_at, user_end, agent_end;  /* offsets */
    lw_time received;                      /* of |received_text| */
    char received_text[LW_TIME_TEXT_SIZE]; /* empty: it has no text */
} lw_audit_line;

/* Writes facts->line, when what is known of the request before it is served is known.  What fails
 * makes lw_audit_line_append fail.  Call lw_audit_line_done in any case. */
void lw_audit_line_begin(struct lw_audit_facts *facts);
void lw_audit_line_done(lw_audit_line *line);

/* Appends the line of |stage| at |now_ns| (wall clock), after lw_audit_line_begin.  Returns where
 * in it (an offset from its start) bodies would be.  Check out->st: after an error, a part of the
 * line may have been appended. */
size_t lw_audit_line_append(lw_buf *out, const struct lw_audit_facts *facts, lw_audit_stage stage,
                            int64_t now_ns);

#endif
