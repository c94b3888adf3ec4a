/* SPDX-License-Identifier: Apache-2.0 */
/* report.h -- saying what happened: an error with its reason, a line of the log. */
#ifndef LW_CONTROL_RUNTIME_REPORT_H
#define LW_CONTROL_RUNTIME_REPORT_H

#include <listwatch.h>

/* Fills |err| (may be NULL) and returns |st|. */
lw_status lw_report_error(lw_error *err, lw_status st, const char *format, ...) LW_PRINTF(3, 4);

/* The same for memory that is not there. */
lw_status lw_report_nomem(lw_error *err);

/* Tells |logger| one line, if it takes that level. */
void lw_report_log(const lw_logger *logger, lw_log_level level, const char *component,
                   const char *format, ...) LW_PRINTF(4, 5);

#endif
