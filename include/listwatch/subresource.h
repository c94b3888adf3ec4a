/* SPDX-License-Identifier: Apache-2.0 */
/* subresource.h -- subresources that controllers use often: logs, scale, eviction, binding, tokens.
 *
 * Others are read and written with the |subresource| of the options (request_options.h), or with
 * raw requests (raw.h).  exec, attach and portforward are in stream.h. */
#ifndef LISTWATCH_SUBRESOURCE_H
#define LISTWATCH_SUBRESOURCE_H

#include <listwatch/client.h>
#include <listwatch/raw.h>

LW_BEGIN_DECLS

/* Which part of the log of a pod.  Initialise it with LW_LOG_OPTIONS_INIT. */
typedef struct lw_log_options {
    size_t size;
    const char *container; /* NULL: the only container of the pod */
    bool follow;           /* wait for more lines until the container ends */
    bool previous;         /* of the container that ran before */
    bool timestamps;       /* each line begins with its time */
    int64_t since_s;       /* only of the last seconds; 0: all */
    int64_t tail_lines;    /* only the last lines; 0: all */
    int64_t limit_bytes;   /* at most so many bytes; 0: all */
    int timeout_ms;        /* for the whole call; 0: none */
} lw_log_options;

#define LW_LOG_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(lw_log_options), NULL, false, false, false, 0, 0, 0, 0                              \
    }

/* Reads the log of a pod and calls |on_bytes| with it as it arrives, not line by line.  A negative
 * status of |on_bytes| ends the call and is returned.  NULL |options| means the defaults. */
LW_MUST_CHECK LW_API lw_status lw_client_log(lw_client *client, const char *ns, const char *pod,
                                             const lw_log_options *options, lw_bytes_fn on_bytes,
                                             void *arg, lw_error *err);

/* Get and set the number of replicas of the object |name|, e.g. a deployment, by its subresource
 * "scale". */
LW_MUST_CHECK LW_API lw_status lw_client_get_scale(lw_client *client, lw_gvr gvr, const char *ns,
                                                   const char *name, int64_t *replicas,
                                                   lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_client_set_scale(lw_client *client, lw_gvr gvr, const char *ns,
                                                   const char *name, int64_t replicas,
                                                   lw_error *err);

/* Evicts a pod: deletes it unless a disruption budget does not allow it (LW_ERR_TOO_MANY; try again
 * later).  NULL |options| means the defaults. */
LW_MUST_CHECK LW_API lw_status lw_client_evict(lw_client *client, const char *ns, const char *pod,
                                               const lw_delete_options *options, lw_error *err);

/* Binds a pod to a node, as a scheduler does.  LW_ERR_CONFLICT: it is bound already. */
LW_MUST_CHECK LW_API lw_status lw_client_bind(lw_client *client, const char *ns, const char *pod,
                                              const char *node, lw_error *err);

/* Initialise it with LW_TOKEN_OPTIONS_INIT. */
typedef struct lw_token_options {
    size_t size;
    const char *const *audiences; /* NULL-terminated; NULL: the API server */
    int64_t expiration_s;         /* 0: the default of the server */
} lw_token_options;

#define LW_TOKEN_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(lw_token_options), NULL, 0                                                          \
    }

/* Requests a token for a service account.  |out| is the TokenRequest, which the caller unrefs:
 * /status/token, /status/expirationTimestamp. */
LW_MUST_CHECK LW_API lw_status lw_client_request_token(lw_client *client, const char *ns,
                                                       const char *service_account,
                                                       const lw_token_options *options,
                                                       lw_object **out, lw_error *err);

LW_END_DECLS

#endif
