/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_feed.h -- from the events of one informer to keys of a queue. */
#ifndef LW_INFORMER_RECONCILER_FEED_H
#define LW_INFORMER_RECONCILER_FEED_H

#include <listwatch/reconciler.h>

#include "base/dlist.h"

/* Exactly one of |owners| and |map| is set, or none: then the object's own key is added. */
typedef struct lw_reconciler_feed {
    lw_dlist_node node;
    lw_workqueue *queue;     /* borrowed */
    const lw_logger *logger; /* borrowed */
    const char *component;   /* who speaks in the log */
    lw_informer *informer;
    lw_registration *registration; /* NULL: not added */
    lw_informer *owners;           /* of the objects whose keys are added */
    lw_reconcile_map_fn map;
    void *map_arg;
} lw_reconciler_feed;

/* What the informer calls; |arg| is the feed. */
void lw_reconciler_feed_on_event(const lw_event *event, void *arg);

/* Adds |key| to |queue| as "ns/name". */
lw_status lw_reconciler_enqueue(lw_workqueue *queue, lw_key key);

#endif
