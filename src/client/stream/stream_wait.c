/* SPDX-License-Identifier: Apache-2.0 */
/* stream_wait.c -- the public functions that start streams: asynchronous ones in the session of an
 * lw_async, blocking ones in a session of their own until the end. */
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "client/async_internal.h"
#include "client/call.h"
#include "client/stream/stream_internal.h"

/* Asynchronous. */

lw_status lw_async_exec(lw_async *async, const char *ns, const char *pod,
                        const char *const *command, const lw_stream_options *options,
                        lw_stream **out, lw_error *err)
{
    return lw_stream__start_exec(async->session, ns, pod, command, options, out, err);
}

lw_status lw_async_attach(lw_async *async, const char *ns, const char *pod,
                          const lw_stream_options *options, lw_stream **out, lw_error *err)
{
    return lw_stream__start_attach(async->session, ns, pod, options, out, err);
}

lw_status lw_async_forward(lw_async *async, const char *ns, const char *pod, unsigned port,
                           const lw_stream_options *options, lw_stream **out, lw_error *err)
{
    return lw_stream__start_forward(async->session, ns, pod, port, -1, false, options, out, err);
}

lw_status lw_async_forward_fd(lw_async *async, const char *ns, const char *pod, unsigned port,
                              int fd, const lw_stream_options *options, lw_stream **out,
                              lw_error *err)
{
    if (fd < 0)
        return lw_error_set(err, LW_ERR_INVALID, "%d is not a descriptor", fd);
    return lw_stream__start_forward(async->session, ns, pod, port, fd, true, options, out, err);
}

/* Blocking. */

typedef struct stream_wait {
    lw_client_wait wait;
    const lw_stream_options *options;
    lw_str input; /* what is left of it */
    bool can_end;
    int exit_code;
} stream_wait;

static lw_status wait_on_bytes(lw_stream_source source, const char *bytes, size_t len, void *arg)
{
    stream_wait *waiting = arg;
    return waiting->options->on_bytes
               ? waiting->options->on_bytes(source, bytes, len, waiting->options->arg)
               : LW_OK;
}

static void wait_on_room(lw_stream *stream, void *arg)
{
    stream_wait *waiting = arg;
    size_t taken = lw_stream_write(stream, waiting->input.ptr, waiting->input.len);
    waiting->input = lw_str_skip(waiting->input, taken);
    if (waiting->input.len == 0)
        lw_stream_end_input(stream);
}

/* Without an end of its input the command could wait for it forever. */
static void wait_on_open(lw_stream *stream, void *arg)
{
    stream_wait *waiting = arg;
    lw_error err;
    if (lw_stream_can_end_input(stream)) {
        wait_on_room(stream, arg);
        return;
    }
    (void)lw_error_set(&err, LW_ERR_UNSUPPORTED,
                       "%s: the server does not support v5.channel.k8s.io and cannot end the input "
                       "of a command; use lw_async_exec, or pass the input in the command",
                       stream->what);
    lw_client__end(&waiting->wait, &err);
    lw_stream_cancel(stream);
}

static void wait_on_end(const lw_stream_result *result, void *arg)
{
    stream_wait *waiting = arg;
    waiting->exit_code = result->exit_code;
    lw_client__end(&waiting->wait, result->err);
}

/* Fills |full| for a blocking call. */
static lw_status prepare(stream_wait *waiting, lw_stream_options *full,
                         const lw_stream_options *options, lw_error *err)
{
    lw_status st = lw_options_read(full, sizeof(*full), options, "lw_stream_options", err);
    if (st < 0)
        return st;
    waiting->input = full->input;
    full->has_stdin = full->has_stdin || full->input.len > 0;
    full->on_open = full->has_stdin ? wait_on_open : NULL;
    full->on_room = wait_on_room;
    full->on_bytes = wait_on_bytes;
    full->on_end = wait_on_end;
    full->arg = waiting;
    return LW_OK;
}

/* What to start: exec if there is a command, attach if there is no port. */
typedef struct blocking {
    const char *ns, *pod;
    const char *const *command;
    bool is_attach;
    unsigned port;
    int fd;
} blocking;

static lw_status start(lw_session *session, const blocking *what, const lw_stream_options *options,
                       lw_error *err)
{
    if (what->is_attach)
        return lw_stream__start_attach(session, what->ns, what->pod, options, NULL, err);
    if (what->fd >= 0)
        return lw_stream__start_forward(session, what->ns, what->pod, what->port, what->fd, false,
                                        options, NULL, err);
    return lw_stream__start_exec(session, what->ns, what->pod, what->command, options, NULL, err);
}

static lw_status run(lw_client *client, const blocking *what, const lw_stream_options *options,
                     int *exit_code, lw_error *err)
{
    lw_stream_options given = LW_STREAM_OPTIONS_INIT, full = LW_STREAM_OPTIONS_INIT;
    stream_wait waiting = { .options = &given };
    lw_session *session = NULL;
    lw_status st = lw_options_read(&given, sizeof(given), options, "lw_stream_options", err);
    if (st == LW_OK)
        st = prepare(&waiting, &full, options, err);
    if (st == LW_OK)
        st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    if (what->fd >= 0)
        full.on_open = NULL;
    st = start(session, what, &full, err);
    if (st == LW_OK) {
        lw_client__drive(session, &waiting.wait);
        st = lw_client__result(&waiting.wait, err);
    }
    lw_client__leave_session(client, session, &waiting.wait);
    if (st == LW_OK && exit_code)
        *exit_code = waiting.exit_code;
    return st;
}

lw_status lw_client_exec(lw_client *client, const char *ns, const char *pod,
                         const char *const *command, const lw_stream_options *options,
                         int *exit_code, lw_error *err)
{
    const blocking what = { .ns = ns, .pod = pod, .command = command, .fd = -1 };
    return run(client, &what, options, exit_code, err);
}

lw_status lw_client_attach(lw_client *client, const char *ns, const char *pod,
                           const lw_stream_options *options, int *exit_code, lw_error *err)
{
    const blocking what = { .ns = ns, .pod = pod, .is_attach = true, .fd = -1 };
    return run(client, &what, options, exit_code, err);
}

lw_status lw_client_forward_fd(lw_client *client, const char *ns, const char *pod, unsigned port,
                               int fd, const lw_stream_options *options, lw_error *err)
{
    const blocking what = { .ns = ns, .pod = pod, .port = port, .fd = fd };
    if (fd < 0)
        return lw_error_set(err, LW_ERR_INVALID, "%d is not a descriptor", fd);
    return run(client, &what, options, NULL, err);
}
