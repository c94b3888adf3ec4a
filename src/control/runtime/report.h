/* SPDX-License-Identifier: Apache-2.0 */
/* report.h -- formats errors and log lines. */
#ifndef LW_CONTROL_RUNTIME_REPORT_H
#define LW_CONTROL_RUNTIME_REPORT_H

#include <listwatch.h>

/* Sets |err| (may be NULL) and returns |st|. */
lw_status lw_report_error(lw_error *err, lw_status st, const char *format, ...) LW_PRINTF(3, 4);

/* Sets |err| to "out of memory" and returns LW_ERR_NOMEM. */
lw_status lw_report_nomem(lw_error *err);

/* Logs one line, if |logger| accepts that level. */
void lw_report_log(const lw_logger *logger, lw_log_level level, const char *component,
                   const char *format, ...) LW_PRINTF(4, 5);

#endif
