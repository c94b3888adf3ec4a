/* SPDX-License-Identifier: Apache-2.0 */
/* debug_watches.c -- lists all watches.
 *
 * A watch belongs to its loop, and no lock or counter is spent on the listing.  Instead, one task
 * moves from loop to loop, writes the watches of each, and returns to its own loop to reply:
 *
 *     own loop ──▶ loop 0 ──▶ loop 1 ──▶ ... ──▶ own loop, which replies
 *
 * Invariant: the task is owned by one loop at a time.  If it reaches a loop that no longer serves
 * requests, the server is being stopped and the loops do not run: the task ends there. */
#include "server/endpoints/debug_watches.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "server/core/reply.h"
#include "server/endpoints/debug_stats.h"

typedef struct watch_listing {
    lw_task task;
    lw_server_parts *parts;
    lw_http_stream *stream; /* holds a reference */
    size_t next;            /* index of the next loop */
    size_t written;         /* number of watches written so far */
    lw_latency_histogram deliveries;
    lw_buf body;
    lw_json_writer w;
} watch_listing;

static void listing_free(watch_listing *c)
{
    lw_http_stream_unref(c->stream);
    lw_buf_done(&c->body);
    lw_free(c);
}

static bool write_watch(const lw_api_watch *watch, void *arg)
{
    watch_listing *c = arg;
    if (c->written == LW_DEBUG_STATS_WATCHES_MAX)
        return false;
    lw_debug_stats_write_watch(c->parts, watch, &c->w);
    c->written++;
    return true;
}

static void reply(lw_task *task)
{
    watch_listing *c = LW_DLIST_ITEM(&task->link, watch_listing, task.link);
    lw_json_write_array_end(&c->w);
    lw_debug_stats_write_rest(c->parts, &c->deliveries, &c->w);
    lw_json_write_object_end(&c->w);
    if (lw_json_writer_status(&c->w) < 0)
        lw_reply_text(c->stream, 500, "the reply is too large\n");
    else
        lw_reply_buf(c->stream, 200, "application/json", &c->body);
    listing_free(c);
}

static void visit_loop(lw_task *task)
{
    watch_listing *c = LW_DLIST_ITEM(&task->link, watch_listing, task.link);
    const lw_loops *loops = c->parts->loops;
    lw_loop *here = loops->list[c->next++];
    if (!lw_api_each_watch(here, write_watch, c)) {
        listing_free(c);
        return;
    }
    lw_api_add_deliveries(here, &c->deliveries);
    if (c->next == loops->watching)
        c->task.run = reply;
    lw_loop_post(c->next == loops->watching ? c->stream->loop : loops->list[c->next], &c->task);
}

void lw_debug_watches_serve(lw_server_parts *parts, lw_http_stream *stream)
{
    watch_listing *c = lw_alloc_zero(1, sizeof(*c));
    if (!c) {
        lw_reply_text(stream, 500, "out of memory\n");
        return;
    }
    c->parts = parts;
    c->stream = lw_http_stream_ref(stream);
    c->task.run = visit_loop;
    lw_buf_init(&c->body, LW_DEBUG_STATS_MAX);
    lw_json_writer_init(&c->w, &c->body, LW_JSON_COMPACT);
    lw_json_write_object_begin(&c->w);
    lw_debug_stats_write_stores(parts, &c->w);
    lw_json_write_key(&c->w, LW_STR("watchers"));
    lw_json_write_array_begin(&c->w);
    lw_loop_post(parts->loops->list[0], &c->task);
}
