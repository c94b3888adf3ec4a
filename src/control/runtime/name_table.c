/* SPDX-License-Identifier: Apache-2.0 */
/* name_table.c -- a hash table of records by name. */
#include "runtime/name_table.h"

#include <stdlib.h>

#include "runtime/hash.h"

enum {
    SLOTS_MIN = 16,
};

/* Names are chosen by users who may write to the cluster anyway: the hash needs no secret seed. */
static uint64_t hash_of(lw_str name)
{
    uint64_t hash = lw_hash_add(LW_HASH_INIT, name);
    return hash ^ hash >> 32;
}

static lw_named **slot_of(const lw_names *names, uint64_t hash)
{
    return &names->slots[hash & (names->slot_count - 1)];
}

void lw_names_done(lw_names *names)
{
    free(names->slots);
    *names = (lw_names){ NULL, 0, 0 };
}

void *lw_names_get(const lw_names *names, lw_str name)
{
    uint64_t hash = hash_of(name);
    lw_named *at = names->count > 0 ? *slot_of(names, hash) : NULL;
    while (at && (at->hash != hash || !lw_str_equal(at->name, name)))
        at = at->next;
    return at;
}

static void link_in(lw_names *names, lw_named *record)
{
    lw_named **slot = slot_of(names, record->hash);
    record->next = *slot;
    *slot = record;
}

static lw_status grow(lw_names *names)
{
    size_t count = names->slot_count > 0 ? names->slot_count * 2 : SLOTS_MIN;
    lw_names larger = { calloc(count, sizeof(*larger.slots)), count, names->count };
    if (!larger.slots)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < names->slot_count; i++) {
        while (names->slots[i]) {
            lw_named *record = names->slots[i];
            names->slots[i] = record->next;
            link_in(&larger, record);
        }
    }
    free(names->slots);
    *names = larger;
    return LW_OK;
}

lw_status lw_names_add(lw_names *names, lw_named *record)
{
    if (names->count >= names->slot_count && grow(names) < 0)
        return LW_ERR_NOMEM;
    record->hash = hash_of(record->name);
    link_in(names, record);
    names->count++;
    return LW_OK;
}

void lw_names_remove(lw_names *names, lw_named *record)
{
    lw_named **at = slot_of(names, record->hash);
    while (*at && *at != record)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = record->next;
    record->next = NULL;
    names->count--;
}

void *lw_names_next(const lw_names *names, const lw_named *record)
{
    if (record && record->next)
        return record->next;
    size_t at = record ? (record->hash & (names->slot_count - 1)) + 1 : 0;
    while (at < names->slot_count && !names->slots[at])
        at++;
    return at < names->slot_count ? names->slots[at] : NULL;
}
