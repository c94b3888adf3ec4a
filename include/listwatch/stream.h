/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h -- runs commands in containers, attaches to them, and forwards connections to ports of
 * pods: the subresources exec, attach and portforward of pods, over WebSocket.
 *
 *     lw_client_exec, lw_client_attach, lw_client_forward_fd     block until the end
 *     lw_async_exec, lw_async_attach, lw_async_forward,          end with a callback, in the event
 *     lw_async_forward_fd                                        loop of the program (async.h)
 *
 * Connections are made like those of other requests: proxy, TLS, client certificates, tokens and
 * credential plugins.  They are not counted by the rate limit of the client and not retried, except
 * once with new credentials after a 401.  Input is queued up to LW_STREAM_INPUT_MAX; output is not
 * queued: while a stream is paused, nothing is read, and the command has to wait. */
#ifndef LISTWATCH_STREAM_H
#define LISTWATCH_STREAM_H

#include <listwatch/async.h>
#include <listwatch/client.h>

LW_BEGIN_DECLS

enum {
    LW_STREAM_INPUT_MAX = 256 * 1024, /* bytes of input that are queued */
};

/* A command, or a forwarded connection; valid until its on_end is called, or until it is
 * cancelled. */
typedef struct lw_stream lw_stream;

/* Where bytes come from. */
typedef enum lw_stream_source {
    LW_STREAM_DATA = 0, /* the port */
    LW_STREAM_STDOUT = 1,
    LW_STREAM_STDERR = 2, /* not with a terminal, which has one output */
} lw_stream_source;

/* The end of a stream. */
typedef struct lw_stream_result {
    lw_status st;
    const lw_error *err; /* NULL if |st| is LW_OK */
    int exit_code;       /* of the command, if |st| is LW_OK; 0: of a forwarded port */
} lw_stream_result;

/* Options of exec, attach and forward.  Initialise it with LW_STREAM_OPTIONS_INIT.  The callbacks
 * are called from lw_async_dispatch; they may use and cancel their stream, but must not dispatch or
 * free the lw_async.  The blocking functions call only on_bytes. */
typedef struct lw_stream_options {
    size_t size;
    const char *container; /* NULL: the default container of the pod */
    bool has_stdin;        /* the command gets what lw_stream_write sends */
    bool is_tty;           /* with a terminal; then there is no stderr */
    bool no_stdout, no_stderr;
    unsigned columns, rows; /* of the terminal; 0: that of the container runtime */
    lw_str input;           /* of a blocking exec or attach: all of stdin; it is not copied */
    int timeout_ms;         /* for the whole stream; 0: none.  The timeout of the client is that of
                               connecting in any case */
    /* The command is running, or the port is being connected.  May be NULL. */
    void (*on_open)(lw_stream *stream, void *arg);
    /* Receives output; a negative status ends the stream with it.  May be NULL. */
    lw_status (*on_bytes)(lw_stream_source source, const char *bytes, size_t len, void *arg);
    /* There is room for input again, after lw_stream_write has taken less than it was given.  May
     * be NULL. */
    void (*on_room)(lw_stream *stream, void *arg);
    /* The stream has ended.  May be NULL. */
    void (*on_end)(const lw_stream_result *result, void *arg);
    void *arg;
} lw_stream_options;

#define LW_STREAM_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(lw_stream_options), NULL, false, false, false, false, 0, 0, { NULL, 0 }, 0, NULL,   \
            NULL, NULL, NULL, NULL                                                                 \
    }

/* Run |command| (NULL-terminated) in a container of a pod until it ends; |exit_code| is its exit
 * status, which is no error of the function.  LW_ERR_NOT_FOUND (the pod), LW_ERR_FORBIDDEN,
 * LW_ERR_INVALID (e.g. the container), LW_ERR_INTERNAL (the command could not be run),
 * LW_ERR_UNSUPPORTED (the server has no WebSocket for it, or cannot end the input: see
 * lw_stream_end_input), LW_ERR_UNAVAILABLE (the connection broke; the command may go on). */
LW_MUST_CHECK LW_API lw_status lw_client_exec(lw_client *client, const char *ns, const char *pod,
                                              const char *const *command,
                                              const lw_stream_options *options, int *exit_code,
                                              lw_error *err);

/* As lw_client_exec, with the process that is running in the container. */
LW_MUST_CHECK LW_API lw_status lw_client_attach(lw_client *client, const char *ns, const char *pod,
                                                const lw_stream_options *options, int *exit_code,
                                                lw_error *err);

/* Copies between |fd|, a connected socket, and |port| of a pod until one of them is closed.  The
 * socket is made non-blocking and is not closed.  The protocol has no way to tell the pod that the
 * other side sends nothing more but still reads: after the end of |fd|, the connection stays open
 * until the pod closes it, or sends nothing for ten seconds.  LW_ERR_UNAVAILABLE: nothing in the
 * pod listens on the port, or the connection broke; LW_ERR_IO: |fd| failed. */
LW_MUST_CHECK LW_API lw_status lw_client_forward_fd(lw_client *client, const char *ns,
                                                    const char *pod, unsigned port, int fd,
                                                    const lw_stream_options *options,
                                                    lw_error *err);

/* Start a stream; arguments are those of the blocking functions and are copied.  |out| may be NULL.
 * On failure nothing was started and no callback is called.  lw_async_cancel_all,
 * lw_client_cancel_all and lw_async_pending treat streams as requests. */
LW_MUST_CHECK LW_API lw_status lw_async_exec(lw_async *async, const char *ns, const char *pod,
                                             const char *const *command,
                                             const lw_stream_options *options, lw_stream **out,
                                             lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_async_attach(lw_async *async, const char *ns, const char *pod,
                                               const lw_stream_options *options, lw_stream **out,
                                               lw_error *err);

/* Opens a connection to |port| of a pod: lw_stream_write sends, on_bytes receives. */
LW_MUST_CHECK LW_API lw_status lw_async_forward(lw_async *async, const char *ns, const char *pod,
                                                unsigned port, const lw_stream_options *options,
                                                lw_stream **out, lw_error *err);

/* As lw_client_forward_fd.  On success |fd| belongs to the stream, which closes it at the end.
 * on_bytes and on_room are not called. */
LW_MUST_CHECK LW_API lw_status lw_async_forward_fd(lw_async *async, const char *ns, const char *pod,
                                                   unsigned port, int fd,
                                                   const lw_stream_options *options,
                                                   lw_stream **out, lw_error *err);

/* Queues input and returns how many of the |len| bytes were taken; if it takes less, on_room is
 * called later.  Input may be written before on_open. */
LW_API size_t lw_stream_write(lw_stream *stream, const char *bytes, size_t len);

/* Ends the input of a command, after what was written.  A server that only knows the protocol
 * v4.channel.k8s.io cannot do it: stdin stays open, see lw_stream_can_end_input.  Does nothing for
 * a forwarded port. */
LW_API void lw_stream_end_input(lw_stream *stream);

/* Returns true if lw_stream_end_input has an effect; known from on_open on. */
LW_API bool lw_stream_can_end_input(const lw_stream *stream);

/* Tells the terminal of the command its size. */
LW_API void lw_stream_resize(lw_stream *stream, unsigned columns, unsigned rows);

/* Pauses and resumes output, for a slow consumer.  No on_bytes is called while it is paused. */
LW_API void lw_stream_set_paused(lw_stream *stream, bool is_paused);

/* Closes the connection at once; no callback is called any more.  A container runtime may let the
 * command run on.  NULL does nothing. */
LW_API void lw_stream_cancel(lw_stream *stream);

LW_END_DECLS

#endif
