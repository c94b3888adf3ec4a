/* SPDX-License-Identifier: Apache-2.0 */
/* pod_gen.h -- writes a PodList as a real API server sends it: deterministic, of any length.
 *
 * The same options give the same bytes on every machine.  A pod takes about 5 KB, two fifths of it
 * managedFields; nothing but one pod is held in memory. */
#ifndef LW_TESTS_BENCH_POD_GEN_H
#define LW_TESTS_BENCH_POD_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pod_gen_options {
    uint64_t pods;  /* how many; 0: as many as |bytes| takes */
    uint64_t bytes; /* stop at the first pod that reaches this size; 0: no limit */
    uint64_t seed;
    bool drops_managed_fields;
} pod_gen_options;

typedef struct pod_gen_totals {
    uint64_t pods;
    uint64_t bytes;
} pod_gen_totals;

/* Takes the next |len| bytes; false stops the generator. */
typedef bool (*pod_gen_write_fn)(const char *bytes, size_t len, void *arg);

/* Writes the list piece by piece, a pod at a time.  False when out of memory or stopped by |write|;
 * |totals| may be NULL. */
bool pod_gen_list(const pod_gen_options *options, pod_gen_write_fn write, void *arg,
                  pod_gen_totals *totals);

#endif
