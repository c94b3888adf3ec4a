/* SPDX-License-Identifier: Apache-2.0 */
/* get_server.h -- the two ways of `listwatch get` to show objects of a server. */
#ifndef LISTWATCH_CLI_GET_SERVER_H
#define LISTWATCH_CLI_GET_SERVER_H

#include "connection.h"
#include "output.h"
#include "targets.h"

enum {
    GET_PAGE_SIZE = 500, /* objects per request */
};

/* Prints the columns that the server has.  Return an exit code, after they have printed an error.
 */
int get_table(connection *conn, const targets *t);

/* Prints the objects themselves: as JSON, YAML, names, a JSONPath or custom columns. */
int get_objects(connection *conn, const targets *t, output *out);

/* Prints the objects and then each change, until the process is stopped. */
int get_table_changes(connection *conn, const target *t);
int get_object_changes(connection *conn, const target *t);

/* Prints that nothing was found, and in which namespace. */
void get_say_empty(const connection *conn, const targets *t);

#endif
