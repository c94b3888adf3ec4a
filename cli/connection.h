/* SPDX-License-Identifier: Apache-2.0 */
/* connection.h -- connects to the server of a command line and finds the resource and namespace. */
#ifndef LISTWATCH_CLI_CONNECTION_H
#define LISTWATCH_CLI_CONNECTION_H

#include <listwatch.h>

#include "arguments.h"

typedef struct connection {
    const arguments *args;
    lw_config *config;
    lw_client *client;
} connection;

/* Finds the server and creates a client; sends nothing yet.  Returns false after it has printed an
 * error. */
bool connection_open(connection *conn, const arguments *args);
void connection_close(connection *conn);

/* Returns the options of the command line; the strings are those of |args|. */
lw_config_options connection_options(const arguments *args);

/* Ignores SIGPIPE, so that a closed connection is an error and does not end the process.
 * connection_open calls it. */
void connection_ignore_hangups(void);

/* Returns the namespace to use for |resource|; NULL if the resource is cluster-scoped or -A was
 * given. */
const char *connection_namespace(const connection *conn, const lw_resource *resource);

enum {
    TARGET_TYPE_SIZE = 256,
};

/* The objects that a command line names: "pods", "pods NAME NAME" or "pods/NAME". */
typedef struct target {
    char type[TARGET_TYPE_SIZE]; /* as typed */
    lw_resource resource;
    const char *ns;
    const char *name;   /* the name of RESOURCE/NAME; otherwise NULL */
    char *const *names; /* the names of RESOURCE NAME NAME */
    size_t name_count;  /* number of names, in either form */
} target;

/* Parses the arguments and looks the resource up on the server.  Returns EXIT_OK, or another exit
 * code after it has printed an error. */
int connection_target(connection *conn, target *t);

/* Returns the name at |index|, which must be less than the count. */
const char *target_name(const target *t, size_t index);

/* Prints the error to standard error, with advice if there is any. */
void connection_complain(const connection *conn, lw_status st, const lw_error *err);

#endif
