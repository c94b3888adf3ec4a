/* SPDX-License-Identifier: Apache-2.0 */
/* store_export.c -- `listwatch store export`: writes objects as lines of JSON. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "store_arguments.h"
#include "store_progress.h"

static const char usage[] =
    "usage: listwatch store export [FILE] [--prefix PREFIX] [--kind KIND] [--data-dir DIR]\n"
    "\n"
    "Writes the objects of the store, one per line, to FILE or to standard output:\n"
    "{\"key\":\"/registry/configmaps/default/a\",\"value\":{\"kind\":\"ConfigMap\",...}}.  Also "
    "works while\n"
    "a server runs: all objects are as of one revision.\n"
    "\n"
    "      --prefix PREFIX       only keys that begin with PREFIX, e.g. /registry/pods/default/\n"
    "      --kind KIND           only objects of this kind, e.g. Pod\n" STORE_DATA_DIR_USAGE;

static lw_status write_line(const char *line, size_t len, void *arg)
{
    FILE *file = arg;
    bool is_written = fwrite(line, 1, len, file) == len && fputc('\n', file) != EOF;
    return is_written ? LW_OK : LW_ERR_IO;
}

static lw_status run(const store_arguments *args, FILE *file, lw_server_store_facts *facts,
                     lw_error *err)
{
    store_progress progress;
    const lw_server_store_selection selection = { args->prefix, args->kind };
    store_progress_init(&progress, args, "objects exported");
    lw_server_store_report report = store_progress_report(&progress);
    lw_status st =
        lw_server_store_export(args->data_dir, &selection, write_line, file, &report, facts, err);
    store_progress_done(&progress);
    return st;
}

int store_export(int argc, char **argv)
{
    store_arguments args;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "fpk", usage, &is_over);
    if (is_over)
        return code;
    bool has_file = args.file && strcmp(args.file, "-") != 0;
    FILE *file = has_file ? fopen(args.file, "we") : stdout;
    if (!file)
        return store_refuse(&args, args.file, strerror(errno));
    lw_status st = run(&args, file, &facts, &err);
    bool is_flushed = fflush(file) == 0 && !ferror(file);
    int why = errno;
    if (has_file && fclose(file) != 0)
        is_flushed = false;
    if (st == LW_OK && !is_flushed)
        return store_fail(&args, strerror(why));
    if (st < 0)
        return store_fail(&args, err.message);
    if (!args.is_quiet)
        fprintf(stderr, "exported: %llu objects as of revision %llu\n",
                (unsigned long long)facts.objects, (unsigned long long)facts.revision);
    return EXIT_OK;
}
