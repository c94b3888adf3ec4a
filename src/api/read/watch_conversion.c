/* SPDX-License-Identifier: Apache-2.0 */
/* watch_conversion.c -- events of a watch that a conversion webhook converts before they are sent.
 *
 * While they are being converted, nothing is pulled and no bookmark is sent: the watcher is already
 * past them.
 *
 * A field selector is about converted objects, so the watcher cannot apply it.  It tells the
 * previous states of objects instead; these are converted as well, and decide what a change is:
 *
 *     previous   now
 *        -       yes   ADDED
 *       yes      yes   MODIFIED
 *       yes       -    DELETED, with the previous content and the new revision */
#include "api/read/watch_stream_internal.h"

#include "base/alloc.h"

/* Events that wait for a conversion webhook, and the step behind them. */
typedef struct lw_watch_conversion {
    lw_convert job; /* first */
    lw_watch_stream *watch;
    size_t count, object_count;
    lw_cache_event events[LW_CONVERT_BATCH];
    /* One reference each: those of the events, then the previous states of those that have one. */
    lw_object *objects[2 * LW_CONVERT_BATCH];
    bool has_step;
    lw_watch_step step;
    lw_cache_event event; /* of the step */
} lw_watch_conversion;

void lw_watch_conversion_free(lw_watch_stream *watch)
{
    lw_watch_conversion *c = watch->conversion;
    watch->conversion = NULL;
    if (!c)
        return;
    lw_convert_cancel(&c->job);
    for (size_t i = 0; i < c->object_count; i++)
        lw_object_unref(c->objects[i]);
    lw_free(c);
}

static bool is_selected(const lw_watch_stream *watch, const lw_object *obj)
{
    return watch->filter.fields_match(watch->fields, obj, watch->filter.fields_arg);
}

/* Makes |event| what the field selector sees.  Takes |previous|, which is converted, NULL: none.
 * False: nothing, and |event| has no object any more. */
static bool select_event(const lw_watch_stream *watch, lw_cache_event *event, lw_object *previous,
                         lw_status *st)
{
    bool is_now = is_selected(watch, event->object);
    bool was = previous && is_selected(watch, previous);
    bool is_sent = is_now || was;
    if (previous && is_now) {
        event->type = was ? LW_WATCH_MODIFIED : LW_WATCH_ADDED;
    } else {
        if (!is_now)
            lw_object_unref(event->object);
        if (was) {
            event->type = LW_WATCH_DELETED;
            *st = lw_object_with_revision(&event->object, previous, event->revision);
            is_sent = *st == LW_OK;
        }
    }
    lw_object_unref(previous);
    return is_sent;
}

/* Adds event |i| with its converted object, whose reference is taken, as that of its previous
 * state, which is at |*previous| if there is one.  Returns as lw_watch_add_object. */
static bool send_event(lw_watch_stream *watch, lw_watch_batch *b, lw_watch_conversion *c, size_t i,
                       size_t *previous)
{
    lw_status st = LW_OK;
    lw_object *before = c->events[i].previous ? c->objects[(*previous)++] : NULL;
    c->events[i].object = c->objects[i];
    if (watch->selects_converted && !select_event(watch, &c->events[i], before, &st))
        return st == LW_OK || lw_watch_add_event(watch, b, 0);
    return lw_watch_add_object(watch, b, &c->events[i]);
}

static void drop_event(lw_watch_conversion *c, size_t i, size_t *previous)
{
    if (c->events[i].previous)
        lw_object_unref(c->objects[(*previous)++]);
    lw_object_unref(c->objects[i]);
}

/* Sends the events, which are converted, and goes on with the step behind them.  False: nothing
 * more now, or ever. */
static bool send_converted(lw_watch_stream *watch, lw_watch_batch *b)
{
    lw_watch_conversion *c = watch->conversion;
    bool goes_on = true;
    size_t previous = c->count;
    watch->conversion = NULL;
    for (size_t i = 0; i < c->count; i++) {
        if (goes_on)
            goes_on = send_event(watch, b, c, i, &previous);
        else
            drop_event(c, i, &previous);
    }
    if (goes_on && c->has_step)
        goes_on = lw_watch_handle_step(watch, b, c->step, &c->event);
    lw_free(c);
    return goes_on;
}

static void end_unconverted(lw_watch_stream *watch, lw_watch_batch *b)
{
    lw_api_status status;
    lw_convert_refuse(&watch->conversion->job, true, &status);
    lw_watch_conversion_free(watch);
    lw_watch_end_with(watch, b, &status);
}

static void conversion_done(lw_convert *job, bool is_converted)
{
    lw_watch_stream *watch = ((lw_watch_conversion *)(void *)job)->watch;
    lw_watch_batch b;
    lw_watch_batch_clear(&b);
    bool goes_on = false;
    watch->is_busy = true;
    if (is_converted)
        goes_on = send_converted(watch, &b) && lw_watch_flush(watch, &b);
    else
        end_unconverted(watch, &b);
    watch->is_busy = false;
    if (watch->is_over) {
        if (!watch->is_posted)
            lw_watch_free(watch);
    } else if (goes_on && !watch->is_posted) {
        lw_watch_pull(watch);
    }
}

bool lw_watch_convert(lw_watch_stream *watch, lw_watch_batch *b, const lw_cache_event *event)
{
    lw_watch_conversion *c = lw_alloc_zero(1, sizeof(*c));
    if (!c) {
        lw_object_unref(event->object);
        lw_object_unref(event->previous);
        return lw_watch_add_event(watch, b, 0);
    }
    c->watch = watch;
    c->step = LW_WATCH_STEP_EVENT;
    c->event = *event;
    while (c->step == LW_WATCH_STEP_EVENT && c->count < LW_CONVERT_BATCH) {
        c->events[c->count] = c->event;
        c->objects[c->count++] = c->event.object;
        if (c->count < LW_CONVERT_BATCH)
            c->step = lw_watcher_next(watch->watcher, &c->event);
    }
    c->object_count = c->count;
    for (size_t i = 0; i < c->count; i++) {
        if (c->events[i].previous)
            c->objects[c->object_count++] = c->events[i].previous;
    }
    /* Idle was true before the conversion: what has come since is not announced again. */
    c->has_step = c->step != LW_WATCH_STEP_EVENT && c->step != LW_WATCH_STEP_IDLE;
    c->job = (lw_convert){ .port = watch->port,
                           .kind = watch->shape.kind,
                           .objects = c->objects,
                           .count = c->object_count,
                           .done = conversion_done };
    watch->conversion = c;
    switch (lw_convert_start(&c->job)) {
    case LW_CONVERT_DONE: return send_converted(watch, b);
    case LW_CONVERT_FAILED: end_unconverted(watch, b); return false;
    case LW_CONVERT_WAITING: (void)lw_watch_flush(watch, b); return false;
    }
    return false;
}
