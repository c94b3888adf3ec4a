/* SPDX-License-Identifier: Apache-2.0 */
/* store_delete.c -- `listwatch store delete`: deletes objects by the prefix of their keys. */
#include <stdio.h>

#include "commands.h"
#include "store_arguments.h"
#include "store_progress.h"

static const char usage[] =
    "usage: listwatch store delete --prefix PREFIX [--data-dir DIR]\n"
    "\n"
    "Deletes the objects whose keys begin with PREFIX, for a server that cannot start because its\n"
    "store is too large.  The server must be stopped.  The rules of the API do not apply:\n"
    "finalizers and owners are ignored.  \"listwatch store export\" shows the keys.\n"
    "\n"
    "      --prefix PREFIX       e.g. /registry/events/ or "
    "/registry/pods/default/\n" STORE_DATA_DIR_USAGE;

int store_delete(int argc, char **argv)
{
    store_arguments args;
    store_progress progress;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "p", usage, &is_over);
    if (is_over)
        return code;
    if (!args.prefix || !args.prefix[0])
        return store_refuse(&args, "--prefix", "required, so that nothing is deleted by accident");
    store_progress_init(&progress, &args, "objects deleted");
    lw_server_store_report report = store_progress_report(&progress);
    lw_status st = lw_server_store_delete(args.data_dir, args.prefix, &report, &facts, &err);
    store_progress_done(&progress);
    if (st < 0)
        return store_fail(&args, err.message);
    printf("deleted: %llu objects\n", (unsigned long long)facts.objects);
    return EXIT_OK;
}
