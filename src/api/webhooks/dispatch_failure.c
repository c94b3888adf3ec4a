/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_failure.c -- refusals of a run, and their metrics. */
#include "api/webhooks/dispatch_internal.h"

#include "api/http/failures.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

/* The first refusal counts; it may still be decided when others are in progress. */
bool lw_hook_run__may_refuse(lw_hook_run *run)
{
    bool is_first = !run->is_refused;
    run->is_refused = true;
    return is_first;
}

void lw_hook_run__refuse_failure(lw_hook_run *run, lw_status st)
{
    if (lw_hook_run__may_refuse(run))
        lw_api_status_of_failure(run->request.status, st);
}

void lw_hook_run__refuse_internal(lw_hook_run *run, const lw_buf *why)
{
    if (!lw_hook_run__may_refuse(run))
        return;
    lw_api_status_internal(run->request.status, lw_buf_view(why));
    if (why->st == LW_ERR_NOMEM)
        run->request.status->st = why->st;
}

static lw_hook_labels labels_of(const lw_hook_run *run, const lw_hook *hook)
{
    return (lw_hook_labels){ hook->name, hook->is_mutating,
                             lw_operation_name(run->request.review.operation) };
}

static lw_hook_metrics *metrics_of(const lw_hook_run *run)
{
    return lw_hooks_metrics(run->request.port->api->hooks);
}

/* Counts a call that has ended. */
void lw_hook_call__count(const hook_call *call, bool is_rejected, int code)
{
    const lw_hook_labels labels = labels_of(call->run, call->match->hook);
    int64_t now = lw_clock_now(lw_loop_clock(call->run->request.port->loop));
    lw_hook_metrics_count(metrics_of(call->run), &labels, is_rejected, code,
                          now - call->started_ns);
}

void lw_hook_call__count_rejection(const hook_call *call, lw_hook_rejection why, int code)
{
    const lw_hook_labels labels = labels_of(call->run, call->match->hook);
    lw_hook_metrics_reject(metrics_of(call->run), &labels, why, code);
    lw_hook_call__count(call, true, code);
}

/* The webhook could not be called, or has replied nonsense: |why|.  By its failurePolicy it is
 * ignored, or the request is refused. */
void lw_hook_call__fail(hook_call *call, int code, const lw_buf *why)
{
    lw_hook_run *run = call->run;
    const lw_hook *hook = call->match->hook;
    const lw_logger *logger = run->request.port->api->logger;
    lw_log(logger, LW_LOG_WARN, "webhook",
           "failed calling admission webhook %.*s, failing %s: %.*s", LW_STR_ARG(hook->name),
           hook->fails_open ? "open" : "closed", LW_STR_ARG(lw_buf_view(why)));
    if (hook->fails_open) {
        const lw_hook_labels labels = labels_of(run, hook);
        lw_hook_metrics_fail_open(metrics_of(run), &labels);
        lw_hook_call__count(call, false, code);
        return;
    }
    lw_buf text;
    lw_buf_init(&text, LW_HOOK_WHY_MAX);
    lw_buf_append_text(&text, "failed calling webhook \"");
    lw_buf_append_str(&text, hook->name);
    lw_buf_append_text(&text, "\": ");
    lw_buf_append_str(&text, lw_buf_view(why));
    if (why->st < 0 && text.st == LW_OK)
        text.st = why->st;
    lw_hook_call__count_rejection(call, LW_HOOK_REJECTED_BY_FAILURE, code);
    lw_hook_run__refuse_internal(run, &text);
    lw_buf_done(&text);
}

void lw_hook_call__fail_text(hook_call *call, int code, const char *what, lw_str reason)
{
    lw_buf why;
    lw_buf_init(&why, LW_HOOK_WHY_MAX);
    lw_buf_append_text(&why, what);
    lw_buf_append_str(&why, reason);
    lw_hook_call__fail(call, code, &why);
    lw_buf_done(&why);
}

/* A reply that is not a success, as client-go words it. */
void lw_hook_call__fail_with_code(hook_call *call, int code, lw_str content_type, lw_str body)
{
    lw_api_status status;
    bool is_text = lw_str_starts_with(content_type, LW_STR("text/"));
    lw_api_status_generic(&status, code, is_text ? lw_str_trim(body) : LW_STR("unknown"));
    lw_hook_call__fail_text(call, code,
                            "failed to call webhook: ", lw_api_status_str(&status, status.message));
    lw_api_status_done(&status);
}

void lw_hook_call__fail_empty(hook_call *call, int code, lw_str content_type)
{
    lw_buf why;
    lw_buf_init(&why, LW_HOOK_WHY_MAX);
    lw_buf_printf(&why,
                  "failed to call webhook: 0-length response with status code: %d and content "
                  "type: %.*s",
                  code, LW_STR_ARG(content_type));
    lw_hook_call__fail(call, LW_HOOK_CODE_UNAVAILABLE, &why);
    lw_buf_done(&why);
}
