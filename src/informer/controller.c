/* SPDX-License-Identifier: Apache-2.0 */
/* controller.c -- applies changes from the queue to the cache and distributes them to the handlers.
 *
 * The order for each change is: reserve space for its events, change the indexer, distribute the
 * events.  So every state that the cache shows is or will be distributed.  If memory runs out,
 * nothing changes, and the cache keeps its state until the next list.
 *
 * The events differ from client-go in two cases: an object that a list or a watch reports again in
 * the known version is not an update, and the deletion of an unknown object is not an event. */
#include "informer/controller.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "informer/delivery/event_log.h"

static uint64_t revision_of(const char *rv)
{
    uint64_t revision = 0;
    (void)lw_str_to_uint64(lw_str_of(rv), &revision);
    return revision;
}

/* Makes the event of the change from |old| to |obj|; either may be NULL. */
static lw_event event_of(const lw_object *old, const lw_object *obj, lw_event_cause cause)
{
    lw_event event = { .cause = cause, .object = obj ? obj : old };
    event.revision = lw_object_revision(event.object);
    if (!obj)
        event.type = LW_EVENT_DELETE;
    else if (!old)
        event.type = LW_EVENT_ADD;
    else
        event.type = LW_EVENT_UPDATE;
    if (event.type == LW_EVENT_UPDATE)
        event.old_object = old;
    return event;
}

static lw_status apply_put(lw_controller *controller, const lw_object *obj)
{
    lw_object *old = NULL;
    lw_status st = lw_processor_begin(controller->processor, 1);
    if (st < 0)
        return st;
    st = lw_indexer_put(controller->indexer, obj, &old);
    if (st == LW_OK && !(old && lw_object_is_same_version(old, obj))) {
        lw_event event = event_of(old, obj, LW_CAUSE_WATCH);
        lw_processor_distribute(controller->processor, &event);
    }
    lw_processor_end(controller->processor);
    lw_object_unref(old);
    controller->changes += st == LW_OK;
    return st;
}

/* |obj| is the last state, with the revision of the deletion. */
static lw_status apply_delete(lw_controller *controller, const lw_object *obj)
{
    lw_object *old = NULL;
    lw_status st = lw_processor_begin(controller->processor, 1);
    if (st < 0)
        return st;
    lw_indexer_remove(controller->indexer, lw_object_key(obj), &old);
    if (old) {
        lw_event event = event_of(obj, NULL, LW_CAUSE_WATCH);
        event.old_object = old; /* the previous state, for listeners that coalesce */
        lw_processor_distribute(controller->processor, &event);
    }
    lw_processor_end(controller->processor);
    lw_object_unref(old);
    return LW_OK;
}

static lw_status apply_first_list(lw_controller *controller, lw_delta *delta)
{
    lw_replacement *state = delta->replacement;
    lw_status st = lw_processor_begin(controller->processor, 0);
    if (st < 0)
        return st;
    st = lw_indexer_replace_with(controller->indexer, state, NULL, NULL);
    if (st == LW_OK) {
        lw_processor_set_synced_take(controller->processor, delta->replacement);
        delta->replacement = NULL;
        controller->has_synced = true;
    }
    lw_processor_end(controller->processor);
    return st;
}

static lw_status apply_list(lw_controller *controller, const lw_delta *delta,
                            lw_replacement *initial_take);

/* The first list if the handlers know the objects in the indexer: the initial state that they get
 * is empty. */
static lw_status apply_first_changes(lw_controller *controller, const lw_delta *delta)
{
    lw_replacement *none = NULL;
    lw_status st = lw_replacement_new(&none);
    if (st < 0)
        return st;
    lw_replacement_finish(none);
    st = apply_list(controller, delta, none);
    controller->has_synced = st == LW_OK;
    return st;
}

/* Returns the number of events that replacing the cache with |state| will cause. */
static size_t count_differences(const lw_indexer *indexer, const lw_replacement *state)
{
    size_t differences = 0, kept = 0;
    for (size_t i = 0; i < lw_replacement_count(state); i++) {
        const lw_object *obj = lw_replacement_at(state, i);
        const lw_object *old = lw_indexer_borrow(indexer, lw_object_key(obj));
        kept += old != NULL;
        differences += !old || !lw_object_is_same_version(old, obj);
    }
    return differences + (lw_indexer_count(indexer) - kept);
}

typedef struct relist {
    lw_processor *processor;
    uint64_t revision;       /* of the list */
    lw_replacement *initial; /* distributed before the first difference; NULL: it was */
} relist;

static void begin_events(relist *list)
{
    if (list->initial)
        lw_processor_set_synced_take(list->processor, list->initial);
    list->initial = NULL;
}

static void on_difference(lw_object *old, const lw_object *obj, void *arg)
{
    relist *list = arg;
    begin_events(list);
    if (old && obj && lw_object_is_same_version(old, obj))
        return;
    lw_event event = event_of(old, obj, LW_CAUSE_RELIST);
    if (!obj) {
        event.revision = list->revision;
        event.is_final_state_unknown = true;
    }
    lw_processor_distribute(list->processor, &event);
}

/* |initial_take|: the handlers get this initial state before the differences; NULL: they are
 * synced. */
static lw_status apply_list(lw_controller *controller, const lw_delta *delta,
                            lw_replacement *initial_take)
{
    lw_replacement *state = delta->replacement;
    relist list = { controller->processor, revision_of(delta->rv), initial_take };
    lw_status st =
        lw_processor_begin(controller->processor, count_differences(controller->indexer, state));
    if (st < 0) {
        lw_replacement_free(initial_take);
        return st;
    }
    st = lw_indexer_replace_with(controller->indexer, state, on_difference, &list);
    if (st == LW_OK)
        begin_events(&list);
    lw_replacement_free(list.initial);
    lw_processor_end(controller->processor);
    return st;
}

static lw_status apply(lw_controller *controller, lw_delta *delta)
{
    switch (delta->type) {
    case LW_DELTA_ADDED:
    case LW_DELTA_UPDATED: return apply_put(controller, delta->object);
    case LW_DELTA_DELETED: return apply_delete(controller, delta->object);
    case LW_DELTA_REPLACED:
        if (controller->has_synced)
            return apply_list(controller, delta, NULL);
        return controller->tells_changes ? apply_first_changes(controller, delta)
                                         : apply_first_list(controller, delta);
    case LW_DELTA_SYNC: lw_processor_resync(controller->processor); return LW_OK;
    case LW_DELTA_BOOKMARK: return LW_OK;
    }
    return LW_OK;
}

/* By key, newer changes may leave the queue before older ones: the cache is complete up to the
 * newest one only when the queue is empty. */
static void follow_object_by_key(lw_controller *controller, const lw_object *obj)
{
    char rv[24];
    uint64_t revision = lw_object_revision(obj);
    if (revision > controller->newest)
        controller->newest = revision;
    if (lw_delta_fifo_count(controller->fifo) > 0)
        return;
    (void)snprintf(rv, sizeof(rv), "%" PRIu64, controller->newest);
    lw_indexer_set_revision(controller->indexer, rv);
}

/* Updates the revision up to which the cache is complete, after |delta| was applied. */
static void follow_revision(lw_controller *controller, const lw_delta *delta)
{
    if (delta->object && controller->is_by_key) {
        follow_object_by_key(controller, delta->object);
    } else if (delta->object) {
        lw_indexer_set_revision(controller->indexer, lw_object_resource_version(delta->object));
    } else if (delta->rv) {
        controller->newest = revision_of(delta->rv);
        lw_indexer_set_revision(controller->indexer, delta->rv);
    }
}

static void run_one(lw_controller *controller, lw_delta *delta)
{
    if (controller->is_broken && delta->type != LW_DELTA_REPLACED)
        return;
    lw_status st = apply(controller, delta);
    controller->is_broken = st < 0;
    if (st < 0) {
        controller->wants_relist = true;
        return;
    }
    lw_delta_fifo_processed(controller->fifo);
    follow_revision(controller, delta);
}

void lw_controller_run(lw_controller *controller, size_t max)
{
    lw_dlist deltas;
    for (size_t i = 0; i < max && lw_delta_fifo_pop(controller->fifo, &deltas); i++) {
        /* Several deltas are the changes of one object: the last one has its current state. */
        run_one(controller, LW_DLIST_ITEM(lw_dlist_last(&deltas), lw_delta, arrival));
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        lw_delta_free(delta);
    }
}
