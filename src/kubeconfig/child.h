/* SPDX-License-Identifier: Apache-2.0 */
/* child.h -- runs a program without a shell and reads its output.
 *
 * Signal handlers, masks and other children of the process are not affected: the child is waited
 * for by its process id.  Any thread. */
#ifndef LW_KUBECONFIG_CHILD_H
#define LW_KUBECONFIG_CHILD_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct lw_child_options {
    const char *path;  /* path of the program; $PATH is not searched */
    char *const *argv; /* NULL-terminated, including the name of the program */
    char *const *envp; /* NULL-terminated */
    bool has_terminal; /* the child shares the standard input and the process group; otherwise it
                          reads nothing, and its process group is killed with it */
    int timeout_ms;    /* the child is killed after this time */
} lw_child_options;

typedef struct lw_child_result {
    bool is_timed_out;
    bool is_known; /* status and signal are known; not if the process ignores SIGCHLD */
    int status;    /* exit status, if |signal| is 0 */
    int signal;    /* signal that killed it */
} lw_child_result;

/* Runs the program and appends its standard output to |out|, as a secret; its standard error is
 * that of the process.  LW_ERR_NOT_FOUND (no such program), LW_ERR_IO (it cannot be started),
 * LW_ERR_LIMIT (its output is too large for |out|), LW_ERR_NOMEM, LW_ERR_STOPPED (the thread is
 * cancelled, see cancel.h: the child is killed); |*result| is set on LW_OK. */
lw_status lw_child_run(const lw_child_options *options, lw_buf *out, lw_child_result *result,
                       lw_error *err);

#endif
