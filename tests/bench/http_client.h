/* SPDX-License-Identifier: Apache-2.0 */
/* http_client.h -- a client for measurements: HTTP/1.1 over a plain or TLS socket, as little as a
 * benchmark needs and as cheap as can be. */
#ifndef LW_TESTS_BENCH_HTTP_CLIENT_H
#define LW_TESTS_BENCH_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/server_process.h"

typedef struct ssl_st ssl_connection;

typedef struct http_client {
    int fd;
    ssl_connection *tls; /* NULL: plain */
    const char *token;
    /* To be set after http_client_open; NULL: any form, and JSON. */
    const char *accept, *content_type;
    /* The reply at hand. */
    char head[4096];
    size_t head_len;
    bool in_body;
    bool is_chunked;
    bool is_complete;
    int status;
    int64_t left;       /* bytes of the body, or of the chunk at hand; -1: a chunk's size comes */
    char size_line[32]; /* of a chunk */
    size_t size_len;
    uint64_t body_bytes;
} http_client;

/* Takes bytes of a body as they come. */
typedef void (*http_body_fn)(const char *bytes, size_t len, void *arg);

/* Connects; the socket blocks until http_client_set_blocking.  False with a message on stderr. */
bool http_client_open(http_client *client, const server_process *server, bool is_tls);
void http_client_close(http_client *client);
void http_client_set_blocking(http_client *client, bool is_blocking);

/* Sends a request; |body| may be NULL.  The socket must block. */
bool http_client_send(http_client *client, const char *method, const char *target, const char *body,
                      size_t body_len);

/* Reads once and hands on what belongs to the body.  1: something came, 0: nothing there now (a
 * socket that does not block), -1: the end or an error.  is_complete says that the reply is over.
 */
int http_client_read(http_client *client, http_body_fn on_body, void *arg);

/* True when bytes that have come already wait to be read: poll will not tell of them. */
bool http_client_has_more(const http_client *client);

/* Sends, reads the whole reply and returns its status; 0: it failed. */
int http_client_call(http_client *client, const char *method, const char *target, const char *body,
                     size_t body_len, http_body_fn on_body, void *arg);

#endif
