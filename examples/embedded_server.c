/* SPDX-License-Identifier: Apache-2.0 */
/* embedded_server.c -- an API server inside a program: in memory, on a free port.
 *
 *     embedded_server        prints a URL; try   curl URL/api/v1/namespaces   kubectl -s URL get ns
 *
 * Press Ctrl-C to stop. */
#define _POSIX_C_SOURCE 200809L /* sigwait */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <listwatch/server.h>

int main(void)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_server *server = NULL;
    lw_error err = LW_ERROR_INIT;
    sigset_t signals;
    int number = 0;

    /* Plain HTTP is allowed on the loopback only; options.listen and .data_dir would add TLS and
     * durable storage. */
    options.insecure_listen = "127.0.0.1:0";

    /* The server has its own threads.  A program that waits for signals must block them before it
     * starts threads. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    if (lw_server_start(&server, &options, &err) < 0) {
        fprintf(stderr, "embedded_server: %s\n", err.message);
        return EXIT_FAILURE;
    }
    printf("%s\n", lw_server_insecure_url(server));
    fflush(stdout);
    sigwait(&signals, &number);

    lw_server_stop(server, 5); /* ends watches and finishes requests in progress */
    return EXIT_SUCCESS;
}
