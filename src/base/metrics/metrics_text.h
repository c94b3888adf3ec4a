/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text.h -- writes metrics in the text format of Prometheus (version 0.0.4).
 *
 * The text is written directly to the buffer of the caller and counted beyond its end, like
 * snprintf.  Numbers are written as integers, so the locale does not matter. */
#ifndef LW_BASE_METRICS_METRICS_TEXT_H
#define LW_BASE_METRICS_METRICS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/metrics/histogram.h"

/* The output. */
typedef struct lw_metrics_text {
    char *dst;
    size_t size;
    size_t len; /* of the full text, including what did not fit */
} lw_metrics_text;

void lw_metrics_put_bytes(lw_metrics_text *t, const char *bytes, size_t len);
void lw_metrics_put(lw_metrics_text *t, const char *string);
void lw_metrics_put_uint(lw_metrics_text *t, uint64_t value);

/* Seconds with nine decimal places. */
void lw_metrics_put_seconds(lw_metrics_text *t, uint64_t ns);

/* name="value", with backslash, quote and newline escaped. */
void lw_metrics_put_label(lw_metrics_text *t, const char *name, const char *value);

/* The two comments that begin a family. */
void lw_metrics_put_head(lw_metrics_text *t, const char *name, const char *type, const char *help);

/* All lines of a histogram of times in nanoseconds; |labels| are finished and not empty. */
void lw_metrics_put_histogram(lw_metrics_text *t, const char *name, const char *labels,
                              lw_histogram_bounds bounds, const lw_histogram *histogram);

/* Terminates the text with a NUL, and returns its full length. */
size_t lw_metrics_end(lw_metrics_text *t);

#endif
