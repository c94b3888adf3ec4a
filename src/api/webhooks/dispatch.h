/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h -- calls the mutating or the validating webhooks of one request and waits for them,
 * without blocking the loop.
 *
 *     begin ──▶ nothing to call ─────────────────────────────▶ PASSED or REFUSED
 *       └──▶ WAITING: mutating webhooks one after the other, each sees the patches of those before,
 *            │        then once more those with reinvocationPolicy IfNeeded if a later one, or the
 *            │        server itself, has changed the object;
 *            │        validating webhooks all at once
 *            │        and for the authorizers that matchConditions ask, before the call
 *            ├──▶ over(passed or refused), once, on the loop
 *            └──▶ lw_hook_run_cancel: no callback
 *
 * A webhook that fails is ignored or refuses the request, by its failurePolicy.  A call ends at the
 * webhook's timeoutSeconds, or at the deadline of the request if that is earlier. */
#ifndef LW_API_WEBHOOKS_DISPATCH_H
#define LW_API_WEBHOOKS_DISPATCH_H

#include "api/webhooks/hooks.h"
#include "api/webhooks/review.h"
#include "api/webhooks/subject.h"

enum {
    LW_HOOK_REQUEST_TIMEOUT_S = 60, /* of a request, as kube-apiserver has it */
};

struct lw_api_call;

typedef enum lw_hook_outcome {
    LW_HOOK_PASSED,
    LW_HOOK_REFUSED, /* request->status says why */
    LW_HOOK_WAITING,
} lw_hook_outcome;

/* Everything stays as it is until the run is over. */
typedef struct lw_hook_request {
    lw_api_port *port;
    bool is_mutating; /* which webhooks */
    lw_hook_review review;
    lw_hook_subject *subject;
    lw_http_stream *stream;   /* waits for authorizers that conditions ask; NULL: nothing waits */
    struct lw_api_call *call; /* for warnings and annotations; NULL: they are dropped */
    int64_t deadline_ns;      /* of the request, by the loop's clock */
    lw_api_status *status;    /* set if it is refused */
    void (*over)(void *arg, bool is_passed);
    void *arg;
} lw_hook_request;

typedef struct lw_hook_run lw_hook_run;

/* Begins; |*out| is set if the result is WAITING, and freed before |over| is called. */
LW_MUST_CHECK lw_hook_outcome lw_hook_run_begin(lw_hook_run **out, const lw_hook_request *request);

/* Cancels all calls and frees the run.  NULL does nothing. */
void lw_hook_run_cancel(lw_hook_run *run);

#endif
