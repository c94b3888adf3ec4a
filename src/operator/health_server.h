/* SPDX-License-Identifier: Apache-2.0 */
/* health_server.h -- a small HTTP/1.1 server for health checks and metrics: GET and HEAD, one
 * request per connection, no TLS.
 *
 * It is driven by a descriptor, a timeout and a dispatch function, and never waits.  Bounds: 16
 * connections at a time, further ones wait in the backlog; 4 KiB of a request; 10 seconds per
 * connection.  One thread at a time. */
#ifndef LW_OPERATOR_HEALTH_SERVER_H
#define LW_OPERATOR_HEALTH_SERVER_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>
#include <listwatch/sys/clock.h>

#include "base/buf.h"

enum {
    LW_HEALTH_SERVER_CONNECTIONS = 16,
    LW_HEALTH_SERVER_HEAD_SIZE = 4096,
    LW_HEALTH_SERVER_TIMEOUT_S = 10,
    LW_HEALTH_SERVER_BODY_MAX = 16 << 20,
};

/* Views of the head of a request. */
typedef struct lw_health_server_request {
    lw_str path;
    lw_str query; /* without "?" */
    bool is_head; /* HEAD instead of GET */
} lw_health_server_request;

typedef struct lw_health_server_reply {
    int status; /* 200 */
    const char *content_type;
    lw_buf body;
} lw_health_server_reply;

/* Fills |reply|, which is 200, text/plain and empty. */
typedef void (*lw_health_server_fn)(const lw_health_server_request *request,
                                    lw_health_server_reply *reply, void *arg);

typedef struct lw_health_server lw_health_server;

/* Listens at |address|: "127.0.0.1:8081", "[::1]:8081", ":8081".  LW_ERR_INVALID, LW_ERR_IO,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_health_server_new(lw_health_server **out, const char *address,
                                             lw_health_server_fn fn, void *arg, lw_error *err);
void lw_health_server_free(lw_health_server *server);

unsigned lw_health_server_port(const lw_health_server *server);
int lw_health_server_fd(const lw_health_server *server);
int lw_health_server_timeout_ms(const lw_health_server *server);
void lw_health_server_dispatch(lw_health_server *server);

/* Parses the complete head of a request.  Returns 200, or the status of the refusal: 400, 405,
 * 505. */
int lw_health_server_parse(lw_str head, lw_health_server_request *out);

#endif
