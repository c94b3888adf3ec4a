/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_internal.h -- what the files of the source on etcd share.
 *
 *   listwatch_etcd.c         the provider, its sources, and the life of their calls
 *   listwatch_etcd_read.c    what there is at one revision, in pages: lists, initial events
 *   listwatch_etcd_watch.c   what happens after it
 *   listwatch_etcd_filter.c  which of it a source is about
 *   listwatch_etcd_object.c  a key as an object
 *
 * A call:  READING ──▶ a list's end
 *             └─ of a stream ─▶ WATCHING ──▶ HELD ──▶ WATCHING again, of the next call
 *                                  └──────────┴─▶ its end
 *
 * Ends that come from within a callback of the client are put off to the end of the loop's turn:
 * what calls back is not cancelled from within.  One thread at a time. */
#ifndef LW_INFORMER_LISTWATCH_ETCD_INTERNAL_H
#define LW_INFORMER_LISTWATCH_ETCD_INTERNAL_H

#include <listwatch/etcd.h>
#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>

#include "base/buf.h"
#include "base/clock.h"
#include "etcd/etcd.h"
#include "informer/listwatch_etcd_object.h"
#include "net/loop.h"

enum {
    LW_ETCD_SOURCE_PAGE_KEYS = 500, /* the first page; the next are of PAGE_BYTES, about */
    LW_ETCD_SOURCE_PAGE_KEYS_MAX = 10000,
    LW_ETCD_SOURCE_PAGE_BYTES = 4 << 20,
    LW_ETCD_SOURCE_KEY_MAX = 64 << 20,     /* bytes; etcd's own limit is that of a request */
    LW_ETCD_SOURCE_SCRATCH_KEPT = 1 << 20, /* bytes kept between objects */
    LW_ETCD_SOURCE_OUTAGE_S = 10,          /* a watch without a member is trouble after this */
    LW_ETCD_SOURCE_HOLD_S = 10,            /* a watch that nobody takes up again ends after this */
};

typedef struct lw_etcd_source_provider {
    lw_provider base;
    lw_loop *loop;
    lw_etcd *etcd;
    const lw_logger *logger;
} lw_etcd_source_provider;

struct lw_etcd_source_call;

typedef struct lw_etcd_source {
    lw_source base;
    lw_etcd_source_provider *provider;
    lw_source_spec spec;
    lw_label_selector *labels;
    lw_field_selector *fields;
    lw_etcd_object_form form;  /* what is handed out */
    lw_etcd_object_form whole; /* what selectors look at */
    bool has_filter;           /* not every key of the range is told */
    lw_buf first, end;         /* the range: see lw_etcd_range_request */
    lw_buf scratch;
    struct lw_etcd_source_call *held; /* a watch between two calls, or NULL */
} lw_etcd_source;

/* A list or watch under way. */
typedef struct lw_etcd_source_call {
    lw_etcd_source *source;
    lw_source_sink sink;
    bool is_watch;
    bool is_delivering; /* the sink is being called: cancel frees it later */
    bool is_cancelled;

    /* Its end, put off. */
    lw_task task;
    bool is_ending, has_error;
    lw_error error; /* where |has_error| */

    /* READING. */
    lw_etcd_call *range; /* NULL: none under way */
    lw_buf next;         /* the first key of the next page */
    uint64_t revision;   /* of all pages; 0: that of the first one */
    uint64_t not_older;  /* the revision may not be before this one */
    uint64_t left;       /* keys that are wanted; UINT64_MAX: all */
    size_t page;         /* keys */

    /* WATCHING. */
    lw_etcd_watch *watch;
    bool is_open;
    bool is_held;
    bool wants_bookmarks, wants_end_mark;
    uint64_t told;       /* everything up to here was handed out */
    uint64_t sent;       /* the revision that the sink knows of */
    lw_etcd_call *check; /* whether |told| is to come; NULL: none under way */
    lw_timer deadline;   /* of the watch; of the hold */
    lw_timer outage;
} lw_etcd_source_call;

/* listwatch_etcd.c */

/* lw_etcd_provider_new on another clock (NULL: the system's). */
lw_status lw_etcd_source__provider_new(lw_provider **out, const lw_etcd_provider_options *options,
                                       const lw_clock *clock, lw_error *err);

/* Frees |call| and what it has under way. */
void lw_etcd_source__free_call(lw_etcd_source_call *call);

/* Ends |call| with |err| (NULL: cleanly) when the turn is over.  Nothing is handed out any more. */
void lw_etcd_source__end(lw_etcd_source_call *call, const lw_error *err);

/* Around calls of the sink: true when it may be called; false when it cancelled the call, which is
 * gone then. */
bool lw_etcd_source__begin_delivery(lw_etcd_source_call *call);
bool lw_etcd_source__end_delivery(lw_etcd_source_call *call);

/* listwatch_etcd_read.c */

/* Reads the next page.  As the calls of lw_etcd. */
lw_status lw_etcd_source__read(lw_etcd_source_call *call, lw_error *err);

/* Continues where |token| says.  LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_etcd_source__take_token(lw_etcd_source_call *call, lw_str token, lw_error *err);

/* listwatch_etcd_watch.c */

/* Watches from |told| on. */
lw_status lw_etcd_source__watch(lw_etcd_source_call *call, lw_error *err);

/* The end of the initial events: hands the bookmark out and watches. */
void lw_etcd_source__initial_events_end(lw_etcd_source_call *call);

/* Lets the watch end after |timeout_s| (0: never).  LW_ERR_NOMEM. */
lw_status lw_etcd_source__set_timeout(lw_etcd_source_call *call, int timeout_s, lw_error *err);

/* Takes the held watch of |source| up again, where it is one from |revision| on; else NULL. */
lw_etcd_source_call *lw_etcd_source__take_up(lw_etcd_source *source, uint64_t revision,
                                             const lw_source_sink *sink, int timeout_s);

/* listwatch_etcd_filter.c */

/* The range of keys, the selectors and forms, from |spec|. */
lw_status lw_etcd_source__init_filter(lw_etcd_source *source, lw_error *err);
void lw_etcd_source__done_filter(lw_etcd_source *source);

/* The object of |kv| at |revision|, or NULL in |*out| where it is none of the source's. */
lw_status lw_etcd_source__select(lw_etcd_source *source, const lw_etcd_kv *kv, uint64_t revision,
                                 lw_object **out, lw_error *err);

/* What |event| means to the watcher.  |*type| 0: nothing; else |*out| is the object it is about. */
lw_status lw_etcd_source__judge(lw_etcd_source *source, const lw_etcd_event *event,
                                lw_watch_event_type *type, lw_object **out, lw_error *err);

#endif
