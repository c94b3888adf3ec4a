/* SPDX-License-Identifier: Apache-2.0 */
/* process.h -- the resource usage of this process, read from /proc. */
#ifndef LW_SERVER_CORE_PROCESS_H
#define LW_SERVER_CORE_PROCESS_H

#include <listwatch/sys/clock.h>

/* Values that the system does not provide are 0. */
typedef struct lw_process_facts {
    uint64_t resident_bytes, virtual_bytes;
    int64_t cpu_ns;        /* of all threads, in user and kernel mode */
    int64_t start_wall_ns; /* since 1970-01-01 */
    uint64_t open_fds, max_fds;
    uint64_t threads;
} lw_process_facts;

void lw_process_look(lw_process_facts *facts, const lw_clock *clock);

#endif
