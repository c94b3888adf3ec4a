/* SPDX-License-Identifier: Apache-2.0 */
/* connection.h -- connects to the server of a command line. */
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

/* Prints the error to standard error, with advice if there is any. */
void connection_complain(const connection *conn, lw_status st, const lw_error *err);

/* Returns true if the next request would fail in the same way: the server cannot be reached, or it
 * did not accept the credentials. */
bool connection_is_lost(lw_status st);

#endif
