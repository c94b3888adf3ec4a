/* SPDX-License-Identifier: Apache-2.0 */
/* store_compact.c -- `listwatch store compact`: rewrites a store without free pages. */
#include <stdio.h>

#include <listwatch/server_store.h>

#include "commands.h"
#include "store_arguments.h"

static const char usage[] =
    "usage: listwatch store compact [--data-dir DIR]\n"
    "\n"
    "Rewrites the store without free pages, so that its file becomes as small as possible, and\n"
    "converts a store of an older version.  The server must be stopped.  Needs as much free disk\n"
    "space as the new file; if it is interrupted, the old file remains.\n"
    "\n" STORE_DATA_DIR_USAGE;

int store_compact(int argc, char **argv)
{
    store_arguments args;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "", usage, &is_over);
    if (is_over)
        return code;
    if (lw_server_store_compact(args.data_dir, &facts, &err) < 0)
        return store_fail(&args, err.message);
    printf("compacted: revision %llu, %llu objects, %llu bytes\n",
           (unsigned long long)facts.revision, (unsigned long long)facts.objects,
           (unsigned long long)facts.bytes);
    return EXIT_OK;
}
