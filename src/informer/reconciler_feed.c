/* SPDX-License-Identifier: Apache-2.0 */
/* reconciler_feed.c -- the keys that an event adds.
 *
 * Runs in the thread that dispatches the informer; takes only the lock of the queue and never
 * waits. */
#include "informer/reconciler_feed.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/str.h"
#include "informer/owner.h"
#include "informer/shared_informer.h"

enum {
    KEY_SIZE = 512, /* enough for every name that Kubernetes accepts */
    NAME_LIMIT = 1 << 20,
};

/* For names that are longer than an API server allows. */
static lw_status enqueue_long(lw_workqueue *queue, lw_key key, size_t len)
{
    char *text = lw_alloc(len + 1);
    if (!text)
        return LW_ERR_NOMEM;
    (void)lw_key_print(key, text, len + 1);
    lw_status st = lw_workqueue_add(queue, text);
    lw_free(text);
    return st;
}

lw_status lw_reconciler_enqueue(lw_workqueue *queue, lw_key key)
{
    char text[KEY_SIZE];
    size_t len = lw_key_print(key, text, sizeof(text));
    return len < sizeof(text) ? lw_workqueue_add(queue, text) : enqueue_long(queue, key, len);
}

static lw_status enqueue_owner(lw_reconciler_feed *feed, const lw_source_type *type,
                               const lw_object *obj)
{
    lw_buf name;
    lw_buf_init(&name, NAME_LIMIT);
    lw_status st = LW_OK;
    if (lw_owner_name(obj, type, &name)) {
        /* An owner is in the namespace of its object, or cluster-scoped. */
        lw_key key = { type->is_namespaced ? lw_object_key(obj).ns : LW_STR(""),
                       lw_buf_view(&name) };
        st = name.st < 0 ? name.st : lw_reconciler_enqueue(feed->queue, key);
    }
    lw_buf_done(&name);
    return st;
}

static lw_status enqueue_owners(lw_reconciler_feed *feed, const lw_event *event)
{
    lw_source_type type;
    /* While the type of the owners is unknown, no owner has been seen; each adds its own key
     * later. */
    if (!lw_informer__type(feed->owners, &type))
        return LW_OK;
    lw_status st = enqueue_owner(feed, &type, event->object);
    /* If the owner has changed, the former owner is reconciled too. */
    if (st == LW_OK && event->old_object)
        st = enqueue_owner(feed, &type, event->old_object);
    return st;
}

void lw_reconciler_feed_on_event(const lw_event *event, void *arg)
{
    lw_reconciler_feed *feed = arg;
    if (feed->map) {
        feed->map(event, feed->queue, feed->map_arg);
        return;
    }
    lw_status st = feed->owners ? enqueue_owners(feed, event)
                                : lw_reconciler_enqueue(feed->queue, lw_object_key(event->object));
    if (st < 0 && st != LW_ERR_STOPPED)
        lw_log(feed->logger, LW_LOG_ERROR, feed->component,
               "cannot enqueue %s/%s, it will be reconciled after its next change: %s",
               lw_object_namespace(event->object), lw_object_name(event->object),
               lw_status_name(st));
}
