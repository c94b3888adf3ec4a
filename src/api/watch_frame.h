/* SPDX-License-Identifier: Apache-2.0 */
/* watch_frame.h -- an event of a watch in protobuf: its length in four bytes, the highest first,
 * and WatchEvent { 1: type, 2: RawExtension { 1: the object in its envelope } }.
 *
 * The frame of an event is made when a watch first needs it, and hangs on the object from then on:
 * all watches of all loops send the same bytes. */
#ifndef LW_API_WATCH_FRAME_H
#define LW_API_WATCH_FRAME_H

#include <listwatch/object.h>
#include <listwatch/watch_event.h>

#include "base/buf.h"
#include "base/bytes.h"

enum {
    LW_FRAME_PIECES = 2, /* a frame has no more than these */
};

/* Appends the event about the object |json|; with |is_message| without its length.  A failure is
 * the buffer's: LW_ERR_INVALID and LW_ERR_UNSUPPORTED when there is no such form. */
void lw_watch_frame_write(lw_watch_event_type type, lw_str json, bool is_message, lw_buf *out);

/* Makes the pieces of an event about |obj|, whose reference is taken (on failure too).  With
 * |is_shared| the frame is kept for others.  Returns how many pieces, 0 when it cannot be made. */
size_t lw_watch_frame_take(lw_watch_event_type type, lw_object *obj, bool is_shared,
                           bool is_message, lw_bytes pieces[LW_FRAME_PIECES]);

#endif
