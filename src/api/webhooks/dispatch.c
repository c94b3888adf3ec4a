/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c -- runs of webhooks. */
#include "api/webhooks/dispatch.h"

#include "api/context/uuid.h"
#include "api/http/call.h"
#include "api/http/failures.h"
#include "api/webhooks/match.h"
#include "api/webhooks/reply.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"
#include "base/str.h"
#include "json/patch.h"

enum {
    WHY_MAX = 1024 * 1024,
    CODE_OK = 200,
    CODE_BAD_REQUEST = 400,
    CODE_UNAVAILABLE = 503,
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
    size_t next;         /* mutating: the next one */
    size_t open;         /* calls in progress */
    unsigned round;      /* mutating: 0 or 1 */
    bool is_changed;     /* mutating: by a webhook of the first round */
    bool is_refused;     /* request.status has the reason */
    lw_hook_shown shown; /* the objects as they are now */
};

static lw_hook_outcome advance(lw_hook_run *run);

static void run_free(lw_hook_run *run)
{
    const lw_hook_caller *caller = lw_hooks_caller(run->request.port->api->hooks);
    for (size_t i = 0; run->calls && i < (run->request.is_mutating ? 1 : run->count); i++) {
        if (run->calls[i].is_open)
            caller->cancel(caller->arg, &run->calls[i].base);
        lw_buf_done(&run->calls[i].body);
    }
    lw_hook_shown_done(&run->shown);
    lw_hook_set_unref(run->set);
    lw_registry_unref(run->registry);
    lw_free(run->matches);
    lw_free(run->states);
    lw_free(run->calls);
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

/* The first refusal counts; it may still be decided when others are in progress. */
static bool may_refuse(lw_hook_run *run)
{
    bool is_first = !run->is_refused;
    run->is_refused = true;
    return is_first;
}

static void refuse_failure(lw_hook_run *run, lw_status st)
{
    if (may_refuse(run))
        lw_api_status_of_failure(run->request.status, st);
}

static void refuse_internal(lw_hook_run *run, const lw_buf *why)
{
    if (!may_refuse(run))
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
static void count(const hook_call *call, bool is_rejected, int code)
{
    const lw_hook_labels labels = labels_of(call->run, call->match->hook);
    int64_t now = lw_clock_now(lw_loop_clock(call->run->request.port->loop));
    lw_hook_metrics_count(metrics_of(call->run), &labels, is_rejected, code,
                          now - call->started_ns);
}

static void count_rejection(const hook_call *call, lw_hook_rejection why, int code)
{
    const lw_hook_labels labels = labels_of(call->run, call->match->hook);
    lw_hook_metrics_reject(metrics_of(call->run), &labels, why, code);
    count(call, true, code);
}

/* The webhook could not be called, or has replied nonsense: |why|.  By its failurePolicy it is
 * ignored, or the request is refused. */
static void fail_call(hook_call *call, int code, const lw_buf *why)
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
        count(call, false, code);
        return;
    }
    lw_buf text;
    lw_buf_init(&text, WHY_MAX);
    lw_buf_append_text(&text, "failed calling webhook \"");
    lw_buf_append_str(&text, hook->name);
    lw_buf_append_text(&text, "\": ");
    lw_buf_append_str(&text, lw_buf_view(why));
    if (why->st < 0 && text.st == LW_OK)
        text.st = why->st;
    count_rejection(call, LW_HOOK_REJECTED_BY_FAILURE, code);
    refuse_internal(run, &text);
    lw_buf_done(&text);
}

static void fail_call_text(hook_call *call, int code, const char *what, lw_str reason)
{
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_buf_append_text(&why, what);
    lw_buf_append_str(&why, reason);
    fail_call(call, code, &why);
    lw_buf_done(&why);
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
    lw_buf_init(&key, WHY_MAX);
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

/* What is wrong with a patch is the webhook's fault, but no failure to call it: failurePolicy does
 * not apply. */
static void refuse_patch(hook_call *call, const lw_buf *why)
{
    count_rejection(call, LW_HOOK_REJECTED_BY_INTERNAL, 0);
    refuse_internal(call->run, why);
}

/* Sets |*is_changed| if the patched |tree| is not the object that was |shown|. */
static lw_status differs(const lw_tree *tree, const lw_buf *shown, bool *is_changed)
{
    lw_tree *before = NULL;
    lw_status st = lw_tree_parse(&before, lw_buf_view(shown), 0, NULL);
    if (st == LW_OK)
        *is_changed = !lw_node_equal(lw_tree_root(before), lw_tree_root(tree));
    lw_tree_free(before);
    return st;
}

/* Applies the patch to the object as the webhook has seen it. */
static lw_status patch_object(hook_call *call, const lw_hook_reply *reply, bool *is_changed,
                              lw_buf *why)
{
    lw_hook_run *run = call->run;
    lw_hook_subject *subject = run->request.subject;
    lw_error err = LW_ERROR_INIT;
    lw_tree *tree = NULL;
    if (!subject->replace || run->shown.object.len == 0) {
        lw_buf_append_text(why, "admission webhook \"");
        lw_buf_append_str(why, call->match->hook->name);
        lw_buf_append_text(why, "\" attempted to modify the object, which is not supported for "
                                "this operation");
        return LW_ERR_INVALID;
    }
    lw_status st = lw_tree_parse(&tree, lw_buf_view(&run->shown.object), 0, &err);
    if (st == LW_OK)
        st = lw_json_patch_apply(tree, lw_tree_root(reply->patch), &err);
    if (st < 0) {
        lw_tree_free(tree);
        lw_buf_append_text(why, err.message);
        return st == LW_ERR_NOMEM ? st : LW_ERR_INVALID;
    }
    st = differs(tree, &run->shown.object, is_changed);
    if (st < 0 || !*is_changed) {
        lw_tree_free(tree);
        return st;
    }
    st = subject->replace(subject, call->match->kind, tree, why, run->request.status);
    lw_hook_shown_done(&run->shown);
    return st;
}

/* Returns true if the object has changed. */
static bool take_patch(hook_call *call, lw_hook_reply *reply)
{
    bool is_changed = false;
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_status st = LW_OK;
    if (reply->patch)
        st = patch_object(call, reply, &is_changed, &why);
    if (st == LW_ERR_INVALID)
        refuse_patch(call, &why);
    else if (st == LW_ERR_STOPPED)
        call->run->is_refused = true;
    else if (st < 0)
        refuse_failure(call->run, st);
    else
        count(call, false, CODE_OK);
    lw_buf_done(&why);
    return is_changed && st == LW_OK;
}

static void refuse_denied(hook_call *call, const lw_hook_reply *reply)
{
    lw_api_status status;
    lw_hook_refusal(&status, call->match->hook->name, reply->status);
    count_rejection(call, LW_HOOK_REJECTED_BY_WEBHOOK, status.code);
    if (may_refuse(call->run))
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
    lw_buf_init(&why, WHY_MAX);
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
            is_changed = take_patch(call, &reply);
    }
    if (st == LW_ERR_INVALID)
        fail_call(call, CODE_UNAVAILABLE, &why);
    else if (st < 0)
        refuse_failure(call->run, st);
    lw_hook_reply_done(&reply);
    lw_buf_done(&why);
    return is_changed;
}

/* A reply that is not a success, as client-go words it. */
static void fail_with_code(hook_call *call, int code, lw_str content_type, lw_str body)
{
    lw_api_status status;
    bool is_text = lw_str_starts_with(content_type, LW_STR("text/"));
    lw_api_status_generic(&status, code, is_text ? lw_str_trim(body) : LW_STR("unknown"));
    fail_call_text(call, code,
                   "failed to call webhook: ", lw_api_status_str(&status, status.message));
    lw_api_status_done(&status);
}

static void fail_empty(hook_call *call, int code, lw_str content_type)
{
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_buf_printf(&why,
                  "failed to call webhook: 0-length response with status code: %d and content "
                  "type: %.*s",
                  code, LW_STR_ARG(content_type));
    fail_call(call, CODE_UNAVAILABLE, &why);
    lw_buf_done(&why);
}

/* A webhook has changed the object: those before it that want to see that are called again. */
static void note_change(lw_hook_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        run->states[i].is_reinvoked |= run->states[i].was_invoked;
        run->states[i].was_invoked = false;
    }
}

static void finish_mutating(hook_call *call, bool is_changed)
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
        fail_call_text(call, CODE_UNAVAILABLE, "failed to call webhook: ", lw_str_of(err->message));
    else if (status < SUCCESS || status >= SUCCESS_END)
        fail_with_code(call, status, content_type, body);
    else if (body.len == 0)
        fail_empty(call, status, content_type);
    else
        is_changed = take_reply(call, body);
    if (run->request.is_mutating)
        finish_mutating(call, is_changed);
    lw_hook_outcome outcome = advance(run);
    if (outcome != LW_HOOK_WAITING)
        run_over(run, outcome == LW_HOOK_PASSED);
}

static bool refuse_dry_run(lw_hook_run *run, const lw_hook *hook)
{
    lw_buf why;
    if (!run->request.review.is_dry_run || !hook->has_side_effects)
        return false;
    lw_buf_init(&why, WHY_MAX);
    lw_buf_append_text(&why, "admission webhook \"");
    lw_buf_append_str(&why, hook->name);
    lw_buf_append_text(&why, "\" does not support dry run");
    if (may_refuse(run))
        lw_api_status_bad_request(run->request.status, lw_buf_view(&why));
    lw_buf_done(&why);
    return true;
}

static lw_status write_review(hook_call *call)
{
    lw_hook_run *run = call->run;
    const lw_hook *hook = call->match->hook;
    lw_status st = lw_hook_show(&run->shown, run->request.subject, call->match->kind,
                                run->request.is_mutating);
    if (st < 0)
        return st;
    lw_uuid_format(call->uid, &run->request.port->random);
    lw_buf_reset(&call->body);
    (void)lw_buf_reserve(&call->body, run->shown.object.len + run->shown.old.len + 2048);
    lw_hook_review_write(&run->request.review, call->match->kind, hook->version,
                         lw_str_of(call->uid), lw_buf_view(&run->shown.object),
                         lw_buf_view(&run->shown.old), &call->body);
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
        fail_call_text(call, CODE_BAD_REQUEST, "could not get REST client: ",
                       lw_str_of(hook->error ? hook->error : "unknown"));
        return false;
    }
    if (caller->start(caller->arg, hook->endpoint, &call->base, &err) < 0) {
        fail_call_text(call, CODE_UNAVAILABLE, "failed to call webhook: ", lw_str_of(err.message));
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
        fail_call_text(call, CODE_BAD_REQUEST, "could not create admission objects: ",
                       LW_STR("webhook does not accept known AdmissionReview versions (v1, "
                              "v1beta1)"));
        return false;
    }
    lw_status st = write_review(call);
    if (st < 0) {
        refuse_failure(run, st);
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
    lw_hook_shown_done(&run->shown);
    if (is_changed)
        note_change(run);
    return true;
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
        lw_hook_verdict verdict =
            lw_hook_decide(run->request.port, match, &run->request.review, run->request.subject,
                           &run->shown, run->request.status);
        if (verdict == LW_HOOK_UNDECIDABLE)
            return LW_HOOK_REFUSED;
        if (verdict == LW_HOOK_CALLED && start_call(run, &run->calls[0], match))
            return LW_HOOK_WAITING;
        if (verdict == LW_HOOK_CALLED && !run->is_refused)
            finish_mutating(&run->calls[0], false);
    }
    return LW_HOOK_REFUSED;
}

static lw_hook_outcome advance(lw_hook_run *run)
{
    if (run->open > 0)
        return LW_HOOK_WAITING;
    if (run->is_refused)
        return LW_HOOK_REFUSED;
    return run->request.is_mutating ? advance_mutating(run) : LW_HOOK_PASSED;
}

/* Decides about all validating webhooks, then calls them. */
static lw_hook_outcome begin_validating(lw_hook_run *run)
{
    size_t called = 0;
    for (size_t i = 0; i < run->count; i++) {
        switch (lw_hook_decide(run->request.port, &run->matches[i], &run->request.review,
                               run->request.subject, &run->shown, run->request.status)) {
        case LW_HOOK_UNDECIDABLE: run->is_refused = true; return LW_HOOK_REFUSED;
        case LW_HOOK_SKIPPED: break;
        case LW_HOOK_CALLED: run->matches[called++] = run->matches[i]; break;
        }
    }
    run->count = called;
    for (size_t i = 0; i < called; i++)
        (void)start_call(run, &run->calls[i], &run->matches[i]);
    return advance(run);
}

static lw_hook_run *run_new(const lw_hook_request *request, const lw_hook_match *matches,
                            size_t match_count)
{
    lw_hook_run *run = lw_alloc_zero(1, sizeof(*run));
    if (!run)
        return NULL;
    run->request = *request;
    run->count = match_count;
    run->set = lw_hooks_set_ref(request->port);
    run->registry = lw_hooks_registry_ref(request->port);
    size_t calls = request->is_mutating ? 1 : match_count;
    run->matches = lw_alloc_zero(match_count, sizeof(*run->matches));
    run->calls = lw_alloc_zero(calls, sizeof(*run->calls));
    if (request->is_mutating)
        run->states = lw_alloc_zero(match_count, sizeof(*run->states));
    if (!run->matches || !run->calls || (request->is_mutating && !run->states)) {
        run_free(run);
        return NULL;
    }
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
    lw_hook_outcome outcome = request->is_mutating ? advance_mutating(run) : begin_validating(run);
    if (outcome == LW_HOOK_WAITING)
        *out = run;
    else
        run_free(run);
    return outcome;
}
