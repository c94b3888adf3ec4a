/* SPDX-License-Identifier: Apache-2.0 */
/* embedded_server.c -- an API server inside of a program: in memory, on a port of its own, gone
 * with the program.
 *
 *     embedded_server        prints a URL; try   curl URL/api/v1/namespaces   kubectl -s URL get ns
 *
 * Ctrl-C ends it. */
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

    /* Plain HTTP is for this machine only; options.listen and .data_dir would give it TLS and a
     * place to keep what it is told. */
    options.insecure_listen = "127.0.0.1:0";

    /* The server has threads of its own.  A program that waits for signals blocks them before it
     * starts any. */
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

    lw_server_stop(server, 5); /* watches end, requests under way are answered */
    return EXIT_SUCCESS;
}
