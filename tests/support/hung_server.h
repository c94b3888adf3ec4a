/* SPDX-License-Identifier: Apache-2.0 */
/* hung_server.h -- a server that accepts connections, reads requests, and never answers. */
#ifndef LW_TESTS_SUPPORT_HUNG_SERVER_H
#define LW_TESTS_SUPPORT_HUNG_SERVER_H

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <listwatch/client.h>

#include "unit/test.h"

enum {
    HUNG_SERVER_LINES = 8, /* maximum number of connections */
};

typedef struct hung_server {
    int fd;
    int lines[HUNG_SERVER_LINES];
    size_t count;
    unsigned port;
} hung_server;

static inline void hung_server_open(hung_server *server)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t size = sizeof(at);
    *server = (hung_server){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(server->fd >= 0);
    assert_int_equal(bind(server->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(server->fd, HUNG_SERVER_LINES), 0);
    assert_int_equal(getsockname(server->fd, (struct sockaddr *)&at, &size), 0);
    server->port = ntohs(at.sin_port);
}

static inline void hung_server_close(hung_server *server)
{
    for (size_t i = 0; i < server->count; i++)
        (void)close(server->lines[i]);
    (void)close(server->fd);
}

/* Waits until the next connection has received the beginning of a request. */
static inline void hung_server_await_request(hung_server *server)
{
    char byte;
    assert_true(server->count < HUNG_SERVER_LINES);
    int line = accept(server->fd, NULL, NULL);
    assert_true(line >= 0);
    server->lines[server->count++] = line;
    assert_int_equal(recv(line, &byte, 1, 0), 1);
}

/* Makes a client with a timeout of an hour; the caller unrefs it. */
static inline lw_client *hung_server_client(const hung_server *server)
{
    char url[64];
    lw_error err = LW_ERROR_INIT;
    lw_config *config = NULL;
    lw_client *client = NULL;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    lw_client_options how = LW_CLIENT_OPTIONS_INIT;
    how.timeout_s = 3600;
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", server->port);
    where.server = url;
    if (lw_config_load(&config, &where, &err) < 0 || lw_client_new(&client, config, &how, &err) < 0)
        fail_msg("%s", err.message);
    lw_config_unref(config);
    return client;
}

#endif
