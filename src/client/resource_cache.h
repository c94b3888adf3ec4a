/* SPDX-License-Identifier: Apache-2.0 */
/* resource_cache.h -- what a client knows of its server's resources.  Any thread. */
#ifndef LW_CLIENT_RESOURCE_CACHE_H
#define LW_CLIENT_RESOURCE_CACHE_H

#include "base/map.h"
#include "base/sync.h"
#include "client/resource_set.h"

enum {
    LW_RESOURCE_CACHE_HANDED_OUT = 65536, /* different resources a program may have been told of */
};

typedef struct lw_resource_cache {
    lw_mutex mu;          /* all below */
    lw_resource_set *set; /* the last discovery; NULL: none yet */
    lw_error gap;         /* why |set| lacks something; code LW_OK: it does not */
    lw_resource_set *old; /* while there is a gap: the last that had none, or NULL */
    lw_map handed_out;    /* what a program was told stays as long as the client */
} lw_resource_cache;

void lw_resource_cache_init(lw_resource_cache *cache);
void lw_resource_cache_done(lw_resource_cache *cache);

/* What is asked for: a text as a person types it, or a kind. */
typedef struct lw_resource_question {
    const char *name; /* NULL: |gvk| */
    lw_gvk gvk;
} lw_resource_question;

/* Looks the resource up.  LW_ERR_NOT_FOUND, in the words of kubectl, or the reason why discovery
 * was not complete; LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_resource_cache_find(lw_resource_cache *cache, const lw_resource_question *question,
                                 lw_resource *out, lw_error *err);

/* Puts a new set in place of the old one.  |gap| (may be NULL): some of it could not be read; what
 * was known of that before is still found. */
void lw_resource_cache_replace_take(lw_resource_cache *cache, lw_resource_set *set,
                                    const lw_error *gap);

#endif
