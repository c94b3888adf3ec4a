/* SPDX-License-Identifier: Apache-2.0 */
/* server_process.h -- a `listwatch serve` of one's own, started for a measurement. */
#ifndef LW_TESTS_BENCH_SERVER_PROCESS_H
#define LW_TESTS_BENCH_SERVER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct server_process {
    pid_t pid;
    char folder[256]; /* of its data; removed by server_stop */
    char token[128];
    uint16_t plain_port;
    uint16_t tls_port;
    double ready_ms; /* from the start of the program to its "ready" line */
} server_process;

/* Starts |program| with an empty folder below |parent| and waits until it can answer.  False, with
 * a message on stderr, when it cannot. */
bool server_start(server_process *server, const char *program, const char *parent);

/* Ends it with SIGKILL and starts |program| on the same data: ports and ready_ms are new. */
bool server_kill_and_start(server_process *server, const char *program);

/* Ends it and removes its folder. */
void server_stop(server_process *server);

/* Seconds of CPU it has used, and its memory; its own without the pages of the data file, which the
 * kernel takes back when it needs them. */
double server_cpu_seconds(const server_process *server);
uint64_t server_rss_kib(const server_process *server);
uint64_t server_own_kib(const server_process *server);

/* A clock that only goes forward, in seconds. */
double bench_now(void);

#endif
