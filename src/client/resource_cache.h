/* SPDX-License-Identifier: Apache-2.0 */
/* resource_cache.h -- the resources of the server that a client knows.  Any thread. */
#ifndef LW_CLIENT_RESOURCE_CACHE_H
#define LW_CLIENT_RESOURCE_CACHE_H

#include "base/map.h"
#include "base/sync.h"
#include "client/resource_set.h"

enum {
    LW_RESOURCE_CACHE_HANDED_OUT =
        65536, /* different resources that may be returned to a program */
};

typedef struct lw_resource_cache {
    lw_mutex mu;          /* guards the following members */
    lw_resource_set *set; /* the last discovery; NULL: none yet */
    lw_error gap;         /* why |set| is incomplete; code LW_OK: it is complete */
    lw_resource_set *old; /* while |set| is incomplete: the last complete one, or NULL */
    lw_map handed_out;    /* resources that were returned; they live as long as the client */
} lw_resource_cache;

void lw_resource_cache_init(lw_resource_cache *cache);
void lw_resource_cache_done(lw_resource_cache *cache);

/* What to find: a name as a user types it, or a kind. */
typedef struct lw_resource_question {
    const char *name; /* NULL: use |gvk| */
    lw_gvk gvk;
} lw_resource_question;

/* Finds the resource.  LW_ERR_NOT_FOUND with the message of kubectl, or the error that made
 * discovery incomplete; LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_resource_cache_find(lw_resource_cache *cache, const lw_resource_question *question,
                                 lw_resource *out, lw_error *err);

/* Replaces the set.  |gap| (may be NULL): a part could not be read; what was known about it before
 * is still found. */
void lw_resource_cache_replace_take(lw_resource_cache *cache, lw_resource_set *set,
                                    const lw_error *gap);

#endif
