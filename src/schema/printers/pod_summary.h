/* SPDX-License-Identifier: Apache-2.0 */
/* pod_summary.h -- the status of a pod as kubectl shows it. */
#ifndef LW_SCHEMA_PRINTERS_POD_SUMMARY_H
#define LW_SCHEMA_PRINTERS_POD_SUMMARY_H

#include "base/buf.h"
#include "base/text/time_text.h"

/* The status: a prefix, a string of the object and a suffix.  "Init:" "CrashLoopBackOff" "". */
typedef struct lw_pod_reason {
    const char *prefix;
    lw_str value;  /* a JSON string in the object; may be empty */
    char tail[48]; /* "ExitCode:1", "0/2"; may be empty */
} lw_pod_reason;

typedef struct lw_pod_summary {
    lw_pod_reason reason;
    int64_t total; /* containers, including sidecar containers */
    int64_t ready; /* ready containers among them */
    int64_t restarts;
    lw_time last_restart;
    bool has_restart_time;
} lw_pod_summary;

/* Summarizes a pod from its metadata, spec and status (JSON, or empty).  The summary points into
 * them. */
void lw_pod_summarize(lw_pod_summary *pod, lw_str metadata, lw_str spec, lw_str status);

/* Appends the status. */
void lw_pod_reason_append(const lw_pod_reason *reason, lw_buf *text);

/* True if the array |conditions| has |type| with status True. */
bool lw_pod_has_condition(lw_str conditions, lw_str type);

#endif
