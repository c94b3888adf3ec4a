/* SPDX-License-Identifier: Apache-2.0 */
/* pod_checks.h -- the Pod Security Standards: checks of the levels baseline and restricted, in the
 * versions and words of Kubernetes.
 *
 * Pure functions of a pod's metadata and spec; any thread. */
#ifndef LW_API_PODSECURITY_POD_CHECKS_H
#define LW_API_PODSECURITY_POD_CHECKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/tree.h"

typedef enum lw_pod_level {
    LW_POD_PRIVILEGED,
    LW_POD_BASELINE,
    LW_POD_RESTRICTED,
} lw_pod_level;

enum {
    LW_POD_VERSION_LATEST = 1 << 30, /* newer than all others */
    LW_POD_VERSION_NEWEST = 37,      /* minor version of the newest checks */
    LW_POD_REPORT_MAX = 1024 * 1024, /* bytes of the texts of a report */
};

typedef struct lw_pod_standard {
    lw_pod_level level;
    int version; /* the minor version; LW_POD_VERSION_LATEST: the newest one */
} lw_pod_standard;

/* What a pod violates. */
typedef struct lw_pod_report {
    size_t count;
    lw_buf reasons; /* "hostPort, privileged" */
    lw_buf details; /* "hostPort (container "a" uses hostPort 80), privileged (...)" */
} lw_pod_report;

void lw_pod_report_init(lw_pod_report *report);
void lw_pod_report_done(lw_pod_report *report);

/* Adds what |metadata| and |spec| of a pod violate of |standard|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_pod_check(lw_pod_standard standard, const lw_node *metadata,
                                     const lw_node *spec, lw_pod_report *report);

#endif
