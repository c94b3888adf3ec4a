/* SPDX-License-Identifier: Apache-2.0 */
/* watch_stream_internal.h -- a watch, for the files that make it up. */
#ifndef LW_API_READ_WATCH_STREAM_INTERNAL_H
#define LW_API_READ_WATCH_STREAM_INTERNAL_H

#include "api/conversion/convert.h"
#include "api/media/watch_event_writer.h"
#include "api/read/watch_stream.h"

enum {
    LW_WATCH_BATCH_EVENTS = 32,        /* that go out as one chunk */
    LW_WATCH_BATCH_BYTES = 128 * 1024, /* after which a chunk is long enough */
};

/* Kept small: there may be a hundred thousand. */
struct lw_watch_stream {
    lw_dlist_node link; /* in port->watches */
    lw_api_port *port;
    lw_http_stream *stream;
    lw_watcher *watcher;
    lw_cache_filter filter; /* points into |labels|, |fields| and |names| */
    lw_label_selector *labels;
    lw_field_selector *fields;
    lw_cache_resource *resource;
    lw_cache_resource *view;   /* held: see lw_api_call; else NULL */
    lw_registry *registry;     /* held: has the custom kind that is watched; else NULL */
    lw_request_series *series; /* where it is counted; NULL: nowhere */
    lw_event_shape shape;
    lw_timer timer; /* the next bookmark, or the end */
    lw_task task;   /* goes on in the next turn */
    int64_t opened_ns;
    int64_t deadline_ns;
    int64_t bookmark_ns;                    /* NEVER: no more */
    struct lw_watch_conversion *conversion; /* events that are being converted; NULL: none */
    bool selects_converted;                 /* |fields| choose of what a webhook has converted */
    bool allows_bookmarks;
    bool ends_initial_events;
    bool is_synced; /* past the initial objects */
    bool is_busy;   /* in a pull */
    bool is_posted;
    bool is_over;
    char names[]; /* namespace and name of the filter */
};

_Static_assert(sizeof(lw_watch_stream) <= 320, "a watch is to cost less than 1 KB in all");

/* Events under way to one write. */
typedef struct lw_watch_batch {
    lw_bytes pieces[LW_WATCH_BATCH_EVENTS * LW_EVENT_PIECES];
    size_t count;
    size_t events;
    size_t bytes;
    size_t fresh;      /* events that came while the watch was open ... */
    int64_t oldest_ns; /* ... and when the first of them did */
} lw_watch_batch;

void lw_watch_batch_clear(lw_watch_batch *b);

/* Sends what is in |b|.  False: the watch is over. */
bool lw_watch_flush(lw_watch_stream *watch, lw_watch_batch *b);

/* Counts the |added| pieces at the end of |b| as one event and sends the batch when it is time to:
 * a WebSocket's message is one event.  0: they could not be made.  False: the watch is over. */
bool lw_watch_add_event(lw_watch_stream *watch, lw_watch_batch *b, size_t added);

/* Adds |event|, whose object is taken. */
bool lw_watch_add_object(lw_watch_stream *watch, lw_watch_batch *b, const lw_cache_event *event);

/* Sends an ERROR event with |status|, which is taken, after what is in |b|, and ends. */
void lw_watch_end_with(lw_watch_stream *watch, lw_watch_batch *b, lw_api_status *status);

/* Handles what the watcher says.  False: nothing more now, or ever. */
bool lw_watch_handle_step(lw_watch_stream *watch, lw_watch_batch *b, lw_watch_step step,
                          const lw_cache_event *event);

/* Sends what there is, as long as the client takes it and the turn is not over. */
void lw_watch_pull(lw_watch_stream *watch);
void lw_watch_free(lw_watch_stream *watch);

/* Collects |event|, whose objects are taken, and those that follow it at once, and sends them when
 * a webhook has converted them (watch_conversion.c).  Until then the watch is not pulled.  Returns
 * as lw_watch_handle_step. */
bool lw_watch_convert(lw_watch_stream *watch, lw_watch_batch *b, const lw_cache_event *event);

/* Drops the events that are being converted. */
void lw_watch_conversion_free(lw_watch_stream *watch);

#endif
