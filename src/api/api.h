/* SPDX-License-Identifier: Apache-2.0 */
/* api.h -- the Kubernetes API over a store and its cache: requests in, replies out.
 *
 * An lw_api is shared by all loops.  Each loop has a port: its watchers, its waits, its buffers. */
#ifndef LW_API_API_H
#define LW_API_API_H

#include "api/context/context.h"
#include "api/context/request_metrics.h"
#include "api/context/seed_batch.h"
#include "api/http/request_info.h"
#include "api/read/watch_stream.h"
#include "base/metrics/latency_histogram.h"
#include "net/http.h"
#include "schema/kinds/registry.h"

typedef struct lw_api_options {
    lw_store *store;
    lw_cache *cache;          /* not started yet: the kinds are added to it here */
    lw_registry *registry;    /* the kinds to begin with; custom ones come and go */
    const lw_clock *clock;    /* NULL: the system's */
    const lw_logger *logger;  /* may be NULL */
    lw_str server_address;    /* "127.0.0.1:6443", for /api */
    int64_t event_ttl_s;      /* how long events are kept; 0: for ever */
    lw_api_upstream upstream; /* of a mirror, which defines no kinds of its own; else zeroed */
    lw_authenticator authenticator;
    lw_token_issuer issuer;    /* of tokens of service accounts; zeroed: this server issues none */
    bool admits_accounts;      /* enables the admission plugin ServiceAccount */
    unsigned disabled_plugins; /* bits of lw_admission_plugin */
    const struct lw_pod_security_config *pod_security; /* borrowed; NULL: the defaults */
    lw_str key_prefix;      /* of all keys in the store, with a '/' at the end; empty:
                               "/registry/" */
    lw_offload offload;     /* takes heavy requests; zeroed: nobody does */
    size_t held_bytes;      /* limit of replies that clients have not taken; 0: LW_HELD_BYTES_MAX */
    size_t held_user_bytes; /* the same for one user; 0: LW_HELD_USER_BYTES_MAX */
    struct lw_authz *authz; /* borrowed */
    uint64_t form_bytes;    /* what forms of objects in protobuf may take that are kept for lists;
                               0: LW_API_FORM_BYTES */
    unsigned forms_ahead;   /* threads that help long lists to make them (api/media) */
    /* Signs certificate signing requests; NULL: nothing is signed. */
    struct lw_certificate_authority *certificate_authority;
    int64_t certificate_ttl_s;               /* the longest lifetime that is signed */
    bool cleans_bootstrap_tokens;            /* expired ones are deleted */
    bool serves_cbor;                        /* bodies and replies may be CBOR */
    const lw_service_ranges *service_ranges; /* NULL: the defaults */
    unsigned disabled_controllers;           /* bits of lw_controller */
    lw_aggregation aggregation;              /* what other servers serve; zeroed: nothing */
    struct lw_hooks *hooks;                  /* admission webhooks, borrowed; NULL: none */
    lw_advertised advertised;                /* zeroed: nothing of it is made */
} lw_api_options;

enum {
    LW_API_FORM_BYTES = 256 * 1024 * 1024,
};

/* Everything in |options| outlives the api. */
lw_status lw_api_new(lw_api **out, const lw_api_options *options, lw_error *err);
void lw_api_free(lw_api *api);

/* Makes the objects that always exist: namespaces, priority classes, the Service of the server
 * and, with RBAC, its roles and bindings.  After the cache has started. */
lw_status lw_api_seed(lw_api *api, lw_error *err);

/* Adds them to |batch|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_api_seed_add(lw_seed_batch *batch);

/* Makes the loop's port; it becomes the loop's data.  Before the loop runs; undone by
 * lw_api_unbind after it has ended.  LW_ERR_NOMEM; LW_ERR_INVALID: a stored object of a custom
 * resource cannot be read; |err| names its key. */
lw_status lw_api_bind(lw_api *api, lw_loop *loop, lw_error *err);

/* The same for a loop that serves heavy requests: those that lw_offload has taken. */
lw_status lw_api_bind_worker(lw_api *api, lw_loop *loop, lw_error *err);
void lw_api_unbind(lw_api *api, lw_loop *loop);

/* Serves one whole request under /api, /apis, /openapi, /version; false when the path is somebody
 * else's.  |user| lives as long as the stream. */
bool lw_api_serve(lw_api *api, lw_http_stream *stream, const lw_user *user);

/* Serves a request of the API again, whose answers of webhooks are there (asker.h); |arg| is the
 * API. */
void lw_api_serve_again(lw_http_stream *stream, void *arg);

/* Returns true if a webhook must be asked whether |user| may do what the request asks for: the
 * stream waits for its answer (asker.h). */
bool lw_api_awaits_authorization(lw_api *api, lw_http_stream *stream, const lw_user *user);

/* Returns true if |user| may do what the request of |stream| asks for, of which
 * lw_request_info_read has read |info|; otherwise replies with 403. */
bool lw_api_authorize(lw_api *api, lw_http_stream *stream, const lw_request_info *info,
                      const lw_user *user);

/* Replies with a Status built from an HTTP |code| alone, for those outside the API (401, 413). */
void lw_api_refuse(lw_api *api, lw_http_stream *stream, int code, lw_str message);

/* Replies with |status|, which is taken, for those outside the API. */
void lw_api_refuse_with(lw_api *api, lw_http_stream *stream, lw_api_status *status);

/* Ends every watch of |loop| cleanly, and refuses new ones from now on.  On that loop. */
void lw_api_drain(lw_api *api, lw_loop *loop);

/* Checks soon whether the users of all watches may still have them; those that may not end.  Any
 * thread. */
void lw_api_recheck_watches(lw_api *api);

/* For metrics; any thread. */
typedef struct lw_api_stats {
    uint64_t watches_open, watches_total, events_sent, bookmarks_sent;
    lw_form_stats forms; /* of objects in protobuf */
    lw_held_stats held;
} lw_api_stats;

void lw_api_read_stats(const lw_api *api, lw_api_stats *stats);

/* Calls |fn| with each watch of |loop|, until it says false.  On that loop; false: the loop serves
 * the API no more. */
bool lw_api_each_watch(const lw_loop *loop, bool (*fn)(const lw_api_watch *watch, void *arg),
                       void *arg);

/* Adds how long |loop| took to deliver changes: from the commit until a watch's connection had
 * them.  On that loop, while it serves the API. */
void lw_api_add_deliveries(const lw_loop *loop, lw_latency_histogram *sum);

/* Adds what |loop| has counted of its requests to |sum|.  Any thread, while the loop serves the
 * API. LW_ERR_NOMEM. */
lw_status lw_api_add_request_metrics(const lw_loop *loop, lw_request_metrics *sum);

/* The kinds that are served now, to unref.  Any thread. */
lw_registry *lw_api_registry_ref(lw_api *api);

#endif
