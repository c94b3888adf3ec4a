/* SPDX-License-Identifier: Apache-2.0 */
/* raw.h -- requests with any method, path, query, headers and body, and responses of any type.
 *
 * For everything that client.h has no function for: subresources, Tables, /version, /metrics, logs.
 * Credentials, retries, timeouts and errors are those of client.h. */
#ifndef LISTWATCH_RAW_H
#define LISTWATCH_RAW_H

#include <listwatch/client.h>

LW_BEGIN_DECLS

/* A response with a status of 200 to 299. */
typedef struct lw_response lw_response;

/* Frees the response.  NULL does nothing. */
LW_API void lw_response_free(lw_response *response);

/* Returns the HTTP status. */
LW_API int lw_response_status(const lw_response *response);

/* Returns the body, decompressed and NUL-terminated; empty if it was passed to on_bytes.  Valid as
 * long as the response. */
LW_API lw_str lw_response_body(const lw_response *response);

/* Returns the value of the first header |name| (any case), or NULL.  Valid as long as the
 * response. */
LW_API const char *lw_response_header(const lw_response *response, const char *name);

/* Receives bytes of a response; a negative status ends the request. */
typedef lw_status (*lw_bytes_fn)(const char *bytes, size_t len, void *arg);

/* Initialise it with LW_RAW_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_raw_options {
    size_t size;                /* set by LW_RAW_OPTIONS_INIT */
    const char *const *query;   /* name, value, name, value, NULL; the values are escaped */
    const char *const *headers; /* "Name: value", NULL-terminated */
    const char *accept;         /* media types to accept; NULL: any */
    const char *content_type;   /* of the body; NULL: application/json */
    lw_str body;
    int timeout_ms; /* for the whole call; 0: that of the client, or none with on_bytes; -1: none */
    int idle_timeout_s; /* time without receiving a byte; 0: none */
    size_t max_body;    /* bytes of the body without on_bytes; 0: 64 MiB */
    /* Gets the body of a successful response as it arrives, uncompressed, e.g. to follow a log.
     * NULL: the response has the body.  Must not call functions that use the same request. */
    lw_bytes_fn on_bytes;
    void *arg;
} lw_raw_options;

#define LW_RAW_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(lw_raw_options), NULL, NULL, NULL, NULL, { NULL, 0 }, 0, 0, 0, NULL, NULL           \
    }

/* Sends a request with |method| ("GET") to |path|, which begins with "/" and may have a query.
 * NULL |options| means the defaults.  |out| (may be NULL) is the response, which the caller frees.
 * A status of 300 and more is an error with the message of the server: LW_ERR_NOT_FOUND,
 * LW_ERR_FORBIDDEN ...  LW_ERR_LIMIT: the body is larger than max_body.  If |on_bytes| returns a
 * negative status, the call returns that status.  If it fails after some bytes have arrived, they
 * are incomplete. */
LW_MUST_CHECK LW_API lw_status lw_client_raw(lw_client *client, const char *method,
                                             const char *path, const lw_raw_options *options,
                                             lw_response **out, lw_error *err);

LW_END_DECLS

#endif
