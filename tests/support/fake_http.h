/* SPDX-License-Identifier: Apache-2.0 */
/* fake_http.h -- a stream without a network.  It keeps the reply, and can be slow, close, or run
 * out of memory.
 *
 * It uses the library's allocator, so that allocation failure tests cover it like a real
 * protocol. */
#ifndef LW_TESTS_SUPPORT_FAKE_HTTP_H
#define LW_TESTS_SUPPORT_FAKE_HTTP_H

#include "base/buf.h"
#include "net/http.h"

enum {
    FAKE_HTTP_HEADERS_MAX = 16,
};

/* A request.  Everything is copied; NULL and 0 are the defaults. */
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
    lw_peer peer;
    char *request_text;

    int status;       /* status code of the reply; 0: none yet */
    lw_buf headers;   /* headers of the reply, one "name: value\n" each */
    lw_buf body;      /* body of the reply so far */
    size_t messages;  /* writes after the head */
    uint64_t bytes;   /* of the body, even if they are not kept */
    bool is_streamed; /* head and body came separately */
    bool is_ended;    /* the reply is complete */
    bool is_aborted;

    /* For tests to set. */
    bool is_slow;          /* writes stay pending until fake_http_drain */
    bool takes_nothing;    /* the client has closed its window; fake_http_drain opens it */
    bool keeps_no_body;    /* only counts the bytes */
    bool is_out_of_memory; /* replies and writes fail */

    size_t pending;
    bool was_high;
} fake_http;

/* Makes a request on |loop| (NULL if it is not used); NULL: out of memory. */
fake_http *fake_http_new(lw_loop *loop, const fake_http_request *request);

/* Closes the stream and drops the reference of the test; other references keep it alive.  NULL does
 * nothing. */
void fake_http_free(fake_http *http);

/* Closes the stream as the client would. */
void fake_http_close(fake_http *http);

/* The client receives everything that is pending. */
void fake_http_drain(fake_http *http);

/* Finds the |index|th reply header |name|, ignoring case; false: there is none. */
bool fake_http_header(const fake_http *http, const char *name, size_t index, lw_str *value);

/* Clears the body received so far. */
void fake_http_forget_body(fake_http *http);

#endif
