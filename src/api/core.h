/* SPDX-License-Identifier: Apache-2.0 */
/* core.h -- what an lw_api is made of; for the files of this module alone.
 * Nothing here changes after lw_api_new but what is atomic or guards itself. */
#ifndef LW_API_CORE_H
#define LW_API_CORE_H

#include <stdatomic.h>

#include "api/api.h"
#include "api/call.h"
#include "api/crds.h"
#include "api/openapi_cache.h"
#include "api/quota_ledger.h"
#include "base/workers.h"
#include "object/form_budget.h"
#include "schema/catalog.h"

/* A built-in kind and where its objects are cached. */
typedef struct lw_api_served {
    const lw_kind *kind;
    lw_cache_resource *resource;
} lw_api_served;

typedef struct lw_api_counters {
    atomic_uint_least64_t requests[8][6];
    atomic_uint_least64_t watches_open, watches_total, events_sent, bookmarks_sent;
} lw_api_counters;

struct lw_api {
    lw_store *store;
    lw_cache *cache;
    lw_catalog catalog; /* what is served now */
    lw_crds crds;       /* the definitions among it */
    lw_openapi_cache openapi;
    lw_quota_ledger quotas; /* what is charged and not stored yet */
    const lw_clock *clock;
    const lw_logger *logger;
    lw_token_book tokens;
    char *server_address;
    char *key_prefix;
    lw_workers *readers;   /* of a shared store: what would keep a loop waiting; else NULL */
    lw_form_budget *forms; /* of objects in protobuf */
    lw_api_served *served;
    size_t served_count;
    lw_api_counters counters;
    int64_t event_ttl_s;      /* 0: for ever */
    atomic_bool has_follower; /* one port follows the definitions */
};

static inline void lw_api_count(atomic_uint_least64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* Appends where the objects of |kind| are in the store: "/registry/pods/". */
void lw_api_append_prefix(const lw_api *api, const lw_kind *kind, lw_buf *out);

/* Counts one reply with |status| to a request for |verb| (an LW_VERB_ bit; 0 counts as get). */
void lw_api_count_reply(lw_api *api, unsigned verb, int status);

#endif
