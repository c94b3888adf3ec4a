/* SPDX-License-Identifier: Apache-2.0 */
/* api_world.c -- an API on an in-memory store. */
#include "support/api_world.h"

#include "api/context/port.h"
#include "api/lifecycle/lifecycle.h"
#include "base/alloc.h"
#include "base/str.h"
#include "store/memory.h"

enum {
    TEXT_MAX = 16 * 1024 * 1024,
};

static lw_status open_data(api_world *world, lw_error *err)
{
    lw_cache_options cache_options = { .store = NULL };
    lw_status st = lw_manual_clock_new(&world->clock, API_WORLD_START_NS);
    if (st == LW_OK)
        st = lw_registry_new(&world->registry);
    if (st == LW_OK && !world->store)
        st = lw_memory_store_new(&world->store, NULL, err);
    cache_options.store = world->store;
    if (st == LW_OK)
        st = lw_cache_new(&world->cache, &cache_options, err);
    return st;
}

lw_status api_world_open(api_world *world, lw_error *err)
{
    return api_world_open_on(world, NULL, err);
}

static const lw_str testers_groups[] = { LW_STR_INIT("system:authenticated") };
static const lw_user tester = { .name = LW_STR_INIT("tester"),
                                .uid = LW_STR_INIT("7"),
                                .groups = testers_groups,
                                .group_count = 1 };

/* The only valid token is "secret". */
static lw_status find_token(void *arg, lw_str token, const lw_audiences *wanted,
                            lw_http_stream *stream, const lw_user **user, lw_audiences *matched)
{
    (void)arg;
    (void)stream;
    if (!lw_str_equal(token, LW_STR("secret")))
        return LW_ERR_UNAUTHORIZED;
    matched->count = 0;
    for (size_t i = 0; i < (wanted ? wanted->count : 1); i++) {
        lw_str audience = wanted ? wanted->at[i] : LW_STR(API_WORLD_AUDIENCE);
        if (lw_str_equal(audience, LW_STR(API_WORLD_AUDIENCE)))
            matched->at[matched->count++] = audience;
    }
    if (matched->count == 0)
        return LW_ERR_UNAUTHORIZED;
    *user = &tester;
    return LW_OK;
}

static bool has_user(void *arg, lw_str name)
{
    (void)arg;
    return lw_str_equal(name, tester.name);
}

static void append_object(lw_buf *token, const char *kind, const lw_token_object *object)
{
    if (object->name.len > 0)
        lw_buf_printf(token, " %s=%.*s/%.*s", kind, LW_STR_ARG(object->name),
                      LW_STR_ARG(object->uid));
}

/* Says what a token would claim. */
static lw_status issue_token(void *arg, const lw_account_claims *claims, lw_buf *token)
{
    (void)arg;
    lw_buf_printf(token, "account=%.*s/%.*s/%.*s", LW_STR_ARG(claims->ns),
                  LW_STR_ARG(claims->account.name), LW_STR_ARG(claims->account.uid));
    append_object(token, "pod", &claims->pod);
    append_object(token, "node", &claims->node);
    append_object(token, "secret", &claims->secret);
    if (claims->warn_after_s > 0)
        lw_buf_printf(token, " warn=%lld", (long long)(claims->warn_after_s - claims->issued_s));
    if (claims->expires_s > 0)
        lw_buf_printf(token, " lifetime=%lld", (long long)(claims->expires_s - claims->issued_s));
    for (size_t i = 0; i < claims->audiences.count; i++)
        lw_buf_printf(token, " for=%.*s", LW_STR_ARG(claims->audiences.at[i]));
    return token->st;
}

static const lw_audiences audiences = { { LW_STR_INIT(API_WORLD_AUDIENCE) }, 1 };
static const lw_token_issuer issuer = { .issue = issue_token,
                                        .issue_for_secret = issue_token,
                                        .audiences = &audiences,
                                        .root_ca = LW_STR_INIT("PEM") };

static lw_status open_with(api_world *world, lw_store *store, lw_str key_prefix,
                           struct lw_hooks *hooks, lw_error *err)
{
    *world = (api_world){ .store = store };
    lw_status st = open_data(world, err);
    if (st < 0)
        return st;
    const lw_clock *clock = lw_manual_clock_as_clock(world->clock);
    lw_api_options options = { .store = world->store,
                               .cache = world->cache,
                               .registry = world->registry,
                               .clock = clock,
                               .authenticator = { find_token, has_user, NULL },
                               .issuer = issuer,
                               .server_address = LW_STR("127.0.0.1:6443"),
                               .key_prefix = key_prefix,
                               .hooks = hooks,
                               .event_ttl_s = LW_KIND_EVENT_TTL_S,
                               /* Tests count their ConfigMaps. */
                               .disabled_controllers = LW_CONTROLLER_ROOT_CA };
    st = lw_api_new(&world->api, &options, err);
    if (st == LW_OK)
        st = lw_cache_start(world->cache, err);
    if (st == LW_OK)
        st = lw_loop_new(&world->loop, clock, err);
    if (st == LW_OK)
        st = lw_api_bind(world->api, world->loop, err);
    world->is_bound = st == LW_OK;
    return st;
}

lw_status api_world_open_on(api_world *world, lw_store *store, lw_error *err)
{
    return open_with(world, store, LW_STR(""), NULL, err);
}

lw_status api_world_open_under(api_world *world, lw_str key_prefix, lw_error *err)
{
    return open_with(world, NULL, key_prefix, NULL, err);
}

lw_status api_world_open_hooked(api_world *world, struct lw_hooks *hooks, lw_error *err)
{
    return open_with(world, NULL, LW_STR(""), hooks, err);
}

lw_status api_world_live(api_world *world, int64_t event_ttl_s)
{
    world->api->event_ttl_s = event_ttl_s;
    return lw_lifecycle_start(world->api, world->loop, NULL);
}

void api_world_close(api_world *world)
{
    if (world->is_bound) {
        lw_api_drain(world->api, world->loop);
        lw_api_unbind(world->api, world->loop);
    }
    lw_loop_free(world->loop);
    lw_cache_stop(world->cache); /* the API observes it */
    lw_api_free(world->api);
    lw_cache_free(world->cache);
    lw_store_free(world->store);
    lw_registry_unref(world->registry);
    lw_manual_clock_free(world->clock);
}

fake_http *api_world_ask(api_world *world, const fake_http_request *request)
{
    fake_http *http = fake_http_new(world->loop, request);
    if (http)
        (void)lw_api_serve(world->api, &http->stream, &tester);
    return http;
}

fake_http *api_world_get(api_world *world, const char *target, const char *accept)
{
    fake_http_request request = { .method = "GET", .target = target };
    if (accept) {
        request.headers[0] = "accept";
        request.headers[1] = accept;
    }
    return api_world_ask(world, &request);
}

static uint64_t change(api_world *world, lw_store_op op, const char *key, const char *json)
{
    lw_buf full, old;
    lw_store_record record = { .mod_revision = 0 };
    lw_buf_init(&full, LW_STORE_KEY_MAX);
    lw_buf_init(&old, TEXT_MAX);
    lw_buf_append_text(&full, "/registry/");
    lw_buf_append_text(&full, key);
    if (lw_store_get(world->store, lw_buf_view(&full), 0, &old, &record, NULL) < 0)
        record.mod_revision = 0;
    lw_store_txn txn = { .op = op,
                         .key = lw_buf_view(&full),
                         .value = lw_str_of(json),
                         .expected = record.mod_revision };
    lw_status st = full.st < 0 ? full.st : lw_store_commit(world->store, &txn);
    lw_buf_done(&full);
    lw_buf_done(&old);
    return st == LW_OK ? txn.revision : 0;
}

uint64_t api_world_put(api_world *world, const char *key, const char *json)
{
    return change(world, LW_STORE_PUT, key, json);
}

uint64_t api_world_delete(api_world *world, const char *key)
{
    return change(world, LW_STORE_DELETE, key, "");
}

uint64_t api_world_put_config(api_world *world, const char *ns, const char *name, const char *label,
                              const char *data)
{
    lw_buf key, json;
    lw_buf_init(&key, LW_STORE_KEY_MAX);
    lw_buf_init(&json, TEXT_MAX);
    lw_buf_printf(&key, "configmaps/%s/%s", ns, name);
    lw_buf_printf(&json,
                  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                  "\"namespace\":\"%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"\","
                  "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"",
                  name, ns, name);
    if (label)
        lw_buf_printf(&json, ",\"labels\":{\"x\":\"%s\"}", label);
    lw_buf_append_char(&json, '}');
    if (data)
        lw_buf_printf(&json, ",\"data\":{\"k\":\"%s\"}", data);
    lw_buf_append_char(&json, '}');
    char *key_text = lw_buf_take_text(&key), *json_text = lw_buf_take_text(&json);
    uint64_t revision = key_text && json_text ? api_world_put(world, key_text, json_text) : 0;
    lw_free(key_text);
    lw_free(json_text);
    lw_buf_done(&key);
    lw_buf_done(&json);
    return revision;
}

void api_world_turns(api_world *world, int count)
{
    while (count-- > 0)
        (void)lw_loop_turn(world->loop, 0, NULL);
}

void api_world_pass(api_world *world, int64_t ns)
{
    lw_manual_clock_advance(world->clock, ns);
    api_world_turns(world, 2);
}
