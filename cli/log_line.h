/* SPDX-License-Identifier: Apache-2.0 */
/* log_line.h -- the log on standard error of commands that run until they are stopped. */
#ifndef LISTWATCH_CLI_LOG_LINE_H
#define LISTWATCH_CLI_LOG_LINE_H

#include <listwatch.h>

enum {
    LOG_LINE_HEAD_SIZE = 128,
};

/* Writes the beginning of a log line: "2026-11-16T15:03:38.123Z error serve: ". */
void log_line_head(char head[LOG_LINE_HEAD_SIZE], lw_log_level level, const char *component);

/* Prints one log line: time, level, component, message.  An lw_log_fn; |arg| is not used. */
void log_line_print(lw_log_level level, const char *component, const char *line, void *arg);

#endif
