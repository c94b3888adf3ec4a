/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_watch.c -- receives changes.
 * Invariant: |rv| advances only after a change was queued, so that a watch that is resumed there
 * misses nothing.  It follows the last event, not the largest one: the server determines the order.
 */
#include "informer/reflector_internal.h"

#include "base/error.h"

int lw_reflector__draw_timeout(lw_reflector *r)
{
    int least = r->options.min_watch_timeout_s;
    return least + (int)lw_random_below(&r->random, (uint64_t)least);
}

void lw_reflector__begin_watch(lw_reflector *r)
{
    const lw_source_request request = {
        .resource_version = r->rv,
        .resource_version_match = "",
        .continue_token = "",
        .timeout_s = lw_reflector__draw_timeout(r),
        .allows_bookmarks = true,
    };
    /* A watch without a revision, or from "0", begins with the existing objects, which are not in
     * order. */
    r->is_ordered = r->rv[0] != '\0' && strcmp(r->rv, "0") != 0;
    lw_reflector__begin_call(r, LW_REFLECTOR_WATCHING, &request);
}

static void refuse(lw_reflector *r, const lw_object *obj, const char *why)
{
    char key[LW_ERROR_MESSAGE_SIZE / 2];
    lw_error err;
    (void)lw_key_print(lw_object_key(obj), key, sizeof(key));
    (void)lw_error_set(&err, LW_ERR_INVALID, "object \"%s\": %s", key, why);
    lw_reflector__report(r, &err);
}

lw_object *lw_reflector__accept(lw_reflector *r, const lw_object *obj)
{
    if (lw_object_name(obj)[0] == '\0') {
        refuse(r, obj, "it has no name");
        return NULL;
    }
    if (!r->options.transform)
        return lw_object_ref(obj);
    lw_object *kept = r->options.transform(obj, r->options.arg);
    if (!kept)
        refuse(r, obj, "the transform function failed");
    else if (lw_object_name(kept)[0] == '\0') {
        refuse(r, obj, "the transform function removed its name");
        lw_object_unref(kept);
        kept = NULL;
    }
    return kept;
}

static void watch_is_malformed(lw_reflector *r, const char *what)
{
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_INVALID, "the server sent %s in a watch", what);
    lw_reflector__relist(r, LW_RELIST_MALFORMED, &err);
}

/* Records that all events up to |event| are queued. */
static void move_rv(lw_reflector *r, const lw_watch_event *event)
{
    const char *rv = lw_object_resource_version(event->object);
    if (event->type != LW_WATCH_ADDED)
        r->is_ordered = true;
    if (rv[0] != '\0' && r->is_ordered && !lw_reflector__set_text(r->rv, rv))
        watch_is_malformed(r, "a resourceVersion that is too long");
}

static lw_status queue(lw_delta_fifo *fifo, lw_watch_event_type type, const lw_object *obj)
{
    switch (type) {
    case LW_WATCH_ADDED: return lw_delta_fifo_add(fifo, obj);
    case LW_WATCH_MODIFIED: return lw_delta_fifo_update(fifo, obj);
    default: return lw_delta_fifo_delete(fifo, obj);
    }
}

static void change(lw_reflector *r, const lw_watch_event *event)
{
    lw_object *kept = lw_reflector__accept(r, event->object);
    if (!kept) {
        /* Continuing would lose the change silently; a list contains the current state. */
        lw_reflector__relist(r, LW_RELIST_ERROR, NULL);
        return;
    }
    lw_status st = queue(r->options.fifo, event->type, kept);
    lw_object_unref(kept);
    if (st < 0)
        lw_reflector__block(r, st);
    else
        move_rv(r, event);
}

void lw_reflector__watch_event(lw_reflector *r, const lw_watch_event *event)
{
    if (event->type == LW_WATCH_ERROR) {
        lw_error err = lw_reflector__error_of(event, "watch");
        lw_reflector__abandon_call(r);
        lw_reflector__watch_failed(r, &err);
        return;
    }
    lw_reflector__queue_warm(r); /* the revision was accepted */
    if (r->state != LW_REFLECTOR_WATCHING)
        return;
    if (!event->object) {
        watch_is_malformed(r, "an event without an object");
    } else if (event->type == LW_WATCH_BOOKMARK) {
        /* If the queue is full, only the revision of the cache lags behind; nothing is lost. */
        const char *rv = lw_object_resource_version(event->object);
        if (rv[0] != '\0')
            (void)lw_delta_fifo_bookmark(r->options.fifo, rv);
        move_rv(r, event);
    } else {
        change(r, event);
    }
}
