/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_pod.h -- what a node that only pretends does with a pod: decided from the pod and the time
 * alone.
 *
 *     bound ──START──▶ Running ──FINISH, where it ends by itself──▶ Succeeded or Failed
 *                          └──READY, when the annotation says otherwise
 *     being deleted ──DELETE──▶ gone
 *
 * Annotations of a pod: LW_HOLLOW_RUN_SECONDS (how long it runs, where it need not run for ever),
 * LW_HOLLOW_EXIT_CODE (how it ends), LW_HOLLOW_READY ("false": it runs, and is not ready). */
#ifndef LW_CONTROL_NODE_HOLLOW_POD_H
#define LW_CONTROL_NODE_HOLLOW_POD_H

#include <listwatch.h>

#define LW_HOLLOW_RUN_SECONDS "listwatch.io/run-seconds"
#define LW_HOLLOW_EXIT_CODE   "listwatch.io/exit-code"
#define LW_HOLLOW_READY       "listwatch.io/ready"

typedef enum lw_hollow_action {
    LW_HOLLOW_NOTHING,
    LW_HOLLOW_START,
    LW_HOLLOW_SET_READY,
    LW_HOLLOW_FINISH,
    LW_HOLLOW_DELETE,
} lw_hollow_action;

/* What is to be done now; |*after_ns| (> 0) is when to look again, 0: at its next change. */
lw_hollow_action lw_hollow_decide(const lw_object *pod, int64_t wall_ns, int64_t *after_ns);

/* Writes the status that |action| (one of the first three) leads to into |doc|, a merge patch. */
void lw_hollow_write_status(lw_document *doc, const lw_object *pod, lw_hollow_action action,
                            const char *host_ip, const char *pod_ip, int64_t wall_ns);

#endif
