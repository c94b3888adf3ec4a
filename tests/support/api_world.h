/* SPDX-License-Identifier: Apache-2.0 */
/* api_world.h -- an API on a store in memory, with one loop and a clock that tests move: everything
 * of the server but sockets.
 *
 * What is put into the store is in the cache when the call returns; watches and waits hear of it in
 * the next turn. */
#ifndef LW_TESTS_SUPPORT_API_WORLD_H
#define LW_TESTS_SUPPORT_API_WORLD_H

#include "api/api.h"
#include "support/fake_http.h"

#define API_WORLD_START_NS INT64_C(1794707364000000000) /* 2026-11-15T01:49:24Z */

typedef struct api_world {
    lw_manual_clock *clock;
    lw_store *store;
    lw_cache *cache;
    lw_registry *registry;
    lw_api *api;
    lw_loop *loop;
    bool is_bound;
} api_world;

/* LW_OK, or what failed; call api_world_close in any case. */
lw_status api_world_open(api_world *world, lw_error *err);
/* The same on |store|, which is freed with the world. */
lw_status api_world_open_on(api_world *world, lw_store *store, lw_error *err);
void api_world_close(api_world *world);

/* Has the world do what a server does by itself: collect, empty namespaces, end events after
 * |event_ttl_s| (0: never).  In the turns of its loop. */
lw_status api_world_live(api_world *world, int64_t event_ttl_s);

/* Asks, and returns the stream with what was answered at once; to fake_http_free.  NULL: no
 * memory.  The path must be one of the API's. */
fake_http *api_world_ask(api_world *world, const fake_http_request *request);

/* GET |target| with |accept| (NULL: none). */
fake_http *api_world_get(api_world *world, const char *target, const char *accept);

/* Puts |json| under |key| ("pods/ns/name") as it is, or deletes what is there.  Returns the
 * revision of the change; 0 when it failed. */
uint64_t api_world_put(api_world *world, const char *key, const char *json);
uint64_t api_world_delete(api_world *world, const char *key);

/* Puts a ConfigMap with one label (NULL: none) and |data| (NULL: none) under the key "k". */
uint64_t api_world_put_config(api_world *world, const char *ns, const char *name, const char *label,
                              const char *data);

/* Runs what is to run now, |count| turns of the loop. */
void api_world_turns(api_world *world, int count);

/* Lets |ns| nanoseconds pass and runs what is due. */
void api_world_pass(api_world *world, int64_t ns);

#endif
