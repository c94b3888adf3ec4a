/* SPDX-License-Identifier: Apache-2.0 */
/* port_forward.c -- `listwatch port-forward`: forwards connections to ports of this machine to
 * ports of a pod.  Each has a WebSocket of its own; a failed one does not affect the others. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <listwatch.h>

#include "commands.h"
#include "listeners.h"
#include "message.h"
#include "terminal.h"

static const char usage[] =
    "usage: listwatch port-forward POD [options] [LOCAL:]REMOTE...\n"
    "       listwatch port-forward RESOURCE/NAME [options] [LOCAL:]REMOTE...\n"
    "\n"
    "Forwards connections to local ports to ports of a pod, or of a running pod of a service or a\n"
    "workload such as svc/web or deployment/web, until it is stopped.  REMOTE is a number or the\n"
    "name of a port; a port of a service becomes the one of its pod.  LOCAL is the same number if\n"
    "it is not given; with :REMOTE it is a free port.\n"
    "\n"
    "      --address LIST        local IP addresses, separated by commas; localhost is 127.0.0.1\n"
    "                            and ::1 (default localhost)\n" //
    ARGUMENTS_NAMESPACE_USAGE                                   //
        ARGUMENTS_SERVER_USAGE;

enum {
    CONNECTIONS_MAX = 1024, /* at the same time; others wait in the queues of their sockets */
};

typedef struct forwarding {
    connection *conn;
    const pod_choice *pod;
    lw_async *async;
    listeners all;
} forwarding;

static void on_end(const lw_stream_result *result, void *arg)
{
    forwarding *f = arg;
    /* A local client that goes away is not worth a message. */
    if (result->st == LW_ERR_UNAVAILABLE)
        message("%s", result->err->message); /* the server was reachable, the port is not */
    else if (result->st < 0 && result->st != LW_ERR_IO)
        connection_complain(f->conn, result->st, result->err);
}

static void forward(forwarding *f, const listener *from)
{
    lw_stream_options options = LW_STREAM_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    int fd = accept(from->fd, NULL, NULL);
    if (fd < 0) {
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            message("cannot accept a connection to port %u: %s", from->local, strerror(errno));
        return;
    }
    printf("Handling connection for %u\n", from->local);
    (void)fflush(stdout);
    options.on_end = on_end;
    options.arg = f;
    lw_status st = lw_async_forward_fd(f->async, f->pod->ns, f->pod->name, from->remote, fd,
                                       &options, NULL, &err);
    if (st < 0) {
        connection_complain(f->conn, st, &err);
        (void)close(fd);
    }
}

static void run(forwarding *f)
{
    while (terminal_end_signal() == 0) {
        struct pollfd set[LISTENERS_MAX + 1];
        bool has_room = lw_async_pending(f->async) < CONNECTIONS_MAX;
        set[0] = (struct pollfd){ .fd = lw_async_fd(f->async), .events = POLLIN };
        for (size_t i = 0; i < f->all.count; i++)
            set[i + 1] = (struct pollfd){ .fd = has_room ? f->all.at[i].fd : -1, .events = POLLIN };
        (void)terminal_poll(set, (nfds_t)(f->all.count + 1), lw_async_timeout_ms(f->async));
        lw_async_dispatch(f->async);
        for (size_t i = 0; i < f->all.count; i++) {
            if (set[i + 1].revents != 0)
                forward(f, &f->all.at[i]);
        }
    }
}

static int forward_all(connection *conn, pod_choice *pod)
{
    const arguments *args = conn->args;
    forwarding f = { .conn = conn, .pod = pod };
    lw_error err = LW_ERROR_INIT;
    int code = EXIT_OK;
    for (size_t i = 1; i < args->word_count && code == EXIT_OK; i++) {
        port_pair ports;
        code = remote_port_parse(&ports, conn, pod, args->words[i]);
        if (code == EXIT_OK &&
            !listeners_open(&f.all, args->address ? args->address : "localhost", ports))
            code = EXIT_FAILED;
    }
    if (code == EXIT_OK) {
        lw_status st = lw_async_new(&f.async, conn->client, &err);
        if (st < 0) {
            connection_complain(conn, st, &err);
            code = EXIT_FAILED;
        } else {
            run(&f);
        }
    }
    listeners_close(&f.all);
    lw_async_free(f.async);
    return code;
}

int command_port_forward(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    bool is_over = false;
    connection conn;
    pod_choice pod;
    int code = arguments_parse(&args, argc, argv, COMMAND_PORT_FORWARD, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count < 2)
        return arguments_refuse(&args, args.command, "specify a pod and at least one port");
    terminal_catch_signals();
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = pod_choice_find(&pod, &conn, args.words[0]);
    if (code == EXIT_OK)
        code = forward_all(&conn, &pod);
    pod_choice_done(&pod);
    connection_close(&conn);
    return code;
}
