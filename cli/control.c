/* SPDX-License-Identifier: Apache-2.0 */
/* control.c -- `listwatch control`: the controllers of a cluster, until they are told to stop. */
#include <stdio.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "controllers.h"
#include "log_line.h"
#include "signals.h"

static const char usage[] =
    "usage: listwatch control [options]\n"
    "\n"
    "Runs the controllers of a cluster on an API server until SIGTERM or SIGINT: what makes Pods\n"
    "out of Deployments, and nodes that only pretend to run them.  Of several copies one works;\n"
    "the Lease kube-system/listwatch-control says which.\n"
    "\n"
    "      --nodes N             run so many hollow nodes; 0\n"
    "      --node-prefix NAME    their names are this and a number; node\n"
    "      --node-grace TIME     a node not heard of for so long is unreachable; 40s\n"
    "      --pod-eviction-timeout TIME\n"
    "                            ... and pods leave it so much later; at once, or after the\n"
    "                            300s that servers give every pod\n"
    "      --only NAME[,NAME]    these controllers and no others\n"
    "      --no-election         work without a lease: there is no other copy\n"
    "      --identity NAME       this copy's name in the lease\n"
    "      --lease-duration TIME when another copy takes over that of one that is silent; 15s\n"
    "      --steps               print what is done, a line each\n"
    "  -v, --verbose             say more on standard error\n" //
    ARGUMENTS_SERVER_USAGE;

static int run(connection *conn, const arguments *args)
{
    const lw_logger logger = { args->is_verbose ? LW_LOG_DEBUG : LW_LOG_INFO, log_line_print,
                               NULL };
    controllers made = { NULL, NULL, NULL };
    controllers_choice choice = args->control;
    lw_error err = LW_ERROR_INIT;
    sigset_t signals;
    signals_block(&signals);
    choice.root_ca = lw_config_ca(conn->config);
    choice.shows_informers = true;
    lw_status st = controllers_start(&made, conn->client, &choice, &logger, &err);
    if (st < 0) {
        connection_complain(conn, st, &err);
        return EXIT_FAILED;
    }
    signals_wait(&signals, "control");
    controllers_stop(&made);
    return EXIT_OK;
}

int command_control(int argc, char **argv)
{
    arguments args = { 0 };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, ARGUMENTS_OF_CONTROL, usage, &is_over);
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
