/* SPDX-License-Identifier: Apache-2.0 */
/* cost.h -- CPU time and memory used by this process. */
#ifndef LISTWATCH_CLI_COST_H
#define LISTWATCH_CLI_COST_H

typedef struct cost {
    double cpu_ms; /* user and system time */
    long peak_rss_kb;
    long rss_kb;
} cost;

/* Returns the current values; a value that the system does not provide is 0. */
cost cost_now(void);

#endif
