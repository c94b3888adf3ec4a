/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_internal.h -- what the files of the reflector share.
 *
 *   reflector.c         its life, its timers, and what each state begins with
 *   reflector_sync.c    the whole state arrives, by a list or as a stream of events
 *   reflector_watch.c   changes arrive
 *   reflector_retry.c   something failed: what it means, and how it goes on
 *
 * The source is asked only from start, tick and stop, never from within its own callbacks: those
 * note what is to be done next, and when. */
#ifndef LW_INFORMER_REFLECTOR_INTERNAL_H
#define LW_INFORMER_REFLECTOR_INTERNAL_H

#include "informer/reflector.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/random.h"

typedef enum lw_reflector_state {
    LW_REFLECTOR_IDLE,
    LW_REFLECTOR_WAITING,   /* |step| is done at |due_ns|, which may be now */
    LW_REFLECTOR_LISTING,   /* a page of a list is under way */
    LW_REFLECTOR_STREAMING, /* a watch is, and tells the state first */
    LW_REFLECTOR_WATCHING,
    LW_REFLECTOR_BLOCKED, /* until the queue has room */
    LW_REFLECTOR_STOPPED,
} lw_reflector_state;

typedef enum lw_reflector_step {
    LW_STEP_SYNC,   /* get the whole state: a stream if that is allowed, else a list */
    LW_STEP_STREAM, /* the same, but only a stream */
    LW_STEP_LIST,   /* the same, but only a list */
    LW_STEP_PAGE,   /* the next page of the list */
    LW_STEP_WATCH,
} lw_reflector_step;

enum {
    LW_REFLECTOR_RV_SIZE = 128,           /* of a resourceVersion, with its terminator */
    LW_REFLECTOR_PAGE_SIZE = 500,         /* objects */
    LW_REFLECTOR_MIN_TIMEOUT_S = 300,     /* the shortest watch we ask for */
    LW_REFLECTOR_SHORT_S = 1,             /* a watch that says nothing must last this long */
    LW_REFLECTOR_HEALTHY_S = 10,          /* a stream this old shows that the server is well */
    LW_REFLECTOR_AT_ONCE_S = 10,          /* one watch and one list per this need no delay */
    LW_REFLECTOR_RECONNECT_MS = 200,      /* the first delay while nobody answers ... */
    LW_REFLECTOR_BRIEF_S = 5,             /* ... and the longest, before jitter */
    LW_REFLECTOR_STREAM_OPEN_S = 60,      /* within which a stream must be answered */
    LW_REFLECTOR_STREAM_SILENCE_S = 10,   /* between two objects of its state, or before its end */
    LW_REFLECTOR_OVERDUE_S = 60,          /* a server may end a watch this much later than asked */
    LW_REFLECTOR_RETRY_AFTER_MAX_S = 600, /* a server may make us wait */
    LW_REFLECTOR_WORTH_EVENTS = 100,      /* a watch that brought so many was worth its request */
    LW_REFLECTOR_STREAM_TRIES = 2,        /* streams cut before their end, before we list */
};

struct lw_reflector {
    lw_reflector_options options;
    lw_reflector_state state;
    lw_reflector_step step;
    int64_t due_ns;

    lw_source_call *call;   /* what is under way, or NULL */
    bool is_call_abandoned; /* nothing it says counts any more; the next tick cancels it */

    char rv[LW_REFLECTOR_RV_SIZE]; /* up to here everything is queued; "": nothing is */
    bool is_rv_unavailable;        /* the server said so: ask without one until a list succeeds */
    bool is_paginated;             /* pages even where the cache was asked: it has none */

    /* The state that is arriving. */
    lw_replacement *replacement;
    char asked_rv[LW_REFLECTOR_RV_SIZE];
    char list_rv[LW_REFLECTOR_RV_SIZE]; /* of the first page */
    char *continue_token;
    int64_t limit;
    uint64_t pages;       /* complete */
    bool is_full_retry;   /* a page expired: this is the same list in one piece */
    unsigned streams_cut; /* in this round */

    /* The stream or watch under way. */
    bool is_answered; /* something other than an error has come */
    bool is_open;
    bool is_ordered; /* the events' resourceVersions rise: those of a state do not */
    int64_t asked_ns, opened_ns;
    int64_t progress_ns; /* when a stream last sent a part of its state */
    int64_t overdue_ns;
    uint64_t events; /* errors apart */

    lw_backoff backoff;   /* after errors that the server answers with */
    lw_backoff reconnect; /* while it does not answer; any answer starts it over */
    int64_t watch_at_once_ns, list_at_once_ns; /* from then on one may follow without a delay */
    lw_random random;
    int64_t resync_due_ns; /* LW_NEVER_NS: never */

    lw_informer_statistics stats; /* counters */
    int64_t started_ns, last_byte_ns;
    lw_error last_error;
};

/* reflector.c */
int64_t lw_reflector__now(const lw_reflector *r);
void lw_reflector__schedule(lw_reflector *r, lw_reflector_step step, int64_t delay_ns);
void lw_reflector__abandon_call(lw_reflector *r);
bool lw_reflector__set_text(char *dst, const char *text); /* false: longer than an rv may be */
void lw_reflector__begin_call(lw_reflector *r, lw_reflector_state state,
                              const lw_source_request *request);
void lw_reflector__count_bytes(lw_reflector *r, const lw_object *obj);

/* reflector_sync.c */
void lw_reflector__begin_sync(lw_reflector *r);
void lw_reflector__begin_stream(lw_reflector *r);
void lw_reflector__begin_list(lw_reflector *r);
void lw_reflector__begin_page(lw_reflector *r);
void lw_reflector__list_object(lw_reflector *r, const lw_object *obj);
void lw_reflector__list_end(lw_reflector *r, const lw_list_metadata *list);
void lw_reflector__stream_event(lw_reflector *r, const lw_watch_event *event);

/* reflector_watch.c */
void lw_reflector__begin_watch(lw_reflector *r);
void lw_reflector__watch_event(lw_reflector *r, const lw_watch_event *event);
int lw_reflector__draw_timeout(lw_reflector *r);

/* The object as it is to be kept: transformed, with a reference.  NULL: refused, and reported. */
lw_object *lw_reflector__accept(lw_reflector *r, const lw_object *obj);

/* reflector_retry.c: how it goes on after a failure in that state.  NULL |err|: a clean end. */
void lw_reflector__list_failed(lw_reflector *r, const lw_error *err);
void lw_reflector__stream_failed(lw_reflector *r, const lw_error *err);
void lw_reflector__watch_failed(lw_reflector *r, const lw_error *err);

/* Gives the stream up: a list says the same, on every server and through every proxy.  This is no
 * error: servers before 1.34 refuse streams by default.  What is really wrong, the list reports. */
void lw_reflector__list_instead(lw_reflector *r);

/* Relists after a while, because of |err|; or once the queue has room. */
void lw_reflector__relist(lw_reflector *r, lw_relist_reason reason, const lw_error *err);
void lw_reflector__block(lw_reflector *r, lw_status st);

/* Counts and tells an error; the last thing a transition does. */
void lw_reflector__report(lw_reflector *r, const lw_error *err);
void lw_reflector__forget_error(lw_reflector *r);

#endif
