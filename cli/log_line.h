/* SPDX-License-Identifier: Apache-2.0 */
/* log_line.h -- the log of commands that go on until they are told to stop, on standard error. */
#ifndef LISTWATCH_CLI_LOG_LINE_H
#define LISTWATCH_CLI_LOG_LINE_H

#include <listwatch.h>

enum {
    LOG_LINE_HEAD_SIZE = 128,
};

/* What a line begins with: "2026-11-16T15:03:38.123Z error serve: ". */
void log_line_head(char head[LOG_LINE_HEAD_SIZE], lw_log_level level, const char *component);

/* One line of the log: when, how bad, who, what.  An lw_log_fn; |arg| is not used. */
void log_line_print(lw_log_level level, const char *component, const char *line, void *arg);

#endif
