/* SPDX-License-Identifier: Apache-2.0 */
/* store_restore.c -- `listwatch store restore`: creates a store from a backup. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch/server_store.h>

#include "commands.h"
#include "store_arguments.h"

static const char usage[] =
    "usage: listwatch store restore FILE [--data-dir DIR]\n"
    "\n"
    "Creates the store in DIR, which must not contain one, from a backup; - reads standard input.\n"
    "The backup is checked; if anything is wrong or the command is interrupted, there is no "
    "store.\n"
    "\n"
    "Revisions continue at the revision of the backup.  Clients that were connected when the\n"
    "backup was taken resume their watches.  Clients that have seen later revisions get an error\n"
    "and list again.  Keys and certificates are not part of a backup: copy the other files in DIR\n"
    "too, or clients need the new kubeconfig.\n"
    "\n" STORE_DATA_DIR_USAGE;

int store_restore(int argc, char **argv)
{
    store_arguments args;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "F", usage, &is_over);
    if (is_over)
        return code;
    int fd = strcmp(args.file, "-") == 0 ? STDIN_FILENO : open(args.file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return store_refuse(&args, args.file, strerror(errno));
    lw_status st = lw_server_store_restore(args.data_dir, fd, &facts, &err);
    (void)close(fd);
    if (st < 0)
        return store_fail(&args, err.message);
    printf("restored: revision %llu, %llu objects\n", (unsigned long long)facts.revision,
           (unsigned long long)facts.objects);
    return EXIT_OK;
}
