/* SPDX-License-Identifier: Apache-2.0 */
/* decision_cache.h -- what an authorizer has allowed lately, so that the next request of the same
 * kind by the same user costs a comparison.
 *
 * An entry is valid for one generation of the authorizer's rules.  An authorizer takes a new
 * generation before it changes a rule, so what a change revokes is never found again.  Only
 * decisions that hold for every object name are added, and never denials.
 *
 * Direct-mapped: an entry replaces the one that was in its slot.  A key that is too long for a slot
 * is not added.
 *
 * Threads: one; each event loop has its own cache. */
#ifndef LW_API_CONTEXT_DECISION_CACHE_H
#define LW_API_CONTEXT_DECISION_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_DECISION_TEXT_MAX = 107, /* bytes of all texts of a key; makes a slot 128 bytes */
    LW_DECISION_SLOTS_LOG2 = 9,
};

typedef struct lw_decision_key {
    uint64_t generation; /* of the rules; not 0, unique among all authorizers */
    uint64_t user;       /* lw_user_id; not 0 */
    lw_str verb, group, resource, subresource, ns;
} lw_decision_key;

typedef struct lw_decision_slot {
    uint64_t generation; /* 0: free */
    uint64_t user;
    uint8_t verb_len, group_len, resource_len, subresource_len, ns_len;
    char text[LW_DECISION_TEXT_MAX]; /* the texts, in this order */
} lw_decision_slot;

/* Zeroed: empty. */
typedef struct lw_decision_cache {
    lw_decision_slot slots[1 << LW_DECISION_SLOTS_LOG2];
} lw_decision_cache;

/* Returns true if |key| was added and nothing has replaced it. */
bool lw_decision_cache_has(const lw_decision_cache *cache, const lw_decision_key *key);
void lw_decision_cache_add(lw_decision_cache *cache, const lw_decision_key *key);

#endif
