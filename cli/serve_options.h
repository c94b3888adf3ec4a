/* SPDX-License-Identifier: Apache-2.0 */
/* serve_options.h -- the options of `listwatch serve`. */
#ifndef LISTWATCH_CLI_SERVE_OPTIONS_H
#define LISTWATCH_CLI_SERVE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch.h>
#include <listwatch/server.h>

#include "controllers.h"

enum {
    SERVE_PATH_SIZE = 4096,
    SERVE_PASSWORD_SIZE = 1024,
    SERVE_REPEATS_MAX = 16, /* how often one option may be given */
};

/* The values of an option that may be repeated; ends with NULL. */
typedef struct serve_repeated {
    const char *values[SERVE_REPEATS_MAX + 1];
    size_t count;
} serve_repeated;

/* Everything the command line says. */
typedef struct serve_options {
    lw_server_options options; /* points into this structure, which must not be copied */
    lw_logger logger;
    bool is_memory;
    bool has_listen;
    char data_dir[SERVE_PATH_SIZE]; /* the default data directory */
    const char *password_file;
    char password[SERVE_PASSWORD_SIZE];
    int stop_s;
    lw_server_webhooks webhooks;
    lw_server_proxies proxies;
    serve_repeated account_keys, account_issuers, oidc_required_claims, webhook_resolve;
    bool has_controllers;
    controllers_choice choice;
} serve_options;

/* Parses the command line and fills in the defaults; the strings of |argv| are kept.  Returns the
 * exit code; if it is not EXIT_OK, the reason is printed.  |*is_help|: only help was asked for. */
int serve_options_parse(serve_options *s, int argc, char **argv, bool *is_help);

/* Prints the help.  Returns the exit code. */
int serve_usage_print(void);

#endif
