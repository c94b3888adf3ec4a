/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_retry.c -- what happens after a failure.
 *
 *                        a watch                  a stream                  a list
 *   ends cleanly         again at once            again once, then list     -
 *     in < 1 s, silent   relist, later            list                      -
 *   no response          again soon, same rv      again soon                relist, soon
 *   429, Retry-After     again later, same rv     again later               relist, later
 *   refused with 5xx     again later, same rv     list                      relist, later
 *   connection breaks    like a clean end         like a clean end          relist, later
 *     in < 1 s, silent   again later              list                      relist, later
 *   410, rv too large    relist, at once          again at once, no rv      again at once, no rv
 *   410 on a later page  -                        -                         at once, no pages
 *   unknown resource     relist, later            relist, later             relist, later
 *   anything else        relist, later            list                      relist, later
 *
 * "later" is a backoff with jitter that doubles up to 30 s, or the Retry-After of the server if
 * that is longer.  In an outage it stays at 2 s for the first minute, and before a watch that is
 * refused.  It is reset after a stream has lasted 10 s; a complete list limits it to 10 s, a stream
 * that worked for a shorter time to 2 s. "soon" is another backoff, up to 1 s, that any response
 * resets: a refused connection costs the server nothing, and the reflector should notice soon when
 * the server is back. A watch "at once" (except after 100 events) and a relist "at once" are each
 * allowed once in 10 s, so that a server that responds with 410 to all watches, or closes each
 * after one event, is not overloaded; otherwise the relist is "later", and the watch has a backoff
 * of up to 2 s.  An answer to another reflector may end a delay early (reflector_health.c). */
#include "informer/reflector_internal.h"

#include <listwatch/stats.h>

#include "base/error.h"
#include "base/sync.h"

/* What an error means. */

/* Servers before 1.19 only say it in the message. */
bool lw_reflector__is_too_large(const lw_error *err)
{
    return err->code == LW_ERR_TOO_LARGE_RV ||
           (err->code == LW_ERR_TIMEOUT && strstr(err->message, "Too large resource version"));
}

static bool is_gone(const lw_error *err)
{
    return err->code == LW_ERR_EXPIRED || lw_reflector__is_too_large(err);
}

bool lw_reflector__is_connection_trouble(const lw_error *err)
{
    return err->http_status == 0 && (err->code == LW_ERR_UNAVAILABLE ||
                                     err->code == LW_ERR_TIMEOUT || err->code == LW_ERR_IO);
}

/* The server cannot serve now, whatever is requested. */
static bool is_server_trouble(const lw_error *err)
{
    return err->http_status >= LW_REFLECTOR_SERVER_ERROR ||
           lw_reflector__is_connection_trouble(err);
}

/* The problem is temporary; the same request may be repeated. */
static bool is_passing(const lw_error *err)
{
    return err->code == LW_ERR_TOO_MANY || err->retry_after_s > 0 ||
           lw_reflector__is_connection_trouble(err);
}

/* Returns true if a watch was refused because the server cannot serve now: another watch later is
 * cheaper than a list.  If it is refused again and again with 500, a list may help. */
static bool is_refused_briefly(lw_reflector *r, const lw_error *err)
{
    if (r->is_open || err->http_status < LW_REFLECTOR_SERVER_ERROR)
        return false;
    if (err->http_status == LW_REFLECTOR_SERVER_ERROR)
        r->refusals++;
    return r->refusals < LW_REFLECTOR_REFUSALS;
}

/* The source does not know the resource, so no request was sent; another request would fail too. */
static bool is_unknown_resource(const lw_error *err)
{
    return err->code == LW_ERR_NOT_FOUND && err->http_status == 0;
}

static lw_relist_reason reason_of(const lw_error *err)
{
    if (lw_reflector__is_too_large(err))
        return LW_RELIST_TOO_LARGE;
    switch (err->code) {
    case LW_ERR_EXPIRED: return LW_RELIST_EXPIRED;
    case LW_ERR_NOMEM: return LW_RELIST_STORE;
    case LW_ERR_SYNTAX:
    case LW_ERR_INVALID:
    case LW_ERR_LIMIT: return err->http_status == 0 ? LW_RELIST_MALFORMED : LW_RELIST_ERROR;
    default: return LW_RELIST_ERROR;
    }
}

/* The next step. */

void lw_reflector__report(lw_reflector *r, const lw_error *err)
{
    r->stats.errors++;
    r->last_error = *err;
    if (r->options.on_error)
        r->options.on_error(err, r->options.arg);
}

void lw_reflector__forget_error(lw_reflector *r)
{
    r->last_error = (lw_error)LW_ERROR_INIT;
}

/* Delays. */

/* There was no response at all.  An interrupted response is different: repeating the request is
 * work for the server. */
static bool is_unanswered(const lw_reflector *r, const lw_error *err)
{
    return err && !r->is_answered && lw_reflector__is_connection_trouble(err) &&
           err->code != LW_ERR_IO;
}

/* Returns true if the delay must not become long: in an outage that is new, because most are short,
 * and before a watch, because refusing one is cheap. */
static bool is_brief(lw_reflector *r, const lw_error *err, int64_t now)
{
    bool is_trouble = err && (is_server_trouble(err) || err->code == LW_ERR_TOO_MANY);
    if (!is_trouble && !(err && is_gone(err)))
        return false;
    if (r->trouble_ns == LW_NEVER_NS)
        r->trouble_ns = now;
    return now - r->trouble_ns < LW_REFLECTOR_NEW_OUTAGE_S * LW_NS_PER_S ||
           (is_trouble && r->state == LW_REFLECTOR_WATCHING && !r->is_open);
}

/* Returns the time that the server asks for, plus up to half of it: it asks many clients at once.
 */
static int64_t asked_ns(lw_reflector *r, const lw_error *err)
{
    int64_t asked_s = err ? err->retry_after_s : 0;
    if (asked_s <= 0)
        return 0;
    if (asked_s > LW_REFLECTOR_RETRY_AFTER_MAX_S)
        asked_s = LW_REFLECTOR_RETRY_AFTER_MAX_S;
    int64_t ns = asked_s * LW_NS_PER_S;
    return ns + (int64_t)lw_random_below(&r->random, (uint64_t)ns / 2);
}

static int64_t later_ns(lw_reflector *r, const lw_error *err)
{
    int64_t now = lw_reflector__now(r), asked = asked_ns(r, err), delay;
    r->waits_for_server = err && is_server_trouble(err);
    r->not_before_ns = now + asked;
    if (asked > 0 && r->state == LW_REFLECTOR_WATCHING && !r->is_open)
        return asked; /* a refused watch is cheap: the server knows best */
    if (is_unanswered(r, err)) {
        delay = lw_backoff_next(&r->reconnect, now);
    } else {
        if (is_brief(r, err, now))
            lw_backoff_limit(&r->backoff, LW_REFLECTOR_BRIEF_S * LW_NS_PER_S);
        delay = lw_backoff_next(&r->backoff, now);
    }
    return delay < asked ? asked : delay;
}

/* Returns true if the last request without a delay was long enough ago. */
static bool takes_at_once(lw_reflector *r, int64_t *allowed_ns, const lw_error *err)
{
    int64_t now = lw_reflector__now(r);
    if (now < *allowed_ns || (err && err->retry_after_s > 0))
        return false;
    *allowed_ns = now + LW_REFLECTOR_AT_ONCE_S * LW_NS_PER_S;
    return true;
}

static void retry_later(lw_reflector *r, lw_reflector_step step, const lw_error *err)
{
    lw_reflector__schedule(r, step, later_ns(r, err));
}

static void relist_in(lw_reflector *r, int64_t delay_ns, lw_relist_reason reason,
                      const lw_error *err)
{
    lw_reflector__abandon_call(r);
    lw_replacement_free(r->replacement);
    r->replacement = NULL;
    r->stats.last_relist_reason = reason;
    lw_reflector__schedule(r, LW_STEP_SYNC, delay_ns);
    if (err)
        lw_reflector__report(r, err);
}

void lw_reflector__relist(lw_reflector *r, lw_relist_reason reason, const lw_error *err)
{
    relist_in(r, later_ns(r, err), reason, err);
}

void lw_reflector__block(lw_reflector *r, lw_status st)
{
    lw_error err;
    lw_reflector__abandon_call(r);
    r->stats.last_relist_reason = LW_RELIST_STORE;
    r->state = LW_REFLECTOR_BLOCKED;
    (void)lw_error_set(&err, st, "cannot queue a change: %s", lw_status_name(st));
    lw_reflector__report(r, &err);
}

/* A list. */

void lw_reflector__list_failed(lw_reflector *r, const lw_error *err)
{
    if (err->code == LW_ERR_EXPIRED && r->pages > 0 && !r->is_full_retry) {
        /* The server has forgotten the state of the pages: list again without pages. */
        r->is_full_retry = true;
        r->limit = 0;
    } else if (is_gone(err) && r->asked_rv[0] != '\0') {
        r->is_rv_unavailable = true;
        r->asked_rv[0] = '\0';
    } else {
        lw_reflector__relist(r, reason_of(err), err);
        return;
    }
    r->pages = 0;
    lw_reflector__schedule(r, LW_STEP_PAGE, 0);
    lw_reflector__report(r, err);
}

/* A stream or watch. */

static int64_t lifetime_ns(const lw_reflector *r)
{
    return lw_reflector__now(r) - (r->is_open ? r->opened_ns : r->asked_ns);
}

/* It sent nothing and ended early: repeating it at once would not help. */
static bool is_short(const lw_reflector *r)
{
    return r->events == 0 && lifetime_ns(r) < LW_REFLECTOR_SHORT_S * LW_NS_PER_S;
}

static void reset_backoffs(lw_reflector *r)
{
    lw_backoff_reset(&r->backoff);
    lw_backoff_reset(&r->resume);
    r->trouble_ns = LW_NEVER_NS;
}

/* Adapts the backoff to the end of a stream; |is_cut|: it ended without an error of the server. */
static void adjust_backoff(lw_reflector *r, bool is_cut)
{
    if (r->is_open && lifetime_ns(r) >= LW_REFLECTOR_HEALTHY_S * LW_NS_PER_S)
        reset_backoffs(r);
    else if (r->events > 0 || (is_cut && r->is_open && !is_short(r)))
        lw_backoff_limit(&r->backoff, LW_REFLECTOR_BRIEF_S * LW_NS_PER_S);
    if (r->events > 0)
        r->trouble_ns = LW_NEVER_NS;
}

static bool is_end_of_stream(const lw_reflector *r, const lw_error *err)
{
    return !err || (r->is_open && lw_reflector__is_connection_trouble(err));
}

/* The state of a failed stream is dropped. */
static void leave_stream(lw_reflector *r, const lw_error *err)
{
    lw_replacement_free(r->replacement);
    r->replacement = NULL;
    if (err)
        lw_reflector__report(r, err);
}

lw_error lw_reflector__error_of(const lw_watch_event *event, const char *what)
{
    lw_error err = LW_ERROR_INIT;
    if (event->error)
        err = *event->error;
    else
        (void)lw_error_set(&err, LW_ERR_INTERNAL, "the server ended the %s without giving a reason",
                           what);
    return err;
}

void lw_reflector__list_instead(lw_reflector *r)
{
    lw_reflector__schedule(r, LW_STEP_LIST, 0);
    leave_stream(r, NULL);
}

void lw_reflector__stream_failed(lw_reflector *r, const lw_error *err)
{
    bool is_cut = is_end_of_stream(r, err);
    adjust_backoff(r, is_cut);
    if (is_cut && !is_short(r) && ++r->streams_cut < LW_REFLECTOR_STREAM_TRIES) {
        lw_reflector__schedule(r, LW_STEP_STREAM, 0);
        leave_stream(r, err);
    } else if (!is_cut && is_gone(err) && !r->is_rv_unavailable && r->rv[0] != '\0') {
        r->is_rv_unavailable = true;
        lw_reflector__schedule(r, LW_STEP_STREAM, 0);
        leave_stream(r, err);
    } else if (!is_cut && is_passing(err)) {
        retry_later(r, LW_STEP_STREAM, err);
        leave_stream(r, err);
    } else if (!is_cut && is_unknown_resource(err)) {
        retry_later(r, LW_STEP_SYNC, err);
        leave_stream(r, err);
    } else {
        lw_reflector__list_instead(r);
    }
}

static void watch_is_short(lw_reflector *r)
{
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_UNAVAILABLE, "the watch ended immediately, without an event");
    lw_reflector__relist(r, LW_RELIST_SHORT_WATCH, &err);
}

static int64_t watch_again_ns(lw_reflector *r, const lw_error *err)
{
    if (r->events >= LW_REFLECTOR_WORTH_EVENTS)
        r->watch_at_once_ns = 0;
    if (is_short(r))
        return later_ns(r, err);
    if (takes_at_once(r, &r->watch_at_once_ns, err))
        return 0;
    r->waits_for_server = true;
    r->not_before_ns = 0;
    return lw_backoff_next(&r->resume, lw_reflector__now(r));
}

/* The end does not affect the state: resume at the same revision. */
static void watch_again(lw_reflector *r, const lw_error *err)
{
    lw_reflector__schedule(r, LW_STEP_WATCH, watch_again_ns(r, err));
    if (err)
        lw_reflector__report(r, err);
}

void lw_reflector__watch_failed(lw_reflector *r, const lw_error *err)
{
    bool is_cut = is_end_of_stream(r, err);
    adjust_backoff(r, is_cut);
    if (!err && is_short(r)) {
        watch_is_short(r);
    } else if (is_cut) {
        watch_again(r, err);
    } else if (is_gone(err)) {
        /* A server that responds like this is healthy enough for a list. */
        bool is_now = takes_at_once(r, &r->list_at_once_ns, err);
        relist_in(r, is_now ? 0 : later_ns(r, err), reason_of(err), err);
    } else if (is_passing(err) || err->code == LW_ERR_UNAVAILABLE || is_refused_briefly(r, err)) {
        retry_later(r, LW_STEP_WATCH, err);
        lw_reflector__report(r, err);
    } else {
        lw_reflector__relist(r, reason_of(err), err);
    }
}

const char *lw_relist_reason_name(lw_relist_reason reason)
{
    switch (reason) {
    case LW_RELIST_NONE: return "none";
    case LW_RELIST_EXPIRED: return "expired";
    case LW_RELIST_TOO_LARGE: return "too-large-resource-version";
    case LW_RELIST_ERROR: return "error";
    case LW_RELIST_SHORT_WATCH: return "short-watch";
    case LW_RELIST_MALFORMED: return "malformed";
    case LW_RELIST_STORE: return "store";
    }
    return "unknown";
}
