/* SPDX-License-Identifier: Apache-2.0 */
/* h2_room.c -- decides whether the client of a stream takes data, and notifies producers that wait
 * for it.
 *
 * A stream has room if its window and that of the connection are open, little is queued that could
 * be sent, and the connection does not hold too much.  A stream without room that was asked for it
 * is in h2->starved until it has room; it counts as waiting for its client, which must open the
 * window in time (h2_stall.c). */
#include "net/h2/h2.h"

enum {
    WAKE_MAX = 8, /* producers notified by one flush */
};

bool lw_h2__is_shut(const lw_h2_stream *stream)
{
    nghttp2_session *session = stream->h2->session;
    return nghttp2_session_get_stream_remote_window_size(session, stream->id) <= 0 ||
           nghttp2_session_get_remote_window_size(session) <= 0;
}

/* True if little is queued that the windows allow to send, and not too much that they do not. */
static bool is_queue_short(const lw_h2 *h2)
{
    size_t sendable = 0, queued = 0;
    for (lw_dlist_node *node = lw_dlist_first(&h2->waiting);
         node && sendable <= LW_HTTP_QUEUE_HIGH && queued <= LW_H2_QUEUED_MAX;
         node = lw_dlist_next(&h2->waiting, node)) {
        const lw_h2_stream *stream = LW_DLIST_ITEM(node, lw_h2_stream, waiting);
        int32_t window = nghttp2_session_get_stream_remote_window_size(h2->session, stream->id);
        size_t open = window > 0 ? (size_t)window : 0;
        sendable += stream->queue.bytes < open ? stream->queue.bytes : open;
        queued += stream->queue.bytes;
    }
    return sendable <= LW_HTTP_QUEUE_HIGH && queued <= LW_H2_QUEUED_MAX;
}

/* True if the connection takes data of any stream. */
static bool is_connection_open(const lw_h2 *h2)
{
    return lw_conn_pending(h2->base.conn) <= LW_HTTP_QUEUE_HIGH &&
           nghttp2_session_get_remote_window_size(h2->session) > 0 && is_queue_short(h2);
}

bool lw_h2__wants_more(lw_http_stream *base)
{
    lw_h2_stream *stream = (lw_h2_stream *)(void *)base;
    lw_h2 *h2 = stream->h2;
    if (stream->is_aborted || h2->is_gone)
        return false;
    /* A bodiless reply needs no window. */
    if (base->request.method == LW_HTTP_HEAD)
        return true;
    if (stream->queue.bytes > LW_HTTP_QUEUE_HIGH)
        return false; /* is_high is set */
    if (!lw_h2__is_shut(stream) && is_connection_open(h2)) {
        lw_h2__room_forget(stream);
        return true;
    }
    if (!lw_dlist_node_is_linked(&stream->starved)) {
        lw_dlist_push_back(&h2->starved, &stream->starved);
        lw_h2__stall_moved(stream);
    }
    return false;
}

void lw_h2__room_forget(lw_h2_stream *stream)
{
    if (!lw_dlist_node_is_linked(&stream->starved))
        return;
    lw_dlist_remove(&stream->starved);
    if (stream->queue.bytes == 0)
        lw_h2__stall_forget(stream);
}

static void wake_later(lw_task *task)
{
    lw_h2 *h2 = LW_DLIST_ITEM(&task->link, lw_h2, wake_task.link);
    lw_h2__flush(h2);
}

void lw_h2__room_wake(lw_h2 *h2)
{
    size_t woken = 0;
    if (lw_dlist_is_empty(&h2->starved) || !is_connection_open(h2))
        return;
    LW_DLIST_FOR_EACH_SAFE(lw_h2_stream, stream, &h2->starved, starved)
    {
        if (lw_h2__is_shut(stream))
            continue;
        if (woken++ == WAKE_MAX) {
            /* The others continue in the next batch, after these have written. */
            h2->wake_task.run = wake_later;
            if (!lw_dlist_node_is_linked(&h2->wake_task.link))
                lw_loop_later(lw_conn_loop(h2->base.conn), &h2->wake_task);
            return;
        }
        lw_h2__room_forget(stream);
        if (!lw_dlist_node_is_linked(&stream->drained))
            lw_dlist_push_back(&h2->drained, &stream->drained);
    }
}
