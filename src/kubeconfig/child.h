/* SPDX-License-Identifier: Apache-2.0 */
/* child.h -- runs a program without a shell and takes what it prints.
 *
 * The host's signal handlers, masks and other children are left alone: the child is waited for by
 * its own number.  Any thread. */
#ifndef LW_KUBECONFIG_CHILD_H
#define LW_KUBECONFIG_CHILD_H

#include <stdbool.h>

#include "base/buf.h"

typedef struct lw_child_options {
    const char *path;  /* the program's file; no lookup */
    char *const *argv; /* NULL-terminated, with the name as the first */
    char *const *envp; /* NULL-terminated */
    bool has_terminal; /* it gets our standard input and stays in our process group; else it reads
                          nothing, and what it starts is ended with it */
    int timeout_ms;    /* after which it is killed */
} lw_child_options;

typedef struct lw_child_result {
    bool is_timed_out;
    bool is_known; /* how it ended; not so when the host collects children by itself */
    int status;    /* exit status, when |signal| is 0 */
    int signal;    /* that ended it */
} lw_child_result;

/* Runs the program and appends its standard output to |out|, as a secret; its standard error is
 * ours.  LW_ERR_NOT_FOUND (no such program), LW_ERR_IO (it cannot be started), LW_ERR_LIMIT (it
 * prints more than |out| holds), LW_ERR_NOMEM; |*result| is set on LW_OK. */
lw_status lw_child_run(const lw_child_options *options, lw_buf *out, lw_child_result *result,
                       lw_error *err);

#endif
