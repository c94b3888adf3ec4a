/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event.h -- reads the events of a watch from its bytes as they arrive.
 *
 * A watch stream consists of JSON documents, {"type":"ADDED","object":{...}}, separated by newlines
 * or not at all.  The reader does no I/O; only one thread at a time may use it. */
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
    LW_WATCH_BOOKMARK, /* only a revision: all events up to it have been sent */
    LW_WATCH_ERROR,    /* the watch has ended; |error| is the reason */
} lw_watch_event_type;

/* One event.  All of it is valid only during the callback; take a reference to keep the object. */
typedef struct lw_watch_event {
    lw_watch_event_type type;
    const lw_object *object;    /* the Status object for LW_WATCH_ERROR; NULL if there was none */
    const lw_error *error;      /* for LW_WATCH_ERROR, otherwise NULL */
    bool is_initial_events_end; /* the bookmark after the initial events (KEP-3157) */
} lw_watch_event;

/* Returns the name of |type| on the wire ("ADDED"), or "" for an invalid type. */
LW_API const char *lw_watch_event_type_name(lw_watch_event_type type);

/* Parses the name of a type.  Returns false and leaves |*type| unchanged if the name is unknown. */
LW_API bool lw_watch_event_type_parse(lw_str name, lw_watch_event_type *type);

/* Called with each event.  A negative status, with the reason in |err| (may be NULL), stops the
 * reader, and lw_event_reader_feed returns it.  Must not call the reader. */
typedef lw_status (*lw_watch_event_fn)(const lw_watch_event *event, void *arg, lw_error *err);

/* The options |read| apply to the objects of ADDED, MODIFIED and DELETED; bookmarks and errors are
 * always read completely. */
typedef struct lw_event_reader_options {
    lw_read_options read;
    lw_watch_event_fn on_event;
    void *arg; /* for on_event */
} lw_event_reader_options;

typedef struct lw_event_reader lw_event_reader;

/* Make and free a reader.  LW_ERR_INVALID: a path in |options| is malformed, or would drop a part
 * of the identity of an object.  LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_event_reader_new(lw_event_reader **out,
                                                   const lw_event_reader_options *options,
                                                   lw_error *err);
LW_API void lw_event_reader_free(lw_event_reader *reader);

/* Reads the next |len| bytes.  LW_ERR_SYNTAX (malformed), LW_ERR_INVALID (not an event, or an
 * unknown type), LW_ERR_LIMIT (an object is too large or nested too deeply), each with the offset
 * in the stream; LW_ERR_NOMEM; or the status that on_event returned.  After an error the reader
 * returns the same error until it is reset.  An event of type ERROR is an event, not a failure. */
LW_MUST_CHECK LW_API lw_status lw_event_reader_feed(lw_event_reader *reader, const char *bytes,
                                                    size_t len, lw_error *err);

/* Ends the stream.  LW_ERR_SYNTAX: the stream ended in the middle of an event. */
LW_MUST_CHECK LW_API lw_status lw_event_reader_finish(lw_event_reader *reader, lw_error *err);

/* Resets the reader for the next watch; it keeps its memory. */
LW_API void lw_event_reader_reset(lw_event_reader *reader);

LW_END_DECLS

#endif
