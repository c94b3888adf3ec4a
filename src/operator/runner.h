/* SPDX-License-Identifier: Apache-2.0 */
/* runner.h -- runs a part that has a descriptor, a timeout and a dispatch function, until it is
 * closed: in a thread, or in the thread that waits for its end. */
#ifndef LW_OPERATOR_RUNNER_H
#define LW_OPERATOR_RUNNER_H

#include <stdbool.h>

#include <listwatch/error.h>

#include "base/sync.h"

/* The part.  Only one thread at a time calls fd, timeout_ms and dispatch; any thread is_closed. */
typedef struct lw_runner_type {
    const char *name; /* of the thread */
    int (*fd)(const void *self);
    int (*timeout_ms)(const void *self);
    void (*dispatch)(void *self);
    bool (*is_closed)(const void *self);
} lw_runner_type;

typedef struct lw_runner {
    const lw_runner_type *type;
    void *self;
    lw_thread thread;
    lw_mutex mu; /* guards what follows */
    bool has_thread;
    bool is_joined;
} lw_runner;

void lw_runner_init(lw_runner *runner, const lw_runner_type *type, void *self);
void lw_runner_done(lw_runner *runner);

/* Starts the thread.  LW_ERR_EXISTS: there is one.  LW_ERR_STOPPED: the part is closed.
 * LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_runner_start(lw_runner *runner, lw_error *err);

/* Waits until the part, which is closing, is closed.  One thread at a time. */
void lw_runner_finish(lw_runner *runner);

#endif
