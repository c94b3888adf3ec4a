/* SPDX-License-Identifier: Apache-2.0 */
/* request_counts.h -- counts the requests of a client by method and status, and how long they take
 * until the headers of the response are there. */
#ifndef LW_CLIENT_REQUEST_COUNTS_H
#define LW_CLIENT_REQUEST_COUNTS_H

#include "base/metrics/histogram.h"
#include "base/metrics/metrics_text.h"
#include "base/sync.h"

enum {
    LW_REQUEST_COUNTS_MAX = 64,  /* pairs of a method and a status; the rest is not counted */
    LW_REQUEST_METHODS_MAX = 8,  /* methods */
    LW_REQUEST_METHOD_SIZE = 16, /* bytes of a method with its NUL; longer ones are cut */
};

typedef struct lw_request_count {
    char method[LW_REQUEST_METHOD_SIZE];
    int status; /* 0: no response */
    uint64_t count;
} lw_request_count;

typedef struct lw_request_time {
    char method[LW_REQUEST_METHOD_SIZE];
    lw_histogram times;
} lw_request_time;

/* Any thread. */
typedef struct lw_request_counts {
    lw_mutex mu; /* guards the rest */
    lw_request_count counts[LW_REQUEST_COUNTS_MAX];
    size_t count;
    lw_request_time times[LW_REQUEST_METHODS_MAX];
    size_t method_count;
} lw_request_counts;

void lw_request_counts_init(lw_request_counts *counts);
void lw_request_counts_done(lw_request_counts *counts);

/* Counts one response, or (|status| 0) a request without one; |took_ns| since it was sent. */
void lw_request_counts_add(lw_request_counts *counts, const char *method, int status,
                           int64_t took_ns);

/* Writes rest_client_requests_total and rest_client_request_duration_seconds, as client-go does. */
void lw_request_counts_write(lw_request_counts *counts, const char *host, lw_metrics_text *t);

#endif
