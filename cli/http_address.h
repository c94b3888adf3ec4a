/* SPDX-License-Identifier: Apache-2.0 */
/* http_address.h -- the socket address of a URL such as "http://127.0.0.1:2379". */
#ifndef LISTWATCH_CLI_HTTP_ADDRESS_H
#define LISTWATCH_CLI_HTTP_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

typedef struct http_address {
    struct sockaddr_storage storage;
    socklen_t len;
} http_address;

/* Parses the first URL of a list that is separated by commas.  False: it is not http with a numeric
 * address (or "localhost") and a port. */
bool http_address_parse(http_address *address, const char *urls);

/* Returns the port. */
unsigned http_address_port(const http_address *address);

#endif
