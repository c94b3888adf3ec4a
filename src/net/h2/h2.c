/* SPDX-License-Identifier: Apache-2.0 */
/* h2.c -- an HTTP/2 connection as a protocol of lw_conn: feed, drain, free.
 *
 *     open ──drain──▶ notice and PING sent ──PING acknowledged, or no stream left──▶ GOAWAY sent
 *     GOAWAY sent ──last stream closed──▶ finished
 *
 * A protocol violation is answered by nghttp2 with a GOAWAY that names it, or with a reset of the
 * stream that it concerns. */
#include "net/h2/h2.h"

#include "base/alloc.h"
#include "base/container_of.h"
#include "net/h2/h2_memory.h"

enum {
    FIRST_UNKNOWN_TYPE = NGHTTP2_CONTINUATION + 1, /* types up to here are in RFC 9113 */
};

static void set_options(nghttp2_option *option)
{
    nghttp2_option_set_max_outbound_ack(option, LW_H2_ACKS_MAX);
    nghttp2_option_set_max_settings(option, LW_H2_SETTINGS_MAX);
    /* Uses the priorities of RFC 7540: if the client sets none, streams take turns.  The newer
     * scheme has a double free when it runs out of memory (nghttp2 1.52). */
    nghttp2_option_set_no_closed_streams(option, 1);
    /* Without this, nghttp2 skips frames of unknown types before they are counted. */
    for (unsigned type = FIRST_UNKNOWN_TYPE; type <= UINT8_MAX; type++)
        nghttp2_option_set_user_recv_extension_type(option, (uint8_t)type);
}

static int session_new(lw_h2 *h2)
{
    nghttp2_mem memory = lw_h2__memory;
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    int result = nghttp2_session_callbacks_new(&callbacks);
    if (result == 0)
        result = nghttp2_option_new(&option);
    if (result == 0) {
        lw_h2__set_request_callbacks(callbacks);
        lw_h2__set_send_callbacks(callbacks);
        set_options(option);
        result = nghttp2_session_server_new3(&h2->session, callbacks, h2, option, &memory);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return result;
}

/* Sends the first SETTINGS to the client. */
static int submit_settings(nghttp2_session *session)
{
    const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, LW_HTTP_STREAMS_MAX },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, LW_H2_WINDOW },
        { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LW_HTTP_HEAD_MAX },
    };
    int result = nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
                                         sizeof(settings) / sizeof(settings[0]));
    if (result == 0)
        result = nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                       LW_H2_CONNECTION_WINDOW);
    return result;
}

void lw_h2__update_phase(lw_h2 *h2)
{
    const lw_h2_stream *oldest = LW_DLIST_ITEM(lw_dlist_first(&h2->reading), lw_h2_stream, reading);
    lw_conn_phase phase = h2->head_id        ? LW_CONN_HEAD
                          : oldest           ? LW_CONN_BODY
                          : h2->stream_count ? LW_CONN_REPLY
                                             : LW_CONN_IDLE;
    /* The timeout applies to one request; later requests must not extend it.  The idle time begins
     * after the last request, even if that was answered at once. */
    int32_t id = h2->head_id             ? h2->head_id
                 : oldest                ? oldest->id
                 : phase == LW_CONN_IDLE ? nghttp2_session_get_last_proc_stream_id(h2->session)
                                         : 0;
    if (phase == h2->phase && id == h2->phase_id)
        return;
    h2->phase = phase;
    h2->phase_id = id;
    lw_conn_set_phase(h2->base.conn, phase);
}

void lw_h2__submit_goaway(lw_h2 *h2)
{
    if (!h2->is_draining || h2->is_goaway_sent)
        return;
    h2->is_goaway_sent = true;
    lw_h2__check(h2, nghttp2_submit_goaway(h2->session, NGHTTP2_FLAG_NONE,
                                           nghttp2_session_get_last_proc_stream_id(h2->session),
                                           NGHTTP2_NO_ERROR, NULL, 0));
}

static lw_h2 *h2_of(lw_protocol *protocol)
{
    return (lw_h2 *)protocol;
}

static lw_status h2_feed(lw_protocol *protocol, const char *bytes, size_t len)
{
    lw_h2 *h2 = h2_of(protocol);
    h2->is_feeding = true;
    ssize_t taken = nghttp2_session_mem_recv(h2->session, (const uint8_t *)bytes, len);
    h2->is_feeding = false;
    if (taken == NGHTTP2_ERR_CALLBACK_FAILURE && h2->abuse.is_flood)
        taken = NGHTTP2_ERR_FLOODED;
    if (taken == NGHTTP2_ERR_NOMEM || taken == NGHTTP2_ERR_CALLBACK_FAILURE) {
        lw_h2__check(h2, (int)taken);
        return h2->st;
    }
    if (taken < 0) {
        uint32_t code =
            taken == NGHTTP2_ERR_FLOODED ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR;
        lw_h2__check(h2, nghttp2_session_terminate_session(h2->session, code));
    }
    lw_h2__flush(h2);
    return taken < 0 ? LW_ERR_SYNTAX : LW_OK;
}

static void h2_writable(lw_protocol *protocol)
{
    lw_h2__flush(h2_of(protocol));
}

static void h2_drain(lw_protocol *protocol)
{
    lw_h2 *h2 = h2_of(protocol);
    if (h2->is_draining)
        return;
    h2->is_draining = true;
    if (h2->stream_count == 0) {
        lw_h2__submit_goaway(h2);
    } else {
        /* Requests that are in flight when the client reads the notice are still answered. */
        lw_h2__check(h2, nghttp2_submit_shutdown_notice(h2->session));
        lw_h2__check(h2, nghttp2_submit_ping(h2->session, NGHTTP2_FLAG_NONE, NULL));
    }
    lw_h2__want_flush(h2);
}

static bool h2_is_idle(const lw_protocol *protocol)
{
    const lw_h2 *h2 = (const lw_h2 *)protocol;
    return h2->stream_count == 0 && h2->head_id == 0;
}

/* The oldest request is not complete in time. */
static void h2_timed_out(lw_protocol *protocol, lw_conn_phase phase)
{
    (void)phase;
    lw_h2 *h2 = h2_of(protocol);
    lw_h2_stream *oldest = LW_DLIST_ITEM(lw_dlist_first(&h2->reading), lw_h2_stream, reading);
    if (h2->head_id || !oldest) {
        /* Nothing can follow an incomplete header block, so the connection is closed. */
        lw_h2__check(h2, nghttp2_session_terminate_session(h2->session, NGHTTP2_NO_ERROR));
    } else {
        lw_h2__give_up(oldest);
        if (!oldest->is_replied)
            lw_h2__refuse(oldest, 408);
    }
    lw_h2__want_flush(h2);
}

static void h2_next_turn(lw_protocol *protocol)
{
    lw_h2 *h2 = h2_of(protocol);
    lw_h2__dispatch_ready(h2);
    lw_h2__flush(h2);
}

static void h2_delete(lw_h2 *h2)
{
    nghttp2_session_del(h2->session);
    lw_h2_head_done(&h2->head);
    lw_free(h2);
}

static void h2_free(lw_protocol *protocol)
{
    lw_h2 *h2 = h2_of(protocol);
    h2->is_gone = true;
    lw_timer_cancel(lw_conn_loop(h2->base.conn), &h2->stall);
    if (lw_dlist_node_is_linked(&h2->wake_task.link))
        lw_dlist_remove(&h2->wake_task.link);
    LW_DLIST_FOR_EACH_SAFE(lw_h2_stream, stream, &h2->streams, link)
    lw_h2__stream_close(stream);
    if (!lw_dlist_node_is_linked(&h2->flush_task.link))
        h2_delete(h2);
}

static void run_flush(lw_task *task)
{
    lw_h2 *h2 = LW_CONTAINER_OF(task, lw_h2, flush_task);
    if (h2->is_gone)
        h2_delete(h2);
    else
        lw_h2__flush(h2);
}

lw_status lw_h2_new(lw_protocol **out, lw_conn *conn)
{
    static const lw_protocol_ops ops = {
        .feed = h2_feed,
        .writable = h2_writable,
        .drain = h2_drain,
        .is_idle = h2_is_idle,
        .free = h2_free,
        .timed_out = h2_timed_out,
        .next_turn = h2_next_turn,
    };
    lw_h2 *h2 = lw_alloc_zero(1, sizeof(*h2));
    if (!h2)
        return LW_ERR_NOMEM;
    h2->base = (lw_protocol){ &ops, conn };
    h2->flush_task.run = run_flush;
    h2->stall.fire = lw_h2__stall_fire;
    h2->phase = LW_CONN_IDLE;
    lw_h2_abuse_init(&h2->abuse, lw_loop_now(lw_conn_loop(conn)));
    lw_h2_head_init(&h2->head);
    lw_dlist_init(&h2->streams);
    lw_dlist_init(&h2->reading);
    lw_dlist_init(&h2->drained);
    lw_dlist_init(&h2->waiting);
    lw_dlist_init(&h2->starved);
    lw_dlist_init(&h2->ready);
    if (session_new(h2) != 0 || submit_settings(h2->session) != 0) {
        h2_delete(h2);
        return LW_ERR_NOMEM;
    }
    lw_h2__want_flush(h2);
    *out = &h2->base;
    return LW_OK;
}
