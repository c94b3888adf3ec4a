/* SPDX-License-Identifier: Apache-2.0 */
/* main.c -- the Website controller as a program.
 *
 *     website-controller     works at the API server that kubectl would use, until Ctrl-C */
#define _POSIX_C_SOURCE 200809L /* sigwait */

#include "website.h"

#include <signal.h>
#include <stdio.h>

static void print_line(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)arg;
    fprintf(stderr, "%s %s: %s\n", lw_log_level_name(level), component, line);
}

int main(void)
{
    const lw_logger logger = { .level = LW_LOG_WARN, .fn = print_line };
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    website_controller *controller = NULL;
    sigset_t signals;
    int number = 0, code = 0;

    /* The library has threads; block the signals before it starts any, and wait for them here. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);

    if (lw_config_load(&config, NULL, &err) < 0 || /* kubeconfig, or the pod we run in */
        lw_client_new(&client, config, NULL, &err) < 0 ||
        website_controller_start(&controller, client, &logger, &err) < 0) {
        fprintf(stderr, "website-controller: %s\n", err.message);
        code = 1;
    } else {
        printf("ready\n");
        fflush(stdout);
        sigwait(&signals, &number);
    }
    website_controller_stop(controller);
    lw_client_unref(client);
    lw_config_unref(config);
    return code;
}
