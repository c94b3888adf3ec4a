/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h -- the command line of the commands that connect to a server: one set of options, of
 * which each command accepts some. */
#ifndef LISTWATCH_CLI_ARGUMENTS_H
#define LISTWATCH_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controllers.h"
#include "output.h"

enum {
    ARGUMENTS_FILES = 64,
};

/* The commands, as bits: each option has the set of commands that accept it. */
enum {
    COMMAND_GET = 1 << 0,
    COMMAND_WATCH = 1 << 1,
    COMMAND_APPLY = 1 << 2,
    COMMAND_DELETE = 1 << 3,
    COMMAND_CONTROL = 1 << 4,
    COMMAND_LOGS = 1 << 5,
    COMMAND_SCALE = 1 << 6,
    COMMAND_WAIT = 1 << 7,
    COMMAND_ROLLOUT = 1 << 8,
    COMMAND_API_RESOURCES = 1 << 9,
    COMMAND_DESCRIBE = 1 << 10,
    COMMAND_DIFF = 1 << 11,
    COMMAND_EXPLAIN = 1 << 12,
    COMMAND_EXEC = 1 << 13,
    COMMAND_ATTACH = 1 << 14,
    COMMAND_PORT_FORWARD = 1 << 15,
    COMMAND_ALL = (1 << 16) - 1,
};

typedef enum dry_run {
    DRY_RUN_NONE,
    DRY_RUN_CLIENT,
    DRY_RUN_SERVER,
} dry_run;

/* The parsed command line.  The strings point into argv. */
typedef struct arguments {
    const char *command; /* name of the command, e.g. "get", for messages */

    /* Server and credentials. */
    const char *kubeconfig;
    const char *context;
    const char *server;
    const char *token;
    const char *ca_file;
    const char *impersonate;
    bool is_insecure;

    /* An etcd cluster instead of a server. */
    const char *etcd; /* endpoints; NULL: use a server */
    const char *prefix;
    const char *etcd_ca_file, *etcd_cert_file, *etcd_key_file;
    const char *etcd_user, *etcd_password_file;

    /* Selection of objects. */
    const char *files[ARGUMENTS_FILES];
    size_t file_count;
    bool is_recursive;
    const char *ns; /* NULL: not given */
    bool all_namespaces;
    const char *labels;
    const char *fields;
    bool ignores_not_found;
    char *const *words; /* resource and object names */
    size_t word_count;

    /* Options of apply and diff. */
    bool is_server_side;
    bool forces_conflicts;
    const char *field_manager; /* NULL: not given */
    const char *validation;    /* "Strict", "Warn" or "Ignore"; NULL: not given */
    dry_run dry_run;

    /* Options of delete. */
    bool deletes_all;
    bool is_confirmed;
    int64_t grace_period_s; /* -1: not given */
    const char *cascade;    /* "Background", "Foreground" or "Orphan"; NULL: not given */

    /* Output. */
    output_choice output;
    bool is_once;
    bool is_quiet;
    bool has_stats;
    bool follows_changes; /* get -w, logs -f */

    /* Options of logs, exec, attach, port-forward, scale, wait, rollout, api-resources and
     * explain. */
    const char *container;
    bool has_stdin, is_tty;
    const char *address; /* NULL: not given */
    bool is_previous;
    bool has_timestamps;
    int64_t tail;                       /* -1: not given */
    int64_t since_s;                    /* 0: not given */
    int64_t replicas, current_replicas; /* -1: not given */
    const char *condition;
    int64_t timeout_s; /* -1: not given */
    const char *api_group;
    const char *api_version;
    const char *namespaced; /* "true", "false"; NULL: not given */

    /* Options about controllers. */
    controllers_choice control;
    bool is_verbose;
} arguments;

/* Parses the command line of |command|, one of the bits above; |usage| is the text for --help.  If
 * |*is_over| is false afterwards, the command continues; otherwise it ends with the returned exit
 * code. */
int arguments_parse(arguments *args, int argc, char **argv, unsigned command, const char *usage,
                    bool *is_over);

/* Prints an error about the command line to standard error; returns EXIT_USAGE. */
int arguments_refuse(const arguments *args, const char *what, const char *why);

/* The part of the help text that all commands share. */
#define ARGUMENTS_SERVER_USAGE                                                                     \
    "      --kubeconfig FILE     server and credentials (default $KUBECONFIG,\n"                   \
    "                            ~/.kube/config, or the service account of the pod)\n"             \
    "      --context NAME        context of the kubeconfig to use (default its current context)\n" \
    "  -s, --server URL          URL of the server; overrides the kubeconfig\n"                    \
    "      --token TOKEN, --certificate-authority FILE, --insecure-skip-tls-verify, --as USER\n"   \
    "                            same as for kubectl\n"                                            \
    "  -h, --help                print this help\n"

/* Help texts that several commands share. */
#define ARGUMENTS_NAMESPACE_USAGE "  -n, --namespace NS        namespace of the object\n"
#define ARGUMENTS_FILE_USAGE                                                                       \
    "  -f, --filename FILE       a file, a directory or a URL; - is standard input; may be\n"      \
    "                            repeated\n"                                                       \
    "  -R, --recursive           also read the directories below a directory\n"

#endif
