/* SPDX-License-Identifier: Apache-2.0 */
/* store_import.c -- `listwatch store import`: writes lines of JSON to a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "store_arguments.h"
#include "store_progress.h"

static const char usage[] =
    "usage: listwatch store import [FILE] [--on-conflict fail|skip|replace] [--data-dir DIR]\n"
    "\n"
    "Writes objects to the store, from lines as \"listwatch store export\" writes them, in FILE or "
    "on\n"
    "standard input.  The server must be stopped.  Objects are not validated as by the API.\n"
    "\n"
    "      --on-conflict POLICY  what to do if an object exists with another value: fail "
    "(default;\n"
    "                            what was written before stays), skip it, or replace "
    "it\n" STORE_DATA_DIR_USAGE;

/* The lines of a file. */
typedef struct lines {
    FILE *file;
    char *line;
    size_t size;
    bool is_failed;
} lines;

static bool next_line(const char **line, size_t *len, void *arg)
{
    lines *l = arg;
    errno = 0;
    ssize_t got = getline(&l->line, &l->size, l->file);
    if (got < 0) {
        l->is_failed = ferror(l->file) || errno == ENOMEM;
        return false;
    }
    *line = l->line;
    *len = (size_t)got - (got > 0 && l->line[got - 1] == '\n');
    return true;
}

static bool parse_policy(const char *text, lw_server_store_conflict *policy)
{
    static const char *const names[] = { "fail", "skip", "replace" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *policy = (lw_server_store_conflict)i;
            return true;
        }
    }
    return false;
}

static int run(const store_arguments *args, lw_server_store_conflict policy, lines *l)
{
    store_progress progress;
    lw_server_store_facts facts;
    lw_error err = LW_ERROR_INIT;
    store_progress_init(&progress, args, "objects imported");
    lw_server_store_report report = store_progress_report(&progress);
    lw_status st =
        lw_server_store_import(args->data_dir, policy, next_line, l, &report, &facts, &err);
    store_progress_done(&progress);
    if (st < 0)
        return store_fail(args, err.message);
    if (l->is_failed)
        return store_fail(args, "the input could not be read to its end");
    printf("imported: %llu objects, %llu already there; revision %llu\n",
           (unsigned long long)facts.objects, (unsigned long long)facts.skipped,
           (unsigned long long)facts.revision);
    return EXIT_OK;
}

int store_import(int argc, char **argv)
{
    store_arguments args;
    lw_server_store_conflict policy = LW_SERVER_STORE_FAIL;
    bool is_over = false;
    int code = store_arguments_parse(&args, argc, argv, "fc", usage, &is_over);
    if (is_over)
        return code;
    if (args.on_conflict && !parse_policy(args.on_conflict, &policy))
        return store_refuse(&args, args.on_conflict, "use fail, skip or replace");
    bool has_file = args.file && strcmp(args.file, "-") != 0;
    lines l = { .file = has_file ? fopen(args.file, "re") : stdin };
    if (!l.file)
        return store_refuse(&args, args.file, strerror(errno));
    code = run(&args, policy, &l);
    free(l.line);
    if (has_file)
        (void)fclose(l.file);
    return code;
}
