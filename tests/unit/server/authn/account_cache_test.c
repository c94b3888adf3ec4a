/* SPDX-License-Identifier: Apache-2.0 */
/* account_cache_test.c -- verified tokens are found again, and the oldest make room. */
#include "server/authn/account_cache.h"

#include "base/str.h"
#include "unit/test.h"

static const lw_user robot = { .name = LW_STR_INIT("robot") };

/* A digest with |number| in it, of the shard |shard|. */
static void make_digest(uint8_t digest[LW_DIGEST_SIZE], uint8_t shard, uint32_t number)
{
    memset(digest, 0, LW_DIGEST_SIZE);
    digest[0] = shard;
    memcpy(digest + 1, &number, sizeof(number));
}

static void put(lw_account_cache *cache, uint8_t shard, uint32_t number)
{
    uint8_t digest[LW_DIGEST_SIZE];
    lw_verified_token *token = NULL;
    const lw_account_claims claims = { .ns = LW_STR("ns"),
                                       .account = { LW_STR("robot"), LW_STR("u") } };
    make_digest(digest, shard, number);
    assert_int_equal(lw_verified_token_new(&token, digest, &claims, false, &robot), LW_OK);
    lw_account_cache_put(cache, token);
    lw_verified_token_unref(token);
}

static bool has(lw_account_cache *cache, uint8_t shard, uint32_t number)
{
    uint8_t digest[LW_DIGEST_SIZE];
    make_digest(digest, shard, number);
    lw_verified_token *token = lw_account_cache_get_ref(cache, digest);
    bool is_there = token != NULL;
    if (token)
        assert_str_equal(token->claims.account.name, "robot");
    lw_verified_token_unref(token);
    return is_there;
}

static void a_token_is_found_until_it_is_dropped(void **state)
{
    lw_account_cache cache;
    uint8_t digest[LW_DIGEST_SIZE];
    (void)state;
    lw_account_cache_init(&cache);
    put(&cache, 1, 7);
    put(&cache, 1, 7); /* two loops have verified it at the same time */
    assert_true(has(&cache, 1, 7));
    assert_false(has(&cache, 2, 7));
    assert_false(has(&cache, 1, 8));
    make_digest(digest, 1, 7);
    lw_verified_token *token = lw_account_cache_get_ref(&cache, digest);
    lw_account_cache_drop(&cache, token);
    lw_account_cache_drop(&cache, token); /* it is gone already */
    assert_false(has(&cache, 1, 7));
    lw_verified_token_unref(token);
    lw_account_cache_done(&cache);
}

static void a_full_cache_drops_the_oldest(void **state)
{
    enum {
        SHARD = LW_ACCOUNT_CACHE_MAX / LW_ACCOUNT_CACHE_SHARDS
    };
    lw_account_cache cache;
    (void)state;
    lw_account_cache_init(&cache);
    for (uint32_t i = 0; i < SHARD + 2; i++)
        put(&cache, 3, i);
    assert_false(has(&cache, 3, 0));
    assert_false(has(&cache, 3, 1));
    assert_true(has(&cache, 3, 2));
    assert_true(has(&cache, 3, SHARD + 1));
    lw_account_cache_done(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_token_is_found_until_it_is_dropped),
        TEST(a_full_cache_drops_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
