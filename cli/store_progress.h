/* SPDX-License-Identifier: Apache-2.0 */
/* store_progress.h -- shows on standard error how far a command is. */
#ifndef LISTWATCH_CLI_STORE_PROGRESS_H
#define LISTWATCH_CLI_STORE_PROGRESS_H

#include <listwatch/server_store.h>

#include "store_arguments.h"

typedef struct store_progress {
    const store_arguments *args;
    const char *what; /* e.g. "objects exported" */
    bool is_terminal;
    bool has_line; /* an unfinished line is on the terminal */
    int64_t shown_ms;
} store_progress;

void store_progress_init(store_progress *progress, const store_arguments *args, const char *what);

/* Ends the line on the terminal. */
void store_progress_done(store_progress *progress);

/* The report of |progress|; lines go to standard error. */
lw_server_store_report store_progress_report(store_progress *progress);

#endif
