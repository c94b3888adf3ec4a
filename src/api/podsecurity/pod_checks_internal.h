/* SPDX-License-Identifier: Apache-2.0 */
/* pod_checks_internal.h -- what the checks have in common. */
#ifndef LW_API_PODSECURITY_POD_CHECKS_INTERNAL_H
#define LW_API_PODSECURITY_POD_CHECKS_INTERNAL_H

#include "api/podsecurity/pod_checks.h"

/* A pod under check. */
typedef struct lw_pod_check_run {
    const lw_node *metadata, *spec;
    const lw_node *security; /* securityContext of the pod; NULL: none */
    int version;
    lw_arena arena; /* of lists */
    lw_pod_report *report;
} lw_pod_check_run;

/* A list of texts; failures are those of the arena. */
typedef struct lw_pod_texts {
    lw_str *at;
    size_t count, room;
} lw_pod_texts;

void lw_pod_texts_add(lw_pod_check_run *run, lw_pod_texts *texts, lw_str text);

/* Sorts the texts and drops duplicates. */
void lw_pod_texts_sort(lw_pod_texts *texts);

/* Appends the texts: "a", "b". */
void lw_pod_append_quoted(lw_buf *out, const lw_pod_texts *texts);

/* Appends: container "a"; or: containers "a", "b". */
void lw_pod_append_containers(lw_buf *out, const lw_pod_texts *names);

/* Appends who sets a value: pod and container "a". */
void lw_pod_append_setters(lw_buf *out, bool is_pod, const lw_pod_texts *names);

/* Walks through all containers: starts with zero. */
typedef struct lw_pod_walk {
    unsigned list; /* init containers, containers, ephemeral containers */
    size_t at;
} lw_pod_walk;

/* Returns the next container; NULL: there is none. */
const lw_node *lw_pod_next(const lw_pod_check_run *run, lw_pod_walk *walk);

/* Adds a violation; |detail| may be empty. */
void lw_pod_violates(lw_pod_check_run *run, const char *reason, const lw_buf *detail);

/* Returns the security context of a container; NULL: none. */
const lw_node *lw_pod_security(const lw_node *container);

/* Pods with hostUsers: false are in a user namespace. */
bool lw_pod_has_user_namespace(const lw_pod_check_run *run);
bool lw_pod_is_windows(const lw_pod_check_run *run);

/* True for the types of seccomp profiles that are not Unconfined. */
bool lw_pod_is_seccomp_good(const lw_node *profile);

/* pod_checks_baseline.c */
void lw_pod_check_app_armor(lw_pod_check_run *run);
void lw_pod_check_capabilities(lw_pod_check_run *run);
void lw_pod_check_host_namespaces(lw_pod_check_run *run);
void lw_pod_check_host_paths(lw_pod_check_run *run);
void lw_pod_check_host_ports(lw_pod_check_run *run);
void lw_pod_check_host_probes(lw_pod_check_run *run);
void lw_pod_check_privileged(lw_pod_check_run *run);
void lw_pod_check_proc_mount(lw_pod_check_run *run);
void lw_pod_check_selinux(lw_pod_check_run *run);
void lw_pod_check_seccomp(lw_pod_check_run *run);
void lw_pod_check_sysctls(lw_pod_check_run *run);
void lw_pod_check_windows(lw_pod_check_run *run);

/* pod_checks_restricted.c */
void lw_pod_check_escalation(lw_pod_check_run *run);
void lw_pod_check_dropped_capabilities(lw_pod_check_run *run);
void lw_pod_check_proc_mount_strictly(lw_pod_check_run *run);
void lw_pod_check_volumes(lw_pod_check_run *run);
void lw_pod_check_non_root(lw_pod_check_run *run);
void lw_pod_check_user(lw_pod_check_run *run);
void lw_pod_check_seccomp_strictly(lw_pod_check_run *run);

#endif
