/* SPDX-License-Identifier: Apache-2.0 */
/* log.h -- writing to an lw_logger. */
#ifndef LW_BASE_LOG_H
#define LW_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/log.h>

/* True when |logger| (may be NULL) wants lines of |level|: ask before computing what only a line
 * needs. */
static inline bool lw_log_is_enabled(const lw_logger *logger, lw_log_level level)
{
    return logger && logger->fn && level != LW_LOG_OFF && level <= logger->level;
}

/* Formats one line and hands it to |logger|, when that wants it; otherwise does nothing.  Never
 * under a lock: the program's function runs in here. */
void lw_log(const lw_logger *logger, lw_log_level level, const char *component, const char *format,
            ...) LW_PRINTF(4, 5);

#endif
