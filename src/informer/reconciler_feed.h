/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_feed.h -- adds keys to a work queue for the events of one informer: of the objects, or
 * of their controllers. */
#ifndef LW_INFORMER_RECONCILER_FEED_H
#define LW_INFORMER_RECONCILER_FEED_H

#include <listwatch/object.h>
#include <listwatch/reconciler.h>
#include <listwatch/sys/source.h>

#include "base/buf.h"
#include "base/dlist.h"

/* At most one of |owners| and |map| is set.  If none is, the key of the object itself is added. */
typedef struct lw_reconciler_feed {
    lw_dlist_node node;
    lw_workqueue *queue;     /* borrowed */
    const lw_logger *logger; /* borrowed */
    const char *component;   /* component in log lines */
    lw_informer *informer;
    lw_registration *registration; /* NULL: not added */
    lw_informer *owners;           /* the informer of the objects whose keys are added */
    lw_reconcile_map_fn map;
    void *map_arg;
    unsigned changes; /* LW_CHANGE_OF_...; 0: all updates */
    bool (*filter)(const lw_event *event, void *arg);
    void *filter_arg;
} lw_reconciler_feed;

/* The handler; |arg| is the feed. */
void lw_reconciler_feed_on_event(const lw_event *event, void *arg);

/* Returns true if |event| changes one of |changes|, or is not an update. */
bool lw_event_has_change(const lw_event *event, unsigned changes);

/* Adds |key| to |queue| as "ns/name". */
lw_status lw_reconciler_enqueue(lw_workqueue *queue, lw_key key);

/* Appends the name of the controller of |obj| (the ownerReference with controller: true; there is
 * at most one) to |name| if it has the group and kind of |type|, in any version.  Returns false if
 * there is none.  Failures are in name->st. */
bool lw_owner_name(const lw_object *obj, const lw_source_type *type, lw_buf *name);

#endif
