/* SPDX-License-Identifier: Apache-2.0 */
/* store.c -- `listwatch store`: selects the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "closest.h"
#include "commands.h"
#include "message.h"
#include "store_arguments.h"

typedef struct store_command {
    const char *name;
    char full_name[24]; /* for messages */
    const char *summary;
    int (*run)(int argc, char **argv);
} store_command;

static store_command commands[] = {
    { "check", "store check", "find damage in a store or in a backup", store_check },
    { "backup", "store backup", "write a backup, also while a server runs", store_backup },
    { "restore", "store restore", "create a store from a backup", store_restore },
    { "compact", "store compact", "rewrite a store without free pages", store_compact },
    { "export", "store export", "write objects as lines of JSON", store_export },
    { "import", "store import", "write lines of JSON to a store", store_import },
    { "delete", "store delete", "delete objects by the prefix of their keys", store_delete },
};

static void print_help(FILE *to)
{
    fprintf(to, "usage: listwatch store <command> [options]\n"
                "\n"
                "Works on the store in the data directory of a server.  check, backup and export\n"
                "work while the server runs; for the others, stop it first.\n"
                "\n"
                "commands:\n");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\nSee listwatch store <command> --help.\n");
}

int command_store(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
    }
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        argv[1] = commands[i].full_name;
        return commands[i].run(argc - 1, argv + 1);
    }
    closest similar = CLOSEST_INIT(argv[1]);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        closest_offer(&similar, commands[i].name);
    if (similar.found)
        message("unknown command \"store %s\" (did you mean store %s?)", argv[1], similar.found);
    else
        message("unknown command \"store %s\"; see listwatch store --help", argv[1]);
    return EXIT_USAGE;
}
