/* SPDX-License-Identifier: Apache-2.0 */
/* log_line.c -- prints each log line with one call, so that lines of different threads do not
 * mix. */
#include "log_line.h"

#include <stdio.h>
#include <time.h>

void log_line_head(char head[LOG_LINE_HEAD_SIZE], lw_log_level level, const char *component)
{
    struct timespec now = { 0, 0 };
    struct tm parts;
    char when[sizeof("2026-11-16T15:03:38")] = "";
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts))
        (void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(head, LOG_LINE_HEAD_SIZE, "%s.%03ldZ %s %s: ", when, now.tv_nsec / 1000000,
                   lw_log_level_name(level), component);
}

void log_line_print(lw_log_level level, const char *component, const char *line, void *arg)
{
    char head[LOG_LINE_HEAD_SIZE];
    (void)arg;
    log_line_head(head, level, component);
    fprintf(stderr, "%s%s\n", head, line);
}
