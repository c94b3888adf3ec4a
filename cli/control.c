/* SPDX-License-Identifier: Apache-2.0 */
/* control.c -- `listwatch control`: runs the controllers of a cluster until it gets a signal. */
#include <stdio.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "controllers.h"
#include "descriptors.h"
#include "log_line.h"
#include "signals.h"

enum {
    STOP_S = 10, /* shutdown timeout in seconds */
};

static const char usage[] =
    "usage: listwatch control [options]\n"
    "\n"
    "Runs the controllers of a cluster against an API server until it gets SIGTERM or SIGINT: "
    "they\n"
    "create Pods for Deployments and simulate nodes that run them.  If several copies run, only "
    "the\n"
    "holder of the Lease kube-system/listwatch-control is active.\n"
    "\n"
    "      --nodes N             number of hollow nodes to simulate (default 0)\n"
    "      --node-prefix NAME    prefix of the node names, followed by a number (default node)\n"
    "      --node-grace TIME     a node without a heartbeat for this long is unreachable\n"
    "                            (default 40s)\n"
    "      --pod-eviction-timeout TIME\n"
    "                            how long pods stay on an unreachable node (default at once, or\n"
    "                            the 300s toleration that the server adds to pods)\n"
    "      --only NAME[,NAME]    run only these controllers\n"
    "      --no-election         run without a Lease; there must be no other copy\n"
    "      --no-impersonation    act as the user of the kubeconfig; otherwise each controller and\n"
    "                            hollow node acts as a user of its own, which the user of the\n"
    "                            kubeconfig must be allowed to impersonate\n"
    "      --identity NAME       name of this copy in the Lease (default generated)\n"
    "      --lease-duration TIME time after which another copy takes over from a silent holder\n"
    "                            (default 15s)\n"
    "      --steps               print each step, one per line\n"
    "  -v, --verbose             log more to standard error\n" //
    ARGUMENTS_SERVER_USAGE;

static int run(connection *conn, const arguments *args)
{
    const lw_logger logger = { args->is_verbose ? LW_LOG_DEBUG : LW_LOG_INFO, log_line_print,
                               NULL };
    controllers made = { .control = NULL };
    controllers_choice choice = args->control;
    lw_error err = LW_ERROR_INIT;
    signals_block();
    if (!signals_watch("control", STOP_S))
        return EXIT_FAILED;
    descriptors_raise();
    choice.root_ca = lw_config_ca(conn->config);
    choice.shows_informers = true;
    const lw_config_options options = connection_options(args);
    lw_status st = choice.has_one_user || args->impersonate
                       ? controllers_start(&made, conn->client, &choice, &logger, &err)
                       : controllers_connect(&made, &options, &choice, &logger, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    signals_wait(0, NULL, NULL);
    signals_doing("stopping the controllers");
    controllers_stop(&made);
    return EXIT_OK;
}

int command_control(int argc, char **argv)
{
    arguments args = { 0 };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_CONTROL, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count > 0)
        return arguments_refuse(&args, args.words[0], "unexpected argument");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = run(&conn, &args);
    connection_close(&conn);
    return code;
}
