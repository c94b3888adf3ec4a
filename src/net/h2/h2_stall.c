/* SPDX-License-Identifier: Apache-2.0 */
/* h2_stall.c -- resets streams whose client does not read their data.
 *
 * A connection detects that its socket stalls.  A stream stalls if the client does not open its
 * window, and would then keep its queue, or its request, forever.  There is one timer per
 * connection, for the stream with the least recent progress. */
#include <stddef.h>

#include "net/h2/h2.h"

#include "base/container_of.h"

static void set_timer(lw_h2 *h2, int64_t moved_ns)
{
    lw_status st = lw_timer_set(lw_conn_loop(h2->base.conn), &h2->stall,
                                moved_ns + lw_conn_limits(h2->base.conn)->stall_timeout_ns);
    if (st < 0)
        lw_h2__check(h2, NGHTTP2_ERR_NOMEM);
}

void lw_h2__stall_forget(lw_h2_stream *stream)
{
    if (lw_dlist_node_is_linked(&stream->waiting))
        lw_dlist_remove(&stream->waiting);
}

void lw_h2__stall_moved(lw_h2_stream *stream)
{
    lw_h2 *h2 = stream->h2;
    lw_h2__stall_forget(stream);
    if (stream->queue.bytes == 0 && !lw_dlist_node_is_linked(&stream->starved))
        return;
    stream->moved_ns = lw_loop_now(lw_conn_loop(h2->base.conn));
    lw_dlist_push_back(&h2->waiting, &stream->waiting);
    /* A timer that fires early is cheaper than one that is moved with every frame. */
    if (!lw_heap_node_is_in(&h2->stall.node))
        set_timer(h2, stream->moved_ns);
}

void lw_h2__stall_fire(lw_timer *timer)
{
    lw_h2 *h2 = LW_CONTAINER_OF(timer, lw_h2, stall);
    int64_t since =
        lw_loop_now(lw_conn_loop(h2->base.conn)) - lw_conn_limits(h2->base.conn)->stall_timeout_ns;
    for (lw_dlist_node *node; (node = lw_dlist_first(&h2->waiting));) {
        lw_h2_stream *stream = LW_DLIST_ITEM(node, lw_h2_stream, waiting);
        if (stream->moved_ns > since) {
            set_timer(h2, stream->moved_ns);
            return;
        }
        if (lw_h2__is_shut(stream))
            lw_h2__reset(stream, NGHTTP2_CANCEL);
        else
            lw_h2__stall_moved(stream);
    }
}
