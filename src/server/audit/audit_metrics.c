/* SPDX-License-Identifier: Apache-2.0 */
/* audit_metrics.c -- the metrics of auditing, named as in kube-apiserver. */
#include <inttypes.h>

#include "base/str.h"
#include "server/audit/audit.h"

static void begin(lw_buf *out, const char *name, const char *help)
{
    lw_buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n", name, help, name);
}

void lw_audit_write_metrics(lw_audit *audit, lw_buf *out)
{
    static const char errors[] = "apiserver_audit_error_total";
    static const char levels[] = "apiserver_audit_level_total";
    lw_audit_stats stats;
    lw_audit_read_stats(audit, &stats);
    begin(out, "apiserver_audit_event_total",
          "Number of audit events that were generated and sent to the audit log or webhook.");
    lw_buf_printf(out, "apiserver_audit_event_total %" PRIu64 "\n", stats.events);
    begin(out, errors,
          "Number of audit events that were lost: the log could not be written, the webhook did "
          "not accept them, or a queue was full (plugin \"buffered\").");
    lw_buf_printf(out, "%s{plugin=\"buffered\"} %" PRIu64 "\n", errors,
                  stats.sink.dropped + stats.webhook.dropped);
    lw_buf_printf(out, "%s{plugin=\"log\"} %" PRIu64 "\n", errors, stats.sink.failed);
    lw_buf_printf(out, "%s{plugin=\"webhook\"} %" PRIu64 "\n", errors, stats.webhook.failed);
    begin(out, levels, "Number of requests by the level of the audit policy.");
    for (size_t i = 0; i < LW_AUDIT_LEVELS; i++)
        lw_buf_printf(out, "%s{level=\"%.*s\"} %" PRIu64 "\n", levels,
                      LW_STR_ARG(lw_audit_level_name((lw_audit_level)i)), stats.levels[i]);
    begin(out, "apiserver_audit_requests_rejected_total",
          "Number of requests that were refused because their audit event could not be written.");
    lw_buf_printf(out, "apiserver_audit_requests_rejected_total %" PRIu64 "\n", stats.rejected);
}
