/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch_internal.h -- a run of webhooks: what its parts share.
 *
 *     dispatch.c          which webhook is next, calls and replies
 *     dispatch_convert.c  the objects in the version of a webhook, and patched ones back
 *     dispatch_failure.c  refusals and their metrics */
#ifndef LW_API_WEBHOOKS_DISPATCH_INTERNAL_H
#define LW_API_WEBHOOKS_DISPATCH_INTERNAL_H

#include "api/webhooks/dispatch.h"
#include "api/webhooks/hook_converter.h"
#include "api/webhooks/match.h"
#include "api/webhooks/reply.h"
#include "base/text/uuid.h"

enum {
    LW_HOOK_WHY_MAX = 1024 * 1024,
    LW_HOOK_CODE_OK = 200,
    LW_HOOK_CODE_BAD_REQUEST = 400,
    LW_HOOK_CODE_UNAVAILABLE = 503,
};

/* One call of one webhook. */
typedef struct hook_call {
    lw_hook_call base;
    lw_hook_run *run;
    const lw_hook_match *match;
    lw_buf body;
    char uid[LW_UUID_SIZE];
    int64_t started_ns;
    bool is_open; /* the caller has it */
} hook_call;

/* What is known about a webhook, for reinvocation. */
typedef struct hook_state {
    bool was_invoked;  /* since the last change by another; it may be called again */
    bool is_reinvoked; /* in the second round */
} hook_state;

struct lw_hook_run {
    lw_hook_request request;
    lw_hook_set *set;
    lw_registry *registry;
    lw_hook_match *matches;
    hook_state *states; /* of mutating webhooks */
    hook_call *calls;   /* one for mutating webhooks, otherwise one for each */
    size_t count;
    size_t next;          /* the next one to decide about */
    size_t called;        /* validating: how many are to be called, the first of |matches| */
    size_t sent;          /* validating: how many of them were called */
    size_t open;          /* calls in progress */
    unsigned round;       /* mutating: 0 or 1 */
    bool is_changed;      /* mutating: by a webhook of the first round */
    bool is_refused;      /* request.status has the reason */
    bool is_awaiting;     /* the answer of an authorizer, for request.stream */
    lw_hook_shown *shown; /* the objects as they are now: mutating: in one version, otherwise in
                             each that a webhook wants; free places follow */
    lw_hook_conversion conversion; /* under way if conversion.job */
    hook_call *patched;            /* whose patched object is being converted back; NULL: none */
};

/* dispatch.c */

/* Goes on after a conversion.  May free the run. */
void lw_hook_run__resume(lw_hook_run *run);

/* Ends the call of a mutating webhook. */
void lw_hook_run__finish_mutating(hook_call *call, bool is_changed);

/* Returns where the objects are, or will be, shown as |as|. */
lw_hook_shown *lw_hook_run__shown(lw_hook_run *run, const lw_kind *as);

/* The objects have changed. */
void lw_hook_run__forget_shown(lw_hook_run *run);

/* dispatch_convert.c */

/* Converts the objects to the version of |match|.  CONVERTING: the run is resumed. */
lw_hook_conversion_outcome lw_hook_run__convert(lw_hook_run *run, const lw_hook_match *match);

/* Applies the patch of a reply.  Returns true if the object has changed.  If run->patched is set,
 * that is not known yet: the run is resumed. */
bool lw_hook_run__take_patch(hook_call *call, lw_hook_reply *reply);

void lw_hook_run__end_conversion(lw_hook_run *run);

/* dispatch_failure.c */

/* Returns true for the first refusal, which counts; the caller sets request.status. */
bool lw_hook_run__may_refuse(lw_hook_run *run);
void lw_hook_run__refuse_failure(lw_hook_run *run, lw_status st);
void lw_hook_run__refuse_internal(lw_hook_run *run, const lw_buf *why);

/* Counts a call that has ended. */
void lw_hook_call__count(const hook_call *call, bool is_rejected, int code);
void lw_hook_call__count_rejection(const hook_call *call, lw_hook_rejection why, int code);

/* The webhook could not be called, or has replied nonsense: |why|.  By its failurePolicy it is
 * ignored, or the request is refused. */
void lw_hook_call__fail(hook_call *call, int code, const lw_buf *why);
void lw_hook_call__fail_text(hook_call *call, int code, const char *what, lw_str reason);

/* A reply that is not a success, and an empty one. */
void lw_hook_call__fail_with_code(hook_call *call, int code, lw_str content_type, lw_str body);
void lw_hook_call__fail_empty(hook_call *call, int code, lw_str content_type);

#endif
