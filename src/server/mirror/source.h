/* SPDX-License-Identifier: Apache-2.0 */
/* source.h -- the API server that a mirror follows: where it is, and the mirror's own
 * credentials. */
#ifndef LW_SERVER_MIRROR_SOURCE_H
#define LW_SERVER_MIRROR_SOURCE_H

#include "server/webhook/config.h"
#include "server/webhook/upstreams.h"

enum {
    LW_MIRROR_SOURCE_PATH_MAX = 64 * 1024, /* bytes of a path with its query */
};

/* Only the token and the state of the addresses may change once it is open; any thread. */
typedef struct lw_mirror_source {
    lw_webhook_config config;
    lw_upstreams *addresses; /* at least one */
    char *identity;          /* which cluster it is: the URLs and the CA */
} lw_mirror_source;

/* Reads |kubeconfig| (NULL: $KUBECONFIG, ~/.kube/config, or the service account of the pod).
 * |servers| are addresses in place of its own, separated by commas (NULL: none).  The errors of
 * lw_webhook_config_read and lw_upstreams_new.  Must be zeroed. */
LW_MUST_CHECK lw_status lw_mirror_source_open(lw_mirror_source *upstream, const char *kubeconfig,
                                              const char *servers, lw_error *err);
void lw_mirror_source_done(lw_mirror_source *upstream);

/* Starts a GET of |path|, which has its query, with the mirror's credentials, at the address |at|.
 * As lw_http_client_call. */
LW_MUST_CHECK lw_status lw_mirror_source_get(const lw_mirror_source *upstream,
                                             const lw_upstream *at, lw_http_client *client,
                                             lw_str path, lw_str accept, int64_t deadline_ns,
                                             const lw_http_call_sink *sink, lw_http_call **out,
                                             lw_error *err);

/* Appends the mirror's own Authorization to |out|, as lw_webhook_config_append_authorization. */
void lw_mirror_source_append_authorization(const lw_mirror_source *upstream, lw_buf *out);
void lw_mirror_source_wipe(lw_buf *authorization); /* and releases it */

/* Appends "&name=value" with |value| percent-encoded, or "?..." if |path| has no query yet. */
void lw_mirror_source_append_parameter(lw_buf *path, const char *name, lw_str value);

#endif
