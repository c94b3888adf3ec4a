/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c -- CPU time and memory used by this process. */
#include "cost.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads the second number of /proc/self/statm, the resident pages. */
static long rss_kb(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    int count = fscanf(file, "%ld %ld", &total, &resident);
    (void)fclose(file);
    return count == 2 ? resident * (sysconf(_SC_PAGESIZE) / 1024) : 0;
}

static double milliseconds(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

cost cost_now(void)
{
    struct rusage usage;
    cost now = { .rss_kb = rss_kb() };
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        now.cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
        now.peak_rss_kb = usage.ru_maxrss;
    }
    return now;
}
