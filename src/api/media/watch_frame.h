/* SPDX-License-Identifier: Apache-2.0 */
/* watch_frame.h -- a watch event in protobuf: its length in four bytes, big-endian, and WatchEvent
 * { 1: type, 2: RawExtension { 1: the object in its envelope } }.
 *
 * The part before the object is the head of the frame; the object is its cached encoding
 * (object_form.h), so the watches of all loops send the same bytes. */
#ifndef LW_API_MEDIA_WATCH_FRAME_H
#define LW_API_MEDIA_WATCH_FRAME_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "api/media/form_maker.h"
#include "base/buf.h"
#include "object/form_budget.h"

enum {
    LW_FRAME_PIECES = 2,    /* maximum number of pieces of a frame */
    LW_FRAME_HEAD_MAX = 64, /* bytes */
};

/* Appends the event with the object |json|; with |is_message| without the length.  Errors are in
 * the buffer: LW_ERR_INVALID and LW_ERR_UNSUPPORTED if there is no protobuf form. */
void lw_watch_frame_write(lw_watch_event_type type, lw_str json, bool is_message, lw_buf *out);

/* Appends the head for a document of |len| bytes: at most LW_FRAME_HEAD_MAX bytes. */
void lw_watch_frame_head(lw_watch_event_type type, size_t len, lw_buf *out);

/* Creates the pieces of an event with |obj|, whose reference is taken (on failure too).  The
 * encoding is cached: always if |is_shared|, otherwise if |budget| allows it.  |maker| may be NULL
 * (object_form.h).  Returns the number of pieces; 0: failure. */
size_t lw_watch_frame_take(lw_watch_event_type type, lw_object *obj, bool is_shared,
                           bool is_message, lw_form_budget *budget, lw_form_maker *maker,
                           lw_bytes pieces[LW_FRAME_PIECES]);

#endif
