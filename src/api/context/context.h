/* SPDX-License-Identifier: Apache-2.0 */
/* context.h -- what all modules of the API share: the store, its cache, the kinds that are served,
 * the clock, the counters.
 *
 * Nothing here changes after lw_api_new but what is atomic or guards itself. */
#ifndef LW_API_CONTEXT_CONTEXT_H
#define LW_API_CONTEXT_CONTEXT_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "api/context/counters.h"
#include "api/context/user.h"
#include "base/workers.h"
#include "cache/cache.h"
#include "object/form_budget.h"
#include "schema/kinds/catalog.h"
#include "store/store.h"

typedef struct lw_api lw_api;

/* Whom the server authenticates, for TokenReview and SubjectAccessReview.  The functions do not
 * block, run on any thread, and may be NULL: no token is valid, nobody but the administrator is a
 * user. */
typedef struct lw_authenticator {
    /* The owner of |token|, who lives as long as the API.  LW_ERR_UNAUTHORIZED: it is not valid. */
    lw_status (*find_token)(void *arg, lw_str token, const lw_user **user);
    /* True when a user of this |name| can authenticate with a token. */
    bool (*has_user)(void *arg, lw_str name);
    void *arg;
} lw_authenticator;

/* A built-in kind and where its objects are cached. */
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
    lw_authenticator authenticator;
    char *server_address;
    char *key_prefix;
    lw_workers *readers;   /* threads for reads of a shared store that would block a loop; else
                              NULL */
    lw_form_budget *forms; /* protobuf forms that are kept with objects */
    lw_api_served *served;
    size_t served_count;
    lw_api_counters counters;
    int64_t event_ttl_s;      /* 0: events are kept for ever */
    atomic_bool has_follower; /* one port follows the definitions */

    /* State that modules above keep here; each knows its own, nobody else looks inside. */
    const struct lw_write_hooks *write_hooks; /* api/write */
    struct lw_crds *crds;                     /* api/crd */
    struct lw_openapi_cache *openapi;         /* api/read */
    struct lw_quota_pending *quotas;          /* api/quota */
};

/* Has the cache follow the objects of every built-in kind that is stored.  LW_ERR_NOMEM, or what
 * the cache says.  Once, before the cache starts. */
lw_status lw_api_serve_kinds(lw_api *api, lw_error *err);

/* The cache's view of |kind|, which is static or held; NULL when it is not served. */
lw_cache_resource *lw_api_resource(const lw_api *api, const lw_kind *kind);

/* Appends the prefix of the keys of |kind| in the store: "/registry/pods/". */
void lw_api_append_prefix(const lw_api *api, const lw_kind *kind, lw_buf *out);

#endif
