/* SPDX-License-Identifier: Apache-2.0 */
/* log.c -- passes lines to the log function of the program. */
#include "base/log.h"

#include "base/error.h"

const char *lw_log_level_name(lw_log_level level)
{
    switch (level) {
    case LW_LOG_OFF: return "off";
    case LW_LOG_ERROR: return "error";
    case LW_LOG_WARN: return "warn";
    case LW_LOG_INFO: return "info";
    case LW_LOG_DEBUG: return "debug";
    }
    return "unknown";
}

void lw_log(const lw_logger *logger, lw_log_level level, const char *component, const char *format,
            ...)
{
    if (!lw_log_is_enabled(logger, level))
        return;
    char line[LW_LOG_LINE_SIZE];
    va_list args;
    va_start(args, format);
    (void)lw_line_format(line, sizeof(line), format, args);
    va_end(args);
    logger->fn(level, component, line, logger->arg);
}
