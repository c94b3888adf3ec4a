/* SPDX-License-Identifier: Apache-2.0 */
/* access_webhook.c -- the webhook authorizer.
 *
 * Ownership: a question is held by the cache, by the requests that wait for it, and by its call
 * while it is under way; the call also holds the authorizer. */
#include "server/webhook/access_webhook.h"

#include "api/context/asker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "server/webhook/answer_cache.h"

typedef struct access_webhook {
    lw_authz_hook base; /* first */
    lw_access_webhook_options options;
    char *name;
    uint64_t owner; /* of the questions */
    lw_answer_cache cache;
    lw_webhook_counters *counters; /* may be NULL */
} access_webhook;

typedef struct access_question {
    lw_answer base; /* first */
    access_webhook *hook;
    lw_webhook_call call;
    lw_buf body;
    char *spec; /* the key */
    bool is_cached;
    /* The answer. */
    lw_access_answer answer;
    lw_error error; /* code LW_OK: there is an answer */
} access_question;

#define COUNT(hook, member)                                                                        \
    do {                                                                                           \
        if ((hook)->counters)                                                                      \
            atomic_fetch_add_explicit(&(hook)->counters->member, 1, memory_order_relaxed);         \
    } while (0)

static void question_free(lw_question *question)
{
    access_question *q = (access_question *)(void *)question;
    lw_buf_done(&q->body);
    lw_free(q->answer.reason);
    lw_free(q->spec);
    lw_free(q);
}

static void hook_free(lw_authz_hook *base)
{
    access_webhook *hook = (access_webhook *)(void *)base;
    lw_answer_cache_done(&hook->cache);
    if (hook->options.transport)
        hook->options.transport->free(hook->options.transport);
    lw_match_conditions_free(hook->options.conditions);
    lw_free(hook->name);
    lw_free(hook);
}

static lw_webhook_result result_of(const lw_webhook_reply *reply)
{
    if (lw_webhook_reply_is_success(reply))
        return LW_WEBHOOK_SUCCESS;
    return reply->status == 504 || (reply->status == 0 && reply->error.code == LW_ERR_TIMEOUT)
               ? LW_WEBHOOK_TIMEOUT
               : LW_WEBHOOK_ERROR;
}

static void call_tried(lw_webhook_call *call, const lw_webhook_reply *reply, int64_t took_ns)
{
    access_webhook *hook = LW_CONTAINER_OF(call, access_question, call)->hook;
    lw_webhook_result result = result_of(reply);
    COUNT(hook, results[result]);
    if (hook->counters)
        atomic_fetch_add_explicit(&hook->counters->took_us[result], (uint64_t)took_ns / 1000,
                                  memory_order_relaxed);
}

static bool call_is_wanted(lw_webhook_call *call)
{
    return lw_question_is_awaited(&LW_CONTAINER_OF(call, access_question, call)->base.base);
}

/* Reads the reply into |q|. */
static void read_reply(access_question *q, const lw_webhook_reply *reply)
{
    access_webhook *hook = q->hook;
    lw_status st =
        lw_webhook_reply_is_success(reply)
            ? lw_access_review_read(&q->answer, reply->body, hook->options.version, &q->error)
            : lw_webhook_reply_error(reply, &q->error);
    if (st == LW_OK)
        return;
    q->error.code = st;
    if (st == LW_ERR_STOPPED)
        return;
    if (hook->options.on_error == LW_AUTHZ_NO_OPINION)
        COUNT(hook, fail_open[result_of(reply)]);
    lw_log(
        hook->options.logger, LW_LOG_WARN, "authz",
        "authorization webhook \"%s\" did not answer: %s; by its failurePolicy the request is %s",
        hook->name, q->error.message,
        hook->options.on_error == LW_AUTHZ_DENY ? "denied" : "left to the next authorizer");
}

static void call_done(lw_webhook_call *call, const lw_webhook_reply *reply)
{
    access_question *q = LW_CONTAINER_OF(call, access_question, call);
    access_webhook *hook = q->hook;
    int64_t now = lw_clock_now(hook->options.clock), ttl = 0;
    read_reply(q, reply);
    if (q->is_cached && q->error.code == LW_OK)
        ttl = q->answer.is_allowed ? hook->options.allowed_ttl_ns : hook->options.denied_ttl_ns;
    q->hook = NULL;
    lw_answer_cache_answered(&hook->cache, &q->base, now, now + ttl);
    lw_question_unref(&q->base.base); /* the call's */
    lw_authz_hook_unref(&hook->base);
}

static access_question *question_new(access_webhook *hook, lw_str spec)
{
    access_question *q = lw_alloc_zero(1, sizeof(*q));
    if (!q)
        return NULL;
    q->spec = lw_str_dup(spec);
    q->error.code = LW_OK;
    lw_buf_init(&q->body, LW_ACCESS_REVIEW_MAX);
    lw_access_review_write(spec, hook->options.version, &q->body);
    if (!q->spec || q->body.st < 0) {
        lw_buf_done(&q->body);
        lw_free(q->spec);
        lw_free(q);
        return NULL;
    }
    lw_question_init(&q->base.base, hook->owner, lw_str_make(q->spec, spec.len), question_free);
    return q;
}

/* Sends the question; the references of the call are released when it is done. */
static void start_call(access_webhook *hook, access_question *q)
{
    lw_ref_inc(&hook->base.refs);
    (void)lw_question_ref(&q->base.base);
    q->hook = hook;
    q->call = (lw_webhook_call){ .transport = hook->options.transport,
                                 .body = lw_buf_view(&q->body),
                                 .timeout_ns = hook->options.timeout_ns,
                                 .tried = call_tried,
                                 .is_wanted = call_is_wanted,
                                 .done = call_done };
    lw_webhook_call_start(hook->options.caller, &q->call);
}

/* Returns a reference to the question, which is answered or under way.  NULL: no memory. */
static access_question *find_question(access_webhook *hook, const lw_authz_attributes *a,
                                      lw_str spec)
{
    int64_t now = lw_clock_now(hook->options.clock);
    lw_answer *found = lw_answer_cache_find(&hook->cache, spec, now);
    if (found) {
        COUNT(hook, hits);
        return (access_question *)(void *)found;
    }
    access_question *q = question_new(hook, spec);
    if (!q)
        return NULL;
    q->is_cached = a->ns.len + a->verb.len + a->group.len + a->version.len + a->resource.len +
                       a->subresource.len + a->name.len + a->path.len <
                   LW_ACCESS_WEBHOOK_CACHED_BYTES_MAX;
    found = lw_answer_cache_add(&hook->cache, &q->base, now);
    if (found) { /* another thread was faster */
        lw_question_unref(&q->base.base);
        return (access_question *)(void *)found;
    }
    COUNT(hook, misses);
    start_call(hook, q);
    return q;
}

static lw_authz_decision fail(const access_webhook *hook, const char *why, lw_buf *error)
{
    if (error)
        lw_buf_append_text(error, why);
    return hook->options.on_error;
}

static lw_authz_decision apply(access_webhook *hook, const access_question *q, lw_buf *reason,
                               lw_buf *error)
{
    if (q->error.code < 0)
        return fail(hook, q->error.message, error);
    if (reason && q->answer.reason)
        lw_buf_append_text(reason, q->answer.reason);
    if (error && q->answer.is_contradictory)
        lw_buf_append_text(error,
                           "webhook subject access review returned both allow and deny response");
    if (q->answer.decision == LW_AUTHZ_ALLOW)
        COUNT(hook, allowed);
    else if (q->answer.decision == LW_AUTHZ_DENY)
        COUNT(hook, denied);
    return q->answer.decision;
}

/* Asks, or uses what was asked before. */
static lw_authz_decision ask(access_webhook *hook, const lw_authz_attributes *a, lw_str spec,
                             lw_buf *reason, lw_buf *error)
{
    lw_question *asked = a->stream ? lw_asker_find(a->stream, hook->owner, spec) : NULL;
    if (asked && lw_question_is_answered(asked))
        return apply(hook, (access_question *)(void *)asked, reason, error);
    if (asked)
        return lw_asker_is_waiting(a->stream)
                   ? LW_AUTHZ_PENDING
                   : fail(hook, "the authorization webhook did not answer in time", error);
    access_question *q = find_question(hook, a, spec);
    if (!q)
        return fail(hook, "out of memory", error);
    /* The request keeps answers from the cache, too: it sees the same ones until it has ended. */
    lw_status st = a->stream ? lw_asker_ask(a->stream, &q->base.base) : LW_OK;
    lw_authz_decision decision = LW_AUTHZ_PENDING;
    if (st < 0)
        decision = fail(hook, "out of memory", error);
    else if (lw_question_is_answered(&q->base.base))
        decision = apply(hook, q, reason, error);
    else if (!a->stream)
        decision = fail(hook, "the authorization webhook has not answered yet", error);
    lw_question_unref(&q->base.base);
    return decision;
}

/* Evaluates the match conditions, which see the review in v1. */
static lw_match_result match(access_webhook *hook, const lw_authz_attributes *attributes,
                             lw_str spec, lw_buf *error)
{
    lw_buf v1;
    lw_match_result result = LW_MATCH_FAILED;
    if (!hook->options.conditions || hook->options.version == LW_REVIEW_V1)
        return lw_match_conditions_eval(hook->options.conditions, spec, error);
    lw_buf_init(&v1, LW_ACCESS_REVIEW_MAX);
    if (lw_access_review_write_spec(attributes, LW_REVIEW_V1, &v1) == LW_OK)
        result = lw_match_conditions_eval(hook->options.conditions, lw_buf_view(&v1), error);
    lw_buf_done(&v1);
    return result;
}

static lw_authz_decision decide(lw_authz_hook *base, const lw_authz_attributes *attributes,
                                lw_buf *reason, lw_buf *error)
{
    access_webhook *hook = (access_webhook *)(void *)base;
    lw_authz_decision decision = LW_AUTHZ_NO_OPINION;
    lw_buf spec;
    lw_buf_init(&spec, LW_ACCESS_REVIEW_MAX);
    if (lw_access_review_write_spec(attributes, hook->options.version, &spec) < 0) {
        lw_buf_done(&spec);
        return fail(hook, "the request is too large for an authorization webhook", error);
    }
    switch (match(hook, attributes, lw_buf_view(&spec), error)) {
    case LW_MATCH_YES: decision = ask(hook, attributes, lw_buf_view(&spec), reason, error); break;
    case LW_MATCH_NO: COUNT(hook, excluded); break;
    case LW_MATCH_FAILED:
        COUNT(hook, condition_errors);
        decision = hook->options.on_error;
        break;
    }
    lw_buf_done(&spec);
    return decision;
}

lw_status lw_access_webhook_new(lw_authz_hook **out, const lw_access_webhook_options *options)
{
    access_webhook *hook = lw_alloc_zero(1, sizeof(*hook));
    char *name = lw_str_dup(options->name);
    if (!hook || !name) {
        options->transport->free(options->transport);
        lw_match_conditions_free(options->conditions);
        lw_free(hook);
        lw_free(name);
        return LW_ERR_NOMEM;
    }
    lw_ref_init(&hook->base.refs);
    hook->base.decide = decide;
    hook->base.free = hook_free;
    hook->options = *options;
    hook->name = name;
    hook->owner = lw_question_owner();
    lw_answer_cache_init(&hook->cache, LW_ACCESS_WEBHOOK_ANSWERS_MAX);
    if (options->metrics)
        hook->counters = lw_webhook_metrics_of(options->metrics, options->name);
    *out = &hook->base;
    return LW_OK;
}
