/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h -- SIGTERM and SIGINT of the process.  The first one is noted and wakes
 * the manager, which then restores the handlers: the second one ends the process. */
#ifndef LW_OPERATOR_SIGNALS_H
#define LW_OPERATOR_SIGNALS_H

#include <stdbool.h>

#include "operator/poll_set.h"

/* Wakes |wakes| when a signal comes.  LW_ERR_EXISTS: another part of the process does that. */
LW_MUST_CHECK lw_status lw_signals_watch(const lw_poll_set *wakes, lw_error *err);

/* Returns the signal that has come, or 0. */
int lw_signals_seen(void);

/* Restores what was before lw_signals_watch. */
void lw_signals_restore(void);

#endif
