/* SPDX-License-Identifier: Apache-2.0 */
/* static_source.h -- an API server that knows one answer: generated pods, encoded before anybody
 * asks.  A process of its own, so that a client's cost is the client's alone. */
#ifndef LW_TESTS_BENCH_STATIC_SOURCE_H
#define LW_TESTS_BENCH_STATIC_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct static_source_options {
    uint64_t pods;   /* how many there are */
    uint64_t events; /* MODIFIED events that a watch sends after the pods, at once */
} static_source_options;

typedef struct static_source {
    pid_t pid;
    char url[64];
} static_source;

/* Starts the source and returns when it answers.  False: it has said why. */
bool static_source_start(static_source *source, const static_source_options *options);
void static_source_stop(static_source *source);

#endif
