/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event_writer.h -- encodes one watch event as pieces to send, in each representation. */
#ifndef LW_API_MEDIA_WATCH_EVENT_WRITER_H
#define LW_API_MEDIA_WATCH_EVENT_WRITER_H

#include <listwatch/watch_event.h>

#include "api/media/form_maker.h"
#include "api/media/media.h"
#include "base/buf.h"
#include "object/api_status.h"
#include "object/form_budget.h"
#include "schema/kinds/table.h"

enum {
    LW_EVENT_PIECES = 3, /* maximum number of pieces of an event */
};

/* The requested representation of events. */
typedef struct lw_event_shape {
    const lw_kind *kind;
    lw_media_as as;
    lw_media_format format; /* JSON, protobuf or CBOR */
    bool is_message;        /* the transport delimits events: protobuf has no length before it */
    lw_table_form form;
    lw_form_budget *budget; /* for cached encodings; outlives the watch */
    lw_form_maker *maker;   /* of the loop, for protobuf; NULL: each event is encoded by itself */
} lw_event_shape;

/* Creates the pieces of an event with |obj|, whose reference is taken (on failure too).  JSON
 * events share the object's bytes.  Protobuf encodings are cached with the object: always if
 * |is_shared|, otherwise if the budget allows it.  Returns the number of pieces; 0: out of memory,
 * or the object has no such form. */
size_t lw_event_pieces_take(const lw_event_shape *shape, lw_watch_event_type type, lw_object *obj,
                            bool is_shared, lw_bytes pieces[LW_EVENT_PIECES]);

/* Creates the pieces of a bookmark at |revision|; |ends_initial_events| sets its annotation. */
size_t lw_event_bookmark(const lw_event_shape *shape, uint64_t revision, bool ends_initial_events,
                         lw_bytes pieces[LW_EVENT_PIECES]);

/* Creates the pieces of an ERROR event with |status|, which is taken. */
size_t lw_event_error(const lw_event_shape *shape, lw_api_status *status,
                      lw_bytes pieces[LW_EVENT_PIECES]);

#endif
