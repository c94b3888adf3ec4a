/* SPDX-License-Identifier: Apache-2.0 */
/* api_scene.h -- an API on a store without threads, for allocation failure scenarios. */
#ifndef LW_TESTS_OOM_API_SCENE_H
#define LW_TESTS_OOM_API_SCENE_H

#include "api/api.h"
#include "base/str.h"
#include "unit/cache/fake_store.h"

typedef struct api_scene {
    struct lw_hooks *hooks; /* admission webhooks, the owner's; NULL: none */
    fake_store store;
    lw_store_ops ops; /* of the store; scenarios may replace them */
    lw_registry *registry;
    lw_cache *cache;
    lw_api *api;
    lw_loop *loop;
    const lw_clock *clock; /* set it before the scene begins; NULL: the system's */
    bool is_bound;
} api_scene;

/* Initializes with an empty store: fill it, then begin. */
static inline void api_scene_init(api_scene *scene)
{
    *scene = (api_scene){ .cache = NULL };
    fake_init(&scene->store);
    scene->ops = *scene->store.base.ops;
    scene->store.base.ops = &scene->ops;
}

/* For ops.submit: commits at once.  A large value is not stored.  Only a cache that reloads would
 * read it, and it then reports that it cannot. */
static inline lw_status api_scene_submit(lw_store *store, lw_store_txn *txn)
{
    fake_store *fake = fake_of(store);
    char key[FAKE_KEY_SIZE], value[FAKE_VALUE_SIZE] = "{}";
    (void)snprintf(key, sizeof(key), "%.*s", LW_STR_ARG(txn->key));
    if (txn->value.len < sizeof(value))
        (void)snprintf(value, sizeof(value), "%.*s", LW_STR_ARG(txn->value));
    txn->revision = fake_find(fake, key, fake->current);
    txn->st = txn->revision == txn->expected ? LW_OK : LW_ERR_CONFLICT;
    if (txn->st == LW_OK)
        txn->revision =
            fake_commit(fake, key, txn->op == LW_STORE_PUT ? value : NULL, txn->attachment);
    txn->done(txn);
    return LW_OK;
}

/* A token is a text with the name of its account. */
static inline lw_status api_scene_issue(void *arg, const lw_account_claims *claims, lw_buf *token)
{
    (void)arg;
    lw_buf_printf(token, "token of %.*s", LW_STR_ARG(claims->account.name));
    return token->st;
}

/* Makes the API for the store.  Call api_scene_end in any case. */
static inline lw_status api_scene_begin(api_scene *scene, lw_error *err)
{
    static const lw_audiences audiences = { { LW_STR_INIT("api") }, 1 };
    const lw_cache_options cache_options = { .store = &scene->store.base };
    lw_status st = lw_registry_new(&scene->registry);
    if (st == LW_OK)
        st = lw_cache_new(&scene->cache, &cache_options, err);
    lw_api_options options = { .store = &scene->store.base,
                               .cache = scene->cache,
                               .registry = scene->registry,
                               .clock = scene->clock,
                               .issuer = { .issue = api_scene_issue,
                                           .issue_for_secret = api_scene_issue,
                                           .audiences = &audiences },
                               .server_address = LW_STR("127.0.0.1:6443"),
                               .hooks = scene->hooks };
    if (st == LW_OK)
        st = lw_api_new(&scene->api, &options, err);
    if (st == LW_OK)
        st = lw_cache_start(scene->cache, err);
    if (st == LW_OK)
        st = lw_loop_new(&scene->loop, scene->clock, err);
    if (st == LW_OK)
        st = lw_api_bind(scene->api, scene->loop, err);
    scene->is_bound = st == LW_OK;
    return st;
}

static inline void api_scene_end(api_scene *scene)
{
    if (scene->is_bound) {
        lw_api_drain(scene->api, scene->loop);
        lw_api_unbind(scene->api, scene->loop);
    }
    lw_loop_free(scene->loop);
    lw_api_free(scene->api);
    lw_cache_free(scene->cache);
    lw_registry_unref(scene->registry);
    fake_done(&scene->store);
}

#endif
