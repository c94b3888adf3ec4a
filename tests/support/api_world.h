/* SPDX-License-Identifier: Apache-2.0 */
/* api_world.h -- an API on an in-memory store, with one loop and a manual clock: the whole server
 * without sockets.
 *
 * Objects put into the store are in the cache when the call returns.  Watches and waiting requests
 * see them in the next turn of the loop. */
#ifndef LW_TESTS_SUPPORT_API_WORLD_H
#define LW_TESTS_SUPPORT_API_WORLD_H

#include "api/api.h"
#include "support/fake_http.h"

/* The audience of this API. */
#define API_WORLD_AUDIENCE "https://kubernetes.default.svc.cluster.local"

#define API_WORLD_START_NS INT64_C(1794707364000000000) /* 2026-11-15T01:49:24Z */

/* Tokens of service accounts are texts that say what they claim:
 * "account=ns/name/uid pod=name/uid lifetime=3600 for=AUDIENCE". */
typedef struct api_world {
    lw_manual_clock *clock;
    lw_store *store;
    lw_cache *cache;
    lw_registry *registry;
    lw_api *api;
    lw_loop *loop;
    bool is_bound;
} api_world;

/* Returns LW_OK or the failure; call api_world_close in any case. */
lw_status api_world_open(api_world *world, lw_error *err);
/* The same on |store|, which is freed with the world. */
lw_status api_world_open_on(api_world *world, lw_store *store, lw_error *err);
/* The same on a store of its own, with all keys below |key_prefix|. */
lw_status api_world_open_under(api_world *world, lw_str key_prefix, lw_error *err);
/* The same with admission webhooks, which are the caller's. */
lw_status api_world_open_hooked(api_world *world, struct lw_hooks *hooks, lw_error *err);
void api_world_close(api_world *world);

/* Starts the background work of a server: garbage collection, namespace deletion, and expiry of
 * events after |event_ttl_s| (0: never).  It runs in the turns of the loop. */
lw_status api_world_live(api_world *world, int64_t event_ttl_s);

/* Sends a request and returns the stream with the immediate reply; free it with fake_http_free.
 * NULL: out of memory.  The path must be one of the API. */
fake_http *api_world_ask(api_world *world, const fake_http_request *request);

/* Sends GET |target| with |accept| (NULL: none). */
fake_http *api_world_get(api_world *world, const char *target, const char *accept);

/* Put |json| at |key| ("pods/ns/name") unchanged, or delete the object.  Return the revision of the
 * change; 0 on failure. */
uint64_t api_world_put(api_world *world, const char *key, const char *json);
uint64_t api_world_delete(api_world *world, const char *key);

/* Puts a ConfigMap with the label "k" (NULL: none) and |data| (NULL: none). */
uint64_t api_world_put_config(api_world *world, const char *ns, const char *name, const char *label,
                              const char *data);

/* Runs |count| turns of the loop. */
void api_world_turns(api_world *world, int count);

/* Advances the clock by |ns| nanoseconds and runs what is due. */
void api_world_pass(api_world *world, int64_t ns);

#endif
