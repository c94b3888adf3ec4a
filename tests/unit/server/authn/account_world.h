/* SPDX-License-Identifier: Apache-2.0 */
/* account_world.h -- an authenticator of service accounts with one key, a manual clock, and a few
 * objects. */
#ifndef LW_TESTS_UNIT_SERVER_AUTHN_ACCOUNT_WORLD_H
#define LW_TESTS_UNIT_SERVER_AUTHN_ACCOUNT_WORLD_H

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/authn/account_authn.h"
#include "server/authn/jwt.h"
#include "unit/test.h"

enum {
    WORLD_KINDS = LW_TOKEN_SECRET + 1,
};

#define WORLD_S  INT64_C(1700000000)
#define ISSUER   "https://kubernetes.default.svc.cluster.local"
#define OLD      "https://old.example"
#define AUDIENCE "https://api.example"

typedef struct account_world {
    lw_manual_clock *clock;
    lw_account_keys keys;
    lw_audiences audiences;
    lw_logger logger;
    unsigned warnings, debugs;
    lw_account_authn *accounts;
    lw_object *objects[WORLD_KINDS]; /* one of each kind; NULL: none */
    lw_status find_st;               /* what looking up an object comes to */
    unsigned finds;
    uint64_t revision;
    lw_buf token; /* the last one that was issued */
} account_world;

static inline lw_status world_find(void *arg, lw_token_object_kind kind, lw_str ns, lw_str name,
                                   lw_object **out)
{
    account_world *world = arg;
    lw_object *obj = world->objects[kind];
    world->finds++;
    bool is_it = obj && lw_str_equal(lw_object_key(obj).name, name) &&
                 lw_str_equal(lw_object_key(obj).ns, ns);
    *out = is_it && world->find_st == LW_OK ? lw_object_ref(obj) : NULL;
    return world->find_st;
}

static inline void world_log(lw_log_level level, const char *component, const char *line, void *arg)
{
    account_world *world = arg;
    (void)component;
    (void)line;
    if (level == LW_LOG_WARN)
        world->warnings++;
    else
        world->debugs++;
}

/* Puts the object |name| with |uid|, and |more| members of its metadata and itself, in place of the
 * last one of its kind; NULL |name|: removes it. */
static inline void world_put(account_world *world, lw_token_object_kind kind, const char *name,
                             const char *uid, const char *more_metadata, const char *more)
{
    char json[2048];
    lw_object_unref(world->objects[kind]);
    world->objects[kind] = NULL;
    if (!name)
        return;
    int len = snprintf(json, sizeof(json),
                       "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"name\":\"%s\"%s,"
                       "\"uid\":\"%s\",\"resourceVersion\":\"%llu\"%s}%s}",
                       name, kind == LW_TOKEN_NODE ? "" : ",\"namespace\":\"ns\"", uid,
                       (unsigned long long)++world->revision, more_metadata, more);
    assert_in_range(len, 1, sizeof(json) - 1);
    assert_int_equal(lw_object_from_json(&world->objects[kind], json, (size_t)len, NULL), LW_OK);
}

static inline void world_begin(account_world *world)
{
    static const lw_str issuers[] = { LW_STR_INIT(ISSUER), LW_STR_INIT(OLD) };
    const lw_account_keys_options keys = { .folder = NULL };
    *world = (account_world){ .audiences = { { LW_STR_INIT(AUDIENCE) }, 1 } };
    world->logger = (lw_logger){ LW_LOG_DEBUG, world_log, world };
    lw_buf_init(&world->token, LW_JWT_MAX);
    assert_int_equal(lw_manual_clock_new(&world->clock, WORLD_S * LW_NS_PER_S), LW_OK);
    assert_int_equal(lw_account_keys_open(&world->keys, &keys, NULL), LW_OK);
    const lw_account_authn_options options = {
        .keys = &world->keys,
        .issuers = issuers,
        .issuer_count = 2,
        .audiences = &world->audiences,
        .clock = lw_manual_clock_as_clock(world->clock),
        .logger = &world->logger,
    };
    const lw_token_objects objects = { world_find, world };
    assert_int_equal(lw_account_authn_new(&world->accounts, &options, NULL), LW_OK);
    lw_account_authn_connect(world->accounts, &objects);
    world_put(world, LW_TOKEN_ACCOUNT, "robot", "u1", "", "");
}

static inline void world_end(account_world *world)
{
    for (size_t i = 0; i < WORLD_KINDS; i++)
        lw_object_unref(world->objects[i]);
    lw_account_authn_free(world->accounts);
    lw_account_keys_done(&world->keys);
    lw_buf_done(&world->token);
    lw_manual_clock_free(world->clock);
}

/* The claims of a token of ns/robot for an hour. */
static inline lw_account_claims robot_claims(void)
{
    return (lw_account_claims){ .ns = LW_STR("ns"),
                                .account = { LW_STR("robot"), LW_STR("u1") },
                                .id = LW_STR("id-1"),
                                .audiences = { { LW_STR(AUDIENCE) }, 1 },
                                .issued_s = WORLD_S,
                                .expires_s = WORLD_S + 3600 };
}

static inline lw_str world_issue(account_world *world, const lw_account_claims *claims)
{
    lw_buf_reset(&world->token);
    assert_int_equal(lw_account_authn_issue(world->accounts, claims, &world->token), LW_OK);
    return lw_buf_view(&world->token);
}

/* Signs |claims|, any JSON, with |key|. */
static inline lw_str world_sign(account_world *world, const char *claims, lw_signing_key *key)
{
    lw_buf_reset(&world->token);
    assert_int_equal(lw_jwt_write(&world->token, lw_str_of(claims), key), LW_OK);
    return lw_buf_view(&world->token);
}

/* What comes of |token| at this server. */
static inline lw_status world_try(account_world *world, lw_str token)
{
    const lw_user *user = NULL;
    lw_status st = lw_account_authn_find(world->accounts, token, NULL, &user, NULL);
    assert_int_equal(st == LW_OK, user != NULL);
    lw_user_unref(user);
    return st;
}

#endif
