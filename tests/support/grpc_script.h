/* SPDX-License-Identifier: Apache-2.0 */
/* grpc_script.h -- a gRPC server on loopback that sends scripted answers, including invalid ones;
 * on the loop of the test.
 *
 * It uses malloc, so that allocation failure tests do not affect it. */
#ifndef LW_TESTS_SUPPORT_GRPC_SCRIPT_H
#define LW_TESTS_SUPPORT_GRPC_SCRIPT_H

#include <nghttp2/nghttp2.h>

#include <listwatch/str.h>

#include "net/loop.h"

enum {
    GRPC_SCRIPT_CONNECTIONS_MAX = 16,
    GRPC_SCRIPT_STREAMS_MAX = 64,     /* streams of a connection */
    GRPC_SCRIPT_OUT_MAX = 128 * 1024, /* bytes sent at once */
    GRPC_SCRIPT_PATH_SIZE = 128,
    GRPC_SCRIPT_HEADERS_SIZE = 1024,
};

/* An answer.  The zero value is status 200, gRPC, no message, no trailers. */
typedef struct grpc_answer {
    int status;               /* 0: 200 */
    const char *content_type; /* NULL: "application/grpc"; "": none */
    lw_str body;              /* the content of DATA frames; at most 64 KiB */
    const char *grpc_status;  /* in the trailers; NULL: none */
    const char *grpc_message; /* NULL: none */
    bool is_trailers_only;    /* head and trailers in one */
    bool stays_open;          /* sends nothing after the body */
    bool is_silent;           /* sends nothing at all */
    bool is_reset;            /* RST_STREAM after the body */
    bool is_refused;          /* RST_STREAM (REFUSED_STREAM) instead of an answer */
    bool hangs_up;            /* closes the connection instead of an answer */
    bool says_goodbye;        /* GOAWAY after the answer */
} grpc_answer;

typedef struct grpc_script_stream {
    int32_t id;
    bool is_answered;
    const grpc_answer *answer;
    size_t sent; /* of the answer's body */
} grpc_script_stream;

typedef struct grpc_script grpc_script;

typedef struct grpc_script_connection {
    grpc_script *script;
    lw_io io; /* fd -1: none */
    nghttp2_session *session;
    grpc_script_stream streams[GRPC_SCRIPT_STREAMS_MAX];
    size_t stream_count;
    bool hangs_up; /* as soon as the session has returned */
} grpc_script_connection;

struct grpc_script {
    lw_loop *loop;
    lw_io listening;
    uint16_t port;
    char endpoint[64]; /* "http://127.0.0.1:12345" */
    const grpc_answer *answers;
    size_t answer_count; /* the last answer is repeated */
    unsigned accepted, requests, resets;
    char path[GRPC_SCRIPT_PATH_SIZE];       /* of the last request */
    char headers[GRPC_SCRIPT_HEADERS_SIZE]; /* of the last request: "name: value\n" */
    grpc_script_connection connections[GRPC_SCRIPT_CONNECTIONS_MAX];
};

/* Listens, and answers each request with the next answer.  False: it cannot listen. */
bool grpc_script_open(grpc_script *script, lw_loop *loop, const grpc_answer *answers, size_t count);
void grpc_script_close(grpc_script *script);

#endif
