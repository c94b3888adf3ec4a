/* SPDX-License-Identifier: Apache-2.0 */
/* refusal_log.h -- logs why tokens are refused, which clients do not learn.  Any thread. */
#ifndef LW_SERVER_AUTHN_REFUSAL_LOG_H
#define LW_SERVER_AUTHN_REFUSAL_LOG_H

#include <stdatomic.h>

#include <listwatch/error.h>
#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

typedef struct lw_refusal_log {
    const lw_clock *clock;
    const lw_logger *logger; /* may be NULL */
    atomic_int_least64_t next_warning_ns;
} lw_refusal_log;

void lw_refusal_log_init(lw_refusal_log *log, const lw_clock *clock, const lw_logger *logger);

/* Logs that |what| ("a service account token") was refused: always at the level debug, as a warning
 * at most once per second.  Returns LW_ERR_UNAUTHORIZED. */
lw_status lw_refusal_log_write(lw_refusal_log *log, const char *what, const lw_error *why);

#endif
