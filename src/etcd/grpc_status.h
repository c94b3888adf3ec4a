/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_status.h -- parses the status of a gRPC reply from its headers and trailers. */
#ifndef LW_ETCD_GRPC_STATUS_H
#define LW_ETCD_GRPC_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "net/http.h"

/* The gRPC status codes. */
typedef enum lw_grpc_code {
    LW_GRPC_NONE = -1, /* no status was sent */
    LW_GRPC_OK = 0,
    LW_GRPC_CANCELLED = 1,
    LW_GRPC_UNKNOWN = 2,
    LW_GRPC_INVALID_ARGUMENT = 3,
    LW_GRPC_DEADLINE_EXCEEDED = 4,
    LW_GRPC_NOT_FOUND = 5,
    LW_GRPC_ALREADY_EXISTS = 6,
    LW_GRPC_PERMISSION_DENIED = 7,
    LW_GRPC_RESOURCE_EXHAUSTED = 8,
    LW_GRPC_FAILED_PRECONDITION = 9,
    LW_GRPC_ABORTED = 10,
    LW_GRPC_OUT_OF_RANGE = 11,
    LW_GRPC_UNIMPLEMENTED = 12,
    LW_GRPC_INTERNAL = 13,
    LW_GRPC_UNAVAILABLE = 14,
    LW_GRPC_DATA_LOSS = 15,
    LW_GRPC_UNAUTHENTICATED = 16,
} lw_grpc_code;

enum {
    LW_GRPC_MESSAGE_SIZE = 320,
};

typedef struct lw_grpc_status {
    int http_status; /* 0: no headers yet */
    bool is_grpc;    /* the content type is that of gRPC */
    lw_grpc_code code;
    char message[LW_GRPC_MESSAGE_SIZE]; /* one line, truncated if it is too long */
} lw_grpc_status;

void lw_grpc_status_init(lw_grpc_status *status);

/* Parses the headers of a reply; a reply that fails immediately has its status there. */
void lw_grpc_status_head(lw_grpc_status *status, int http_status, const lw_http_header *headers,
                         size_t count);

/* Parses the trailers. */
void lw_grpc_status_trailers(lw_grpc_status *status, const lw_http_header *headers, size_t count);

/* Returns the name of |code| (e.g. "unavailable"), never NULL. */
const char *lw_grpc_code_name(lw_grpc_code code);

#endif
