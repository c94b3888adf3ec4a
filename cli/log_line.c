/* SPDX-License-Identifier: Apache-2.0 */
/* log_line.c -- one call a line, so that lines of threads stay whole. */
#include "log_line.h"

#include <stdio.h>
#include <time.h>

void log_line_print(lw_log_level level, const char *component, const char *line, void *arg)
{
    struct timespec now = { 0, 0 };
    struct tm parts;
    char text[sizeof("2026-11-16T15:03:38")] = "";
    (void)arg;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts))
        (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
    fprintf(stderr, "%s.%03ldZ %s %s: %s\n", text, now.tv_nsec / 1000000, lw_log_level_name(level),
            component, line);
}
