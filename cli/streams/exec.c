/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c -- `listwatch exec` and `listwatch attach`: a command in a container with the input, the
 * output and the exit code of this program. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "message.h"
#include "output.h"
#include "pod_choice.h"
#include "terminal.h"

static const char exec_usage[] =
    "usage: listwatch exec POD [options] -- COMMAND [ARGUMENT...]\n"
    "       listwatch exec RESOURCE/NAME [options] -- COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs a command in a container of a pod, or of a running pod of a workload such as\n"
    "deployment/web.  The exit code is that of the command.\n"
    "\n"
    "  -c, --container NAME      the container (default the one that the pod declares as default,\n"
    "                            or the only one)\n"
    "  -i, --stdin               pass standard input on to the command\n"
    "  -t, --tty                 run the command in a terminal; with -i\n" //
    ARGUMENTS_NAMESPACE_USAGE                                              //
        ARGUMENTS_SERVER_USAGE;

static const char attach_usage[] =
    "usage: listwatch attach POD [options]\n"
    "       listwatch attach RESOURCE/NAME [options]\n"
    "\n"
    "Shows the output of the process that runs in a container, and passes standard input on to it\n"
    "with -i.\n"
    "\n"
    "  -c, --container NAME      the container (default the one that the pod declares as default,\n"
    "                            or the only one)\n"
    "  -i, --stdin               pass standard input on to the process\n"
    "  -t, --tty                 use a terminal, which the container must have; with -i\n" //
    ARGUMENTS_NAMESPACE_USAGE                                                              //
        ARGUMENTS_SERVER_USAGE;

enum {
    READ_SIZE = 16 * 1024,
    EXIT_SIGNAL = 128, /* plus the signal, like shells */
};

typedef struct session {
    connection *conn;
    lw_stream *stream; /* NULL: it has ended */
    bool is_attach, has_input, is_tty;
    bool has_ended_input;
    char input[READ_SIZE]; /* from at to len */
    size_t at, len;
    int code;
} session;

/* Output: blocks until it is written, and meanwhile the command waits. */
static lw_status on_bytes(lw_stream_source source, const char *bytes, size_t len, void *arg)
{
    (void)arg;
    while (len > 0) {
        ssize_t written =
            write(source == LW_STREAM_STDERR ? STDERR_FILENO : STDOUT_FILENO, bytes, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return LW_ERR_IO;
        bytes += written;
        len -= (size_t)written;
    }
    return LW_OK;
}

static void on_open(lw_stream *stream, void *arg)
{
    session *s = arg;
    if (s->has_input && !s->is_tty && !lw_stream_can_end_input(stream))
        message("warning: the server does not support v5.channel.k8s.io: the end of standard input "
                "cannot be passed on");
    if (s->is_attach && s->is_tty)
        fputs("If you don't see a command prompt, try pressing enter.\r\n", stderr);
}

static void on_end(const lw_stream_result *result, void *arg)
{
    session *s = arg;
    s->stream = NULL;
    s->code = result->st == LW_OK ? result->exit_code : EXIT_FAILED;
    terminal_end();
    if (result->st < 0)
        connection_complain(s->conn, result->st, result->err);
    else if (result->exit_code != 0)
        fprintf(stderr, "command terminated with exit code %d\n", result->exit_code);
}

/* Input. */

static void read_input(session *s)
{
    ssize_t got = read(STDIN_FILENO, s->input, sizeof(s->input));
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    s->at = 0;
    s->len = got > 0 ? (size_t)got : 0;
    if (got <= 0) {
        s->has_ended_input = true;
        lw_stream_end_input(s->stream);
    }
}

static void pass_input(session *s)
{
    if (s->at < s->len)
        s->at += lw_stream_write(s->stream, s->input + s->at, s->len - s->at);
}

/* A signal ends the program as it would without being caught, after the terminal was restored. */
static void stop(session *s, int number)
{
    lw_stream_cancel(s->stream);
    s->stream = NULL;
    s->code = EXIT_SIGNAL + number;
}

static void run(session *s, lw_async *async)
{
    while (s->stream) {
        unsigned columns, rows;
        bool wants_input = s->has_input && !s->has_ended_input && s->at == s->len;
        struct pollfd set[] = { { .fd = lw_async_fd(async), .events = POLLIN },
                                { .fd = wants_input ? STDIN_FILENO : -1, .events = POLLIN } };
        if (s->is_tty && terminal_is_resized() && terminal_size(&columns, &rows))
            lw_stream_resize(s->stream, columns, rows);
        (void)terminal_poll(set, 2, lw_async_timeout_ms(async));
        if (terminal_end_signal() != 0) {
            stop(s, terminal_end_signal());
            return;
        }
        lw_async_dispatch(async);
        if (s->stream && set[1].revents != 0)
            read_input(s);
        if (s->stream)
            pass_input(s);
    }
}

static lw_status start(session *s, lw_async *async, const pod_choice *pod,
                       const char *const *command, lw_error *err)
{
    lw_stream_options options = LW_STREAM_OPTIONS_INIT;
    options.container = s->conn->args->container;
    options.has_stdin = s->has_input;
    options.is_tty = s->is_tty;
    options.on_open = on_open;
    options.on_bytes = on_bytes;
    options.on_end = on_end;
    options.arg = s;
    if (s->is_tty)
        (void)terminal_size(&options.columns, &options.rows);
    return s->is_attach
               ? lw_async_attach(async, pod->ns, pod->name, &options, &s->stream, err)
               : lw_async_exec(async, pod->ns, pod->name, command, &options, &s->stream, err);
}

static int run_in(connection *conn, const pod_choice *pod, bool is_attach,
                  const char *const *command)
{
    const arguments *args = conn->args;
    session s = {
        .conn = conn, .is_attach = is_attach, .has_input = args->has_stdin, .code = EXIT_FAILED
    };
    lw_async *async = NULL;
    lw_error err = LW_ERROR_INIT;
    s.is_tty = args->is_tty && args->has_stdin && terminal_is_input();
    if (args->is_tty && !s.is_tty)
        message("-t is ignored: %s",
                args->has_stdin ? "standard input is not a terminal" : "it needs -i as well");
    terminal_catch_signals();
    lw_status st = lw_async_new(&async, conn->client, &err);
    if (st == LW_OK)
        st = start(&s, async, pod, command, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
    } else {
        if (s.is_tty)
            terminal_begin();
        run(&s, async);
        terminal_end();
    }
    lw_async_free(async);
    return s.code;
}

static int command_stream(int argc, char **argv, unsigned command, const char *usage)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    bool is_attach = command == COMMAND_ATTACH, is_over = false;
    connection conn;
    pod_choice pod;
    int code = arguments_parse(&args, argc, argv, command, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count == 0)
        return arguments_refuse(&args, args.command, "specify a pod");
    if (is_attach && args.word_count > 1)
        return arguments_refuse(&args, args.words[1], "unexpected argument; specify one pod");
    if (!is_attach && args.word_count == 1)
        return arguments_refuse(&args, args.command, "specify a command after --");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = pod_choice_find(&pod, &conn, args.words[0]);
    if (code == EXIT_OK)
        code = run_in(&conn, &pod, is_attach, (const char *const *)(args.words + 1));
    pod_choice_done(&pod);
    connection_close(&conn);
    return code;
}

int command_exec(int argc, char **argv)
{
    return command_stream(argc, argv, COMMAND_EXEC, exec_usage);
}

int command_attach(int argc, char **argv)
{
    return command_stream(argc, argv, COMMAND_ATTACH, attach_usage);
}
