/* SPDX-License-Identifier: Apache-2.0 */
/* stream_internal.h -- the struct of a stream, for the files that implement stream.h.
 *
 * A stream is a WebSocket in a tunnel of the transport.  Each message begins with the number of a
 * channel:
 *
 *     exec, attach   0 stdin  1 stdout  2 stderr  3 a Status at the end  4 size of the terminal
 *                    255 N (v5 only) ends channel N
 *     forward        0 data  1 an error text; the first two bytes of both are the port
 *
 *   new ──▶ ASKING ──101──▶ OPEN ──Close, end of the connection──▶ on_end, freed
 *             ├──401, other credentials (once)──▶ ASKING
 *             └──another status, no connection, timeout──▶ on_end, freed
 *
 * A stream is freed before on_end is called.  While another callback runs, a cancelled stream is
 * only marked; it is freed when the callback has returned. */
#ifndef LW_CLIENT_STREAM_STREAM_INTERNAL_H
#define LW_CLIENT_STREAM_STREAM_INTERNAL_H

#include <listwatch/stream.h>

#include "client/session_internal.h"
#include "websocket/frame.h"
#include "websocket/handshake.h"

enum {
    LW_STREAM_READ_SIZE = 32 * 1024,   /* bytes of one read, and of one message of input */
    LW_STREAM_WHAT_SIZE = 256,         /* of the description in messages */
    LW_STREAM_STATUS_MAX = 64 * 1024,  /* bytes of the channel with the status or the error */
    LW_STREAM_CONTROL_ROOM = 8 * 1024, /* queued besides input: pongs, sizes of the terminal */
    LW_STREAM_PORT_SIZE = 2,
};

typedef struct lw_stream_pump lw_stream_pump;

struct lw_stream {
    lw_session_stream link; /* in the session */
    lw_session *session;
    lw_transfer *tunnel;
    bool is_forward;
    unsigned port;                  /* of a forward */
    char what[LW_STREAM_WHAT_SIZE]; /* "exec in pod default/web" */
    char *target;
    lw_stream_options options; /* only callbacks, arg and the timeout */
    int64_t started_ns;
    uint64_t generation; /* of the credentials that were sent */
    bool is_resent;      /* after a 401 */
    char key[LW_WEBSOCKET_KEY_SIZE];
    lw_websocket_reply reply;
    bool is_open;
    bool is_v5;
    lw_websocket_reader reader;
    char *in; /* bytes that were read and not yet parsed: from in_at to in_len */
    size_t in_at, in_len;
    lw_buf out; /* frames to be sent, from out_at on */
    size_t out_at;
    int channel;                     /* of the message that is being read; -1: none yet */
    lw_buf status;                   /* of the channel with the status or the error */
    unsigned port_bytes[2];          /* of a forward: bytes of the port that came, by channel */
    bool is_paused, is_ending_input; /* by the program */
    bool wants_room;                 /* on_room is to be called */
    bool is_calling, is_cancelled;   /* during a callback, by it */
    bool is_closed;                  /* the server has sent Close */
    lw_stream_pump *pump;            /* of a forward of a descriptor */
};

/* stream.c */

/* Makes a stream that is not started.  |options| are those of the caller. */
lw_status lw_stream__new(lw_stream **out, lw_session *session, const char *action, const char *ns,
                         const char *pod, const lw_stream_options *options, lw_error *err);
void lw_stream__free(lw_stream *stream);
/* Frees the stream and calls on_end; |err| is NULL if it has succeeded. */
void lw_stream__end(lw_stream *stream, const lw_error *err, int exit_code);
/* Adds it to the session after |st|, the result of starting it; a failure frees it. */
lw_status lw_stream__started(lw_stream *stream, lw_status st, lw_stream **out);
/* Sets |err| with what the stream is before the message, and returns |st|. */
lw_status lw_stream__fail(const lw_stream *stream, lw_error *err, lw_status st, const char *format,
                          ...) LW_PRINTF(4, 5);
/* Sends and reads what is possible; from on_ready of the tunnel. */
void lw_stream__run(lw_stream *stream);
/* Sets what the tunnel is polled for. */
void lw_stream__poll(lw_stream *stream);

/* stream_open.c: starts the connection and sends the request. */
lw_status lw_stream__ask(lw_stream *stream, lw_error *err);
/* Reads the reply from the input; true: the stream is open, or needs more bytes. */
bool lw_stream__read_reply(lw_stream *stream, bool is_end);

/* stream_input.c: queues a message: |channel| and |bytes|.  False: there is no memory or room. */
bool lw_stream__queue(lw_stream *stream, lw_websocket_opcode opcode, lw_str head, lw_str bytes);
size_t lw_stream__queued(const lw_stream *stream);
/* Queues what had to wait for the stream to be open. */
void lw_stream__begin_input(lw_stream *stream);

/* exec_status.c: reads the Status of channel 3.  LW_OK: |*exit_code| is that of the command. */
lw_status lw_exec_status_read(lw_str text, int *exit_code, lw_error *err);

/* exec.c, forward.c: start a stream in |session|. */
lw_status lw_stream__start_exec(lw_session *session, const char *ns, const char *pod,
                                const char *const *command, const lw_stream_options *options,
                                lw_stream **out, lw_error *err);
lw_status lw_stream__start_attach(lw_session *session, const char *ns, const char *pod,
                                  const lw_stream_options *options, lw_stream **out, lw_error *err);
/* |fd| is -1, or a socket. */
lw_status lw_stream__start_forward(lw_session *session, const char *ns, const char *pod,
                                   unsigned port, int fd, bool owns_fd,
                                   const lw_stream_options *options, lw_stream **out,
                                   lw_error *err);

/* pump.c: copies between a socket and a stream. */
lw_status lw_stream_pump_new(lw_stream_pump **out, lw_stream *stream, int fd, bool owns_fd,
                             lw_error *err);
void lw_stream_pump_free(lw_stream_pump *pump);
/* The socket stays with the caller, because the stream could not be started. */
void lw_stream_pump_disown(lw_stream_pump *pump);
/* Bytes of the pod; there is room for input. */
lw_status lw_stream_pump_take(lw_stream_pump *pump, lw_str bytes, lw_error *err);
void lw_stream_pump_on_room(lw_stream_pump *pump);
/* True if the socket has ended, so that an idle connection is over. */
bool lw_stream_pump_is_over(const lw_stream_pump *pump);

#endif
