/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_pod.h -- decides what a hollow node does with a pod, from the pod and the time.
 *
 *     bound ──START──▶ Running ──FINISH, if it ends by itself──▶ Succeeded or Failed
 *                          └──READY, when the annotation changes
 *     being deleted ──DELETE──▶ deleted
 *
 * Annotations of a pod: LW_HOLLOW_RUN_SECONDS (how long it runs, if it need not run forever),
 * LW_HOLLOW_EXIT_CODE (its exit code), LW_HOLLOW_READY ("false": running but not ready). */
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

/* Decides what to do now; |*after_ns| (> 0) is when to decide again, 0: at its next change. */
lw_hollow_action lw_hollow_decide(const lw_object *pod, int64_t wall_ns, int64_t *after_ns);

/* Writes the status that results from |action| (one of the first three) into |doc|, a merge
 * patch. */
void lw_hollow_write_status(lw_document *doc, const lw_object *pod, lw_hollow_action action,
                            const char *host_ip, const char *pod_ip, int64_t wall_ns);

#endif
