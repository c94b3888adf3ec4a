/* SPDX-License-Identifier: Apache-2.0 */
/* cost.h -- what this process has used so far. */
#ifndef LISTWATCH_CLI_COST_H
#define LISTWATCH_CLI_COST_H

typedef struct cost {
    double cpu_ms; /* user and system */
    long peak_rss_kb;
    long rss_kb;
} cost;

/* Figures the system does not give are 0. */
cost cost_now(void);

#endif
