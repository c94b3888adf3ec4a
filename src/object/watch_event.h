/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event.h -- writes watch events. */
#ifndef LW_OBJECT_WATCH_EVENT_H
#define LW_OBJECT_WATCH_EVENT_H

#include <listwatch/watch_event.h>

#include "base/buf.h"

/* Appends one event as a server sends it: one line with its newline.  |rv| replaces the
 * resourceVersion of |obj|; 0: unchanged.  For an ERROR, |obj| is the Status.  Failures are in
 * out->st. */
void lw_watch_event__write(lw_buf *out, lw_watch_event_type type, const lw_object *obj,
                           uint64_t rv);

#endif
