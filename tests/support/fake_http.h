/* SPDX-License-Identifier: Apache-2.0 */
/* fake_http.h -- a stream without a network: keeps what is replied, and can be slow, go away, or
 * run out of memory.
 *
 * Memory comes from the library's allocator, so that scenarios of failing allocations see it fail
 * as a protocol would. */
#ifndef LW_TESTS_SUPPORT_FAKE_HTTP_H
#define LW_TESTS_SUPPORT_FAKE_HTTP_H

#include "base/buf.h"
#include "net/http.h"

enum {
    FAKE_HTTP_HEADERS_MAX = 16,
};

/* What to ask.  Everything is copied; NULL and 0 mean nothing special. */
typedef struct fake_http_request {
    const char *method;                             /* "GET" */
    const char *target;                             /* "/api/v1/pods?limit=5" */
    const char *headers[2 * FAKE_HTTP_HEADERS_MAX]; /* name (lower case), value, ..., NULL */
    lw_str body;
    bool is_websocket;
} fake_http_request;

typedef struct fake_http {
    lw_http_stream stream;
    lw_http_header request_headers[FAKE_HTTP_HEADERS_MAX];
    lw_http_peer peer;
    char *request_text;

    int status;       /* of the reply; 0: none yet */
    lw_buf headers;   /* of the reply, "name: value\n" each */
    lw_buf body;      /* of the reply, as far as it has come */
    size_t messages;  /* writes after the head */
    uint64_t bytes;   /* of the body, also when they are not kept */
    bool is_streamed; /* head and body came apart */
    bool is_ended;    /* the reply is complete */
    bool is_aborted;

    /* For tests to set. */
    bool is_slow;          /* what is written stays pending until fake_http_drain */
    bool keeps_no_body;    /* only counts */
    bool is_out_of_memory; /* replies and writes fail */

    size_t pending;
    bool was_high;
} fake_http;

/* A request on |loop| (may be NULL where nothing asks for it); NULL: no memory. */
fake_http *fake_http_new(lw_loop *loop, const fake_http_request *request);

/* The client goes away, and the test lets go; whoever holds a reference keeps it alive.  NULL does
 * nothing. */
void fake_http_free(fake_http *http);

/* The client goes away. */
void fake_http_close(fake_http *http);

/* The client takes everything that is pending. */
void fake_http_drain(fake_http *http);

/* The reply's header |name| in any case, the |index|th with that name; false: there is none. */
bool fake_http_header(const fake_http *http, const char *name, size_t index, lw_str *value);

/* Forgets what came of the body, to look at what comes next. */
void fake_http_forget_body(fake_http *http);

#endif
