/* SPDX-License-Identifier: Apache-2.0 */
/* authn_users.c -- stores each user once. */
#include "server/authn/authn_users.h"

#include <stdint.h>

#include "base/str.h"

/* Few users share a name, so hashing the name is enough. */
static uint64_t hash_user(const void *key, lw_hash_seed seed)
{
    const lw_user *user = key;
    return lw_map__str_hash(&user->name, seed);
}

static bool has_user(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return lw_user_equal(entry, key);
}

static const lw_map_type users_by_all = { hash_user, has_user, 0 };

void lw_authn_users_init(lw_authn_users *users)
{
    lw_mutex_init(&users->mu);
    lw_map_init(&users->all, &users_by_all, lw_hash_seed_random(), LW_USERS_MAX);
}

void lw_authn_users_done(lw_authn_users *users)
{
    lw_map_cursor at = lw_map_begin(&users->all);
    for (const lw_user *entry; (entry = lw_map_next(&users->all, &at));)
        lw_user_unref(entry);
    lw_map_done(&users->all);
    lw_mutex_done(&users->mu);
}

/* Drops the users that only the table holds. */
static void drop_unused_locked(lw_authn_users *users)
{
    lw_map_cursor at = lw_map_begin(&users->all);
    for (const lw_user *entry; (entry = lw_map_next(&users->all, &at));) {
        if (lw_ref_count(entry->refs) > 1)
            continue;
        lw_map_remove_current(&users->all, &at);
        lw_user_unref(entry);
    }
}

static lw_status keep_locked(lw_authn_users *users, const lw_user *user, const lw_user **kept)
{
    const lw_user *entry = lw_map_get(&users->all, user);
    if (!entry) {
        void *present = NULL;
        lw_status st = lw_user_copy(&entry, user);
        if (st < 0)
            return st;
        if (lw_map_count(&users->all) == LW_USERS_MAX)
            drop_unused_locked(users);
        st = lw_map_add(&users->all, entry, (void *)(uintptr_t)entry, &present);
        if (st < 0) {
            lw_user_unref(entry);
            return st;
        }
    }
    *kept = lw_user_ref(entry);
    return LW_OK;
}

lw_status lw_authn_users_keep_exactly(lw_authn_users *users, const lw_user *user,
                                      const lw_user **kept)
{
    lw_mutex_lock(&users->mu);
    lw_status st = keep_locked(users, user, kept);
    lw_mutex_unlock(&users->mu);
    return st;
}

lw_status lw_authn_users_keep(lw_authn_users *users, const lw_user *user, const lw_user **kept)
{
    static const lw_str everybody = LW_STR_INIT(LW_GROUP_AUTHENTICATED);
    lw_str groups[LW_USER_GROUPS_MAX];
    lw_user known = *user;
    known.groups = groups;
    known.group_count = 0;
    for (size_t i = 0; i < user->group_count && known.group_count < LW_USER_GROUPS_MAX - 1; i++) {
        if (!lw_str_equal(user->groups[i], everybody))
            groups[known.group_count++] = user->groups[i];
    }
    groups[known.group_count++] = everybody;
    return lw_authn_users_keep_exactly(users, &known, kept);
}
