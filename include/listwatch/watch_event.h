/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event.h -- what a watch says, one event after the other, out of its bytes as they arrive.
 *
 * A watch stream is JSON documents, {"type":"ADDED","object":{...}}, with a newline or nothing
 * between them.  Sans-I/O, one thread at a time. */
#ifndef LISTWATCH_WATCH_EVENT_H
#define LISTWATCH_WATCH_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

typedef enum lw_watch_event_type {
    LW_WATCH_ADDED = 1,
    LW_WATCH_MODIFIED,
    LW_WATCH_DELETED,  /* the last state, with the revision of the deletion */
    LW_WATCH_BOOKMARK, /* only a revision up to which everything was sent */
    LW_WATCH_ERROR,    /* the watch is over; |error| says why */
} lw_watch_event_type;

/* One event.  Everything dies when the callback returns; take a reference to keep the object. */
typedef struct lw_watch_event {
    lw_watch_event_type type;
    const lw_object *object;    /* the Status object for LW_WATCH_ERROR, NULL if there was none */
    const lw_error *error;      /* for LW_WATCH_ERROR; else NULL */
    bool is_initial_events_end; /* the bookmark after the initial events (KEP-3157) */
} lw_watch_event;

/* "ADDED" and so on, as on the wire; "" for no type. */
LW_API const char *lw_watch_event_type_name(lw_watch_event_type type);

/* Reads such a name; false, and |*type| untouched, when it is none. */
LW_API bool lw_watch_event_type_parse(lw_str name, lw_watch_event_type *type);

/* Gets one event.  A negative status, with the reason in |err| (may be NULL), stops the reading and
 * is what the feeding call returns.  Must not call the reader. */
typedef lw_status (*lw_watch_event_fn)(const lw_watch_event *event, void *arg, lw_error *err);

/* What is dropped or kept (|read|) goes for the objects of ADDED, MODIFIED and DELETED; bookmarks
 * and errors are always read whole. */
typedef struct lw_event_reader_options {
    lw_read_options read;
    lw_watch_event_fn on_event;
    void *arg; /* for on_event */
} lw_event_reader_options;

typedef struct lw_event_reader lw_event_reader;

/* LW_ERR_INVALID: a path in |options| is malformed, or would drop what identifies an object.
 * LW_ERR_NOMEM. */
LW_API lw_status lw_event_reader_new(lw_event_reader **out, const lw_event_reader_options *options,
                                     lw_error *err);
LW_API void lw_event_reader_free(lw_event_reader *reader);

/* Takes |len| further bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (no event, or of a type
 * nobody knows), LW_ERR_LIMIT (an object too large or too deep), each with the offset in the
 * stream; LW_ERR_NOMEM; or what on_event returned.  After an error the reader gives the same answer
 * until it is reset.  An event of type ERROR is an event like others, not a failure. */
LW_API lw_status lw_event_reader_feed(lw_event_reader *reader, const char *bytes, size_t len,
                                      lw_error *err);

/* Says that the stream ends here.  LW_ERR_SYNTAX: in the middle of an event. */
LW_API lw_status lw_event_reader_finish(lw_event_reader *reader, lw_error *err);

/* Starts afresh, for the next watch; keeps the memory. */
LW_API void lw_event_reader_reset(lw_event_reader *reader);

LW_END_DECLS

#endif
