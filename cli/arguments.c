/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c -- the command line of the commands that connect to a server. */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options.h"
#include "quantity.h"

enum {
    LONG_OPTION = 256, /* the first value of options without a letter */
    LETTERS_SIZE = 64,

    LISTING = COMMAND_GET | COMMAND_WATCH | COMMAND_DELETE | COMMAND_DESCRIBE | COMMAND_WAIT,
    FILES = COMMAND_GET | COMMAND_APPLY | COMMAND_DELETE | COMMAND_DIFF,
    STREAMS = COMMAND_EXEC | COMMAND_ATTACH,
    NAMESPACED = LISTING | FILES | COMMAND_LOGS | COMMAND_SCALE | COMMAND_ROLLOUT | STREAMS |
                 COMMAND_PORT_FORWARD,
    ETCD = COMMAND_WATCH,
    CONTROL = COMMAND_CONTROL,
};

int arguments_refuse(const arguments *args, const char *what, const char *why)
{
    (void)args;
    message("%s: %s", what, why);
    return EXIT_USAGE;
}

static int take_file(arguments *args, const char *file)
{
    if (args->file_count == ARGUMENTS_FILES)
        return arguments_refuse(args, file, "too many files; run the command more than once");
    args->files[args->file_count++] = file;
    return EXIT_OK;
}

/* Selectors are parsed here, so that an invalid one is a usage error and no request is sent. */
static int take_labels(arguments *args, const char *text)
{
    lw_label_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_label_selector_parse(&selector, lw_str_of(text), &err) < 0)
        return arguments_refuse(args, "selector", err.message);
    lw_label_selector_free(selector);
    args->labels = text;
    return EXIT_OK;
}

static int take_fields(arguments *args, const char *text)
{
    lw_field_selector *selector = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_field_selector_parse(&selector, lw_str_of(text), &err) < 0)
        return arguments_refuse(args, "field selector", err.message);
    lw_field_selector_free(selector);
    args->fields = text;
    return EXIT_OK;
}

static int take_output(arguments *args, const char *name)
{
    lw_error err = LW_ERROR_INIT;
    return output_parse(name, &args->output, &err) ? EXIT_OK
                                                   : arguments_refuse(args, "-o", err.message);
}

static int take_stats(arguments *args, const char *format)
{
    args->has_stats = strcmp(format, "json") == 0;
    return args->has_stats ? EXIT_OK
                           : arguments_refuse(args, format, "unknown statistics format; use json");
}

/* Sets |*out| to the one of |values| that equals |text|, ignoring the case of its first letter. */
static bool pick_value(const char *text, const char *const *values, const char **out)
{
    for (; *values; values++) {
        const char *value = *values;
        if ((text[0] | 0x20) == (value[0] | 0x20) && strcmp(text + 1, value + 1) == 0) {
            *out = value;
            return true;
        }
    }
    return false;
}

static int take_validation(arguments *args, const char *text)
{
    static const char *const values[] = { "Strict", "Warn", "Ignore", NULL };
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        args->validation = text[0] == 't' ? "Strict" : "Ignore";
    else if (!pick_value(text, values, &args->validation))
        return arguments_refuse(args, "--validate", "use strict, warn or ignore");
    return EXIT_OK;
}

static int take_cascade(arguments *args, const char *text)
{
    static const char *const values[] = { "Background", "Foreground", "Orphan", NULL };
    return pick_value(text, values, &args->cascade)
               ? EXIT_OK
               : arguments_refuse(args, "--cascade", "use background, foreground or orphan");
}

static int take_dry_run(arguments *args, const char *text)
{
    static const char *const names[] = { "none", "client", "server" };
    for (int i = DRY_RUN_NONE; i <= DRY_RUN_SERVER; i++) {
        if (strcmp(text, names[i]) == 0) {
            args->dry_run = (dry_run)i;
            return EXIT_OK;
        }
    }
    return arguments_refuse(args, "--dry-run", "use none, client or server");
}

static int take_namespaced(arguments *args, const char *text)
{
    args->namespaced = text;
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0
               ? EXIT_OK
               : arguments_refuse(args, "--namespaced", "use true or false");
}

static int take_nodes(arguments *args, const char *value)
{
    return quantity_parse_count(value, &args->control.nodes)
               ? EXIT_OK
               : arguments_refuse(args, value, "not a valid number of nodes");
}

typedef enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_TEXT,     /* const char * */
    OPTION_COUNT,    /* int64_t, not negative */
    OPTION_TIME,     /* int64_t in seconds, more than 0 */
    OPTION_FUNCTION, /* passed to |take| */
    OPTION_HELP,
} option_kind;

typedef struct option_spec {
    const char *name;
    char letter; /* '\0': none */
    unsigned commands;
    option_kind kind;
    size_t offset; /* of the member of arguments */
    int (*take)(arguments *args, const char *value);
} option_spec;

#define FLAG(member)  OPTION_FLAG, offsetof(arguments, member), NULL
#define TEXT(member)  OPTION_TEXT, offsetof(arguments, member), NULL
#define COUNT(member) OPTION_COUNT, offsetof(arguments, member), NULL
#define TIME(member)  OPTION_TIME, offsetof(arguments, member), NULL
#define TAKE(take)    OPTION_FUNCTION, 0, take

static const option_spec specs[] = {
    { "help", 'h', COMMAND_ALL, OPTION_HELP, 0, NULL },

    { "kubeconfig", '\0', COMMAND_ALL, TEXT(kubeconfig) },
    { "context", '\0', COMMAND_ALL, TEXT(context) },
    { "server", 's', COMMAND_ALL, TEXT(server) },
    { "token", '\0', COMMAND_ALL, TEXT(token) },
    { "certificate-authority", '\0', COMMAND_ALL, TEXT(ca_file) },
    { "as", '\0', COMMAND_ALL, TEXT(impersonate) },
    { "insecure-skip-tls-verify", '\0', COMMAND_ALL, FLAG(is_insecure) },

    { "filename", 'f', FILES, TAKE(take_file) },
    { "recursive", 'R', FILES, FLAG(is_recursive) },
    { "namespace", 'n', NAMESPACED, TEXT(ns) },
    { "all-namespaces", 'A', LISTING, FLAG(all_namespaces) },
    { "selector", 'l', LISTING | COMMAND_LOGS, TAKE(take_labels) },
    { "field-selector", '\0', COMMAND_GET | COMMAND_WATCH | COMMAND_DELETE | COMMAND_WAIT,
      TAKE(take_fields) },
    { "ignore-not-found", '\0', COMMAND_GET | COMMAND_DELETE, FLAG(ignores_not_found) },

    { "output", 'o', COMMAND_GET | COMMAND_WATCH | COMMAND_API_RESOURCES, TAKE(take_output) },
    { "sort-by", '\0', COMMAND_GET, TEXT(output.sort_by) },
    { "show-labels", '\0', COMMAND_GET, FLAG(output.shows_labels) },
    { "label-columns", 'L', COMMAND_GET, TEXT(output.label_columns) },
    { "no-headers", '\0', COMMAND_GET | COMMAND_API_RESOURCES, FLAG(output.has_no_headers) },
    { "watch", 'w', COMMAND_GET, FLAG(follows_changes) },
    { "once", '\0', COMMAND_WATCH, FLAG(is_once) },
    { "quiet", 'q', COMMAND_WATCH, FLAG(is_quiet) },
    { "stats", '\0', COMMAND_WATCH, TAKE(take_stats) },

    { "server-side", '\0', COMMAND_APPLY, FLAG(is_server_side) },
    { "force-conflicts", '\0', COMMAND_APPLY, FLAG(forces_conflicts) },
    { "field-manager", '\0', COMMAND_APPLY | COMMAND_DIFF, TEXT(field_manager) },
    { "validate", '\0', COMMAND_APPLY, TAKE(take_validation) },
    { "dry-run", '\0', COMMAND_APPLY | COMMAND_DELETE, TAKE(take_dry_run) },
    { "all", '\0', COMMAND_DELETE, FLAG(deletes_all) },
    { "yes", 'y', COMMAND_DELETE, FLAG(is_confirmed) },
    { "grace-period", '\0', COMMAND_DELETE, COUNT(grace_period_s) },
    { "cascade", '\0', COMMAND_DELETE, TAKE(take_cascade) },

    { "container", 'c', COMMAND_LOGS | STREAMS, TEXT(container) },
    { "stdin", 'i', STREAMS, FLAG(has_stdin) },
    { "tty", 't', STREAMS, FLAG(is_tty) },
    { "address", '\0', COMMAND_PORT_FORWARD, TEXT(address) },
    { "follow", 'f', COMMAND_LOGS, FLAG(follows_changes) },
    { "previous", 'p', COMMAND_LOGS, FLAG(is_previous) },
    { "timestamps", '\0', COMMAND_LOGS, FLAG(has_timestamps) },
    { "tail", '\0', COMMAND_LOGS, COUNT(tail) },
    { "since", '\0', COMMAND_LOGS, TIME(since_s) },
    { "replicas", '\0', COMMAND_SCALE, COUNT(replicas) },
    { "current-replicas", '\0', COMMAND_SCALE, COUNT(current_replicas) },
    { "for", '\0', COMMAND_WAIT, TEXT(condition) },
    { "timeout", '\0', COMMAND_WAIT | COMMAND_ROLLOUT, TIME(timeout_s) },
    { "api-group", '\0', COMMAND_API_RESOURCES, TEXT(api_group) },
    { "namespaced", '\0', COMMAND_API_RESOURCES, TAKE(take_namespaced) },
    { "api-version", '\0', COMMAND_EXPLAIN, TEXT(api_version) },
    { "recursive", '\0', COMMAND_EXPLAIN, FLAG(is_recursive) },

    { "etcd", '\0', ETCD, TEXT(etcd) },
    { "prefix", '\0', ETCD, TEXT(prefix) },
    { "etcd-ca", '\0', ETCD, TEXT(etcd_ca_file) },
    { "etcd-cert", '\0', ETCD, TEXT(etcd_cert_file) },
    { "etcd-key", '\0', ETCD, TEXT(etcd_key_file) },
    { "etcd-user", '\0', ETCD, TEXT(etcd_user) },
    { "etcd-password-file", '\0', ETCD, TEXT(etcd_password_file) },

    { "nodes", '\0', CONTROL, TAKE(take_nodes) },
    { "node-prefix", '\0', CONTROL, TEXT(control.node_prefix) },
    { "node-grace", '\0', CONTROL, TIME(control.node_grace_s) },
    { "pod-eviction-timeout", '\0', CONTROL, TIME(control.pod_eviction_s) },
    { "only", '\0', CONTROL, TEXT(control.only) },
    { "no-election", '\0', CONTROL, FLAG(control.is_alone) },
    { "no-impersonation", '\0', CONTROL, FLAG(control.has_one_user) },
    { "identity", '\0', CONTROL, TEXT(control.identity) },
    { "lease-duration", '\0', CONTROL, TIME(control.lease_s) },
    { "steps", '\0', CONTROL, FLAG(control.prints_steps) },
    { "verbose", 'v', COMMAND_CONTROL | COMMAND_WATCH, FLAG(is_verbose) },
};

enum {
    SPECS = sizeof(specs) / sizeof(specs[0]),
};

static int take_count(arguments *args, const option_spec *spec, const char *value, int64_t *out)
{
    unsigned count = 0;
    if (!quantity_parse_count(value, &count))
        return arguments_refuse(args, spec->name, "not a valid number");
    *out = count;
    return EXIT_OK;
}

static int take_time(arguments *args, const char *value, int64_t *seconds)
{
    return quantity_parse_seconds(value, seconds) && *seconds > 0
               ? EXIT_OK
               : arguments_refuse(args, value, "not a valid duration; use for example 15s or 1m");
}

static int take_option(arguments *args, const option_spec *spec, const char *value)
{
    void *member = (char *)args + spec->offset;
    switch (spec->kind) {
    case OPTION_FLAG: *(bool *)member = true; return EXIT_OK;
    case OPTION_TEXT: *(const char **)member = value; return EXIT_OK;
    case OPTION_COUNT: return take_count(args, spec, value, member);
    case OPTION_TIME: return take_time(args, value, member);
    case OPTION_FUNCTION: return spec->take(args, value);
    case OPTION_HELP: break;
    }
    return EXIT_OK;
}

static bool has_value(const option_spec *spec)
{
    return spec->kind != OPTION_FLAG && spec->kind != OPTION_HELP;
}

/* The options of one command in the form of getopt_long; |val| is LONG_OPTION + the index of the
 * spec, or the letter. */
typedef struct option_table {
    struct option known[SPECS + 1];
    char letters[LETTERS_SIZE];
    unsigned command;
} option_table;

static void fill_table(option_table *table, unsigned command)
{
    struct option *out = table->known;
    char *letter = table->letters;
    table->command = command;
    for (int i = 0; i < SPECS; i++) {
        const option_spec *spec = &specs[i];
        if (!(spec->commands & command))
            continue;
        *out++ = (struct option){ spec->name, has_value(spec) ? required_argument : no_argument,
                                  NULL, LONG_OPTION + i };
        if (spec->letter)
            *letter++ = spec->letter;
        if (spec->letter && has_value(spec))
            *letter++ = ':';
    }
    *out = (struct option){ NULL, 0, NULL, 0 };
    *letter = '\0';
}

static const option_spec *find_spec(const option_table *table, int option)
{
    if (option >= LONG_OPTION)
        return &specs[option - LONG_OPTION];
    for (size_t i = 0; i < SPECS; i++) {
        if ((specs[i].commands & table->command) && specs[i].letter == option)
            return &specs[i];
    }
    return NULL;
}

static int check_together(const arguments *args)
{
    if (args->ns && args->all_namespaces)
        return arguments_refuse(args, "-A", "cannot be used together with -n");
    return EXIT_OK;
}

int arguments_parse(arguments *args, int argc, char **argv, unsigned command, const char *usage,
                    bool *is_over)
{
    option_table table;
    int option, code = EXIT_OK;
    args->command = argv[0];
    args->grace_period_s = args->tail = args->replicas = args->current_replicas = -1;
    args->timeout_s = -1;
    *is_over = true;
    fill_table(&table, command);
    while (code == EXIT_OK &&
           (option = options_next(argc, argv, table.letters, table.known)) >= 0) {
        const option_spec *spec = find_spec(&table, option);
        if (spec && spec->kind == OPTION_HELP) {
            fputs(usage, stdout);
            return output_flush() ? EXIT_OK : EXIT_FAILED;
        }
        code = spec ? take_option(args, spec, optarg) : EXIT_USAGE;
    }
    if (code == EXIT_OK)
        code = check_together(args);
    if (code != EXIT_OK) {
        fprintf(stderr, "See listwatch %s --help.\n", argv[0]);
        return code;
    }
    args->words = argv + optind;
    args->word_count = (size_t)(argc - optind);
    *is_over = false;
    return EXIT_OK;
}
