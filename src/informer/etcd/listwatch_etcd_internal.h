/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_internal.h -- declarations shared by the files of the etcd source.
 *
 *   listwatch_etcd.c         the provider, its sources, and the life cycle of their calls
 *   listwatch_etcd_read.c    the keys at one revision, in pages: lists, initial events
 *   listwatch_etcd_watch.c   the changes after it
 *   listwatch_etcd_filter.c  the keys that belong to a source
 *   listwatch_etcd_object.c  converts a key to an object
 *
 * A call:  READING ──▶ end of a list
 *             └─ for a stream ─▶ WATCHING ──▶ HELD ──▶ WATCHING again, for the next call
 *                                   └──────────┴─▶ end
 *
 * If a callback of the etcd client ends a call, the end is postponed to the end of the iteration of
 * the loop: a callback must not cancel its caller.  One thread at a time. */
#ifndef LW_INFORMER_ETCD_LISTWATCH_ETCD_INTERNAL_H
#define LW_INFORMER_ETCD_LISTWATCH_ETCD_INTERNAL_H

#include <listwatch/etcd.h>
#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>

#include "base/buf.h"
#include "base/clock.h"
#include "etcd/etcd.h"
#include "informer/etcd/listwatch_etcd_object.h"
#include "net/loop.h"

enum {
    LW_ETCD_SOURCE_PAGE_KEYS = 500, /* the first page; later pages have about PAGE_BYTES */
    LW_ETCD_SOURCE_PAGE_KEYS_MAX = 10000,
    LW_ETCD_SOURCE_PAGE_BYTES = 4 << 20,
    LW_ETCD_SOURCE_KEY_MAX = 64 << 20,     /* bytes; the limit of etcd is that of a request */
    LW_ETCD_SOURCE_SCRATCH_KEPT = 1 << 20, /* bytes of the buffer that are kept between objects */
    LW_ETCD_SOURCE_OUTAGE_S = 10,          /* a watch fails after this time without a member */
    LW_ETCD_SOURCE_HOLD_S = 10, /* a held watch that no call resumes ends after this time */
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
    lw_etcd_object_form form;  /* of the objects that are delivered */
    lw_etcd_object_form whole; /* of the objects that selectors are matched against */
    bool has_filter;           /* not every key of the range belongs to the source */
    lw_buf first, end;         /* the range: see lw_etcd_range_request */
    lw_buf scratch;
    struct lw_etcd_source_call *held; /* a watch between two calls, or NULL */
} lw_etcd_source;

/* A list or watch in progress. */
typedef struct lw_etcd_source_call {
    lw_etcd_source *source;
    lw_source_sink sink;
    bool is_watch;
    bool is_delivering; /* the sink is being called: cancel frees the call later */
    bool is_cancelled;

    /* The postponed end. */
    lw_task task;
    bool is_ending, has_error;
    lw_error error; /* if |has_error| */

    /* READING. */
    lw_etcd_call *range; /* NULL: none in progress */
    lw_buf next;         /* the first key of the next page */
    uint64_t revision;   /* of all pages; 0: not known before the first page */
    uint64_t not_older;  /* the minimum revision */
    uint64_t left;       /* number of keys to read; UINT64_MAX: all */
    size_t page;         /* keys */

    /* WATCHING. */
    lw_etcd_watch *watch;
    bool is_open;
    bool is_held;
    bool wants_bookmarks, wants_end_mark;
    uint64_t delivered;  /* all events up to this revision were delivered */
    uint64_t sent;       /* the revision that the sink knows */
    lw_etcd_call *check; /* checks whether |delivered| is in the future; NULL: none in progress */
    lw_timer deadline;   /* end of the watch, or of the hold */
    lw_timer outage;
} lw_etcd_source_call;

/* listwatch_etcd.c */

/* lw_etcd_provider_new with a clock (NULL: the system clock). */
lw_status lw_etcd_source__provider_new(lw_provider **out, const lw_etcd_provider_options *options,
                                       const lw_clock *clock, lw_error *err);

/* Frees |call| and cancels its requests. */
void lw_etcd_source__free_call(lw_etcd_source_call *call);

/* Ends |call| with |err| (NULL: without an error) after this iteration of the loop.  Nothing is
 * delivered any more. */
void lw_etcd_source__end(lw_etcd_source_call *call, const lw_error *err);

/* Called before and after calls of the sink.  Return true if the sink may be called; false if the
 * sink has cancelled the call, which is then freed. */
bool lw_etcd_source__begin_delivery(lw_etcd_source_call *call);
bool lw_etcd_source__end_delivery(lw_etcd_source_call *call);

/* listwatch_etcd_read.c */

/* Reads the next page.  Errors as lw_etcd_range. */
lw_status lw_etcd_source__read(lw_etcd_source_call *call, lw_error *err);

/* Continues a list at |token|.  LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_etcd_source__take_token(lw_etcd_source_call *call, lw_str token, lw_error *err);

/* listwatch_etcd_watch.c */

/* Watches the changes after |delivered|. */
lw_status lw_etcd_source__watch(lw_etcd_source_call *call, lw_error *err);

/* Ends the initial events: delivers the bookmark and starts the watch. */
void lw_etcd_source__initial_events_end(lw_etcd_source_call *call);

/* Ends the watch after |timeout_s| (0: never).  LW_ERR_NOMEM. */
lw_status lw_etcd_source__set_timeout(lw_etcd_source_call *call, int timeout_s, lw_error *err);

/* Resumes the held watch of |source| if it continues at |revision|; otherwise returns NULL. */
lw_etcd_source_call *lw_etcd_source__take_up(lw_etcd_source *source, uint64_t revision,
                                             const lw_source_sink *sink, int timeout_s);

/* listwatch_etcd_filter.c */

/* Sets the range of keys, the selectors and the forms from |spec|. */
lw_status lw_etcd_source__init_filter(lw_etcd_source *source, lw_error *err);
void lw_etcd_source__done_filter(lw_etcd_source *source);

/* Makes the object of |kv| at |revision|; |*out| is NULL if the key does not belong to the
 * source. */
lw_status lw_etcd_source__select(lw_etcd_source *source, const lw_etcd_kv *kv, uint64_t revision,
                                 lw_object **out, lw_error *err);

/* Converts |event| to a watch event.  |*type| 0: none; otherwise |*out| is its object. */
lw_status lw_etcd_source__judge(lw_etcd_source *source, const lw_etcd_event *event,
                                lw_watch_event_type *type, lw_object **out, lw_error *err);

#endif
