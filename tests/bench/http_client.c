/* SPDX-License-Identifier: Apache-2.0 */
/* http_client.c -- requests out, replies in; trusts the server, which is ours. */
#include "bench/http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_SIZE = 256 * 1024,
};

/* One context for all: what is measured is the server, not who it claims to be. */
static SSL_CTX *tls_context(void)
{
    static SSL_CTX *context;
    if (!context) {
        context = SSL_CTX_new(TLS_client_method());
        /* Else OpenSSL asks the system twice for each record, and the client is what is measured.
         */
        SSL_CTX_set_read_ahead(context, 1);
    }
    return context;
}

static bool start_tls(http_client *client)
{
    client->tls = SSL_new(tls_context());
    return client->tls && SSL_set_fd(client->tls, client->fd) == 1 && SSL_connect(client->tls) == 1;
}

bool http_client_open(http_client *client, const server_process *server, bool is_tls)
{
    memset(client, 0, sizeof(*client));
    client->token = server->token;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(is_tls ? server->tls_port : server->plain_port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    if (client->fd < 0 || connect(client->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0 ||
        (is_tls && !start_tls(client))) {
        fprintf(stderr, "connect: %s\n", strerror(errno));
        http_client_close(client);
        return false;
    }
    return true;
}

void http_client_close(http_client *client)
{
    SSL_free(client->tls);
    client->tls = NULL;
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
}

void http_client_set_blocking(http_client *client, bool is_blocking)
{
    int flags = fcntl(client->fd, F_GETFL);
    (void)fcntl(client->fd, F_SETFL, is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

static bool send_all(http_client *client, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = client->tls ? SSL_write(client->tls, bytes, (int)len)
                                   : send(client->fd, bytes, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

bool http_client_send(http_client *client, const char *method, const char *target, const char *body,
                      size_t body_len)
{
    char request[16 * 1024];
    int len = snprintf(request, sizeof(request),
                       "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                       "Accept: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                       method, target, client->token, client->accept ? client->accept : "*/*",
                       client->content_type ? client->content_type : "application/json", body_len);
    client->head_len = 0;
    client->in_body = false;
    client->is_complete = false;
    client->body_bytes = 0;
    if (body_len > 0 && (size_t)len + body_len <= sizeof(request)) {
        memcpy(request + len, body, body_len);
        return send_all(client, request, (size_t)len + body_len);
    }
    return send_all(client, request, (size_t)len) &&
           (body_len == 0 || send_all(client, body, body_len));
}

/* The head is in: what follows it? */
static void read_head(http_client *client)
{
    client->head[client->head_len] = '\0';
    const char *line = strstr(client->head, "HTTP/1.1 "); /* behind the end of the last body */
    client->status = line ? (int)strtol(line + sizeof("HTTP/1.1"), NULL, 10) : 0;
    const char *length = strcasestr(client->head, "\r\ncontent-length:");
    client->is_chunked = !length;
    client->left = length ? strtoll(length + sizeof("\r\ncontent-length:") - 1, NULL, 10) : -1;
    client->in_body = true;
    client->size_len = 0;
    client->is_complete = length && client->left == 0;
}

static size_t take_head(http_client *client, const char *bytes, size_t len)
{
    size_t used = 0;
    while (used < len && client->head_len < sizeof(client->head) - 1) {
        client->head[client->head_len++] = bytes[used++];
        if (client->head_len >= 4 &&
            memcmp(client->head + client->head_len - 4, "\r\n\r\n", 4) == 0) {
            read_head(client);
            break;
        }
    }
    return used;
}

/* "1f\r\n" before a chunk, "\r\n" after one. */
static size_t take_chunk_size(http_client *client, const char *bytes, size_t len)
{
    size_t used = 0;
    while (used < len) {
        char c = bytes[used++];
        if (c == '\n' && client->size_len > 0) {
            client->size_line[client->size_len] = '\0';
            client->left = strtoll(client->size_line, NULL, 16);
            client->size_len = 0;
            client->is_complete = client->left == 0;
            break;
        }
        if (c != '\r' && c != '\n' && client->size_len < sizeof(client->size_line) - 1)
            client->size_line[client->size_len++] = c;
    }
    return used;
}

static size_t take_body(http_client *client, const char *bytes, size_t len, http_body_fn on_body,
                        void *arg)
{
    size_t used = (uint64_t)client->left < len ? (size_t)client->left : len;
    if (on_body)
        on_body(bytes, used, arg);
    client->body_bytes += used;
    client->left -= (int64_t)used;
    if (client->left == 0 && client->is_chunked)
        client->left = -1;
    else if (client->left == 0)
        client->is_complete = true;
    return used;
}

int http_client_read(http_client *client, http_body_fn on_body, void *arg)
{
    static char bytes[READ_SIZE];
    ssize_t got = client->tls ? SSL_read(client->tls, bytes, sizeof(bytes))
                              : recv(client->fd, bytes, sizeof(bytes), 0);
    if (got <= 0) {
        bool is_empty = client->tls ? SSL_get_error(client->tls, (int)got) == SSL_ERROR_WANT_READ
                                    : got < 0 && (errno == EAGAIN || errno == EINTR);
        return is_empty ? 0 : -1;
    }
    const char *at = bytes;
    size_t len = (size_t)got;
    while (len > 0 && !client->is_complete) {
        size_t used = !client->in_body     ? take_head(client, at, len)
                      : client->left == -1 ? take_chunk_size(client, at, len)
                                           : take_body(client, at, len, on_body, arg);
        if (used == 0)
            return -1;
        at += used;
        len -= used;
    }
    return 1;
}

bool http_client_has_more(const http_client *client)
{
    return client->tls && SSL_has_pending(client->tls);
}

int http_client_call(http_client *client, const char *method, const char *target, const char *body,
                     size_t body_len, http_body_fn on_body, void *arg)
{
    if (!http_client_send(client, method, target, body, body_len))
        return 0;
    while (!client->is_complete) {
        if (http_client_read(client, on_body, arg) < 0)
            return 0;
    }
    return client->status;
}
