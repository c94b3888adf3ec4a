/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h -- the command line of get, watch, apply, delete and control: one set of options, of
 * which each command accepts some. */
#ifndef LISTWATCH_CLI_ARGUMENTS_H
#define LISTWATCH_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "controllers.h"
#include "output.h"

enum {
    ARGUMENTS_FILES = 64,
};

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
    const char *ns; /* NULL: not given */
    bool all_namespaces;
    const char *labels;
    const char *fields;
    char *const *words; /* resource and object names */
    size_t word_count;

    /* Options of apply. */
    bool is_server_side;
    bool forces_conflicts;
    const char *field_manager; /* NULL: not given */

    /* Output. */
    output_format output;
    bool is_once;
    bool is_quiet;
    bool has_stats;
    bool ignores_not_found;

    /* Options about controllers. */
    controllers_choice control;
    bool is_verbose;
} arguments;

/* The options of each command, one letter per option: those below, 's' for all server options, 'E'
 * for all etcd options, 'C' for all controller options, 'P' for all server-side apply options. */
#define ARGUMENTS_OF_GET     "sfnAlFo"
#define ARGUMENTS_OF_WATCH   "sEnAlFo1qS"
#define ARGUMENTS_OF_APPLY   "sfnP"
#define ARGUMENTS_OF_DELETE  "sfnAlFi"
#define ARGUMENTS_OF_CONTROL "sCv"

/* Parses the command line; |allowed| is one of the strings above, |usage| is the text for --help.
 * If |*is_over| is false afterwards, the command continues; otherwise it ends with the returned
 * exit code. */
int arguments_parse(arguments *args, int argc, char **argv, const char *allowed, const char *usage,
                    bool *is_over);

/* Prints an error about the command line to standard error; returns EXIT_USAGE. */
int arguments_refuse(const arguments *args, const char *what, const char *why);

/* The part of the help text that all commands share. */
#define ARGUMENTS_SERVER_USAGE                                                                     \
    "      --kubeconfig FILE     server and credentials (default $KUBECONFIG,\n"                   \
    "                            ~/.kube/config, or the service account of the pod)\n"             \
    "      --context NAME        context of the kubeconfig to use (default its current context)\n" \
    "      --server URL          URL of the server; overrides the kubeconfig\n"                    \
    "      --token TOKEN, --certificate-authority FILE, --insecure-skip-tls-verify, --as USER\n"   \
    "                            same as for kubectl\n"                                            \
    "  -h, --help                print this help\n"

#endif
