/* SPDX-License-Identifier: Apache-2.0 */
/* store_arguments.c -- the command line of `listwatch store COMMAND`. */
#include "store_arguments.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "data_dir.h"
#include "message.h"
#include "options.h"

enum {
    OPTION_DATA_DIR = 256,
    OPTION_PREFIX,
    OPTION_KIND,
    OPTION_ON_CONFLICT,
    OPTION_REPAIR,
    OPTION_BACKUP,
    OPTION_OVERWRITE,
    OPTION_KUBECONFIG,
    OPTION_CONTEXT,
    OPTION_SERVER,
    OPTION_TOKEN,
    OPTION_CA,
    OPTION_INSECURE,
};

static const struct option options[] = {
    { "data-dir", required_argument, NULL, OPTION_DATA_DIR },
    { "quiet", no_argument, NULL, 'q' },
    { "help", no_argument, NULL, 'h' },
    { "prefix", required_argument, NULL, OPTION_PREFIX },
    { "kind", required_argument, NULL, OPTION_KIND },
    { "on-conflict", required_argument, NULL, OPTION_ON_CONFLICT },
    { "repair", no_argument, NULL, OPTION_REPAIR },
    { "backup", required_argument, NULL, OPTION_BACKUP },
    { "overwrite", no_argument, NULL, OPTION_OVERWRITE },
    { "kubeconfig", required_argument, NULL, OPTION_KUBECONFIG },
    { "context", required_argument, NULL, OPTION_CONTEXT },
    { "server", required_argument, NULL, OPTION_SERVER },
    { "token", required_argument, NULL, OPTION_TOKEN },
    { "certificate-authority", required_argument, NULL, OPTION_CA },
    { "insecure-skip-tls-verify", no_argument, NULL, OPTION_INSECURE },
    { NULL, 0, NULL, 0 },
};

int store_refuse(const store_arguments *args, const char *what, const char *why)
{
    (void)args;
    message("%s: %s", what, why);
    return EXIT_USAGE;
}

int store_fail(const store_arguments *args, const char *why)
{
    (void)args;
    message("%s", why);
    return EXIT_FAILED;
}

static const char *name_of(int option)
{
    const struct option *found = options;
    while (found->name && found->val != option)
        found++;
    return found->name;
}

/* The letter of an option in the list of those that a command accepts; 0: always accepted. */
static char letter_of(int option)
{
    switch (option) {
    case OPTION_PREFIX: return 'p';
    case OPTION_KIND: return 'k';
    case OPTION_ON_CONFLICT: return 'c';
    case OPTION_REPAIR: return 'r';
    case OPTION_BACKUP: return 'b';
    case OPTION_OVERWRITE: return 'o';
    default: return option >= OPTION_KUBECONFIG ? 's' : '\0';
    }
}

static void take_server_option(store_arguments *args, int option, const char *value)
{
    args->has_server = true;
    switch (option) {
    case OPTION_KUBECONFIG: args->server.kubeconfig = value; break;
    case OPTION_CONTEXT: args->server.context = value; break;
    case OPTION_SERVER: args->server.server = value; break;
    case OPTION_TOKEN: args->server.token = value; break;
    case OPTION_CA: args->server.ca_file = value; break;
    default: args->server.is_insecure = true; break;
    }
}

static void take_option(store_arguments *args, int option, const char *value)
{
    switch (option) {
    case OPTION_DATA_DIR: args->data_dir = value; break;
    case 'q': args->is_quiet = true; break;
    case OPTION_PREFIX: args->prefix = value; break;
    case OPTION_KIND: args->kind = value; break;
    case OPTION_ON_CONFLICT: args->on_conflict = value; break;
    case OPTION_REPAIR: args->repairs = true; break;
    case OPTION_BACKUP: args->backup = value; break;
    case OPTION_OVERWRITE: args->overwrites = true; break;
    default: take_server_option(args, option, value); break;
    }
}

static int take_words(store_arguments *args, int argc, char **argv, const char *allowed)
{
    bool needs_file = strchr(allowed, 'F') != NULL;
    if (optind < argc && (needs_file || strchr(allowed, 'f')))
        args->file = argv[optind++];
    if (optind < argc)
        return store_refuse(args, argv[optind], "unexpected argument");
    if (needs_file && !args->file)
        return store_refuse(args, "FILE", "name a file, or - for standard input or output");
    if (!args->data_dir && data_dir_find(args->default_dir, sizeof(args->default_dir)))
        args->data_dir = args->default_dir;
    if (!args->data_dir)
        return store_refuse(args, "--data-dir", "name the data directory of the server");
    if (args->has_server && args->data_dir != args->default_dir)
        return store_refuse(args, "--data-dir", "cannot be used together with --server");
    return EXIT_OK;
}

int store_arguments_parse(store_arguments *args, int argc, char **argv, const char *allowed,
                          const char *usage, bool *is_over)
{
    *args = (store_arguments){ .command = argv[0], .server = { .command = argv[0] } };
    *is_over = true;
    optind = 1;
    for (int option; (option = options_next(argc, argv, "qh", options)) >= 0;) {
        if (option == '?')
            return EXIT_USAGE;
        if (option == 'h') {
            fputs(usage, stdout);
            return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
        }
        char letter = letter_of(option);
        if (letter && !strchr(allowed, letter)) {
            message("--%s is not an option of %s", name_of(option), args->command);
            return EXIT_USAGE;
        }
        take_option(args, option, optarg);
    }
    int code = take_words(args, argc, argv, allowed);
    *is_over = code != EXIT_OK;
    return code;
}
