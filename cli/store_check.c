/* SPDX-License-Identifier: Apache-2.0 */
/* store_check.c -- `listwatch store check`: finds damage in a store or in a backup. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "store_arguments.h"
#include "store_progress.h"

static const char usage[] =
    "usage: listwatch store check [--data-dir DIR] [--repair]\n"
    "       listwatch store check --backup FILE\n"
    "\n"
    "Reads a store or a backup completely and checks pages, checksums, order and counts.  Each\n"
    "damage is printed to standard error with its key and page.  Exit code 0: no damage; 1:\n"
    "damaged, or it cannot be read.  Also works while a server runs, except for --repair.\n"
    "\n"
    "      --repair              rewrite a damaged store with the objects that can be read, and\n"
    "                            print the others; clients list everything again.  The damaged\n"
    "                            file is kept as DIR/store/data.mdb.damaged\n"
    "      --backup FILE         check a backup instead; - reads standard "
    "input\n" STORE_DATA_DIR_USAGE;

static void print_facts(const char *verdict, const lw_server_store_facts *facts)
{
    printf("%s: revision %llu, %llu objects, %llu changes, %llu bytes\n", verdict,
           (unsigned long long)facts->revision, (unsigned long long)facts->objects,
           (unsigned long long)facts->records, (unsigned long long)facts->bytes);
}

static int check_backup(const store_arguments *args)
{
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    int fd =
        strcmp(args->backup, "-") == 0 ? STDIN_FILENO : open(args->backup, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return store_refuse(args, args->backup, strerror(errno));
    lw_status st = lw_server_store_check_backup(fd, &facts, &err);
    (void)close(fd);
    if (st < 0)
        return store_fail(args, err.message);
    print_facts("no damage", &facts);
    return EXIT_OK;
}

static int repair(const store_arguments *args, const lw_server_store_report *report)
{
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    if (lw_server_store_repair(args->data_dir, report, &facts, &err) < 0)
        return store_fail(args, err.message);
    print_facts("repaired", &facts);
    return EXIT_OK;
}

int store_check(int argc, char **argv)
{
    store_arguments args;
    store_progress progress;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "rb", usage, &is_over);
    if (is_over)
        return code;
    if (args.backup)
        return check_backup(&args);
    store_progress_init(&progress, &args, "changes checked");
    lw_server_store_report report = store_progress_report(&progress);
    lw_status st = lw_server_store_check(args.data_dir, &report, &facts, &err);
    store_progress_done(&progress);
    if (st == LW_OK) {
        print_facts("no damage", &facts);
        return EXIT_OK;
    }
    if (st == LW_ERR_INVALID && args.repairs)
        return repair(&args, &report);
    return store_fail(&args, err.message);
}
