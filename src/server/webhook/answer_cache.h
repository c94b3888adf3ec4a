/* SPDX-License-Identifier: Apache-2.0 */
/* answer_cache.h -- what a webhook has answered, for a time, and what it is being asked.
 *
 *     find ──▶ fresh answer
 *         ├──▶ being asked: the caller waits with the others
 *         └──▶ none, or expired: a new question, which the caller must send
 *
 * Bounded: the entry that was not used for the longest time makes room.  Threads: any. */
#ifndef LW_SERVER_WEBHOOK_ANSWER_CACHE_H
#define LW_SERVER_WEBHOOK_ANSWER_CACHE_H

#include <stdint.h>

#include "api/context/asker.h"
#include "base/map.h"

/* A question with its place in the cache; the first member of the owner's struct. */
typedef struct lw_answer {
    lw_question base;   /* first */
    lw_dlist_node link; /* in cache->recent; not linked: not in the cache */
    int64_t expires_ns; /* INT64_MAX: being asked */
} lw_answer;

typedef struct lw_answer_cache {
    lw_mutex mu;     /* guards all, and the link and expiry of the entries */
    lw_map by_key;   /* of lw_answer; one reference each */
    lw_dlist recent; /* the same; the last one was used last */
    size_t limit;
} lw_answer_cache;

void lw_answer_cache_init(lw_answer_cache *cache, size_t limit);
void lw_answer_cache_done(lw_answer_cache *cache);

/* Returns a reference to the entry of |key| that is fresh at |now_ns| or being asked; NULL:
 * none. */
lw_answer *lw_answer_cache_find(lw_answer_cache *cache, lw_str key, int64_t now_ns);

/* Adds |answer|, a new question, while it is being asked.  If there is an entry of its key that is
 * not expired, it is returned with a reference instead; otherwise NULL.  Without memory |answer| is
 * not added: then others do not find it. */
lw_answer *lw_answer_cache_add(lw_answer_cache *cache, lw_answer *answer, int64_t now_ns);

/* The answer is there and is kept until |expires_ns|, if that is after |now_ns|; wakes what waits
 * for it. */
void lw_answer_cache_answered(lw_answer_cache *cache, lw_answer *answer, int64_t now_ns,
                              int64_t expires_ns);

#endif
