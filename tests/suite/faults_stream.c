/* SPDX-License-Identifier: Apache-2.0 */
/* faults_stream.c -- watches: frames in chunks, and the faults in them. */
#include <stdlib.h>

#include "base/clock.h"
#include "suite/faults_server_parts.h"
#include "suite/faults_text.h"
#include "suite/faults_trace.h"
#include "unit/test.h"

enum {
    FAULT_FRAMES = 8, /* the fault is in one of the first frames */
    BURST_MAX = 12,   /* frames sent at once */
    /* Turns after which a client must have detected the fault; while a slow handler is behind, it
     * does not read. */
    TURNS_ENOUGH = 16,
};

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                  "Transfer-Encoding: chunked\r\n\r\n";

/* Ends the stream cleanly; the connection stays for the next request. */
static void end_stream(faults_server *server, faults_line *line)
{
    faults_stream_of(server, line)->is_open = false;
    lw_buf_append_text(&line->out, "0\r\n\r\n");
}

static void send_error(faults_server *server, faults_line *line, int code)
{
    lw_buf frame;
    lw_buf_init(&frame, FAULTS_TEXT_MAX);
    faults_write_error(&frame, code);
    faults_append_chunk(server, line, lw_buf_view(&frame), false);
    lw_buf_done(&frame);
    faults_stream_of(server, line)->is_spoilt = true; /* nothing counts after an ERROR */
    if (faults_draw(server, 2) == 0)
        end_stream(server, line);
}

void faults_stream_begin(faults_server *server, faults_line *line, const char *head)
{
    static const faults_kind kinds[] = { FAULTS_SHORT_BODY, FAULTS_GARBLED, FAULTS_BAD_CHUNK,
                                         FAULTS_TWICE,      FAULTS_ERROR,   FAULTS_ERROR_410,
                                         FAULTS_ENDED };
    char value[FAULTS_VALUE_SIZE];
    faults_stream *stream = faults_stream_of(server, line);
    bool is_stream = faults_parameter(head, "sendInitialEvents", value);
    (void)faults_parameter(head, "resourceVersion", value);
    uint64_t rv = strtoull(value, NULL, 10);
    if (is_stream && server->cannot_stream) {
        faults_reply_status(server, line, 422);
        return;
    }
    bool is_gone = is_stream ? faults_is_forgotten(server, head)
                             : rv < server->past.compacted && faults_draw(server, 2) == 0;
    if (is_gone) {
        faults_reply_status(server, line, 410);
        return;
    }
    server->watches++;
    (void)faults_parameter(head, "timeoutSeconds", value);
    int64_t timeout_ns = strtoll(value, NULL, 10) * LW_NS_PER_S;
    assert_true(timeout_ns > 0);
    *stream = (faults_stream){ .is_open = true,
                               .is_told = !is_stream,
                               .sent = is_stream ? server->past.rv : rv,
                               .snapshot = server->past.rv,
                               .end_ns = lw_clock_now(server->wire.clock) + timeout_ns };
    if (faults_is_unlucky(server) || faults_is_unlucky(server)) {
        stream->fault = kinds[faults_draw(server, sizeof(kinds) / sizeof(*kinds))];
        stream->fault_in = (unsigned)faults_draw(server, FAULT_FRAMES);
    }
    lw_buf_append_text(&line->out, stream_head);
}

/* Writes the next object of the initial state. */
static void write_state(faults_server *server, faults_stream *stream, lw_buf *frame)
{
    model_object state[MODEL_NAMES];
    model_history_state_at(&server->past, stream->snapshot, state);
    while (stream->at < MODEL_NAMES && frame->len == 0) {
        unsigned name = (stream->at++ + 5) % MODEL_NAMES; /* not in order */
        if (state[name].rv > 0)
            faults_write_event(frame, LW_WATCH_ADDED, name, &state[name]);
    }
}

/* Writes the next event, if there is one.  The caller handles 410. */
static void write_next(faults_server *server, faults_stream *stream, lw_buf *frame)
{
    if (!stream->is_told)
        write_state(server, stream, frame);
    if (frame->len > 0)
        return;
    const model_event *event = model_history_after(&server->past, stream->sent);
    bool completes = !stream->is_told && (!event || faults_draw(server, 2) == 0);
    if (completes) {
        stream->is_told = true;
        faults_write_bookmark(frame, stream->sent, true);
    } else if (event) {
        const model_object obj = { event->rv, event->generation };
        stream->sent = event->rv;
        faults_write_event(frame, event->type, event->name, &obj);
    } else if (server->is_faulty && faults_draw(server, 64) == 0) {
        faults_write_bookmark(frame, stream->sent, false);
    }
}

/* Sends |frame| with a fault. */
static void spoil(faults_server *server, faults_line *line, lw_buf *frame)
{
    static const int codes[] = { 500, 429, 504, 403 };
    faults_stream *stream = faults_stream_of(server, line);
    faults_note(server, stream->fault);
    stream->is_spoilt = stream->fault != FAULTS_TWICE;
    switch (stream->fault) {
    case FAULTS_SHORT_BODY:
        /* At least the newline and the last brace are missing. */
        lw_buf_truncate(frame, 1 + (size_t)faults_draw(server, frame->len - 2));
        faults_append_chunk(server, line, lw_buf_view(frame), false);
        end_stream(server, line);
        break;
    case FAULTS_GARBLED:
        faults_garble(frame, &server->random);
        faults_append_chunk(server, line, lw_buf_view(frame), false);
        break;
    case FAULTS_BAD_CHUNK: faults_append_chunk(server, line, lw_buf_view(frame), true); break;
    case FAULTS_TWICE:
        faults_append_chunk(server, line, lw_buf_view(frame), false);
        faults_append_chunk(server, line, lw_buf_view(frame), false);
        break;
    case FAULTS_ERROR: send_error(server, line, codes[faults_draw(server, 4)]); break;
    case FAULTS_ERROR_410: send_error(server, line, 410); break;
    default: end_stream(server, line); break;
    }
    stream->fault = FAULTS_NONE;
}

/* Appends the next frame; false: there is none, or nothing may follow it. */
static bool append_next(faults_server *server, faults_line *line)
{
    faults_stream *stream = faults_stream_of(server, line);
    lw_buf frame;
    if (stream->sent < server->past.compacted && stream->is_told && !stream->is_spoilt &&
        model_history_after(&server->past, stream->sent)) {
        send_error(server, line, 410);
        return false;
    }
    lw_buf_init(&frame, FAULTS_TEXT_MAX);
    write_next(server, stream, &frame);
    bool is_whole = frame.len > 0;
    if (is_whole && stream->fault != FAULTS_NONE && stream->fault_in-- == 0) {
        spoil(server, line, &frame);
        is_whole = false;
    } else if (is_whole) {
        faults_append_chunk(server, line, lw_buf_view(&frame), false);
    }
    lw_buf_done(&frame);
    return is_whole;
}

bool faults_stream_turn(faults_server *server, faults_line *line)
{
    faults_stream *stream = faults_stream_of(server, line);
    const bool was_spoilt = stream->is_spoilt;
    lw_buf_reset(&line->out);
    line->out_at = 0;
    if (lw_clock_now(server->wire.clock) >= stream->end_ns) {
        end_stream(server, line);
        return true;
    }
    uint64_t burst = 1 + (faults_draw(server, 3) == 0 ? faults_draw(server, BURST_MAX) : 0);
    while (burst > 0 && append_next(server, line))
        burst--;
    if (was_spoilt && line->out.len > 0 && ++stream->turns_since > TURNS_ENOUGH)
        fail_msg("the client continues after an invalid frame");
    return line->out.len > 0;
}
