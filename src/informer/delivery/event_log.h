/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.h -- the log of events that some listener has not received yet.
 *
 * A listener has a cursor, the number of its next event.  Space is reserved before the cache
 * changes, so that appending cannot fail afterwards; reserved places that are not needed become
 * events of type 0, which readers skip.  Readers see only published events.  One thread at a
 * time. */
#ifndef LW_INFORMER_DELIVERY_EVENT_LOG_H
#define LW_INFORMER_DELIVERY_EVENT_LOG_H

#include "base/ring.h"
#include "informer/delivery/queued_event.h"

enum {
    LW_EVENT_LOG_MAX = 1 << 28, /* events; listeners coalesce theirs long before */
};

typedef struct lw_event_log {
    lw_ring ring;    /* of lw_queued_event */
    uint64_t filled; /* the next reserved place */
    uint64_t end;    /* events before it are published */
} lw_event_log;

void lw_event_log_init(lw_event_log *log);
void lw_event_log_done(lw_event_log *log);

/* Reserves space for |count| more events.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_event_log_reserve(lw_event_log *log, size_t count);

/* Appends |event| in the next reserved place. */
void lw_event_log_append(lw_event_log *log, const lw_event *event);

/* Publishes the appended events and releases unused reserved places. */
void lw_event_log_publish(lw_event_log *log);

/* Returns the event |seq|, which must be published and not trimmed.  Valid until the next reserve
 * or trim. */
const lw_queued_event *lw_event_log_at(const lw_event_log *log, uint64_t seq);

/* Removes the events before |seq|. */
void lw_event_log_trim(lw_event_log *log, uint64_t seq);

#endif
