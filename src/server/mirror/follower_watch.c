/* SPDX-License-Identifier: Apache-2.0 */
/* follower_watch.c -- feeds the changes of a resource as they arrive. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "server/mirror/follower.h"

/* A watch that has lived so long was a good one: the next one may begin at once. */
#define GOOD_NS (1 * LW_NS_PER_S)

static lw_status take_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    lw_follower *follower = arg;
    lw_cache_resource *resource = follower->options.resource;
    lw_status st;
    switch (event->type) {
    case LW_WATCH_ADDED:
    case LW_WATCH_MODIFIED:
        atomic_fetch_add(&follower->changes, 1);
        st = lw_feed_put(resource, event->object);
        return st < 0 ? st : lw_follower__put_views(follower, event->object, err);
    case LW_WATCH_DELETED:
        atomic_fetch_add(&follower->changes, 1);
        st = lw_feed_remove(resource, event->object);
        return st < 0 ? st : lw_follower__remove_views(follower, event->object);
    case LW_WATCH_BOOKMARK: follower->bookmark = lw_object_revision(event->object); return LW_OK;
    case LW_WATCH_ERROR: break;
    }
    if (err && event->error)
        *err = *event->error;
    return event->error ? event->error->code : LW_ERR_INVALID;
}

/* Notes that the upstream is there. */
static void heard(lw_follower *follower)
{
    int64_t until = lw_loop_now(follower->options.loop) + LW_FOLLOWER_IDLE_S * LW_NS_PER_S;
    (void)lw_timer_set(follower->options.loop, &follower->timer, until);
}

static void on_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    lw_follower *follower = arg;
    (void)call;
    (void)headers;
    (void)count;
    follower->status = status;
    lw_buf_reset(&follower->error);
    if (status != 200)
        return;
    heard(follower);
    lw_upstream_answered(follower->at);
    lw_backoff_reset(&follower->backoff);
    if (atomic_exchange(&follower->behind_since, 0) > 0)
        follower->wants_check = !follower->is_fresh;
    follower->is_fresh = false;
    lw_mutex_lock(&follower->error_mu);
    follower->last_error = (lw_error)LW_ERROR_INIT;
    lw_mutex_unlock(&follower->error_mu);
    lw_follower__ask(follower);
}

/* The watch cannot go on. */
static void end_watch(lw_follower *follower, lw_status st)
{
    lw_http_call_cancel(follower->call);
    follower->call = NULL;
    /* Forgotten, or no longer understood: everything is read again. */
    if (st == LW_ERR_EXPIRED || st == LW_ERR_NOMEM || st == LW_ERR_INVALID)
        follower->wants_list = true;
    if (st == LW_ERR_EXPIRED)
        lw_follower__go_on(follower);
    else
        lw_follower__fail(follower, st, follower->failure.message);
}

static void on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    lw_follower *follower = arg;
    lw_cache_resource *resource = follower->options.resource;
    (void)call;
    if (follower->status != 200) {
        lw_buf_append(&follower->error, bytes, len);
        return;
    }
    heard(follower);
    follower->bookmark = 0;
    uint64_t changes = atomic_load(&follower->changes);
    lw_feed_begin(resource);
    lw_status st = lw_event_reader_feed(follower->events, bytes, len, &follower->failure);
    lw_follower__publish_views(follower, follower->bookmark);
    lw_feed_end(resource, follower->bookmark, follower->options.history_bytes);
    lw_follower__progressed(follower);
    if (follower->options.fed && atomic_load(&follower->changes) != changes)
        follower->options.fed(follower->options.arg);
    if (st < 0)
        end_watch(follower, st);
}

static void watch_ended(lw_follower *follower)
{
    if (follower->options.lost)
        follower->options.lost(follower->options.arg);
    lw_follower__reconnect(follower);
}

static void on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    lw_follower *follower = arg;
    int64_t now = lw_clock_now(lw_loop_clock(follower->options.loop));
    (void)call;
    follower->call = NULL;
    if (!err && follower->status == 200 && now - follower->watched_ns > GOOD_NS)
        watch_ended(follower); /* its time was over */
    else if (err)
        lw_follower__fail(follower, err->code, err->message);
    else if (follower->status == 200)
        lw_follower__fail(follower, LW_ERR_UNAVAILABLE, "the upstream ended the watch at once");
    else
        lw_follower__fail_reply(follower);
}

void lw_follower__watch(lw_follower *follower)
{
    const lw_follower_options *options = &follower->options;
    const lw_event_reader_options reading = { .read = { .keeps_managed_fields = true },
                                              .on_event = take_event,
                                              .arg = follower };
    const lw_http_call_sink sink = { on_head, on_data, NULL, on_close, follower };
    char number[24];
    lw_buf path;
    lw_status st = LW_OK;
    follower->stage = LW_FOLLOWER_WATCHING;
    follower->failure = (lw_error)LW_ERROR_INIT;
    follower->status = 0;
    follower->at = lw_upstreams_current(options->upstream->addresses);
    follower->watched_ns = lw_clock_now(lw_loop_clock(options->loop));
    lw_buf_init(&path, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_append_text(&path, follower->path);
    lw_mirror_source_append_parameter(&path, "watch", LW_STR("true"));
    lw_mirror_source_append_parameter(&path, "allowWatchBookmarks", LW_STR("true"));
    (void)snprintf(number, sizeof(number), "%" PRIu64,
                   lw_cache_resource_revision(options->resource));
    lw_mirror_source_append_parameter(&path, "resourceVersion", lw_str_of(number));
    (void)snprintf(number, sizeof(number), "%d",
                   (int)(LW_FOLLOWER_WATCH_S * (1.0 + lw_random_unit(&follower->backoff.random))));
    lw_mirror_source_append_parameter(&path, "timeoutSeconds", lw_str_of(number));
    if (path.st < 0)
        st = lw_error_nomem(&follower->failure);
    else if (!follower->events)
        st = lw_event_reader_new(&follower->events, &reading, &follower->failure);
    else
        lw_event_reader_reset(follower->events);
    if (st == LW_OK)
        st = lw_mirror_source_get(options->upstream, follower->at, options->client,
                                  lw_buf_view(&path), LW_STR("application/json"), 0, &sink,
                                  &follower->call, &follower->failure);
    lw_buf_done(&path);
    if (st == LW_OK)
        atomic_fetch_add(&follower->watches, 1);
    else
        lw_follower__fail(follower, st, follower->failure.message);
}
