/* SPDX-License-Identifier: Apache-2.0 */
/* event_log.h -- the events that some listener has yet to be told, once, in their order.
 *
 * A listener is a cursor: the number of the event it wants next.  Room is reserved before the cache
 * changes, so that afterwards telling cannot fail; what is reserved and not needed stays as an
 * event of type 0, which readers skip.  Readers see what is published.  One thread at a time. */
#ifndef LW_INFORMER_EVENT_LOG_H
#define LW_INFORMER_EVENT_LOG_H

#include "base/ring.h"
#include "informer/queued_event.h"

enum {
    LW_EVENT_LOG_MAX = 1 << 28, /* events; listeners merge theirs long before */
};

typedef struct lw_event_log {
    lw_ring ring;    /* of lw_queued_event */
    uint64_t filled; /* the next reserved place */
    uint64_t end;    /* what comes before it is published */
} lw_event_log;

void lw_event_log_init(lw_event_log *log);
void lw_event_log_done(lw_event_log *log);

/* Makes room for |count| further events.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_event_log_reserve(lw_event_log *log, size_t count);

/* Puts |event| into the next reserved place. */
void lw_event_log_append(lw_event_log *log, const lw_event *event);

/* Shows readers all that was appended, and gives up places that are still free. */
void lw_event_log_publish(lw_event_log *log);

/* The event |seq|, which is published and not trimmed.  Dies with the next reserve or trim. */
const lw_queued_event *lw_event_log_at(const lw_event_log *log, uint64_t seq);

/* Forgets what comes before |seq|. */
void lw_event_log_trim(lw_event_log *log, uint64_t seq);

#endif
