/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_internal.h -- declarations shared by the files of the reflector.
 *
 *   reflector.c         life cycle, timers, and the beginning of each state
 *   reflector_sync.c    receives the whole state, as a list or as a stream of events
 *   reflector_watch.c   receives changes
 *   reflector_retry.c   what happens after a failure
 *   reflector_health.c  silence, and what the reflectors of a factory know together
 *
 * The source is called only by start, tick and stop, never from its own callbacks: these record the
 * next step and its time. */
#ifndef LW_INFORMER_REFLECTOR_INTERNAL_H
#define LW_INFORMER_REFLECTOR_INTERNAL_H

#include "informer/reflector.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/list_bounds.h"

typedef enum lw_reflector_state {
    LW_REFLECTOR_IDLE,
    LW_REFLECTOR_WAITING,   /* |step| is done at |due_ns|, which may be now */
    LW_REFLECTOR_LISTING,   /* a page of a list is in progress */
    LW_REFLECTOR_STREAMING, /* a watch is in progress and sends the state first */
    LW_REFLECTOR_WATCHING,
    LW_REFLECTOR_BLOCKED, /* until the queue has space */
    LW_REFLECTOR_STOPPED,
} lw_reflector_state;

typedef enum lw_reflector_step {
    LW_STEP_SYNC,   /* get the whole state: as a stream if allowed, otherwise as a list */
    LW_STEP_STREAM, /* the same, only as a stream */
    LW_STEP_LIST,   /* the same, only as a list */
    LW_STEP_PAGE,   /* the next page of the list */
    LW_STEP_WATCH,
} lw_reflector_step;

enum {
    LW_REFLECTOR_RV_SIZE = 128,       /* bytes of a resourceVersion with its NUL */
    LW_REFLECTOR_PAGE_SIZE = 500,     /* objects */
    LW_REFLECTOR_MIN_TIMEOUT_S = 300, /* minimum timeout of a watch */
    LW_REFLECTOR_SHORT_S = 1,         /* a watch without events must last this long */
    LW_REFLECTOR_HEALTHY_S = 10,     /* after this time a stream shows that the server is healthy */
    LW_REFLECTOR_AT_ONCE_S = 10,     /* one watch and one list per this time need no delay */
    LW_REFLECTOR_RECONNECT_MS = 200, /* first delay while the server does not respond, and after a
                                        watch that was cut off ... */
    LW_REFLECTOR_RECONNECT_MAX_S = 1, /* ... and the longest while it does not respond ... */
    LW_REFLECTOR_RESUME_MAX_S = 2,    /* ... and after a watch that was cut off, before jitter */
    LW_REFLECTOR_BRIEF_S = 2,         /* longest delay in an outage that is new, before jitter */
    LW_REFLECTOR_NEW_OUTAGE_S = 60,   /* for this time it is new */
    LW_REFLECTOR_WATCH_OPEN_S = 5,    /* time limit for the response to a watch ... */
    LW_REFLECTOR_LIST_OPEN_S = 10,    /* ... and to a list or stream; doubles each time ... */
    LW_REFLECTOR_OPEN_MAX_S = 60,     /* ... up to this */
    LW_REFLECTOR_SILENT_S = 90, /* a watch whose server sends bookmarks may be silent for so long */
    LW_REFLECTOR_DOUBT_S = 30,  /* a silent watch is replaced after an outage once in this time */
    LW_REFLECTOR_STREAM_SILENCE_S =
        10, /* time limit between two objects of the state, or before its end */
    LW_REFLECTOR_OVERDUE_S = 60,     /* a server may end a watch this much later than requested */
    LW_REFLECTOR_ACCEPTED_MS = 200,  /* a server that has forgotten a revision sends 410 as an event
                                        within this time after the head */
    LW_REFLECTOR_SERVER_ERROR = 500, /* HTTP status */
    LW_REFLECTOR_REFUSALS = 5,       /* watches refused with 500 before a list */
    LW_REFLECTOR_RETRY_AFTER_MAX_S = 600, /* upper limit of Retry-After */
    LW_REFLECTOR_WORTH_EVENTS =
        100, /* after this number of events, a watch may be repeated at once */
    LW_REFLECTOR_STREAM_TRIES = 2, /* interrupted streams before the reflector lists instead */
};

struct lw_reflector {
    lw_reflector_options options;
    lw_reflector_state state;
    lw_reflector_step step;
    int64_t due_ns;

    lw_source_call *call;   /* the request in progress, or NULL */
    bool is_call_abandoned; /* its callbacks are ignored; the next tick cancels it */

    char rv[LW_REFLECTOR_RV_SIZE]; /* all changes up to here are queued; "": none */
    bool is_rv_unavailable; /* the server rejected it: request without one until a list succeeds */
    bool is_paginated; /* the server also pages lists with a resourceVersion: it has no watch cache
                        */

    lw_replacement *warm; /* saved objects, until a watch from |rv| is accepted; may be NULL */
    bool is_warm_at_once;
    bool is_cluster_unchecked; /* saved objects were taken, and the server has not answered since */

    int64_t warm_due_ns; /* when the open watch counts as accepted */

    /* The state that is being received. */
    lw_replacement *replacement;
    lw_list_progress progress;
    char asked_rv[LW_REFLECTOR_RV_SIZE];
    char list_rv[LW_REFLECTOR_RV_SIZE]; /* of the first page */
    char *continue_token;
    int64_t limit;
    uint64_t pages;       /* complete pages */
    bool is_full_retry;   /* a page expired: repeat the list without pages */
    unsigned streams_cut; /* since the last sync began */

    /* The stream or watch in progress. */
    bool is_answered; /* anything other than an error was received */
    bool is_open;
    bool is_ordered; /* the resourceVersions of the events increase, unlike those of a state */
    int64_t asked_ns, opened_ns;
    int64_t progress_ns; /* time of the last object of the state of a stream */
    int64_t overdue_ns;
    uint64_t events; /* without errors */

    lw_backoff backoff;      /* after error responses */
    lw_backoff reconnect;    /* while the server does not respond; any response resets it */
    lw_backoff resume;       /* after a watch that was cut off; a long one resets it */
    int64_t trouble_ns;      /* when the outage began; LW_NEVER_NS: there is none */
    unsigned open_tries;     /* requests without any response in a row */
    unsigned refusals;       /* watches refused with 500 since one was open, or since a list */
    int64_t bookmark_gap_ns; /* longest silence before a bookmark; 0: none was sent yet */

    /* See server_health.h. */
    lw_health_member member;
    bool waits_for_server;   /* WAITING because of the server: may be woken ... */
    int64_t not_before_ns;   /* ... but not before this time (Retry-After) ... */
    int64_t wake_allowed_ns; /* ... and this */
    int64_t doubt_ns;        /* from this time on, silence is doubted after an outage */
    bool has_list_turn;      /* |due_ns| is the time of a list that is reserved */
    int64_t watch_at_once_ns, list_at_once_ns; /* from this time on, one needs no delay */
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
bool lw_reflector__set_text(char *dst,
                            const char *text); /* false: too long for a resourceVersion */
void lw_reflector__begin_call(lw_reflector *r, lw_reflector_state state,
                              const lw_source_request *request);
void lw_reflector__count_bytes(lw_reflector *r, const lw_object *obj);

/* reflector_sync.c */
void lw_reflector__begin_sync(lw_reflector *r);
void lw_reflector__begin_stream(lw_reflector *r);
void lw_reflector__begin_list(lw_reflector *r);
void lw_reflector__begin_page(lw_reflector *r);
void lw_reflector__list_object(lw_reflector *r, const lw_object *obj);
void lw_reflector__queue_warm(lw_reflector *r); /* if there are saved objects */
void lw_reflector__list_end(lw_reflector *r, const lw_list_metadata *list);
void lw_reflector__stream_event(lw_reflector *r, const lw_watch_event *event);

/* reflector_watch.c */
void lw_reflector__begin_watch(lw_reflector *r);
void lw_reflector__watch_event(lw_reflector *r, const lw_watch_event *event);
int lw_reflector__draw_timeout(lw_reflector *r);

/* Returns the object to store: transformed, with a reference.  NULL: rejected and reported. */
lw_object *lw_reflector__accept(lw_reflector *r, const lw_object *obj);

/* reflector_health.c */
void lw_reflector__join_health(lw_reflector *r);

/* Returns true if |step| may be done now; otherwise it is due later. */
bool lw_reflector__may_act(lw_reflector *r, int64_t now);

/* Tells the others about the result of a request.  |err| may be NULL. */
void lw_reflector__note_answer(lw_reflector *r);
void lw_reflector__note_failure(lw_reflector *r, const lw_error *err);

/* Return the time at which the request in progress has been silent for too long, and end it then.
 */
int64_t lw_reflector__silence_ns(const lw_reflector *r);
void lw_reflector__give_up_if_silent(lw_reflector *r, int64_t now);
void lw_reflector__note_bookmark(lw_reflector *r, int64_t silent_ns);

/* reflector_retry.c: decide the next step after a failure in a state.  NULL |err|: a clean end. */
void lw_reflector__list_failed(lw_reflector *r, const lw_error *err);
void lw_reflector__stream_failed(lw_reflector *r, const lw_error *err);
void lw_reflector__watch_failed(lw_reflector *r, const lw_error *err);

/* There was no response, or it was incomplete. */
bool lw_reflector__is_connection_trouble(const lw_error *err);
bool lw_reflector__is_too_large(const lw_error *err);

/* Returns the error of an ERROR event; |what| names the request if the event has no details. */
lw_error lw_reflector__error_of(const lw_watch_event *event, const char *what);

/* Replaces the stream by a list, which works on every server and through every proxy.  This is not
 * an error: servers before 1.34 reject streams by default.  A real problem is reported by the
 * list. */
void lw_reflector__list_instead(lw_reflector *r);

/* List again after a delay because of |err|, or when the queue has space. */
void lw_reflector__relist(lw_reflector *r, lw_relist_reason reason, const lw_error *err);
void lw_reflector__block(lw_reflector *r, lw_status st);

/* Counts and reports an error; the last action of a transition. */
void lw_reflector__report(lw_reflector *r, const lw_error *err);
void lw_reflector__forget_error(lw_reflector *r);

#endif
