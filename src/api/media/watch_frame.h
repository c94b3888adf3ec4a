/* SPDX-License-Identifier: Apache-2.0 */
/* watch_frame.h -- an event of a watch in protobuf: its length in four bytes, the highest first,
 * and WatchEvent { 1: type, 2: RawExtension { 1: the object in its envelope } }.
 *
 * What stands before the object is the frame's head; the object is its kept form (object_form.h),
 * so that all watches of all loops send the same bytes. */
#ifndef LW_API_MEDIA_WATCH_FRAME_H
#define LW_API_MEDIA_WATCH_FRAME_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "object/form_budget.h"

enum {
    LW_FRAME_PIECES = 2,    /* a frame has no more than these */
    LW_FRAME_HEAD_MAX = 64, /* bytes */
};

/* Appends the event about the object |json|; with |is_message| without its length.  A failure is
 * the buffer's: LW_ERR_INVALID and LW_ERR_UNSUPPORTED when there is no such form. */
void lw_watch_frame_write(lw_watch_event_type type, lw_str json, bool is_message, lw_buf *out);

/* Appends what stands before a document of |len| bytes: LW_FRAME_HEAD_MAX at most. */
void lw_watch_frame_head(lw_watch_event_type type, size_t len, lw_buf *out);

/* Makes the pieces of an event about |obj|, whose reference is taken (on failure too).  The form is
 * kept for others: with |is_shared| in any case, else if |budget| has room.  Returns how many
 * pieces, 0 when it cannot be made. */
size_t lw_watch_frame_take(lw_watch_event_type type, lw_object *obj, bool is_shared,
                           bool is_message, lw_form_budget *budget,
                           lw_bytes pieces[LW_FRAME_PIECES]);

#endif
