/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event_writer.h -- one event of a watch as pieces to send, in each of its shapes. */
#ifndef LW_API_MEDIA_WATCH_EVENT_WRITER_H
#define LW_API_MEDIA_WATCH_EVENT_WRITER_H

#include <listwatch/watch_event.h>

#include "api/media/media.h"
#include "base/bytes.h"
#include "object/api_status.h"
#include "object/form_budget.h"
#include "schema/kinds/table.h"

enum {
    LW_EVENT_PIECES = 3, /* an event has no more than these */
};

/* How events are to look. */
typedef struct lw_event_shape {
    const lw_kind *kind;
    lw_media_as as;
    lw_media_format format; /* JSON or protobuf */
    bool is_message;        /* what carries it knows where an event ends: protobuf goes without its
                               length before it */
    lw_table_form form;
    lw_form_budget *budget; /* for what is kept of them; outlives the watch */
} lw_event_shape;

/* Makes the pieces of an event about |obj|, whose reference is taken (on failure too).  Plain
 * events share the object's bytes; those in protobuf are kept with the object for others, with
 * |is_shared| in any case, else if there is room.  Returns how many pieces, 0 when out of memory or
 * when there is no such form of the object. */
size_t lw_event_pieces_take(const lw_event_shape *shape, lw_watch_event_type type, lw_object *obj,
                            bool is_shared, lw_bytes pieces[LW_EVENT_PIECES]);

/* The same for a bookmark that says |revision|; |ends_initial_events| marks it. */
size_t lw_event_bookmark(const lw_event_shape *shape, uint64_t revision, bool ends_initial_events,
                         lw_bytes pieces[LW_EVENT_PIECES]);

/* The same for an ERROR with |status|, which is taken. */
size_t lw_event_error(const lw_event_shape *shape, lw_api_status *status,
                      lw_bytes pieces[LW_EVENT_PIECES]);

#endif
