/* SPDX-License-Identifier: Apache-2.0 */
/* account_cache.c -- the cache of verified tokens. */
#include "server/authn/account_cache.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum {
    SHARD_MAX = LW_ACCOUNT_CACHE_MAX / LW_ACCOUNT_CACHE_SHARDS,
};

/* A digest is a hash already; nobody can choose it. */
static uint64_t hash_digest(const void *key, lw_hash_seed seed)
{
    uint64_t hash;
    memcpy(&hash, (const uint8_t *)key + 1, sizeof(hash));
    return hash ^ seed.k0;
}

static bool has_digest(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return memcmp(((const lw_verified_token *)entry)->digest, key, LW_DIGEST_SIZE) == 0;
}

static const lw_map_type tokens_by_digest = { hash_digest, has_digest, 0 };

static lw_account_cache_shard *shard_of(lw_account_cache *cache, const uint8_t *digest)
{
    return &cache->shards[digest[0] % LW_ACCOUNT_CACHE_SHARDS];
}

void lw_account_cache_init(lw_account_cache *cache)
{
    for (size_t i = 0; i < LW_ACCOUNT_CACHE_SHARDS; i++) {
        lw_account_cache_shard *shard = &cache->shards[i];
        lw_mutex_init(&shard->mu);
        lw_map_init(&shard->tokens, &tokens_by_digest, lw_hash_seed_random(), SHARD_MAX);
        lw_dlist_init(&shard->order);
    }
}

void lw_account_cache_done(lw_account_cache *cache)
{
    for (size_t i = 0; i < LW_ACCOUNT_CACHE_SHARDS; i++) {
        lw_account_cache_shard *shard = &cache->shards[i];
        lw_map_cursor at = lw_map_begin(&shard->tokens);
        for (lw_verified_token *token; (token = lw_map_next(&shard->tokens, &at));)
            lw_verified_token_unref(token);
        lw_map_done(&shard->tokens);
        lw_mutex_done(&shard->mu);
    }
}

static size_t object_size(const lw_token_object *object)
{
    return object->name.len + object->uid.len;
}

static size_t text_size(const lw_account_claims *claims)
{
    size_t size = claims->ns.len + claims->id.len + object_size(&claims->account) +
                  object_size(&claims->pod) + object_size(&claims->node) +
                  object_size(&claims->secret);
    for (size_t i = 0; i < claims->audiences.count; i++)
        size += claims->audiences.at[i].len;
    return size;
}

/* Moves |text| to |*to|, which is moved on. */
static void move_text(lw_str *text, char **to)
{
    if (text->len > 0)
        memcpy(*to, text->ptr, text->len);
    text->ptr = *to;
    *to += text->len;
}

static void move_object(lw_token_object *object, char **to)
{
    move_text(&object->name, to);
    move_text(&object->uid, to);
}

lw_status lw_verified_token_new(lw_verified_token **out, const uint8_t digest[LW_DIGEST_SIZE],
                                const lw_account_claims *claims, bool is_legacy,
                                const lw_user *user)
{
    lw_verified_token *token = lw_alloc_zero(1, sizeof(*token) + text_size(claims));
    if (!token)
        return LW_ERR_NOMEM;
    char *to = (char *)(token + 1);
    lw_ref_init(&token->refs);
    memcpy(token->digest, digest, LW_DIGEST_SIZE);
    token->user = lw_user_ref(user);
    token->claims = *claims;
    token->is_legacy = is_legacy;
    move_text(&token->claims.ns, &to);
    move_text(&token->claims.id, &to);
    move_object(&token->claims.account, &to);
    move_object(&token->claims.pod, &to);
    move_object(&token->claims.node, &to);
    move_object(&token->claims.secret, &to);
    for (size_t i = 0; i < claims->audiences.count; i++)
        move_text(&token->claims.audiences.at[i], &to);
    *out = token;
    return LW_OK;
}

void lw_verified_token_unref(lw_verified_token *token)
{
    if (!token || !lw_ref_dec(&token->refs))
        return;
    lw_user_unref(token->user);
    lw_free(token);
}

lw_verified_token *lw_account_cache_get_ref(lw_account_cache *cache,
                                            const uint8_t digest[LW_DIGEST_SIZE])
{
    lw_account_cache_shard *shard = shard_of(cache, digest);
    lw_mutex_lock(&shard->mu);
    lw_verified_token *token = lw_map_get(&shard->tokens, digest);
    if (token)
        lw_ref_inc(&token->refs);
    lw_mutex_unlock(&shard->mu);
    return token;
}

static lw_verified_token *remove_locked(lw_account_cache_shard *shard, lw_verified_token *token)
{
    lw_dlist_remove(&token->link);
    return lw_map_remove(&shard->tokens, token->digest);
}

void lw_account_cache_put(lw_account_cache *cache, lw_verified_token *token)
{
    lw_account_cache_shard *shard = shard_of(cache, token->digest);
    lw_verified_token *oldest = NULL;
    void *present = NULL;
    lw_mutex_lock(&shard->mu);
    if (lw_map_count(&shard->tokens) == SHARD_MAX)
        oldest = remove_locked(shard, LW_DLIST_ITEM(lw_dlist_first(&shard->order),
                                                    lw_verified_token, link));
    if (lw_map_add(&shard->tokens, token->digest, token, &present) == LW_OK && !present) {
        lw_ref_inc(&token->refs);
        lw_dlist_push_back(&shard->order, &token->link);
    }
    lw_mutex_unlock(&shard->mu);
    lw_verified_token_unref(oldest);
}

void lw_account_cache_drop(lw_account_cache *cache, lw_verified_token *token)
{
    lw_account_cache_shard *shard = shard_of(cache, token->digest);
    lw_mutex_lock(&shard->mu);
    bool is_there = lw_map_get(&shard->tokens, token->digest) == token;
    if (is_there)
        (void)remove_locked(shard, token);
    lw_mutex_unlock(&shard->mu);
    if (is_there)
        lw_verified_token_unref(token);
}
