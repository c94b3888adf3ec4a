/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c -- `listwatch serve`: runs the API server until it gets a signal.
 *
 * Prints one line to standard output when it serves requests; everything else goes to standard
 * error. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch.h>
#include <listwatch/server.h>

#include "commands.h"
#include "controllers.h"
#include "descriptors.h"
#include "notify.h"
#include "serve_options.h"
#include "signals.h"

enum {
    STATE_SIZE = 512, /* of a message to the service manager */
    REPORT_S = 2,     /* seconds between reports of the controllers' informers */
    REPORT_SIZE = 64 * 1024,
    LINK_SIZE = 256,
};

static bool print_ready(const lw_server *server)
{
    const char *url = lw_server_url(server), *insecure = lw_server_insecure_url(server);
    printf("ready: %s%s%s\n", url ? url : "", url && insecure ? " " : "", insecure ? insecure : "");
    return fflush(stdout) == 0;
}

/* Tells the service manager that requests are served. */
static void notify_ready(const lw_server *server)
{
    char state[STATE_SIZE];
    const char *url = lw_server_url(server), *insecure = lw_server_insecure_url(server);
    (void)snprintf(state, sizeof(state), "READY=1\nSTATUS=serving %s", url ? url : insecure);
    notify_send(state);
}

/* Starts controllers in this process.  They connect to the server over plain HTTP if it is enabled.
 * The ConfigMap with the CA certificate is published by the server itself. */
static bool start_controllers(serve_options *s, lw_server *server, controllers *c)
{
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    lw_error err = LW_ERROR_INIT;
    if (!s->has_controllers)
        return true;
    options.server = lw_server_insecure_url(server);
    options.kubeconfig = options.server ? NULL : lw_server_kubeconfig(server);
    s->choice.root_ca = NULL;
    if (controllers_connect(c, &options, &s->choice, &s->logger, &err) == LW_OK)
        return true;
    fprintf(stderr, "listwatch: controllers: %s\n", err.message);
    return false;
}

/* The server and its controllers. */
typedef struct report_context {
    lw_server *server;
    const controllers *controllers;
} report_context;

/* Reports the controllers' informers to the server, for its page. */
static void show_informers(void *arg)
{
    const report_context *context = arg;
    char report[REPORT_SIZE];
    size_t len = controllers_report(context->controllers, report, sizeof(report));
    if (len > 0 && len < sizeof(report))
        (void)lw_server_show_informers(context->server, report, NULL); /* for display only */
}

/* Prints a link that signs in to the page. */
static void print_link(void *arg)
{
    const report_context *context = arg;
    char link[LINK_SIZE];
    lw_error err = LW_ERROR_INIT;
    if (lw_server_page_link(context->server, link, sizeof(link), &err) < 0)
        fprintf(stderr, "listwatch serve: the page: %s\n", err.message);
    else if (lw_server_url(context->server))
        fprintf(stderr, "page: %s (works once, for 5 minutes; SIGUSR1 prints a new link)\n", link);
    else
        fprintf(stderr, "page: %s\n", link);
}

/* A log may have many readers, and the link makes whoever uses it the administrator: without a
 * terminal it is printed on request only. */
static void show_page(report_context *context)
{
    if (isatty(STDERR_FILENO) || !lw_server_url(context->server))
        print_link(context);
    else
        fprintf(stderr, "page: %s/ (send SIGUSR1 to process %ld for a link that signs in)\n",
                lw_server_url(context->server), (long)getpid());
}

/* How long requests in progress may take; the rest of the timeout is for closing the store. */
static int grace_of(const serve_options *s)
{
    return s->stop_s > 1 ? s->stop_s * 4 / 5 : 0;
}

static int run(serve_options *s)
{
    lw_server *server = NULL;
    controllers made = { .control = NULL };
    report_context context = { NULL, &made };
    lw_error err = LW_ERROR_INIT;
    signals_block();
    signals_on_user(print_link, &context);
    if (!signals_watch("serve", s->stop_s))
        return EXIT_FAILED;
    descriptors_raise();
    signals_doing("starting the server");
    if (lw_server_start(&server, &s->options, &err) < 0) {
        fprintf(stderr, "listwatch: %s\n", err.message);
        return EXIT_FAILED;
    }
    bool is_told = print_ready(server), is_run = false;
    if (!is_told)
        fprintf(stderr, "listwatch: standard output: %s\n", strerror(errno));
    else if (lw_server_kubeconfig(server))
        fprintf(stderr, "export KUBECONFIG=%s\n", lw_server_kubeconfig(server));
    context.server = server;
    if (is_told && start_controllers(s, server, &made)) {
        show_page(&context);
        notify_ready(server);
        signals_wait(REPORT_S, show_informers, &context);
        is_run = true;
    }
    if (is_run)
        notify_send("STOPPING=1");
    signals_doing("stopping the controllers");
    controllers_stop(&made);
    signals_doing("stopping the server");
    lw_server_stop(server, grace_of(s));
    signals_doing("exiting");
    return is_run ? EXIT_OK : EXIT_FAILED;
}

int command_serve(int argc, char **argv)
{
    serve_options s;
    bool is_help;
    int code = serve_options_parse(&s, argc, argv, &is_help);
    if (is_help)
        return serve_usage_print();
    return code == EXIT_OK ? run(&s) : code;
}
