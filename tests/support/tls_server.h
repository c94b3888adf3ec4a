/* SPDX-License-Identifier: Apache-2.0 */
/* tls_server.h -- the API server with HTTPS on loopback, and its credentials. */
#ifndef LW_TESTS_SUPPORT_TLS_SERVER_H
#define LW_TESTS_SUPPORT_TLS_SERVER_H

#include <listwatch/server.h>

#include "transport/transport.h"

enum {
    TLS_SERVER_PEM_SIZE = 8 * 1024,
};

typedef struct tls_server {
    lw_server *server;
    char folder[64];
    char ca[TLS_SERVER_PEM_SIZE], cert[TLS_SERVER_PEM_SIZE], key[TLS_SERVER_PEM_SIZE];
    char authorization[512]; /* "Authorization: Bearer ..." of the admin */
} tls_server;

/* Starts a server with a temporary folder; it also listens on plain HTTP. */
void tls_server_open(tls_server *server);
void tls_server_close(tls_server *server);

/* Return its endpoint with the CA; and with the certificate of the admin too. */
lw_transport_endpoint tls_server_endpoint(const tls_server *server);
lw_transport_endpoint tls_server_admin_endpoint(const tls_server *server);

#endif
