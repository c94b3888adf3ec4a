/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c -- runs of webhooks. */
#include "api/webhooks/dispatch.h"

#include "api/context/asker.h"
#include "api/http/call.h"
#include "api/http/failures.h"
#include "api/webhooks/dispatch_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"

static lw_hook_outcome advance(lw_hook_run *run);

/* How many versions the objects are shown in at most. */
static size_t shown_max(const lw_hook_run *run)
{
    return run->request.is_mutating ? 1 : run->count;
}

void lw_hook_run__forget_shown(lw_hook_run *run)
{
    for (size_t i = 0; i < shown_max(run); i++)
        lw_hook_shown_done(&run->shown[i]);
}

lw_hook_shown *lw_hook_run__shown(lw_hook_run *run, const lw_kind *as)
{
    size_t at = 0;
    while (at + 1 < shown_max(run) && run->shown[at].as && run->shown[at].as != as)
        at++;
    return &run->shown[at];
}

static void run_free(lw_hook_run *run)
{
    const lw_hook_caller *caller = lw_hooks_caller(run->request.port->api->hooks);
    for (size_t i = 0; i < shown_max(run); i++) {
        if (run->calls[i].is_open)
            caller->cancel(caller->arg, &run->calls[i].base);
        lw_buf_done(&run->calls[i].body);
    }
    if (run->is_awaiting)
        lw_asker_forget(run->request.stream);
    lw_hook_run__end_conversion(run);
    lw_hook_run__forget_shown(run);
    lw_hook_set_unref(run->set);
    lw_registry_unref(run->registry);
    lw_free(run);
}

void lw_hook_run_cancel(lw_hook_run *run)
{
    if (run)
        run_free(run);
}

static void run_over(lw_hook_run *run, bool is_passed)
{
    const lw_hook_request request = run->request;
    run_free(run);
    request.over(request.arg, is_passed);
}

static void pass_warnings(const lw_hook_run *run, const lw_hook_reply *reply)
{
    for (size_t i = 0; run->request.call && i < lw_node_count(reply->warnings); i++)
        lw_call_warn(run->request.call, lw_node_text(lw_node_at(reply->warnings, i)));
}

/* Annotations of the audit event have the name of the webhook before their own. */
static void pass_annotations(const hook_call *call, const lw_hook_reply *reply)
{
    const lw_hook_request *request = &call->run->request;
    lw_buf key;
    if (!request->call)
        return;
    lw_buf_init(&key, LW_HOOK_WHY_MAX);
    for (size_t i = 0; i < lw_node_count(reply->annotations); i++) {
        lw_buf_reset(&key);
        lw_buf_append_str(&key, call->match->hook->name);
        lw_buf_append_char(&key, '/');
        lw_buf_append_str(&key, lw_node_key_at(reply->annotations, i));
        if (key.st == LW_OK)
            lw_call_annotate(request->call, lw_buf_view(&key),
                             lw_node_text(lw_node_at(reply->annotations, i)));
    }
    lw_buf_done(&key);
}

static void refuse_denied(hook_call *call, const lw_hook_reply *reply)
{
    lw_api_status status;
    lw_hook_refusal(&status, call->match->hook->name, reply->status);
    lw_hook_call__count_rejection(call, LW_HOOK_REJECTED_BY_WEBHOOK, status.code);
    if (lw_hook_run__may_refuse(call->run))
        *call->run->request.status = status;
    else
        lw_api_status_done(&status);
}

/* Reads the reply of a webhook that has answered with success.  Returns true if the object has
 * changed. */
static bool take_reply(hook_call *call, lw_str body)
{
    const lw_hook *hook = call->match->hook;
    lw_hook_reply reply;
    bool is_changed = false;
    lw_buf why;
    lw_buf_init(&why, LW_HOOK_WHY_MAX);
    lw_status st = lw_hook_reply_read(&reply, body, hook->version, hook->is_mutating,
                                      lw_str_of(call->uid), &why);
    if (st == LW_OK) {
        pass_warnings(call->run, &reply);
        pass_annotations(call, &reply);
    }
    if (st == LW_OK && !reply.is_allowed) {
        refuse_denied(call, &reply);
    } else if (st == LW_OK) {
        st = lw_hook_reply_read_patch(&reply, &why);
        if (st == LW_OK)
            is_changed = lw_hook_run__take_patch(call, &reply);
    }
    if (st == LW_ERR_INVALID)
        lw_hook_call__fail(call, LW_HOOK_CODE_UNAVAILABLE, &why);
    else if (st < 0)
        lw_hook_run__refuse_failure(call->run, st);
    lw_hook_reply_done(&reply);
    lw_buf_done(&why);
    return is_changed;
}

/* A webhook has changed the object: those before it that want to see that are called again. */
static void note_change(lw_hook_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        run->states[i].is_reinvoked |= run->states[i].was_invoked;
        run->states[i].was_invoked = false;
    }
}

void lw_hook_run__finish_mutating(hook_call *call, bool is_changed)
{
    lw_hook_run *run = call->run;
    size_t at = (size_t)(call->match - run->matches);
    if (is_changed) {
        note_change(run);
        run->is_changed = true;
    }
    run->states[at].was_invoked = call->match->hook->is_reinvoked;
}

static void call_done(lw_hook_call *base, int status, lw_str content_type, lw_str body,
                      const lw_error *err)
{
    enum {
        SUCCESS = 200,
        SUCCESS_END = 300,
    };
    hook_call *call = LW_CONTAINER_OF(base, hook_call, base);
    lw_hook_run *run = call->run;
    bool is_changed = false;
    call->is_open = false;
    run->open--;
    if (err)
        lw_hook_call__fail_text(call, LW_HOOK_CODE_UNAVAILABLE,
                                "failed to call webhook: ", lw_str_of(err->message));
    else if (status < SUCCESS || status >= SUCCESS_END)
        lw_hook_call__fail_with_code(call, status, content_type, body);
    else if (body.len == 0)
        lw_hook_call__fail_empty(call, status, content_type);
    else
        is_changed = take_reply(call, body);
    if (run->patched)
        return; /* it goes on when the patched object is converted */
    if (run->request.is_mutating)
        lw_hook_run__finish_mutating(call, is_changed);
    lw_hook_run__resume(run);
}

static bool refuse_dry_run(lw_hook_run *run, const lw_hook *hook)
{
    lw_buf why;
    if (!run->request.review.is_dry_run || !hook->has_side_effects)
        return false;
    lw_buf_init(&why, LW_HOOK_WHY_MAX);
    lw_buf_append_text(&why, "admission webhook \"");
    lw_buf_append_str(&why, hook->name);
    lw_buf_append_text(&why, "\" does not support dry run");
    if (lw_hook_run__may_refuse(run))
        lw_api_status_bad_request(run->request.status, lw_buf_view(&why));
    lw_buf_done(&why);
    return true;
}

static lw_status write_review(hook_call *call)
{
    lw_hook_run *run = call->run;
    const lw_hook *hook = call->match->hook;
    lw_hook_shown *shown = lw_hook_run__shown(run, call->match->kind);
    lw_status st =
        lw_hook_show(shown, run->request.subject, call->match->kind, run->request.is_mutating);
    if (st < 0)
        return st;
    lw_uuid_format(call->uid, &run->request.port->random);
    lw_buf_reset(&call->body);
    (void)lw_buf_reserve(&call->body, shown->object.len + shown->old.len + 2048);
    lw_hook_review_write(&run->request.review, call->match->kind, hook->version,
                         lw_str_of(call->uid), lw_buf_view(&shown->object),
                         lw_buf_view(&shown->old), &call->body);
    return call->body.st;
}

/* Sends the review.  Returns false if the call has ended already, by a failure. */
static bool send_call(hook_call *call)
{
    lw_hook_run *run = call->run;
    const lw_hook *hook = call->match->hook;
    const lw_hook_caller *caller = lw_hooks_caller(run->request.port->api->hooks);
    int64_t now = lw_clock_now(lw_loop_clock(run->request.port->loop));
    int64_t until = now + hook->timeout_s * LW_NS_PER_S;
    lw_error err = LW_ERROR_INIT;
    if (until > run->request.deadline_ns)
        until = run->request.deadline_ns;
    call->started_ns = now;
    call->base = (lw_hook_call){ .port = run->request.port,
                                 .body = lw_buf_view(&call->body),
                                 .timeout_s = (until - now + LW_NS_PER_S - 1) / LW_NS_PER_S,
                                 .deadline_ns = until,
                                 .done = call_done };
    if (!hook->endpoint) {
        lw_hook_call__fail_text(call, LW_HOOK_CODE_BAD_REQUEST, "could not get REST client: ",
                                lw_str_of(hook->error ? hook->error : "unknown"));
        return false;
    }
    if (caller->start(caller->arg, hook->endpoint, &call->base, &err) < 0) {
        lw_hook_call__fail_text(call, LW_HOOK_CODE_UNAVAILABLE,
                                "failed to call webhook: ", lw_str_of(err.message));
        return false;
    }
    call->is_open = true;
    run->open++;
    return true;
}

/* Calls the webhook of |match|.  False: the call has ended already, or the run is refused. */
static bool start_call(lw_hook_run *run, hook_call *call, const lw_hook_match *match)
{
    call->run = run;
    call->match = match;
    if (refuse_dry_run(run, match->hook))
        return false;
    if (match->hook->version == LW_HOOK_VERSION_NONE) {
        lw_hook_call__fail_text(call, LW_HOOK_CODE_BAD_REQUEST,
                                "could not create admission objects: ",
                                LW_STR(
                                    "webhook does not accept known AdmissionReview versions (v1, "
                                    "v1beta1)"));
        return false;
    }
    lw_status st = write_review(call);
    if (st < 0) {
        lw_hook_run__refuse_failure(run, st);
        return false;
    }
    return send_call(call);
}

/* After the first round: the server's own stages see the patches, and webhooks what they do. */
static bool begin_second_round(lw_hook_run *run)
{
    lw_hook_subject *subject = run->request.subject;
    bool is_changed = false;
    run->round = 1;
    run->next = 0;
    if (subject->reinvoke && !subject->reinvoke(subject, &is_changed, run->request.status)) {
        run->is_refused = true;
        return false;
    }
    lw_hook_run__forget_shown(run);
    if (is_changed)
        note_change(run);
    return true;
}

static lw_hook_verdict decide(lw_hook_run *run, const lw_hook_match *match)
{
    return lw_hook_decide(run->request.port, run->request.stream, match, &run->request.review,
                          run->request.subject, lw_hook_run__shown(run, match->kind),
                          run->request.status);
}

static void authorizer_answered(lw_http_stream *stream, void *arg)
{
    lw_hook_run *run = arg;
    (void)stream;
    run->is_awaiting = false;
    lw_hook_run__resume(run);
}

/* Decides about the webhook |at| once more when the authorizers that it asks have answered. */
static lw_hook_outcome await_authorizer(lw_hook_run *run, size_t at)
{
    run->next = at;
    run->is_awaiting = true;
    lw_asker_wait(run->request.stream, authorizer_answered, run);
    return LW_HOOK_WAITING;
}

/* Calls the next mutating webhook. */
static lw_hook_outcome advance_mutating(lw_hook_run *run)
{
    while (!run->is_refused) {
        if (run->next == run->count && (run->round > 0 || !run->is_changed))
            return LW_HOOK_PASSED;
        if (run->next == run->count && !begin_second_round(run))
            break;
        if (run->next == run->count)
            return LW_HOOK_PASSED;
        size_t at = run->next++;
        const lw_hook_match *match = &run->matches[at];
        if (run->round > 0 && !run->states[at].is_reinvoked)
            continue;
        lw_hook_verdict verdict = decide(run, match);
        if (verdict == LW_HOOK_UNDECIDABLE)
            return LW_HOOK_REFUSED;
        if (verdict == LW_HOOK_AWAITING)
            return await_authorizer(run, at);
        if (verdict == LW_HOOK_UNCONVERTED) {
            run->next = at;
            if (lw_hook_run__convert(run, match) == LW_HOOK_CONVERTING)
                return LW_HOOK_WAITING;
            continue;
        }
        if (verdict == LW_HOOK_CALLED && start_call(run, &run->calls[0], match))
            return LW_HOOK_WAITING;
        if (verdict == LW_HOOK_CALLED && !run->is_refused)
            lw_hook_run__finish_mutating(&run->calls[0], false);
    }
    return LW_HOOK_REFUSED;
}

/* Decides about all validating webhooks, then calls them. */
static lw_hook_outcome advance_validating(lw_hook_run *run)
{
    while (run->next < run->count) {
        const lw_hook_match *match = &run->matches[run->next];
        switch (decide(run, match)) {
        case LW_HOOK_UNDECIDABLE: run->is_refused = true; return LW_HOOK_REFUSED;
        case LW_HOOK_SKIPPED: run->next++; break;
        case LW_HOOK_AWAITING: return await_authorizer(run, run->next);
        case LW_HOOK_CALLED:
            run->matches[run->called++] = *match;
            run->next++;
            break;
        case LW_HOOK_UNCONVERTED:
            if (lw_hook_run__convert(run, match) == LW_HOOK_CONVERTING)
                return LW_HOOK_WAITING;
            break;
        }
        if (run->is_refused)
            return LW_HOOK_REFUSED;
    }
    for (; run->sent < run->called; run->sent++)
        (void)start_call(run, &run->calls[run->sent], &run->matches[run->sent]);
    return run->open > 0 ? LW_HOOK_WAITING : run->is_refused ? LW_HOOK_REFUSED : LW_HOOK_PASSED;
}

static lw_hook_outcome advance(lw_hook_run *run)
{
    if (run->open > 0)
        return LW_HOOK_WAITING;
    if (run->is_refused)
        return LW_HOOK_REFUSED;
    return run->request.is_mutating ? advance_mutating(run) : advance_validating(run);
}

void lw_hook_run__resume(lw_hook_run *run)
{
    lw_hook_outcome outcome = advance(run);
    if (outcome != LW_HOOK_WAITING)
        run_over(run, outcome == LW_HOOK_PASSED);
}

/* Allocates a run with its lists in one block; NULL: out of memory. */
static lw_hook_run *run_new(const lw_hook_request *request, const lw_hook_match *matches,
                            size_t match_count)
{
    size_t calls = request->is_mutating ? 1 : match_count;
    size_t states = request->is_mutating ? match_count : 0;
    lw_hook_run *run =
        lw_alloc_zero(1, sizeof(*run) + calls * (sizeof(*run->calls) + sizeof(*run->shown)) +
                             match_count * sizeof(*run->matches) + states * sizeof(*run->states));
    if (!run)
        return NULL;
    run->request = *request;
    run->count = match_count;
    run->set = lw_hooks_set_ref(request->port);
    run->registry = lw_hooks_registry_ref(request->port);
    run->calls = (hook_call *)(run + 1);
    run->shown = (lw_hook_shown *)(run->calls + calls);
    run->matches = (lw_hook_match *)(run->shown + calls);
    run->states = (hook_state *)(run->matches + match_count); /* none of validating ones */
    memcpy(run->matches, matches, match_count * sizeof(*matches));
    for (size_t i = 0; i < calls; i++)
        lw_buf_init(&run->calls[i].body, LW_HOOK_REVIEW_MAX);
    return run;
}

lw_hook_outcome lw_hook_run_begin(lw_hook_run **out, const lw_hook_request *request)
{
    const lw_hook_matches *matches = NULL;
    lw_status st = lw_hooks_find(request->port, request->review.kind, request->review.subresource,
                                 request->review.operation, &matches);
    if (st < 0) {
        lw_api_status_of_failure(request->status, st);
        return LW_HOOK_REFUSED;
    }
    size_t match_count = !matches               ? 0
                         : request->is_mutating ? matches->mutating_count
                                                : matches->validating_count;
    if (match_count == 0)
        return LW_HOOK_PASSED;
    lw_hook_run *run =
        run_new(request, request->is_mutating ? matches->mutating : matches->validating,
                match_count);
    if (!run) {
        lw_api_status_of_failure(request->status, LW_ERR_NOMEM);
        return LW_HOOK_REFUSED;
    }
    lw_hook_outcome outcome = advance(run);
    if (outcome == LW_HOOK_WAITING)
        *out = run;
    else
        run_free(run);
    return outcome;
}
