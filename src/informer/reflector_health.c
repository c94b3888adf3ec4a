/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_health.c -- how a reflector notices that a request gets no answer, and what it learns
 * from the other reflectors of its factory (server_health.h).
 *
 *   the server is down       all steps wait; one reflector at a time probes
 *   it answers another one   - a reflector that waits because of the server acts soon, but not
 *                              before the time of a Retry-After, and once in 10 s if its own
 *                              requests are answered with errors: then its resource is the problem
 *                            - a request that has waited for an answer for 1 s is sent again
 *                            - a watch that has been silent since before the outage is replaced,
 *                              because its connection may be dead; once in 30 s */
#include "informer/reflector_internal.h"

#include <stddef.h>

#include "base/error.h"
#include "base/sync.h"

enum {
    UNANSWERED_S = 1,
    STATUS_TOO_MANY = 429,
};

/* Silence. */

static int64_t open_limit_ns(const lw_reflector *r, int64_t limit_s)
{
    for (unsigned i = 0; i < r->open_tries && limit_s < LW_REFLECTOR_OPEN_MAX_S; i++)
        limit_s *= 2;
    if (limit_s > LW_REFLECTOR_OPEN_MAX_S)
        limit_s = LW_REFLECTOR_OPEN_MAX_S;
    return r->asked_ns + limit_s * LW_NS_PER_S;
}

/* A watch is open, but maybe its connection is dead.  Servers that send bookmarks send one every
 * minute. */
static int64_t watch_silence_ns(const lw_reflector *r)
{
    if (r->bookmark_gap_ns == 0)
        return r->overdue_ns;
    int64_t limit = LW_REFLECTOR_SILENT_S * LW_NS_PER_S;
    if (limit < r->bookmark_gap_ns + r->bookmark_gap_ns / 2)
        limit = r->bookmark_gap_ns + r->bookmark_gap_ns / 2;
    return r->last_byte_ns + limit < r->overdue_ns ? r->last_byte_ns + limit : r->overdue_ns;
}

/* Servers that do not know sendInitialEvents send the existing objects and then changes, but never
 * the end of the state. */
int64_t lw_reflector__silence_ns(const lw_reflector *r)
{
    switch (r->state) {
    case LW_REFLECTOR_STREAMING:
        return r->is_open ? r->progress_ns + LW_REFLECTOR_STREAM_SILENCE_S * LW_NS_PER_S
                          : open_limit_ns(r, LW_REFLECTOR_LIST_OPEN_S);
    case LW_REFLECTOR_LISTING:
        return r->is_answered ? LW_NEVER_NS : open_limit_ns(r, LW_REFLECTOR_LIST_OPEN_S);
    case LW_REFLECTOR_WATCHING:
        return r->is_open ? watch_silence_ns(r) : open_limit_ns(r, LW_REFLECTOR_WATCH_OPEN_S);
    default: return LW_NEVER_NS;
    }
}

void lw_reflector__note_bookmark(lw_reflector *r, int64_t silent_ns)
{
    if (r->state == LW_REFLECTOR_WATCHING && silent_ns > r->bookmark_gap_ns)
        r->bookmark_gap_ns = silent_ns;
}

void lw_reflector__give_up_if_silent(lw_reflector *r, int64_t now)
{
    lw_error err;
    if (now < lw_reflector__silence_ns(r))
        return;
    lw_reflector__abandon_call(r);
    bool is_unanswered = !r->is_answered;
    if (is_unanswered)
        r->open_tries++;
    if (is_unanswered)
        (void)lw_error_set(&err, LW_ERR_TIMEOUT, "the server did not answer within %d s",
                           (int)((now - r->asked_ns) / LW_NS_PER_S));
    else
        (void)lw_error_set(&err, LW_ERR_TIMEOUT, "the watch has been silent for %d s",
                           (int)((now - r->last_byte_ns) / LW_NS_PER_S));
    lw_reflector__note_failure(r, &err);
    if (r->state == LW_REFLECTOR_STREAMING)
        lw_reflector__list_instead(r);
    else if (r->state == LW_REFLECTOR_LISTING)
        lw_reflector__list_failed(r, &err);
    else
        lw_reflector__watch_failed(r, &err);
}

/* What the others know. */

static lw_reflector *reflector_of(lw_health_member *member)
{
    return (lw_reflector *)(void *)((char *)member - offsetof(lw_reflector, member));
}

static void wake(lw_reflector *r, int64_t now, int64_t delay_ns)
{
    int64_t due = now + delay_ns;
    if (due < r->not_before_ns)
        due = r->not_before_ns;
    if (now < r->wake_allowed_ns || due >= r->due_ns || r->has_list_turn)
        return;
    r->due_ns = due;
    r->wake_allowed_ns = now + LW_REFLECTOR_AT_ONCE_S * LW_NS_PER_S;
}

static lw_reflector_step step_of(const lw_reflector *r)
{
    switch (r->state) {
    case LW_REFLECTOR_STREAMING: return LW_STEP_STREAM;
    case LW_REFLECTOR_LISTING: return LW_STEP_PAGE;
    default: return LW_STEP_WATCH;
    }
}

static void replace_call(lw_reflector *r, int64_t delay_ns)
{
    lw_reflector_step step = step_of(r);
    lw_reflector__abandon_call(r);
    lw_reflector__schedule(r, step, delay_ns);
}

static void on_up(lw_health_member *member, int64_t down_ns, int64_t delay_ns)
{
    lw_reflector *r = reflector_of(member);
    int64_t now = lw_reflector__now(r);
    if (r->state == LW_REFLECTOR_WAITING) {
        if (r->waits_for_server)
            wake(r, now, delay_ns);
    } else if (!r->call || r->is_call_abandoned) {
        return;
    } else if (!r->is_answered) {
        if (now - r->asked_ns >= UNANSWERED_S * LW_NS_PER_S)
            replace_call(r, delay_ns);
    } else if (r->state == LW_REFLECTOR_WATCHING && r->last_byte_ns < down_ns &&
               now >= r->doubt_ns) {
        r->doubt_ns = now + LW_REFLECTOR_DOUBT_S * LW_NS_PER_S;
        replace_call(r, delay_ns);
    }
}

void lw_reflector__join_health(lw_reflector *r)
{
    r->member.on_up = on_up;
    if (r->options.health)
        lw_server_health_join(r->options.health, &r->member);
}

void lw_reflector__note_answer(lw_reflector *r)
{
    if (r->options.health && lw_server_health_is_doubted(r->options.health))
        lw_server_health_good(r->options.health, lw_reflector__now(r));
}

void lw_reflector__note_failure(lw_reflector *r, const lw_error *err)
{
    if (!err)
        return;
    bool is_refused = err->http_status > 0 && !lw_reflector__is_too_large(err);
    bool is_bad = is_refused ? err->http_status >= LW_REFLECTOR_SERVER_ERROR
                             : !r->is_answered && lw_reflector__is_connection_trouble(err);
    if (err->http_status == 0)
        r->wake_allowed_ns = 0;
    if (err->http_status > 0)
        r->is_answered = true;
    if (!r->options.health)
        return;
    if (r->is_open && lw_reflector__is_connection_trouble(err))
        lw_server_health_cut(r->options.health, lw_reflector__now(r));
    if (is_bad)
        lw_server_health_bad(r->options.health, err, lw_reflector__now(r));
    else if (err->http_status > 0 && err->http_status != STATUS_TOO_MANY)
        lw_server_health_good(r->options.health, lw_reflector__now(r));
}

static bool is_list_step(const lw_reflector *r)
{
    return r->step == LW_STEP_SYNC || r->step == LW_STEP_STREAM || r->step == LW_STEP_LIST ||
           (r->step == LW_STEP_PAGE && r->pages == 0);
}

bool lw_reflector__may_act(lw_reflector *r, int64_t now)
{
    lw_server_health *health = r->options.health;
    int64_t due = health ? lw_server_health_send_ns(health, now) : now;
    if (due > now && r->last_error.code == LW_OK)
        r->last_error = health->error; /* the reason why it waits; the other one has reported it */
    if (due <= now && health && is_list_step(r) && !r->has_list_turn) {
        due = lw_server_health_list_ns(health, now);
        r->has_list_turn = due > now;
    }
    if (due > now) {
        r->due_ns = due;
        return false;
    }
    r->has_list_turn = false;
    r->waits_for_server = false;
    return true;
}
