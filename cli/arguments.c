/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c -- the command line of the commands that connect to a server. */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "options.h"
#include "quantity.h"

/* Long options without a letter: server options, then etcd options, controller options and
 * server-side apply options. */
enum {
    OPTION_KUBECONFIG = 256,
    OPTION_CONTEXT,
    OPTION_SERVER,
    OPTION_TOKEN,
    OPTION_CA,
    OPTION_AS,
    OPTION_INSECURE,
    OPTION_ETCD,
    OPTION_PREFIX,
    OPTION_ETCD_CA,
    OPTION_ETCD_CERT,
    OPTION_ETCD_KEY,
    OPTION_ETCD_USER,
    OPTION_ETCD_PASSWORD_FILE,
    OPTION_NODES,
    OPTION_NODE_PREFIX,
    OPTION_NODE_GRACE,
    OPTION_POD_EVICTION,
    OPTION_ONLY,
    OPTION_NO_ELECTION,
    OPTION_NO_IMPERSONATION,
    OPTION_IDENTITY,
    OPTION_LEASE_DURATION,
    OPTION_STEPS,
    OPTION_SERVER_SIDE,
    OPTION_FORCE_CONFLICTS,
    OPTION_FIELD_MANAGER,
};

static const struct option long_options[] = {
    { "filename", required_argument, NULL, 'f' },
    { "namespace", required_argument, NULL, 'n' },
    { "all-namespaces", no_argument, NULL, 'A' },
    { "selector", required_argument, NULL, 'l' },
    { "field-selector", required_argument, NULL, 'F' },
    { "output", required_argument, NULL, 'o' },
    { "once", no_argument, NULL, '1' },
    { "quiet", no_argument, NULL, 'q' },
    { "stats", required_argument, NULL, 'S' },
    { "ignore-not-found", no_argument, NULL, 'i' },
    { "help", no_argument, NULL, 'h' },
    { "kubeconfig", required_argument, NULL, OPTION_KUBECONFIG },
    { "context", required_argument, NULL, OPTION_CONTEXT },
    { "server", required_argument, NULL, OPTION_SERVER },
    { "token", required_argument, NULL, OPTION_TOKEN },
    { "certificate-authority", required_argument, NULL, OPTION_CA },
    { "as", required_argument, NULL, OPTION_AS },
    { "insecure-skip-tls-verify", no_argument, NULL, OPTION_INSECURE },
    { "etcd", required_argument, NULL, OPTION_ETCD },
    { "prefix", required_argument, NULL, OPTION_PREFIX },
    { "etcd-ca", required_argument, NULL, OPTION_ETCD_CA },
    { "etcd-cert", required_argument, NULL, OPTION_ETCD_CERT },
    { "etcd-key", required_argument, NULL, OPTION_ETCD_KEY },
    { "etcd-user", required_argument, NULL, OPTION_ETCD_USER },
    { "etcd-password-file", required_argument, NULL, OPTION_ETCD_PASSWORD_FILE },
    { "nodes", required_argument, NULL, OPTION_NODES },
    { "node-prefix", required_argument, NULL, OPTION_NODE_PREFIX },
    { "node-grace", required_argument, NULL, OPTION_NODE_GRACE },
    { "pod-eviction-timeout", required_argument, NULL, OPTION_POD_EVICTION },
    { "only", required_argument, NULL, OPTION_ONLY },
    { "no-election", no_argument, NULL, OPTION_NO_ELECTION },
    { "no-impersonation", no_argument, NULL, OPTION_NO_IMPERSONATION },
    { "identity", required_argument, NULL, OPTION_IDENTITY },
    { "lease-duration", required_argument, NULL, OPTION_LEASE_DURATION },
    { "steps", no_argument, NULL, OPTION_STEPS },
    { "server-side", no_argument, NULL, OPTION_SERVER_SIDE },
    { "force-conflicts", no_argument, NULL, OPTION_FORCE_CONFLICTS },
    { "field-manager", required_argument, NULL, OPTION_FIELD_MANAGER },
    { "verbose", no_argument, NULL, 'v' },
    { NULL, 0, NULL, 0 },
};

int arguments_refuse(const arguments *args, const char *what, const char *why)
{
    fprintf(stderr, "listwatch %s: %s: %s\n", args->command, what, why);
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
    return output_parse(name, &args->output)
               ? EXIT_OK
               : arguments_refuse(args, name,
                                  "unknown output format; use name, json, yaml or wide");
}

static int take_stats(arguments *args, const char *format)
{
    args->has_stats = strcmp(format, "json") == 0;
    return args->has_stats ? EXIT_OK
                           : arguments_refuse(args, format, "unknown statistics format; use json");
}

static int take_nodes(arguments *args, const char *value)
{
    return quantity_parse_count(value, &args->control.nodes)
               ? EXIT_OK
               : arguments_refuse(args, value, "not a valid number of nodes");
}

static int take_time(arguments *args, const char *value, int64_t *seconds)
{
    return quantity_parse_seconds(value, seconds) && *seconds > 0
               ? EXIT_OK
               : arguments_refuse(args, value, "not a valid duration; use for example 15s or 1m");
}

static int take_control_option(arguments *args, int option, const char *value)
{
    switch (option) {
    case OPTION_NODES: return take_nodes(args, value);
    case OPTION_NODE_PREFIX: args->control.node_prefix = value; return EXIT_OK;
    case OPTION_ONLY: args->control.only = value; return EXIT_OK;
    case OPTION_NO_ELECTION: args->control.is_alone = true; return EXIT_OK;
    case OPTION_NO_IMPERSONATION: args->control.has_one_user = true; return EXIT_OK;
    case OPTION_IDENTITY: args->control.identity = value; return EXIT_OK;
    case OPTION_LEASE_DURATION: return take_time(args, value, &args->control.lease_s);
    case OPTION_NODE_GRACE: return take_time(args, value, &args->control.node_grace_s);
    case OPTION_POD_EVICTION: return take_time(args, value, &args->control.pod_eviction_s);
    case OPTION_STEPS: args->control.prints_steps = true; return EXIT_OK;
    default: return EXIT_USAGE;
    }
}

static int take_option(arguments *args, int option, const char *value)
{
    switch (option) {
    case 'f': return take_file(args, value);
    case 'n': args->ns = value; return EXIT_OK;
    case 'A': args->all_namespaces = true; return EXIT_OK;
    case 'l': return take_labels(args, value);
    case 'F': return take_fields(args, value);
    case 'o': return take_output(args, value);
    case '1': args->is_once = true; return EXIT_OK;
    case 'q': args->is_quiet = true; return EXIT_OK;
    case 'S': return take_stats(args, value);
    case 'i': args->ignores_not_found = true; return EXIT_OK;
    case OPTION_KUBECONFIG: args->kubeconfig = value; return EXIT_OK;
    case OPTION_CONTEXT: args->context = value; return EXIT_OK;
    case OPTION_SERVER: args->server = value; return EXIT_OK;
    case OPTION_TOKEN: args->token = value; return EXIT_OK;
    case OPTION_CA: args->ca_file = value; return EXIT_OK;
    case OPTION_AS: args->impersonate = value; return EXIT_OK;
    case OPTION_INSECURE: args->is_insecure = true; return EXIT_OK;
    case OPTION_ETCD: args->etcd = value; return EXIT_OK;
    case OPTION_PREFIX: args->prefix = value; return EXIT_OK;
    case OPTION_ETCD_CA: args->etcd_ca_file = value; return EXIT_OK;
    case OPTION_ETCD_CERT: args->etcd_cert_file = value; return EXIT_OK;
    case OPTION_ETCD_KEY: args->etcd_key_file = value; return EXIT_OK;
    case OPTION_ETCD_USER: args->etcd_user = value; return EXIT_OK;
    case OPTION_ETCD_PASSWORD_FILE: args->etcd_password_file = value; return EXIT_OK;
    case OPTION_SERVER_SIDE: args->is_server_side = true; return EXIT_OK;
    case OPTION_FORCE_CONFLICTS: args->forces_conflicts = true; return EXIT_OK;
    case OPTION_FIELD_MANAGER: args->field_manager = value; return EXIT_OK;
    case 'v': args->is_verbose = true; return EXIT_OK;
    default: return take_control_option(args, option, value);
    }
}

static bool is_allowed(int option, const char *allowed)
{
    if (option >= OPTION_SERVER_SIDE)
        option = 'P';
    else if (option >= OPTION_NODES)
        option = 'C';
    else if (option >= OPTION_ETCD)
        option = 'E';
    return option >= OPTION_KUBECONFIG || (option != '?' && strchr(allowed, option));
}

/* Copies the long options of one command, so that only these are suggested for a misspelled
 * option. */
static void pick_options(struct option *out, const char *allowed)
{
    for (const struct option *o = long_options; o->name; o++) {
        if (o->val == 'h' || is_allowed(o->val, allowed))
            *out++ = *o;
    }
    *out = (struct option){ NULL, 0, NULL, 0 };
}

int arguments_parse(arguments *args, int argc, char **argv, const char *allowed, const char *usage,
                    bool *is_over)
{
    struct option known[sizeof(long_options) / sizeof(long_options[0])];
    int option, code = EXIT_OK;
    args->command = argv[0];
    *is_over = true;
    pick_options(known, allowed);
    while (code == EXIT_OK && (option = options_next(argc, argv, "f:n:Al:o:qvh", known)) >= 0) {
        if (option == 'h') {
            fputs(usage, stdout);
            return output_flush(argv[0]) ? EXIT_OK : EXIT_FAILED;
        }
        /* A letter: |known| has only long options. */
        if (option != '?' && !is_allowed(option, allowed))
            return arguments_refuse(args, (const char[]){ '-', (char)option, '\0' },
                                    "not an option of this command");
        code = take_option(args, option, optarg);
    }
    if (code == EXIT_USAGE) {
        fprintf(stderr, "see listwatch %s --help\n", argv[0]);
        return code;
    }
    if (args->ns && args->all_namespaces)
        return arguments_refuse(args, "-A", "cannot be used together with -n");
    args->words = argv + optind;
    args->word_count = (size_t)(argc - optind);
    *is_over = false;
    return EXIT_OK;
}
