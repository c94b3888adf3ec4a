/* SPDX-License-Identifier: Apache-2.0 */
/* watch_event.h -- what the readers of watch events in JSON and in protobuf share. */
#ifndef LW_OBJECT_WATCH_EVENT_H
#define LW_OBJECT_WATCH_EVENT_H

#include <listwatch/watch_event.h>

/* Returns true if |obj| is the object of the bookmark that ends the initial events. */
bool lw_watch_event__ends_initial(const lw_object *obj);

/* Sets |error| from the Status |obj| (may be NULL) of an ERROR event.  LW_ERR_NOMEM. */
lw_status lw_watch_event__read_error(const lw_object *obj, lw_error *error, lw_error *err);

#endif
