/* SPDX-License-Identifier: Apache-2.0 */
/* authn_users.c -- stores each user once, for the lifetime of the server. */
#include "server/authn/authn_users.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* One allocation: the groups and all strings follow the struct. */
typedef struct kept_user {
    lw_user user;
    lw_str groups[];
} kept_user;

/* Few users share a name, so hashing the name is enough. */
static uint64_t hash_user(const void *key, lw_hash_seed seed)
{
    const lw_user *user = key;
    return lw_map__str_hash(&user->name, seed);
}

static bool has_user(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_user *a = &((const kept_user *)entry)->user, *b = key;
    (void)type;
    if (!lw_str_equal(a->name, b->name) || !lw_str_equal(a->uid, b->uid) ||
        a->group_count != b->group_count)
        return false;
    for (size_t i = 0; i < a->group_count; i++) {
        if (!lw_str_equal(a->groups[i], b->groups[i]))
            return false;
    }
    return true;
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
    for (kept_user *entry; (entry = lw_map_next(&users->all, &at));)
        lw_free(entry);
    lw_map_done(&users->all);
    lw_mutex_done(&users->mu);
}

static lw_str copy_text(char **at, lw_str text)
{
    lw_str copy = lw_str_make(*at, text.len);
    if (text.len > 0)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

static kept_user *copy_user(const lw_user *user)
{
    size_t total = user->name.len + user->uid.len;
    for (size_t i = 0; i < user->group_count; i++)
        total += user->groups[i].len;
    kept_user *copy = lw_alloc(sizeof(*copy) + user->group_count * sizeof(lw_str) + total);
    if (!copy)
        return NULL;
    char *at = (char *)(copy->groups + user->group_count);
    copy->user = (lw_user){ .name = copy_text(&at, user->name),
                            .uid = copy_text(&at, user->uid),
                            .groups = copy->groups,
                            .group_count = user->group_count };
    for (size_t i = 0; i < user->group_count; i++)
        copy->groups[i] = copy_text(&at, user->groups[i]);
    return copy;
}

static lw_status keep_locked(lw_authn_users *users, const lw_user *user, const lw_user **kept)
{
    kept_user *entry = lw_map_get(&users->all, user);
    if (!entry) {
        void *replaced = NULL;
        entry = copy_user(user);
        if (!entry)
            return LW_ERR_NOMEM;
        lw_status st = lw_map_put(&users->all, &entry->user, entry, &replaced);
        if (st < 0) {
            lw_free(entry);
            return st;
        }
    }
    *kept = &entry->user;
    return LW_OK;
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
    lw_mutex_lock(&users->mu);
    lw_status st = keep_locked(users, &known, kept);
    lw_mutex_unlock(&users->mu);
    return st;
}
