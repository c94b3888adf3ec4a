/* SPDX-License-Identifier: Apache-2.0 */
/* connection.h -- from a command line to a server, a resource of it and a namespace. */
#ifndef LISTWATCH_CLI_CONNECTION_H
#define LISTWATCH_CLI_CONNECTION_H

#include <listwatch.h>

#include "arguments.h"

typedef struct connection {
    const arguments *args;
    lw_config *config;
    lw_client *client;
} connection;

/* Finds the server.  Nothing is sent yet.  On failure it has complained. */
bool connection_open(connection *conn, const arguments *args);
void connection_close(connection *conn);

/* From now on somebody who hangs up is an error, not our end.  connection_open does it. */
void connection_ignore_hangups(void);

/* The namespace that is meant for |resource|: NULL where it has none, or all are meant. */
const char *connection_namespace(const connection *conn, const lw_resource *resource);

enum {
    TARGET_TYPE_SIZE = 256,
};

/* What a command line is about: "pods", "pods NAME NAME" or "pods/NAME". */
typedef struct target {
    char type[TARGET_TYPE_SIZE]; /* as it was typed */
    lw_resource resource;
    const char *ns;
    const char *name;   /* of the form TYPE/NAME; else NULL */
    char *const *names; /* ... and those of the other form */
    size_t name_count;  /* of either form */
} target;

/* Understands the words of the command line, with the server's help.  EXIT_OK, or it has complained
 * and returns what to exit with. */
int connection_target(connection *conn, target *t);

/* The name at |index|, which is below the count. */
const char *target_name(const target *t, size_t index);

/* Says on standard error what went wrong, and what can be done about it. */
void connection_complain(const connection *conn, lw_status st, const lw_error *err);

#endif
