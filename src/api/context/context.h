/* SPDX-License-Identifier: Apache-2.0 */
/* context.h -- the state that all modules of the API share: the store, its cache, the kinds that
 * are served, the clock, the counters.
 *
 * Nothing here changes after lw_api_new, except atomics and members with their own lock. */
#ifndef LW_API_CONTEXT_CONTEXT_H
#define LW_API_CONTEXT_CONTEXT_H

#include <listwatch/key.h>
#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "api/context/account_token.h"
#include "api/context/admission_plugin.h"
#include "api/context/advertised.h"
#include "api/context/aggregation.h"
#include "api/context/controller_set.h"
#include "api/context/counters.h"
#include "api/context/held_bytes.h"
#include "api/context/offload.h"
#include "api/context/service_ranges.h"
#include "api/context/user.h"
#include "base/thread/workers.h"
#include "cache/cache.h"
#include "object/form_budget.h"
#include "schema/kinds/catalog.h"
#include "store/store.h"

typedef struct lw_api lw_api;

/* Authenticates users for TokenReview and SubjectAccessReview.  The functions do not block and may
 * run on any thread.  They may be NULL: then no token is valid and only the administrator is a
 * user. */
typedef struct lw_authenticator {
    /* Finds the user of |token|, whom the caller unrefs.  The token must be for one of |wanted|
     * (NULL: this server's audiences); |*matched| is the intersection.  LW_ERR_UNAUTHORIZED: it is
     * not valid.  |stream| waits for the answer of a webhook if that must be asked (asker.h); until
     * then the token is not valid. */
    lw_status (*find_token)(void *arg, lw_str token, const lw_audiences *wanted,
                            struct lw_http_stream *stream, const lw_user **user,
                            lw_audiences *matched);
    /* Returns true if a user with this |name| can authenticate with a token. */
    bool (*has_user)(void *arg, lw_str name);
    void *arg;
} lw_authenticator;

/* The server that a mirror follows; zeroed: this server has a store of its own. */
typedef struct lw_api_upstream {
    /* Asks which revision is the newest of |resource|, a fed one (cache/feed.h): calls done of
     * |question| as lw_store_confirm does, but the cache may still be behind it. */
    lw_status (*confirm)(void *arg, lw_cache_resource *resource, lw_store_confirmation *question);
    /* For how long |resource| has not been followed; 0: it is. */
    int64_t (*lag_ns)(void *arg, const lw_cache_resource *resource);
    /* Returns what has the objects of |resource| as |view| shows them, with a reference; NULL: the
     * view does not change them. */
    lw_cache_resource *(*view_ref)(void *arg, lw_str view, lw_cache_resource *resource);
    void *arg;
} lw_api_upstream;

/* A built-in kind and its resource in the cache. */
typedef struct lw_api_served {
    const lw_kind *kind;
    lw_cache_resource *resource;
} lw_api_served;

struct lw_api {
    lw_store *store;
    lw_cache *cache;
    lw_catalog catalog; /* the kinds that are served now */
    const lw_clock *clock;
    const lw_logger *logger;
    lw_api_upstream upstream; /* of a mirror */
    lw_authenticator authenticator;
    lw_token_issuer issuer;    /* of tokens of service accounts */
    bool admits_accounts;      /* the admission plugin ServiceAccount is enabled */
    unsigned disabled_plugins; /* bits of lw_admission_plugin */
    char *server_address;
    char *key_prefix;
    lw_workers *readers;          /* threads for blocking reads of a shared store; otherwise NULL */
    lw_form_budget *forms;        /* protobuf encodings cached with objects */
    struct lw_forms_ahead *ahead; /* api/media: threads that make them for long lists */
    lw_held_bytes *held;          /* replies that clients have not taken yet */
    lw_offload offload;           /* where heavy requests are served */
    lw_api_served *served;
    size_t served_count;
    lw_api_counters counters;
    lw_service_ranges service_ranges;
    lw_advertised advertised;
    unsigned controllers; /* the server's own that run: bits of lw_controller */
    int64_t event_ttl_s;  /* 0: events are kept forever */
    struct lw_certificate_authority *certificate_authority; /* NULL: nothing is signed */
    int64_t certificate_ttl_s;    /* the longest lifetime that is signed */
    bool cleans_bootstrap_tokens; /* expired ones are deleted */
    bool serves_cbor;             /* the gate CBORServingAndStorage */
    atomic_bool has_follower;     /* a port follows the definitions */
    lw_aggregation aggregation;   /* what other servers serve */

    /* State of other modules; only the module itself uses its member. */
    const struct lw_write_hooks *write_hooks; /* api/write */
    struct lw_crds *crds;                     /* api/crd */
    struct lw_openapi_cache *openapi;         /* api/read */
    struct lw_quota_pending *quotas;          /* api/quota */
    struct lw_authz *authz;                   /* api/authz */
    struct lw_policies *policies;             /* api/policies; NULL: they are not followed */
    const struct lw_pod_security_config *pod_security; /* api/podsecurity */
    /* Serves a request once more whose answers of webhooks are there (asker.h); |arg| is the API.
     */
    void (*serve_again)(struct lw_http_stream *stream, void *arg);
    struct lw_watch_rechecks *rechecks; /* api/read */
    struct lw_hooks *hooks;             /* api/webhooks; NULL: none are called */
};

/* Makes the cache follow the objects of every built-in kind that is stored.  LW_ERR_NOMEM, or an
 * error of lw_cache_add.  Call it once, before the cache starts. */
lw_status lw_api_serve_kinds(lw_api *api, lw_error *err);

/* Returns the resource of |kind| in the cache, or NULL if the kind is not served.  |kind| is static
 * or the caller holds it. */
lw_cache_resource *lw_api_resource(const lw_api *api, const lw_kind *kind);

/* Returns true if admission runs |plugin|. */
static inline bool lw_api_has_plugin(const lw_api *api, lw_admission_plugin plugin)
{
    return !(api->disabled_plugins & (unsigned)plugin);
}

/* Appends the prefix of the keys of a kind in the store: "/registry/pods/" if |storage| of the kind
 * is "pods". */
void lw_api_append_prefix(const lw_api *api, lw_str storage, lw_buf *out);

/* Appends the key of an object in the store: "/registry/pods/prod/web-0". */
void lw_api_append_key(const lw_api *api, const lw_kind *kind, lw_key key, lw_buf *out);

#endif
