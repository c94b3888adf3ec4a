/* SPDX-License-Identifier: Apache-2.0 */
/* decision_cache.c -- finds and replaces slots. */
#include "api/context/decision_cache.h"

#include <string.h>

/* The length of |text| and its bytes at both ends: most texts are short, or differ there. */
static uint64_t sample(lw_str text)
{
    uint64_t first = 0, last = 0;
    if (text.len >= sizeof(first)) {
        memcpy(&first, text.ptr, sizeof(first));
        memcpy(&last, text.ptr + text.len - sizeof(last), sizeof(last));
    } else if (text.len >= sizeof(uint32_t)) {
        memcpy(&first, text.ptr, sizeof(uint32_t));
        memcpy(&last, text.ptr + text.len - sizeof(uint32_t), sizeof(uint32_t));
    } else if (text.len > 0) {
        first = (unsigned char)text.ptr[text.len / 2];
        last = (unsigned char)text.ptr[text.len - 1];
    }
    return first + 31 * last + text.len;
}

/* A user who knows which keys share a slot can only make requests as slow as without the cache, so
 * the hash has no seed. */
static size_t slot_of(const lw_decision_key *key)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mix = (key->user + sample(key->verb)) * odd;
    mix = ((mix ^ mix >> 32) + sample(key->resource) + key->subresource.len) * odd;
    mix = ((mix ^ mix >> 32) + sample(key->ns) + key->group.len) * odd;
    return (size_t)(mix >> (64 - LW_DECISION_SLOTS_LOG2));
}

/* Returns true if the next |len| bytes of |*text| are |asked|, and skips them. */
static inline bool takes(const char **text, size_t len, lw_str asked)
{
    const char *start = *text;
    *text += len;
    return len == asked.len && (len == 0 || memcmp(start, asked.ptr, len) == 0);
}

bool lw_decision_cache_has(const lw_decision_cache *cache, const lw_decision_key *key)
{
    const lw_decision_slot *slot = &cache->slots[slot_of(key)];
    const char *text = slot->text;
    return slot->generation == key->generation && slot->user == key->user &&
           takes(&text, slot->verb_len, key->verb) && takes(&text, slot->group_len, key->group) &&
           takes(&text, slot->resource_len, key->resource) &&
           takes(&text, slot->subresource_len, key->subresource) &&
           takes(&text, slot->ns_len, key->ns);
}

/* Appends |added|, for which there is room, and returns its length. */
static uint8_t put(char **text, lw_str added)
{
    if (added.len > 0)
        memcpy(*text, added.ptr, added.len);
    *text += added.len;
    return (uint8_t)added.len;
}

void lw_decision_cache_add(lw_decision_cache *cache, const lw_decision_key *key)
{
    lw_decision_slot *slot = &cache->slots[slot_of(key)];
    char *text = slot->text;
    if (key->verb.len + key->group.len + key->resource.len + key->subresource.len + key->ns.len >
        sizeof(slot->text))
        return;
    slot->generation = key->generation;
    slot->user = key->user;
    slot->verb_len = put(&text, key->verb);
    slot->group_len = put(&text, key->group);
    slot->resource_len = put(&text, key->resource);
    slot->subresource_len = put(&text, key->subresource);
    slot->ns_len = put(&text, key->ns);
}
