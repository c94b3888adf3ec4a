/* SPDX-License-Identifier: Apache-2.0 */
/* report.c -- formats errors and log lines. */
#include "runtime/report.h"

#include <stdarg.h>
#include <stdio.h>

lw_status lw_report_error(lw_error *err, lw_status st, const char *format, ...)
{
    va_list args;
    if (!err)
        return st;
    *err = (lw_error){ .code = st, .offset = LW_NO_OFFSET };
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof(err->message), format, args);
    va_end(args);
    return st;
}

lw_status lw_report_nomem(lw_error *err)
{
    return lw_report_error(err, LW_ERR_NOMEM, "out of memory");
}

void lw_report_log(const lw_logger *logger, lw_log_level level, const char *component,
                   const char *format, ...)
{
    char line[LW_LOG_LINE_SIZE];
    va_list args;
    if (!logger->fn || level > logger->level)
        return;
    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    logger->fn(level, component, line, logger->arg);
}
