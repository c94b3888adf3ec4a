/* SPDX-License-Identifier: Apache-2.0 */
/* h2_pair.h -- an nghttp2 client and the server's HTTP/2, connected in memory.  The clock does not
 * advance, and bytes move only when the test says so. */
#ifndef LW_TESTS_SUPPORT_H2_PAIR_H
#define LW_TESTS_SUPPORT_H2_PAIR_H

#include <nghttp2/nghttp2.h>

#include <listwatch/sys/clock.h>

#include "support/fake_conn.h"

enum {
    H2_PAIR_STREAMS_MAX = 4096,
    H2_PAIR_HEADERS_MAX = 8,
    H2_PAIR_BODY_MAX = 64 * 1024 * 1024,
    H2_PAIR_NOT_CLOSED = -1,
};

/* The client's view of one of its requests. */
typedef struct h2_answer {
    int status;        /* 0: none yet */
    int informational; /* the last 1xx status */
    lw_buf headers;    /* "name: value\n" */
    lw_buf body;
    bool is_ended;  /* END_STREAM was received */
    int64_t error;  /* the error code that closed the stream, or H2_PAIR_NOT_CLOSED */
    lw_str to_send; /* the rest of the request's body */
    bool is_held;   /* the body does not end yet */
} h2_answer;

typedef struct h2_pair {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_conn conn; /* the server side */
    nghttp2_session *client;
    h2_answer *answers[H2_PAIR_STREAMS_MAX]; /* by (stream id - 1) / 2 */
    int64_t goaway;                          /* its error code, or H2_PAIR_NOT_CLOSED */
    int32_t goaway_stream;                   /* the last stream in it */
    int32_t starved;      /* a stream whose window the client does not update; 0: none */
    bool is_starving_all; /* the client updates no window */
    size_t step;          /* bytes fed to the server at a time */
    size_t take_max;      /* bytes the client takes at a time */
} h2_pair;

/* Opens both sides.  |window| is the stream window of the client in bytes; 0: nghttp2's default. */
lw_status h2_pair_open(h2_pair *pair, const lw_http_handler *handler, uint32_t window);
void h2_pair_close(h2_pair *pair);

/* Moves bytes both ways until neither side has more. */
void h2_pair_run(h2_pair *pair);

/* Move bytes only from the client, or only to the client; true if any moved. */
bool h2_pair_send(h2_pair *pair);
bool h2_pair_receive(h2_pair *pair);

/* Runs one turn of the server's loop without waiting. */
void h2_pair_turn(h2_pair *pair);

/* Sends a request; returns the stream, negative on failure.  |body| (NULL: none) is not copied. */
int32_t h2_pair_request(h2_pair *pair, const char *method, const char *path, const char *body);
int32_t h2_pair_request_with(h2_pair *pair, const char *method, const char *path,
                             const nghttp2_nv *fields, size_t count, lw_str body, bool is_held);

h2_answer *h2_pair_answer(const h2_pair *pair, int32_t id);

/* Makes a header field for h2_pair_request_with. */
nghttp2_nv h2_field(const char *name, const char *value);

#endif
