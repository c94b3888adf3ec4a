/* SPDX-License-Identifier: Apache-2.0 */
/* script_server.h -- an HTTP/1.1 server on loopback that plays scripted replies.
 *
 * Its own thread accepts connections and reads requests (the head, and the body by Content-Length).
 * Each request takes the first reply that matches it and plays its steps:
 *
 *     script_server *server = script_server_open();
 *     script_server_say(server, "GET /hello", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
 *     script_server_say_always(server, NULL, SCRIPT_404);
 *     ... script_server_url(server) ...
 *     script_server_close(server);
 *
 * After the last step the connection waits for its next request.  A request without a matching
 * reply gets 500 and is counted.  Functions may be called from any thread.  The server does not use
 * the library's allocator. */
#ifndef LW_TESTS_SUPPORT_SCRIPT_SERVER_H
#define LW_TESTS_SUPPORT_SCRIPT_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#define SCRIPT_404 "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

enum {
    SCRIPT_CONNECTIONS_MAX = 512,
    SCRIPT_REPLIES_MAX = 256,
    SCRIPT_STEPS_MAX = 16,
    SCRIPT_REQUESTS_MAX = 1024,            /* number of requests kept */
    SCRIPT_REQUEST_SIZE = 2 * 1024 * 1024, /* bytes of a request */
};

typedef enum script_op {
    SCRIPT_END = 0, /* after the last step */
    SCRIPT_SEND,    /* sends |text| */
    SCRIPT_PIECES,  /* sends |text| one byte at a time */
    SCRIPT_WAIT,    /* waits for script_server_go: each call resumes one connection */
    SCRIPT_CLOSE,   /* closes in order */
    SCRIPT_RESET,   /* closes with a reset */
    SCRIPT_TUNNEL,  /* sends |text|, then forwards all bytes to and from loopback port |len| */
} script_op;

typedef struct script_step {
    script_op op;
    const char *text; /* must outlive the server */
    size_t len;       /* 0: up to the NUL */
} script_step;

typedef struct script_server script_server;

typedef struct script_counts {
    unsigned accepted; /* connections so far */
    unsigned open;     /* connections now */
    unsigned requests;
    unsigned unfit;   /* requests without a matching reply */
    unsigned waiting; /* connections at SCRIPT_WAIT */
} script_counts;

script_server *script_server_open(void);
void script_server_close(script_server *server);

/* Returns "http://127.0.0.1:PORT", valid as long as the server. */
const char *script_server_url(const script_server *server);
unsigned script_server_port(const script_server *server);

/* The next request that begins with |request| ("GET /path"; NULL: any) gets this reply once.
 * |steps| end with SCRIPT_END and are copied, but their texts are not. */
void script_server_play(script_server *server, const char *request, const script_step *steps);
/* The same for every such request. */
void script_server_play_always(script_server *server, const char *request,
                               const script_step *steps);
/* A reply with a single SCRIPT_SEND. */
void script_server_say(script_server *server, const char *request, const char *text);
void script_server_say_always(script_server *server, const char *request, const char *text);

/* Closes all connections at once, including tunnels. */
void script_server_cut(script_server *server);

/* Resumes one connection at SCRIPT_WAIT, now or when it gets there. */
void script_server_go(script_server *server);

script_counts script_server_counts(script_server *server);

/* Wait until the server has received this many requests, until this many connections are at
 * SCRIPT_WAIT, or until exactly this many are open; false after ten seconds. */
bool script_server_await_requests(script_server *server, unsigned count);
bool script_server_await_waiting(script_server *server, unsigned count);
bool script_server_await_open(script_server *server, unsigned count);

/* Copies the head of request |index| (0: the first), NUL-terminated; false: there is no such
 * request yet. */
bool script_server_request(script_server *server, unsigned index, char *out, size_t size);

#endif
