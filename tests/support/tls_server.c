/* SPDX-License-Identifier: Apache-2.0 */
/* tls_server.c -- the API server with HTTPS on loopback, and its credentials. */
#include "support/tls_server.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "unit/test.h"

static void read_text(const tls_server *server, const char *name, char *text, size_t size)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "%s/pki/%s", server->folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t len = fread(text, 1, size - 1, file);
    text[len] = '\0';
    (void)fclose(file);
}

void tls_server_open(tls_server *server)
{
    lw_error err = LW_ERROR_INIT;
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    char token[256];
    *server = (tls_server){ .folder = "/tmp/listwatch-test-XXXXXX" };
    assert_non_null(mkdtemp(server->folder));
    options.listen = "127.0.0.1:0";
    options.insecure_listen = "127.0.0.1:0";
    options.data_dir = server->folder;
    options.threads = 2;
    if (lw_server_start(&server->server, &options, &err) < 0)
        fail_msg("%s", err.message);
    read_text(server, "ca.crt", server->ca, sizeof(server->ca));
    read_text(server, "admin.crt", server->cert, sizeof(server->cert));
    read_text(server, "admin.key", server->key, sizeof(server->key));
    read_text(server, "admin.token", token, sizeof(token));
    token[strcspn(token, "\n")] = '\0';
    (void)snprintf(server->authorization, sizeof(server->authorization), "Authorization: Bearer %s",
                   token);
}

static int remove_entry(const char *path, const struct stat *facts, int what, struct FTW *at)
{
    (void)facts;
    (void)what;
    (void)at;
    return remove(path);
}

void tls_server_close(tls_server *server)
{
    lw_server_stop(server->server, 1);
    server->server = NULL;
    (void)nftw(server->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

lw_transport_endpoint tls_server_endpoint(const tls_server *server)
{
    return (lw_transport_endpoint){ .server = lw_server_url(server->server),
                                    .ca_pem = lw_str_of(server->ca) };
}

lw_transport_endpoint tls_server_admin_endpoint(const tls_server *server)
{
    lw_transport_endpoint endpoint = tls_server_endpoint(server);
    endpoint.cert_pem = lw_str_of(server->cert);
    endpoint.key_pem = lw_str_of(server->key);
    return endpoint;
}
