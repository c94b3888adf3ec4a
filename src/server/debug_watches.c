/* SPDX-License-Identifier: Apache-2.0 */
/* debug_watches.c -- a look at all watches.
 *
 * A watch belongs to its loop, and nothing is to be locked or counted for those who only look.  So
 * the census is one task that goes from loop to loop, writes down what is there, and returns home
 * to reply:
 *
 *     home ──▶ loop 0 ──▶ loop 1 ──▶ ... ──▶ home, replies
 *
 * Invariant: one loop at a time has it.  When it meets a loop that serves no more, the server is
 * being taken down and its loops do not run: it ends there. */
#include "server/debug_watches.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "server/debug_stats.h"
#include "server/reply.h"

typedef struct census {
    lw_task task;
    lw_server_parts *parts;
    lw_http_stream *stream; /* held */
    size_t next;            /* which loop is to be asked */
    size_t told;            /* watches */
    lw_latency_histogram deliveries;
    lw_buf body;
    lw_json_writer w;
} census;

static void census_free(census *c)
{
    lw_http_stream_unref(c->stream);
    lw_buf_done(&c->body);
    lw_free(c);
}

static bool tell(const lw_api_watch *watch, void *arg)
{
    census *c = arg;
    if (c->told == LW_FIGURES_WATCHES_MAX)
        return false;
    lw_debug_stats_write_watch(c->parts, watch, &c->w);
    c->told++;
    return true;
}

static void reply(lw_task *task)
{
    census *c = LW_DLIST_ITEM(&task->link, census, task.link);
    lw_json_write_array_end(&c->w);
    lw_debug_stats_write_rest(c->parts, &c->deliveries, &c->w);
    lw_json_write_object_end(&c->w);
    if (lw_json_writer_status(&c->w) < 0)
        lw_reply_text(c->stream, 500, "the reply is too large\n");
    else
        lw_reply_buf(c->stream, 200, "application/json", &c->body);
    census_free(c);
}

static void visit(lw_task *task)
{
    census *c = LW_DLIST_ITEM(&task->link, census, task.link);
    const lw_loops *loops = c->parts->loops;
    lw_loop *here = loops->list[c->next++];
    if (!lw_api_each_watch(here, tell, c)) {
        census_free(c);
        return;
    }
    lw_api_add_deliveries(here, &c->deliveries);
    if (c->next == loops->count)
        c->task.run = reply;
    lw_loop_post(c->next == loops->count ? c->stream->loop : loops->list[c->next], &c->task);
}

void lw_debug_watches_serve(lw_server_parts *parts, lw_http_stream *stream)
{
    census *c = lw_alloc_zero(1, sizeof(*c));
    if (!c) {
        lw_reply_text(stream, 500, "out of memory\n");
        return;
    }
    c->parts = parts;
    c->stream = lw_http_stream_ref(stream);
    c->task.run = visit;
    lw_buf_init(&c->body, LW_FIGURES_MAX);
    lw_json_writer_init(&c->w, &c->body, LW_JSON_COMPACT);
    lw_json_write_object_begin(&c->w);
    lw_debug_stats_write_stores(parts, &c->w);
    lw_json_write_key(&c->w, LW_STR("watchers"));
    lw_json_write_array_begin(&c->w);
    lw_loop_post(parts->loops->list[0], &c->task);
}
