/* SPDX-License-Identifier: Apache-2.0 */
/* log.h -- writes to an lw_logger. */
#ifndef LW_BASE_LOG_H
#define LW_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/log.h>

/* Returns true if |logger| (may be NULL) accepts lines of |level|: check it before computing values
 * that are only logged. */
static inline bool lw_log_is_enabled(const lw_logger *logger, lw_log_level level)
{
    return logger && logger->fn && level != LW_LOG_OFF && level <= logger->level;
}

/* Formats one line and passes it to |logger| if it accepts the level.  Must not be called with a
 * lock held: it calls a function of the program. */
void lw_log(const lw_logger *logger, lw_log_level level, const char *component, const char *format,
            ...) LW_PRINTF(4, 5);

#endif
