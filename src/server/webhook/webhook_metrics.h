/* SPDX-License-Identifier: Apache-2.0 */
/* webhook_metrics.h -- counts what becomes of calls of webhooks, by the name of the webhook; the
 * names of the metrics are those of kube-apiserver.  A webhook that a new configuration names again
 * goes on with its numbers.  Any thread. */
#ifndef LW_SERVER_WEBHOOK_WEBHOOK_METRICS_H
#define LW_SERVER_WEBHOOK_WEBHOOK_METRICS_H

#include <stdatomic.h>
#include <stdint.h>

#include <listwatch/str.h>

#include "base/buf.h"
#include "base/sync.h"

enum {
    LW_WEBHOOK_NAMES_MAX = 64, /* with numbers; further ones are not counted */
};

typedef enum lw_webhook_result {
    LW_WEBHOOK_SUCCESS,
    LW_WEBHOOK_ERROR,
    LW_WEBHOOK_TIMEOUT,
    LW_WEBHOOK_RESULTS,
} lw_webhook_result;

/* The numbers of one webhook. */
typedef struct lw_webhook_counters {
    char *name;
    atomic_uint_least64_t results[LW_WEBHOOK_RESULTS];
    atomic_uint_least64_t took_us[LW_WEBHOOK_RESULTS]; /* microseconds, together */
    atomic_uint_least64_t fail_open[LW_WEBHOOK_RESULTS];
    atomic_uint_least64_t allowed, denied;
    atomic_uint_least64_t excluded, condition_errors;
    atomic_uint_least64_t hits, misses;
} lw_webhook_counters;

/* Zeroed: there are none. */
typedef struct lw_webhook_metrics {
    lw_mutex mu; /* guards the members below */
    lw_webhook_counters *all[LW_WEBHOOK_NAMES_MAX];
    size_t count;
    /* Of the file of --authorization-config. */
    atomic_uint_least64_t reloads, failed_reloads;
    atomic_int_least64_t reloaded_s, failed_s; /* Unix time of the last; 0: none */
} lw_webhook_metrics;

void lw_webhook_metrics_init(lw_webhook_metrics *metrics);
void lw_webhook_metrics_done(lw_webhook_metrics *metrics);

/* Returns the numbers of |name|, which live as long as |metrics|; NULL: there are too many names,
 * or no memory. */
lw_webhook_counters *lw_webhook_metrics_of(lw_webhook_metrics *metrics, lw_str name);

/* Appends the metrics in the text format. */
void lw_webhook_metrics_write(lw_webhook_metrics *metrics, lw_buf *out);

#endif
