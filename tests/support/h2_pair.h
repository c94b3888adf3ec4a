/* SPDX-License-Identifier: Apache-2.0 */
/* h2_pair.h -- a client and the server's HTTP/2, joined in memory: the client is nghttp2's, the
 * clock stands still, and bytes move when the test says so. */
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

/* What a client knows of one of its requests. */
typedef struct h2_answer {
    int status;        /* 0: none yet */
    int informational; /* the last of 1xx */
    lw_buf headers;    /* "name: value\n" */
    lw_buf body;
    bool is_ended;  /* END_STREAM came */
    int64_t error;  /* with which the stream was closed, or H2_PAIR_NOT_CLOSED */
    lw_str to_send; /* the rest of the request's body */
    bool is_held;   /* the body does not end: more may come */
} h2_answer;

typedef struct h2_pair {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_conn conn; /* the server's side */
    nghttp2_session *client;
    h2_answer *answers[H2_PAIR_STREAMS_MAX]; /* by (stream id - 1) / 2 */
    int64_t goaway;                          /* its error code, or H2_PAIR_NOT_CLOSED */
    int32_t goaway_stream;                   /* the last stream it names */
    int32_t starved;      /* a stream whose window the client does not open again; 0: none */
    bool is_starving_all; /* nor that of any other */
    size_t step;          /* bytes fed to the server at once */
    size_t take_max;      /* bytes the client takes at once */
} h2_pair;

/* Opens both sides.  |window|: bytes a stream of the client takes ahead; 0: nghttp2's default. */
lw_status h2_pair_open(h2_pair *pair, const lw_http_handler *handler, uint32_t window);
void h2_pair_close(h2_pair *pair);

/* Moves bytes both ways until neither side has more. */
void h2_pair_run(h2_pair *pair);

/* Only from the client, only to the client; true when something moved. */
bool h2_pair_send(h2_pair *pair);
bool h2_pair_receive(h2_pair *pair);

/* Lets the server's loop have one turn without waiting. */
void h2_pair_turn(h2_pair *pair);

/* Asks; returns the stream, negative on failure.  |body| NULL: none.  It is not copied. */
int32_t h2_pair_request(h2_pair *pair, const char *method, const char *path, const char *body);
int32_t h2_pair_request_with(h2_pair *pair, const char *method, const char *path,
                             const nghttp2_nv *fields, size_t count, lw_str body, bool is_held);

h2_answer *h2_pair_answer(const h2_pair *pair, int32_t id);

/* A field for h2_pair_request_with. */
nghttp2_nv h2_field(const char *name, const char *value);

#endif
