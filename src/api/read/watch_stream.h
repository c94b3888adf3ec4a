/* SPDX-License-Identifier: Apache-2.0 */
/* watch_stream.h -- one watch on its way to its client: pulls from a watcher while the client
 * takes, sends bookmarks, ends when its time is over.
 *
 *     new ──▶ running ──▶ over (timeout, overtaken, drained, client gone), and frees itself
 *
 * Belongs to the loop of its stream. */
#ifndef LW_API_READ_WATCH_STREAM_H
#define LW_API_READ_WATCH_STREAM_H

#include "api/http/call.h"
#include "api/http/list_options.h"
#include "schema/kinds/table.h"

enum {
    LW_WATCH_TIMEOUT_MIN_S = 1800, /* without timeoutSeconds: this to twice as much */
    LW_WATCH_BOOKMARK_S = 60,      /* between bookmarks */
    LW_WATCH_LAST_BOOKMARK_S = 2,  /* before the end */
    LW_WATCH_TURN_EVENTS = 128,    /* sent before others get their turn */
};

typedef struct lw_watch_stream lw_watch_stream;

/* One watch, for people to look at.  The views live as long as the watch. */
typedef struct lw_api_watch {
    const lw_kind *kind;
    lw_str ns, name; /* what it is confined to; empty: nothing */
    const lw_http_request *request;
    bool is_synced;    /* past the initial objects */
    uint64_t revision; /* everything up to this has been handed on; 0 before that is known */
    size_t pending_bytes;
    int64_t opened_ns;
} lw_api_watch;

/* What a watch is to be. */
typedef struct lw_watch_request {
    lw_watch_start start;
    uint64_t after;           /* with LW_WATCH_START_AFTER */
    bool ends_initial_events; /* the objects of the start are followed by a marked bookmark */
    lw_cache_filter filter;   /* of |options| and the call */
} lw_watch_request;

/* Begins the reply to |call|, which it consumes, and runs until it is over.  Takes the selectors of
 * |options|. */
void lw_watch_stream_start(lw_api_call *call, lw_api_list_options *options,
                           const lw_watch_request *request);

/* The reply of a watch that cannot be: 200, one ERROR event with |status| (taken), and the end.
 * Consumes the call. */
void lw_watch_stream_refuse(lw_api_call *call, lw_api_status *status);

/* Ends the watch cleanly. */
void lw_watch_stream_end(lw_watch_stream *watch);

/* Ends the watch so that the client notices that the reply is incomplete. */
void lw_watch_stream_abort(lw_watch_stream *watch);

/* Ends the watch with an ERROR event that has |status|, which is taken. */
void lw_watch_stream_end_with(lw_watch_stream *watch, lw_api_status *status);

/* The stream it goes to. */
lw_http_stream *lw_watch_stream_http(const lw_watch_stream *watch);

/* What |watch| is and how far it is; the views are the watch's. */
void lw_watch_stream_describe(const lw_watch_stream *watch, lw_api_watch *out);

/* The watch whose place among those of its port is |node|. */
lw_watch_stream *lw_watch_stream_of(lw_dlist_node *node);

/* Ends every watch of the port. */
void lw_watch_stream_end_all(lw_api_port *port);

#endif
