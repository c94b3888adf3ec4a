/* SPDX-License-Identifier: Apache-2.0 */
/* h2_stream.c -- a stream as handlers see it: reply, write, end, abort.
 *
 *     request ──reply──▶ ended ──last byte sent──▶ closed
 *     request ──begin──▶ open ──end──▶ ended
 *     any ──abort──▶ reset sent ──▶ closed        any ──client's reset, lost connection──▶ closed
 *
 * Written data waits in the stream's queue until nghttp2 asks for it: a client that does not open a
 * window blocks only that stream. */
#include <assert.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "net/h2/h2.h"

static lw_h2_stream *stream_of(lw_http_stream *base)
{
    return (lw_h2_stream *)base;
}

void lw_h2__reset(lw_h2_stream *stream, uint32_t code)
{
    if (stream->is_aborted)
        return;
    stream->is_aborted = true;
    stream->is_ended = true;
    lw_h2__drop_queue(stream);
    lw_h2__check(stream->h2, nghttp2_submit_rst_stream(stream->h2->session, NGHTTP2_FLAG_NONE,
                                                       stream->id, code));
    lw_h2__want_flush(stream->h2);
}

/* A reply to HEAD, and one with these statuses, has no body (RFC 9110, 6.4.1). */
static bool is_bodiless(const lw_h2_stream *stream, int status)
{
    return stream->base.request.method == LW_HTTP_HEAD || status == 204 || status == 304;
}

/* Appends |bytes| to the queue; takes ownership, even on error. */
static lw_status enqueue(lw_h2_stream *stream, lw_bytes bytes)
{
    if (bytes.len == 0 || stream->is_bodiless) {
        lw_bytes_release(bytes);
        return LW_OK;
    }
    lw_status st = lw_h2_pieces_push(&stream->queue, bytes);
    if (st < 0)
        return st;
    if (!lw_dlist_node_is_linked(&stream->waiting))
        lw_h2__stall_moved(stream);
    if (stream->queue.bytes > LW_HTTP_QUEUE_HIGH)
        stream->is_high = true;
    return LW_OK;
}

/* Tells nghttp2 that there is more data, or the end. */
static void resume(lw_h2_stream *stream)
{
    if (stream->is_deferred) {
        stream->is_deferred = false;
        lw_h2__check(stream->h2, nghttp2_session_resume_data(stream->h2->session, stream->id));
    }
    lw_h2__want_flush(stream->h2);
}

/* True if a reply can start; it is then marked as started. */
static bool start_reply(lw_h2_stream *stream, int status)
{
    if (stream->is_replied || stream->is_aborted || stream->h2->is_gone)
        return false;
    stream->is_replied = true;
    stream->is_bodiless = is_bodiless(stream, status);
    return true;
}

static lw_status h2_stream_reply(lw_http_stream *base, const lw_http_reply *reply, lw_bytes body)
{
    lw_h2_stream *stream = stream_of(base);
    if (!start_reply(stream, reply->status)) {
        lw_bytes_release(body);
        return LW_ERR_STOPPED;
    }
    /* Without content there is no length; for HEAD it is the length that GET would have. */
    uint64_t len = reply->status == 204 || reply->status == 304 ? UINT64_MAX : body.len;
    lw_status st = enqueue(stream, body);
    stream->is_ended = true;
    if (st == LW_OK)
        st = lw_h2__submit_head(stream, reply, len, stream->queue.bytes > 0);
    if (st < 0)
        lw_h2__reset(stream, NGHTTP2_INTERNAL_ERROR);
    lw_h2 *h2 = stream->h2;
    if (reply->status == 401 &&
        !lw_h2_abuse_count_unauthorized(&h2->abuse, lw_loop_now(lw_conn_loop(h2->base.conn))))
        lw_h2__check(h2, nghttp2_session_terminate_session(h2->session, NGHTTP2_ENHANCE_YOUR_CALM));
    lw_h2__want_flush(h2);
    return st;
}

static lw_status h2_stream_begin(lw_http_stream *base, const lw_http_reply *reply)
{
    lw_h2_stream *stream = stream_of(base);
    if (!start_reply(stream, reply->status))
        return LW_ERR_STOPPED;
    lw_status st = lw_h2__submit_head(stream, reply, UINT64_MAX, !stream->is_bodiless);
    if (st < 0)
        lw_h2__reset(stream, NGHTTP2_INTERNAL_ERROR);
    lw_h2__want_flush(stream->h2);
    return st;
}

static lw_status h2_stream_write(lw_http_stream *base, const lw_bytes *pieces, size_t count)
{
    lw_h2_stream *stream = stream_of(base);
    assert(stream->is_replied && (!stream->is_ended || stream->is_aborted));
    lw_status st = stream->is_ended || stream->h2->is_gone ? LW_ERR_STOPPED : LW_OK;
    for (size_t i = 0; i < count; i++) {
        if (st == LW_OK)
            st = enqueue(stream, pieces[i]);
        else
            lw_bytes_release(pieces[i]);
    }
    if (st == LW_OK)
        resume(stream);
    else if (st != LW_ERR_STOPPED)
        lw_h2__reset(stream,
                     NGHTTP2_INTERNAL_ERROR); /* an incomplete message must not look complete */
    return st;
}

static void h2_stream_end(lw_http_stream *base)
{
    lw_h2_stream *stream = stream_of(base);
    assert(stream->is_replied);
    if (stream->is_ended || stream->h2->is_gone)
        return;
    stream->is_ended = true;
    resume(stream);
}

static void h2_stream_abort(lw_http_stream *base)
{
    lw_h2_stream *stream = stream_of(base);
    if (!stream->h2->is_gone)
        lw_h2__reset(stream, NGHTTP2_INTERNAL_ERROR);
}

static size_t h2_stream_pending(const lw_http_stream *base)
{
    return ((const lw_h2_stream *)base)->queue.bytes;
}

static void h2_stream_free(lw_http_stream *base)
{
    lw_h2_stream *stream = stream_of(base);
    assert(!stream->h2 && "the protocol's own reference is the last but the handlers'");
    lw_buf_done(&stream->body);
    lw_free(stream);
}

void lw_h2__refuse(lw_h2_stream *stream, int status)
{
    static const lw_http_header headers[] = {
        { LW_STR_INIT("content-type"), LW_STR_INIT("text/plain; charset=utf-8") },
    };
    const lw_http_reply reply = { status, headers, 1 };
    lw_str text = lw_str_of(lw_http_status_text(status));
    (void)h2_stream_reply(&stream->base, &reply, lw_bytes_static(text));
}

const lw_http_stream_ops lw_h2__stream_ops = {
    .reply = h2_stream_reply,
    .begin = h2_stream_begin,
    .write = h2_stream_write,
    .end = h2_stream_end,
    .abort = h2_stream_abort,
    .pending = h2_stream_pending,
    .wants_more = lw_h2__wants_more,
    .free = h2_stream_free,
};
