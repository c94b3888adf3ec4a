/* SPDX-License-Identifier: Apache-2.0 */
/* server_webhook.h -- an HTTPS server for the webhooks of a controller: admission (AdmissionReview
 * v1) and conversion of custom resources (ConversionReview v1).
 *
 * It runs in threads (lw_webhook_server_start), or in an event loop of the program
 * (lw_webhook_server_fd, _timeout_ms, _dispatch).  Requests that are larger than 3 MiB, too slow or
 * too many are refused.  It is in liblistwatch-server, which has the HTTP server. */
#ifndef LISTWATCH_SERVER_WEBHOOK_H
#define LISTWATCH_SERVER_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/log.h>
#include <listwatch/str.h>

LW_BEGIN_DECLS

/* Initialise it with LW_WEBHOOK_SERVER_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_webhook_server_options {
    size_t size;
    const char *listen; /* "0.0.0.0:9443"; port 0: any free one.  NULL: "127.0.0.1:0" */
    /* PEM, the certificate with its chain and its key, as cert-manager writes them: they are loaded
     * again when the files change.  NULL: made at the start, for |hosts|. */
    const char *cert_file, *key_file;
    /* Of the certificate that is made: the names by which the API server calls the webhook, e.g.
     * "hook.default.svc"; ends with NULL.  NULL: none.  localhost and its addresses are always in
     * it. */
    const char *const *hosts;
    unsigned workers;        /* threads that run handlers; 0: handlers run in the thread of the
                                connections; the limit is 16 */
    const lw_logger *logger; /* must outlive the server; NULL: silent */
} lw_webhook_server_options;

#define LW_WEBHOOK_SERVER_OPTIONS_INIT                                                             \
    {                                                                                              \
        sizeof(lw_webhook_server_options), NULL, NULL, NULL, NULL, 0, NULL                         \
    }

typedef struct lw_webhook_server lw_webhook_server;

/* The request of an AdmissionReview.  The strings are "" and the JSON texts are empty if they are
 * absent; all are valid until the handler returns. */
typedef struct lw_webhook_admission {
    const char *uid;
    const char *operation; /* "CREATE", "UPDATE", "DELETE", "CONNECT" */
    const char *group, *version, *kind;
    const char *resource, *subresource; /* plural; "status" */
    const char *ns, *name;
    const char *user; /* who has sent the request */
    bool is_dry_run;  /* the handler must have no side effects */
    lw_str object;    /* JSON; for lw_object_from_json */
    lw_str old_object;
    lw_str json; /* the whole request */
} lw_webhook_admission;

/* What a handler answers.  Without a call of the following functions, the request is allowed. */
typedef struct lw_webhook_response lw_webhook_response;

/* Denies the request with a message for the user and an HTTP status (0: 403). */
LW_API void lw_webhook_deny(lw_webhook_response *response, int status, const char *format, ...)
    LW_PRINTF(3, 4);

/* Changes the object: |patch| is a JSON patch (RFC 6902), an array.  A patch that is not JSON is an
 * error (500). */
LW_API void lw_webhook_patch(lw_webhook_response *response, lw_str patch);

/* Adds a warning that the client shows to its user.  At most 64; more are dropped. */
LW_API void lw_webhook_warn(lw_webhook_response *response, const char *format, ...) LW_PRINTF(2, 3);

/* Adds an annotation of the audit event.  At most 64; more are dropped. */
LW_API void lw_webhook_annotate(lw_webhook_response *response, const char *key, const char *value);

/* Decides about a request.  Runs in a worker, or in the thread of the connections; handlers of
 * several requests run at the same time if there are several workers. */
typedef void (*lw_webhook_admission_fn)(const lw_webhook_admission *request,
                                        lw_webhook_response *response, void *arg);

/* Converts one object (JSON) to |api_version|: calls lw_webhook_converted, or lw_webhook_deny with
 * the reason why it cannot be converted.  Runs as an admission handler. */
typedef void (*lw_webhook_conversion_fn)(lw_str object, const char *api_version,
                                         lw_webhook_response *response, void *arg);

/* Sets the converted object, JSON. */
LW_API void lw_webhook_converted(lw_webhook_response *response, lw_str object);

/* Makes a server that listens but does not answer yet.  LW_ERR_INVALID (an option, or the
 * certificate), LW_ERR_IO (the address is in use), LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_webhook_server_new(lw_webhook_server **out,
                                                     const lw_webhook_server_options *options,
                                                     lw_error *err);

/* Stops the server: waits for running handlers, drops other requests, and frees it.  Must not be
 * called from a handler.  NULL does nothing. */
LW_API void lw_webhook_server_free(lw_webhook_server *server);

/* Add a handler for a path ("/validate"), before the server runs.  LW_ERR_INVALID: the path does
 * not begin with "/", or the server runs; LW_ERR_EXISTS: the path has a handler; LW_ERR_LIMIT:
 * there are 32; LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_webhook_server_add_admission(lw_webhook_server *server,
                                                               const char *path,
                                                               lw_webhook_admission_fn fn,
                                                               void *arg, lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_webhook_server_add_conversion(lw_webhook_server *server,
                                                                const char *path,
                                                                lw_webhook_conversion_fn fn,
                                                                void *arg, lw_error *err);

/* Starts the threads.  LW_ERR_EXISTS: it runs already; LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_webhook_server_start(lw_webhook_server *server, lw_error *err);

/* For an event loop of the program instead of threads: poll the descriptor for reading, for at most
 * the timeout (-1: none), then dispatch, which runs handlers if there are no workers. */
LW_API int lw_webhook_server_fd(const lw_webhook_server *server);
LW_API int lw_webhook_server_timeout_ms(const lw_webhook_server *server);
LW_API void lw_webhook_server_dispatch(lw_webhook_server *server);

/* Return "https://127.0.0.1:9443" (the address it listens on), the port, and the CA as PEM and in
 * base64, as clientConfig.caBundle of a webhook configuration needs it; "" if the certificate was
 * given.  Valid as long as the server. */
LW_API const char *lw_webhook_server_url(const lw_webhook_server *server);
LW_API unsigned lw_webhook_server_port(const lw_webhook_server *server);
LW_API const char *lw_webhook_server_ca(const lw_webhook_server *server);
LW_API const char *lw_webhook_server_ca_bundle(const lw_webhook_server *server);

LW_END_DECLS

#endif
