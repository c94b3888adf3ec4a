/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text.c -- writes metrics in the text format of Prometheus. */
#include "base/metrics/metrics_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <listwatch/time.h>

void lw_metrics_put_bytes(lw_metrics_text *t, const char *bytes, size_t len)
{
    if (t->len + 1 < t->size) {
        size_t room = t->size - 1 - t->len;
        memcpy(t->dst + t->len, bytes, len < room ? len : room);
    }
    t->len += len;
}

void lw_metrics_put(lw_metrics_text *t, const char *string)
{
    lw_metrics_put_bytes(t, string, strlen(string));
}

void lw_metrics_put_uint(lw_metrics_text *t, uint64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof(digits), "%" PRIu64, value);
    lw_metrics_put(t, digits);
}

/* Seconds with nine decimal places. */
void lw_metrics_put_seconds(lw_metrics_text *t, uint64_t ns)
{
    char digits[40];
    (void)snprintf(digits, sizeof(digits), "%" PRIu64 ".%09" PRIu64, ns / (uint64_t)LW_NS_PER_S,
                   ns % (uint64_t)LW_NS_PER_S);
    lw_metrics_put(t, digits);
}

/* name="value", with backslash, quote and newline escaped. */
void lw_metrics_put_label(lw_metrics_text *t, const char *name, const char *value)
{
    lw_metrics_put(t, name);
    lw_metrics_put(t, "=\"");
    for (const char *c = value; *c; c++) {
        if (*c == '\n')
            lw_metrics_put(t, "\\n");
        else if (*c == '\\' || *c == '"')
            lw_metrics_put_bytes(t, (const char[]){ '\\', *c }, 2);
        else
            lw_metrics_put_bytes(t, c, 1);
    }
    lw_metrics_put(t, "\"");
}

void lw_metrics_put_head(lw_metrics_text *t, const char *name, const char *type, const char *help)
{
    lw_metrics_put(t, "# HELP ");
    lw_metrics_put(t, name);
    lw_metrics_put(t, " ");
    lw_metrics_put(t, help);
    lw_metrics_put(t, "\n# TYPE ");
    lw_metrics_put(t, name);
    lw_metrics_put(t, " ");
    lw_metrics_put(t, type);
    lw_metrics_put(t, "\n");
}

/* The bounds of histograms of time are in nanoseconds. */
void lw_metrics_put_histogram(lw_metrics_text *t, const char *name, const char *labels,
                              lw_histogram_bounds bounds, const lw_histogram *histogram)
{
    uint64_t count = 0;
    for (size_t i = 0;; i++) {
        count += lw_counter_read(&histogram->counts[i]);
        lw_metrics_put(t, name);
        lw_metrics_put(t, "_bucket{");
        lw_metrics_put(t, labels);
        lw_metrics_put(t, ",le=\"");
        lw_metrics_put(t, bounds[i].text ? bounds[i].text : "+Inf");
        lw_metrics_put(t, "\"} ");
        lw_metrics_put_uint(t, count);
        lw_metrics_put(t, "\n");
        if (!bounds[i].text)
            break;
    }
    lw_metrics_put(t, name);
    lw_metrics_put(t, "_sum{");
    lw_metrics_put(t, labels);
    lw_metrics_put(t, "} ");
    lw_metrics_put_seconds(t, lw_counter_read(&histogram->sum));
    lw_metrics_put(t, "\n");
    lw_metrics_put(t, name);
    lw_metrics_put(t, "_count{");
    lw_metrics_put(t, labels);
    lw_metrics_put(t, "} ");
    lw_metrics_put_uint(t, count);
    lw_metrics_put(t, "\n");
}

size_t lw_metrics_end(lw_metrics_text *t)
{
    if (t->size > 0)
        t->dst[t->len < t->size ? t->len : t->size - 1] = '\0';
    return t->len;
}
