/* SPDX-License-Identifier: Apache-2.0 */
/* linear.h -- sends requests to a server in this thread and compares their work. */
#ifndef LW_BENCH_LINEAR_LINEAR_H
#define LW_BENCH_LINEAR_LINEAR_H

#include "base/buf.h"
#include "bench/linear/work_meter.h"
#include "support/api_world.h"

enum {
    LINEAR_N = 500, /* items of the smaller body */
    LINEAR_TEXT_MAX = 64 * 1024 * 1024,
    LINEAR_NAME_SIZE = 200,
};

/* 2, and some more for sorting; of allocated bytes more, because memory grows in blocks. */
#define LINEAR_RATIO_MAX       2.3
#define LINEAR_BYTES_RATIO_MAX 2.7

typedef struct linear {
    api_world world;
    size_t compared, failed;
    double worst;
    char worst_name[LINEAR_NAME_SIZE];
} linear;

typedef struct linear_request {
    const char *method, *target;
    const char *type; /* NULL: JSON */
} linear_request;

/* False: the server does not start. */
bool linear_open(linear *run);
void linear_close(linear *run);

/* Put |json| at |key| of the store, and delete it. */
void linear_put(linear *run, const char *key, const char *json);
void linear_delete(linear *run, const char *key);

/* Sends |body| and returns the work that it took. */
work linear_measure(linear *run, const linear_request *request, lw_buf *body);

/* Sends a request that must succeed, to prepare others. */
void linear_send(linear *run, const linear_request *request, lw_buf *body);

double linear_ratio(uint64_t small, uint64_t large);

/* Counts a failure if |large| is more than LINEAR_RATIO_MAX times |small|. */
void linear_judge(linear *run, const char *name, work small, work large);

/* Sends both bodies and judges them. */
void linear_compare(linear *run, const linear_request *request, const char *name, lw_buf *small,
                    lw_buf *large);

#endif
