/* SPDX-License-Identifier: Apache-2.0 */
/* user_names.c -- each user's name once, kept as long as the server lives. */
#include "server/user_names.h"

#include <string.h>

#include "base/alloc.h"

typedef struct kept_name {
    lw_str name;
    char text[];
} kept_name;

static const lw_map_type names_by_name = LW_MAP_STR_TYPE(kept_name, name);

void lw_user_names_init(lw_user_names *names)
{
    lw_mutex_init(&names->mu);
    lw_map_init(&names->by_name, &names_by_name, lw_hash_seed_random(), LW_USER_NAMES_MAX);
}

void lw_user_names_done(lw_user_names *names)
{
    lw_map_cursor at = lw_map_begin(&names->by_name);
    for (kept_name *entry; (entry = lw_map_next(&names->by_name, &at));)
        lw_free(entry);
    lw_map_done(&names->by_name);
    lw_mutex_done(&names->mu);
}

static lw_status keep_locked(lw_user_names *names, lw_str name, lw_str *kept)
{
    kept_name *entry = lw_map_get_str(&names->by_name, name);
    if (!entry) {
        void *replaced = NULL;
        entry = lw_alloc(sizeof(*entry) + name.len);
        if (!entry)
            return LW_ERR_NOMEM;
        if (name.len > 0)
            memcpy(entry->text, name.ptr, name.len);
        entry->name = lw_str_make(entry->text, name.len);
        lw_status st = lw_map_put(&names->by_name, &entry->name, entry, &replaced);
        if (st < 0) {
            lw_free(entry);
            return st;
        }
    }
    *kept = entry->name;
    return LW_OK;
}

lw_status lw_user_names_keep(lw_user_names *names, lw_str name, lw_str *kept)
{
    lw_mutex_lock(&names->mu);
    lw_status st = keep_locked(names, name, kept);
    lw_mutex_unlock(&names->mu);
    return st;
}
