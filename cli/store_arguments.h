/* SPDX-License-Identifier: Apache-2.0 */
/* store_arguments.h -- the command line of `listwatch store COMMAND`: one set of options, of which
 * each command accepts some. */
#ifndef LISTWATCH_CLI_STORE_ARGUMENTS_H
#define LISTWATCH_CLI_STORE_ARGUMENTS_H

#include <stdbool.h>

#include "arguments.h"

enum {
    STORE_PATH_SIZE = 4096,
};

typedef struct store_arguments {
    const char *command; /* e.g. "store check", for messages */
    const char *data_dir;
    char default_dir[STORE_PATH_SIZE];
    const char *file; /* NULL: none; "-": standard input or output */
    const char *prefix;
    const char *kind;
    const char *on_conflict;
    const char *backup; /* of check */
    bool repairs;
    bool overwrites;
    bool is_quiet;
    bool has_server;  /* an option about a server was given */
    arguments server; /* which server, for backup */
} store_arguments;

/* The options of each command: p prefix, k kind, c on-conflict, r repair, b backup, o overwrite,
 * s server; F: a file is required, f: it is optional.  --data-dir and --quiet always are. */
int store_arguments_parse(store_arguments *args, int argc, char **argv, const char *allowed,
                          const char *usage, bool *is_over);

/* Prints "listwatch: what: why"; returns EXIT_USAGE. */
int store_refuse(const store_arguments *args, const char *what, const char *why);

/* Prints "listwatch: why"; returns EXIT_FAILED. */
int store_fail(const store_arguments *args, const char *why);

/* The commands. */
int store_check(int argc, char **argv);
int store_backup(int argc, char **argv);
int store_restore(int argc, char **argv);
int store_compact(int argc, char **argv);
int store_export(int argc, char **argv);
int store_import(int argc, char **argv);
int store_delete(int argc, char **argv);

#define STORE_DATA_DIR_USAGE                                                                       \
    "      --data-dir DIR        data directory of the server (default\n"                          \
    "                            $XDG_STATE_HOME/listwatch or ~/.local/state/listwatch)\n"         \
    "  -q, --quiet               show no progress\n"                                               \
    "  -h, --help                print this help\n"

#endif
