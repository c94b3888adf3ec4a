/* SPDX-License-Identifier: Apache-2.0 */
/* answer_cache.c -- a bounded table of questions and answers with expiry. */
#include "server/webhook/answer_cache.h"

#include "base/random.h"

static const lw_map_type answers_by_key = LW_MAP_STR_TYPE(lw_answer, base.key);

void lw_answer_cache_init(lw_answer_cache *cache, size_t limit)
{
    lw_mutex_init(&cache->mu);
    lw_map_init(&cache->by_key, &answers_by_key, lw_hash_seed_random(), limit + 1);
    lw_dlist_init(&cache->recent);
    cache->limit = limit;
}

/* The caller holds cache->mu and releases the reference afterwards. */
static void remove_locked(lw_answer_cache *cache, lw_answer *answer)
{
    (void)lw_map_remove_str(&cache->by_key, answer->base.key);
    lw_dlist_remove(&answer->link);
}

void lw_answer_cache_done(lw_answer_cache *cache)
{
    lw_dlist_node *node;
    lw_map_clear(&cache->by_key);
    while ((node = lw_dlist_pop_front(&cache->recent)) != NULL)
        lw_question_unref(&LW_DLIST_ITEM(node, lw_answer, link)->base);
    lw_map_done(&cache->by_key);
    lw_mutex_done(&cache->mu);
}

/* Returns the entry of |key|, made the last used one; an expired one is removed and stored in
 * |*expired|, whose reference the caller releases. */
static lw_answer *find_locked(lw_answer_cache *cache, lw_str key, int64_t now_ns,
                              lw_answer **expired)
{
    lw_answer *answer = lw_map_get_str(&cache->by_key, key);
    *expired = NULL;
    if (!answer)
        return NULL;
    if (answer->expires_ns <= now_ns) {
        remove_locked(cache, answer);
        *expired = answer;
        return NULL;
    }
    lw_dlist_remove(&answer->link);
    lw_dlist_push_back(&cache->recent, &answer->link);
    (void)lw_question_ref(&answer->base);
    return answer;
}

static void release(lw_answer *answer)
{
    if (answer)
        lw_question_unref(&answer->base);
}

lw_answer *lw_answer_cache_find(lw_answer_cache *cache, lw_str key, int64_t now_ns)
{
    lw_answer *expired;
    lw_mutex_lock(&cache->mu);
    lw_answer *answer = find_locked(cache, key, now_ns, &expired);
    lw_mutex_unlock(&cache->mu);
    release(expired);
    return answer;
}

lw_answer *lw_answer_cache_add(lw_answer_cache *cache, lw_answer *answer, int64_t now_ns)
{
    lw_answer *expired, *oldest = NULL;
    void *replaced = NULL;
    lw_mutex_lock(&cache->mu);
    lw_answer *present = find_locked(cache, answer->base.key, now_ns, &expired);
    if (!present) {
        answer->expires_ns = INT64_MAX;
        if (lw_map_put(&cache->by_key, &answer->base.key, answer, &replaced) == LW_OK) {
            (void)lw_question_ref(&answer->base);
            lw_dlist_push_back(&cache->recent, &answer->link);
        }
        if (lw_map_count(&cache->by_key) > cache->limit) {
            oldest = LW_DLIST_ITEM(lw_dlist_first(&cache->recent), lw_answer, link);
            remove_locked(cache, oldest);
        }
    }
    lw_mutex_unlock(&cache->mu);
    release(expired);
    release(oldest);
    return present;
}

void lw_answer_cache_answered(lw_answer_cache *cache, lw_answer *answer, int64_t now_ns,
                              int64_t expires_ns)
{
    lw_mutex_lock(&cache->mu);
    bool was_in = lw_dlist_node_is_linked(&answer->link);
    answer->expires_ns = expires_ns;
    bool is_dropped = was_in && expires_ns <= now_ns;
    if (is_dropped)
        remove_locked(cache, answer);
    lw_mutex_unlock(&cache->mu);
    lw_question_answered(&answer->base);
    if (is_dropped)
        release(answer);
}
