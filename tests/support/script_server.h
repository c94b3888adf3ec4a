/* SPDX-License-Identifier: Apache-2.0 */
/* script_server.h -- an HTTP/1.1 server on loopback that plays what a test wrote down.
 *
 * A thread of its own accepts connections and reads requests (head, and as much body as
 * Content-Length says).  Each request takes the first reply that fits it and plays its steps:
 *
 *     script_server *server = script_server_open();
 *     script_server_say(server, "GET /hello", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
 *     script_server_say_always(server, NULL, SCRIPT_404);
 *     ... script_server_url(server) ...
 *     script_server_close(server);
 *
 * After the last step the connection waits for its next request.  A request that nothing fits is
 * answered with 500 and counted.  Functions may be called from any thread.  The server takes no
 * memory from the library's allocator. */
#ifndef LW_TESTS_SUPPORT_SCRIPT_SERVER_H
#define LW_TESTS_SUPPORT_SCRIPT_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#define SCRIPT_404 "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

enum {
    SCRIPT_CONNECTIONS_MAX = 512,
    SCRIPT_REPLIES_MAX = 256,
    SCRIPT_STEPS_MAX = 16,
    SCRIPT_REQUESTS_MAX = 1024,            /* that are remembered */
    SCRIPT_REQUEST_SIZE = 2 * 1024 * 1024, /* of one that is being read */
};

typedef enum script_op {
    SCRIPT_END = 0, /* after the last step */
    SCRIPT_SEND,    /* |text| */
    SCRIPT_PIECES,  /* |text|, a byte at a time */
    SCRIPT_WAIT,    /* for script_server_go: each call lets one waiting connection go on */
    SCRIPT_CLOSE,   /* orderly */
    SCRIPT_RESET,   /* not so */
    SCRIPT_TUNNEL,  /* |text| first, then all bytes to and from port |len| of loopback */
} script_op;

typedef struct script_step {
    script_op op;
    const char *text; /* must outlive the server */
    size_t len;       /* 0: up to its NUL */
} script_step;

typedef struct script_server script_server;

typedef struct script_counts {
    unsigned accepted; /* connections ever */
    unsigned open;     /* now */
    unsigned requests;
    unsigned unfit;   /* requests that had no reply */
    unsigned waiting; /* connections that stand at SCRIPT_WAIT */
} script_counts;

script_server *script_server_open(void);
void script_server_close(script_server *server);

/* "http://127.0.0.1:PORT"; lives as long as the server. */
const char *script_server_url(const script_server *server);
unsigned script_server_port(const script_server *server);

/* The next request that begins with |request| ("GET /path"; NULL: any) is answered so, once.
 * |steps| end with SCRIPT_END and are copied, not their texts. */
void script_server_play(script_server *server, const char *request, const script_step *steps);
/* The same for as often as it comes. */
void script_server_play_always(script_server *server, const char *request,
                               const script_step *steps);
/* A single SCRIPT_SEND. */
void script_server_say(script_server *server, const char *request, const char *text);
void script_server_say_always(script_server *server, const char *request, const char *text);

/* Drops all connections at once, tunnels too. */
void script_server_cut(script_server *server);

/* Lets one connection pass its SCRIPT_WAIT, now or when it gets there. */
void script_server_go(script_server *server);

script_counts script_server_counts(script_server *server);

/* Waits until it has seen so many requests, until so many connections stand at SCRIPT_WAIT, or
 * until exactly so many are open; false after ten seconds. */
bool script_server_await_requests(script_server *server, unsigned count);
bool script_server_await_waiting(script_server *server, unsigned count);
bool script_server_await_open(script_server *server, unsigned count);

/* Copies the head of request |index| (0: the first) as it came, NUL-terminated; false when there is
 * no such request yet. */
bool script_server_request(script_server *server, unsigned index, char *out, size_t size);

#endif
