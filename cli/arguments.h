/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h -- the command line of get, watch, apply, delete and control: one set of options, of
 * which each command takes some. */
#ifndef LISTWATCH_CLI_ARGUMENTS_H
#define LISTWATCH_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "controllers.h"
#include "output.h"

enum {
    ARGUMENTS_FILES = 64,
};

/* What was said.  Strings are those of argv. */
typedef struct arguments {
    const char *command; /* "get", for messages */

    /* Which server, and who we are there. */
    const char *kubeconfig;
    const char *context;
    const char *server;
    const char *token;
    const char *ca_file;
    const char *impersonate;
    bool is_insecure;

    /* An etcd instead of a server. */
    const char *etcd; /* its endpoints; NULL: a server */
    const char *prefix;
    const char *etcd_ca_file, *etcd_cert_file, *etcd_key_file;
    const char *etcd_user, *etcd_password_file;

    /* Which objects. */
    const char *files[ARGUMENTS_FILES];
    size_t file_count;
    const char *ns; /* NULL: not said */
    bool all_namespaces;
    const char *labels;
    const char *fields;
    char *const *words; /* resource and names */
    size_t word_count;

    /* How to apply. */
    bool is_server_side;
    bool forces_conflicts;
    const char *field_manager; /* NULL: not said */

    /* What to show. */
    output_format output;
    bool is_once;
    bool is_quiet;
    bool has_stats;
    bool ignores_not_found;

    /* Which controllers, and how. */
    controllers_choice control;
    bool is_verbose;
} arguments;

/* The options of a command, a letter each: those below, 's' for all that say which server, 'E' for
 * all that say which etcd, 'C' for all about controllers, 'P' for all about server-side apply. */
#define ARGUMENTS_OF_GET     "sfnAlFo"
#define ARGUMENTS_OF_WATCH   "sEnAlFo1qS"
#define ARGUMENTS_OF_APPLY   "sfnP"
#define ARGUMENTS_OF_DELETE  "sfnAlFi"
#define ARGUMENTS_OF_CONTROL "sCv"

/* Reads the command line; |allowed| is one of the above, |usage| what --help prints.  EXIT_OK with
 * |*is_over| false: go on; else the command is over with the exit code that is returned. */
int arguments_parse(arguments *args, int argc, char **argv, const char *allowed, const char *usage,
                    bool *is_over);

/* Complains about the command line; returns EXIT_USAGE. */
int arguments_refuse(const arguments *args, const char *what, const char *why);

/* The part of the help that all commands share. */
#define ARGUMENTS_SERVER_USAGE                                                                     \
    "      --kubeconfig FILE     server and credentials (default $KUBECONFIG,\n"                   \
    "                            ~/.kube/config, or the service account of the pod)\n"             \
    "      --context NAME        context of the kubeconfig to use (default its current context)\n" \
    "      --server URL          URL of the server; overrides the kubeconfig\n"                    \
    "      --token TOKEN, --certificate-authority FILE, --insecure-skip-tls-verify, --as USER\n"   \
    "                            same as for kubectl\n"                                            \
    "  -h, --help                print this help\n"

#endif
