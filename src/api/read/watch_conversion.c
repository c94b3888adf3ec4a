/* SPDX-License-Identifier: Apache-2.0 */
/* watch_conversion.c -- events of a watch that a conversion webhook converts before they are sent.
 *
 * While they are being converted, nothing is pulled and no bookmark is sent: the watcher is already
 * past them. */
#include "api/read/watch_stream_internal.h"

#include "base/alloc.h"

/* Events that wait for a conversion webhook, and the step behind them. */
typedef struct lw_watch_conversion {
    lw_convert job; /* first */
    lw_watch_stream *watch;
    size_t count;
    lw_cache_event events[LW_CONVERT_BATCH];
    lw_object *objects[LW_CONVERT_BATCH]; /* of the events: one reference each */
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
    for (size_t i = 0; i < c->count; i++)
        lw_object_unref(c->objects[i]);
    lw_free(c);
}

/* Sends the events, which are converted, and goes on with the step behind them.  False: nothing
 * more now, or ever. */
static bool send_converted(lw_watch_stream *watch, lw_watch_batch *b)
{
    lw_watch_conversion *c = watch->conversion;
    bool goes_on = true;
    watch->conversion = NULL;
    for (size_t i = 0; i < c->count; i++) {
        c->events[i].object = c->objects[i];
        if (goes_on)
            goes_on = lw_watch_add_object(watch, b, &c->events[i]);
        else
            lw_object_unref(c->objects[i]);
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
    /* Idle was true before the conversion: what has come since is not announced again. */
    c->has_step = c->step != LW_WATCH_STEP_EVENT && c->step != LW_WATCH_STEP_IDLE;
    c->job = (lw_convert){ .port = watch->port,
                           .kind = watch->shape.kind,
                           .objects = c->objects,
                           .count = c->count,
                           .done = conversion_done };
    watch->conversion = c;
    switch (lw_convert_start(&c->job)) {
    case LW_CONVERT_DONE: return send_converted(watch, b);
    case LW_CONVERT_FAILED: end_unconverted(watch, b); return false;
    case LW_CONVERT_WAITING: (void)lw_watch_flush(watch, b); return false;
    }
    return false;
}
