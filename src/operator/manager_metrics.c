/* SPDX-License-Identifier: Apache-2.0 */
/* manager_metrics.c -- the metrics of all parts of a manager as one text. */
#include <string.h>

#include "base/alloc.h"
#include "base/metrics/metrics_text.h"
#include "operator/manager_internal.h"

enum {
    TRIES_MAX = 4, /* until the text fits, while it grows */
};

typedef size_t (*write_fn)(const lw_manager *m, char *dst, size_t size);

static size_t write_reconcilers(const lw_manager *m, char *dst, size_t size)
{
    return lw_reconciler_metrics(m->reconcilers, m->reconciler_count, dst, size);
}

static size_t write_informers(const lw_manager *m, char *dst, size_t size)
{
    return lw_factory_metrics(m->factory, dst, size);
}

static size_t write_requests(const lw_manager *m, char *dst, size_t size)
{
    return lw_client_metrics(m->client, dst, size);
}

static void put_count(lw_metrics_text *t, const char *result, uint64_t value)
{
    lw_metrics_put(t, "listwatch_recorder_events_total{");
    lw_metrics_put_label(t, "result", result);
    lw_metrics_put(t, "} ");
    lw_metrics_put_uint(t, value);
    lw_metrics_put(t, "\n");
}

static size_t write_others(const lw_manager *m, char *dst, size_t size)
{
    lw_metrics_text t = { dst, size, 0 };
    lw_recorder_statistics events;
    if (m->election) {
        lw_metrics_put_head(&t, "leader_election_master_status", "gauge",
                            "1 if this copy holds the lease \"name\", 0 if it does not.");
        lw_metrics_put(&t, "leader_election_master_status{");
        lw_metrics_put_label(&t, "name", m->lease);
        lw_metrics_put(&t, "} ");
        lw_metrics_put_uint(&t, lw_election_is_leader(m->election));
        lw_metrics_put(&t, "\n");
    }
    lw_recorder_stats(m->recorder, &events);
    lw_metrics_put_head(&t, "listwatch_recorder_events_total", "counter",
                        "Events that were recorded, by what has become of them.");
    put_count(&t, "created", events.created);
    put_count(&t, "patched", events.patched);
    put_count(&t, "filtered", events.filtered);
    put_count(&t, "dropped", events.dropped);
    put_count(&t, "failed", events.failed);
    lw_metrics_put_head(&t, "listwatch_recorder_queue_depth", "gauge",
                        "Number of events that wait to be written.");
    lw_metrics_put(&t, "listwatch_recorder_queue_depth ");
    lw_metrics_put_uint(&t, events.queued);
    lw_metrics_put(&t, "\n");
    return lw_metrics_end(&t);
}

/* Appends a text of unknown length. */
static void append(const lw_manager *m, write_fn write, lw_buf *out)
{
    for (int i = 0; i < TRIES_MAX; i++) {
        size_t len = write(m, NULL, 0), room = len + len / 4 + 1;
        if (lw_buf_reserve(out, room) < 0)
            return;
        len = write(m, out->data + out->len, room);
        if (len < room) {
            out->len += len;
            return;
        }
    }
}

void lw_manager__write_metrics(const lw_manager *m, lw_buf *out)
{
    append(m, write_reconcilers, out);
    append(m, write_informers, out);
    append(m, write_requests, out);
    append(m, write_others, out);
}

size_t lw_manager_metrics(const lw_manager *m, char *dst, size_t size)
{
    lw_buf out;
    lw_buf_init(&out, LW_HEALTH_SERVER_BODY_MAX);
    lw_manager__write_metrics(m, &out);
    size_t len = out.st == LW_OK ? out.len : 0;
    if (size > 0) {
        size_t kept = len < size ? len : size - 1;
        if (kept > 0)
            memcpy(dst, out.data, kept);
        dst[kept] = '\0';
    }
    lw_buf_done(&out);
    return len;
}
