/* SPDX-License-Identifier: Apache-2.0 */
/* follower.h -- follows one resource of the upstream: one list, then one watch, for ever.
 *
 *     waiting ──▶ listing ──last page──▶ lw_feed_replace ──▶ watching ──events──▶ lw_feed_put ...
 *        ▲           │ 410: from the start                      │  ended: watches on, at once
 *        │           │ failed                                   │  410: ──▶ listing
 *        └───────────┴──────────────── failed ◀─────────────────┘
 *        └ after a pause that grows, with jitter; then it goes on where it was
 *
 * A list is read in pages and without a resourceVersion: it is consistent, so its revision is never
 * older than what is cached, unless the upstream was restored from a backup.
 *
 * Consistent reads (confirm): a list of one object tells the newest revision.  If nothing has
 * changed in the resource since, the watch says so only with its next bookmark, which takes up to a
 * minute; so a short second watch of metadata (the probe) is opened from the current revision,
 * which ends with a bookmark after about a second.  What it shows has been fed, or is about to be.
 *
 * With a state directory, a follower starts with the saved objects and watches on from their
 * revision (warm).  They are served as soon as the upstream has confirmed that it is not at an
 * earlier revision, or cannot be reached.
 *
 * After a connection has ended, the mirror first makes sure that the upstream is still the same
 * cluster (mirror_cluster.c): the follower is held meanwhile.
 *
 * The same list shows after a reconnect that the upstream is at an earlier revision than the
 * mirror: it would accept a watch from the future and stay silent.
 *
 * Threads: the mirror's, except where it says any thread. */
#ifndef LW_SERVER_MIRROR_FOLLOWER_H
#define LW_SERVER_MIRROR_FOLLOWER_H

#include <stdatomic.h>

#include <listwatch/list_reader.h>
#include <listwatch/log.h>
#include <listwatch/watch_event.h>

#include "base/backoff.h"
#include "base/sync.h"
#include "cache/feed.h"
#include "cache/packing.h"
#include "schema/kinds/kind.h"
#include "server/mirror/saver.h"
#include "server/mirror/source.h"
#include "server/mirror/views.h"

enum {
    LW_FOLLOWER_PAGE = 500,            /* objects */
    LW_FOLLOWER_IDLE_S = 150,          /* without a byte, not even a bookmark: the watch is lost */
    LW_FOLLOWER_ANSWER_S = 30,         /* for the answer to a small request */
    LW_FOLLOWER_WATCH_S = 600,         /* at least; up to twice as long */
    LW_FOLLOWER_PROBE_S = 3,           /* bookmarks come two seconds before the end */
    LW_FOLLOWER_QUESTIONS_MAX = 65536, /* that wait for a confirmation */
    LW_FOLLOWER_ERROR_MAX = 4096,      /* bytes of an error that are read */
};

typedef enum lw_follower_stage {
    LW_FOLLOWER_WAITING,
    LW_FOLLOWER_LISTING,
    LW_FOLLOWER_WATCHING,
} lw_follower_stage;

typedef struct lw_follower lw_follower;

/* A pruned view of the resource: a fed resource of its own. */
typedef struct lw_follower_view {
    lw_str name;
    lw_cache_resource *resource; /* a reference */
    lw_read_options pruning;
} lw_follower_view;

typedef struct lw_follower_options {
    const lw_kind *kind;         /* takes its own reference */
    lw_cache_resource *resource; /* the same */
    const lw_mirror_source *upstream;
    lw_loop *loop;
    lw_http_client *client;
    lw_str ns;             /* empty: all */
    lw_str label_selector; /* empty: none */
    lw_str field_selector;
    size_t history_bytes;
    lw_state_dir *state_dir; /* NULL: nothing is saved */
    const lw_logger *logger;
    /* The first list is complete, or the follower has failed (lw_follower_read_state). */
    void (*changed)(void *arg);
    /* More has been fed: a list, or changes.  On the loop's thread; may free other followers. NULL:
     * nobody wants to know. */
    void (*fed)(void *arg);
    /* Before the upstream is asked again, after a connection to it has ended.  False: it waits for
     * lw_follower_resume.  On the loop's thread.  NULL: always true. */
    bool (*may_connect)(void *arg);
    void (*lost)(void *arg); /* A connection has ended.  The same. */
    void *arg;
    bool is_hidden; /* only the mirror itself reads the resource */
} lw_follower_options;

struct lw_follower {
    lw_follower_options options;
    char *path; /* "/api/v1/pods", with the selectors */
    lw_follower_view views[LW_MIRROR_VIEWS_MAX];
    size_t view_count;
    lw_follower_stage stage;
    bool wants_list;
    bool is_held;      /* until lw_follower_resume */
    bool is_abandoned; /* the next list is of another cluster */
    bool is_warm;      /* it has saved objects, which are not served yet */
    lw_mirror_saver saver;
    lw_http_call *call;
    lw_upstream *at; /* where |call| is sent to */
    lw_list_reader *list;
    lw_event_reader *events;
    int status;              /* of the reply to |call| */
    lw_buf error;            /* its body, if it is an error */
    lw_error failure;        /* what the reader says */
    lw_object **objects;     /* of the list that is being read; references, some of them packed */
    lw_packing_list packing; /* of |objects| */
    size_t count, cap;
    lw_buf page;            /* the token of the next page */
    uint64_t list_revision; /* of the first page */
    uint64_t bookmark;      /* of the events that are being read */
    int64_t watched_ns;     /* when the watch began */
    lw_timer timer;         /* the end of a pause, or of the patience with a silent watch */
    lw_backoff backoff;

    lw_mutex mu;           /* guards |arrived| and |is_task_posted| */
    lw_dlist arrived;      /* lw_store_confirmation.link: new questions */
    size_t question_count; /* mu: of |arrived| and |asked| */
    bool is_task_posted;
    bool is_freed; /* by the task that is posted */
    lw_task task;
    lw_dlist asked;         /* questions that |question| answers */
    lw_http_call *question; /* NULL: none */
    lw_upstream *asked_of;  /* where it is sent to */
    uint64_t asked_at;      /* the revision that the mirror had when it asked */
    bool wants_check;       /* the upstream was away: it may have been restored meanwhile */
    bool is_fresh;          /* a list has just told its revision */
    lw_list_reader *answer;
    lw_http_call *probe; /* NULL: none */
    lw_event_reader *probe_events;
    uint64_t probe_seen;     /* the last change that the probe has shown */
    uint64_t probe_bookmark; /* what its bookmark says; 0: none yet */

    /* Any thread. */
    atomic_bool is_synced;             /* the first list is complete */
    atomic_bool is_absent;             /* the upstream does not serve it, or not to us */
    atomic_int_least64_t behind_since; /* monotonic ns; 0: the watch is open */
    atomic_uint_least64_t lists, watches, changes, relists, resets;
    lw_mutex error_mu; /* guards last_error */
    lw_error last_error;
};

/* What is known about a follower; any thread. */
typedef struct lw_follower_state {
    const lw_kind *kind;
    bool is_synced, is_absent;
    int64_t lag_ns; /* how long the watch has not been open; 0: it is */
    uint64_t revision, lists, watches, changes, relists, resets;
    lw_error last_error; /* code LW_OK: none */
} lw_follower_state;

LW_MUST_CHECK lw_status lw_follower_new(lw_follower **out, const lw_follower_options *options,
                                        lw_error *err);

/* Feeds |resource| as well, with objects that have only the members that |from| says; it borrows
 * |name| and |from|.  Before it starts.  LW_ERR_INVALID: a path is malformed, or its members are
 * always needed; LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_follower_add_view(lw_follower *follower, lw_str name,
                                             lw_cache_resource *resource,
                                             const lw_mirror_view_resource *from, lw_error *err);

/* There are no objects any more, at |revision|: tells watches so. */
void lw_follower_empty(lw_follower *follower, uint64_t revision);

/* Starts.  On the loop's thread, or before it runs. */
void lw_follower_start(lw_follower *follower);

/* Goes on at another address, if the one that it uses does not answer.  On the loop's thread. */
void lw_follower_move(lw_follower *follower);

/* Goes on if may_connect has held it: it asks the upstream, or fails because of |st|. */
void lw_follower_resume(lw_follower *follower, lw_status st, const char *why);

/* The upstream is another cluster: drops what was read, tells watches that they have expired, and
 * reads everything anew.  On the loop's thread. */
void lw_follower_abandon(lw_follower *follower);

/* Ends all calls; questions are answered with LW_ERR_STOPPED, and no more may come.  On the loop's
 * thread, or when it does not run any more. */
void lw_follower_free(lw_follower *follower);

/* Asks which revision is the newest (lw_api_upstream.confirm).  Any thread. */
LW_MUST_CHECK lw_status lw_follower_confirm(lw_follower *follower, lw_store_confirmation *question);

void lw_follower_read_state(lw_follower *follower, int64_t now_ns, lw_follower_state *out);

/* follower.c -- goes on with the next call, or fails: pauses, then goes on. */
void lw_follower__go_on(lw_follower *follower);
/* As lw_follower__go_on, as soon as may_connect allows it. */
void lw_follower__reconnect(lw_follower *follower);
void lw_follower__fail(lw_follower *follower, lw_status st, const char *why);
/* The reply to |call| is not a success. */
void lw_follower__fail_reply(lw_follower *follower);
/* Serves the saved objects; does nothing if it is not warm. */
void lw_follower__accept_saved(lw_follower *follower);

/* follower_views.c -- the same for all views; between lw_feed_begin and lw_feed_end, except
 * replace. */
lw_status lw_follower__put_views(lw_follower *follower, const lw_object *obj, lw_error *err);
lw_status lw_follower__remove_views(lw_follower *follower, const lw_object *last);
void lw_follower__publish_views(lw_follower *follower, uint64_t revision);
lw_status lw_follower__replace_views(lw_follower *follower, lw_error *err);

/* follower_list.c, follower_watch.c, follower_confirm.c */
void lw_follower__list(lw_follower *follower);
void lw_follower__load(lw_follower *follower); /* the saved objects, if there are any */
void lw_follower__watch(lw_follower *follower);
void lw_follower__ask(lw_follower *follower);        /* goes on with questions that have arrived */
void lw_follower__progressed(lw_follower *follower); /* more has been fed: see the probe */
void lw_follower__stop_asking(lw_follower *follower, lw_status st, const char *why);

#endif
