/* SPDX-License-Identifier: Apache-2.0 */
/* account_cache.h -- tokens that have been verified, by their SHA-256: those of service accounts,
 * and in a cache of their own those of other issuers (oidc/oidc_authn.h).
 *
 * An entry is valid as long as its token has not expired and the objects it names exist: the user
 * of the cache checks that with each use.  Entries of other issuers use only the times of the
 * claims, and |account_revision| for the revision of the configuration and the keys.  A full cache
 * drops its oldest entries.  Any thread. */
#ifndef LW_SERVER_AUTHN_ACCOUNT_CACHE_H
#define LW_SERVER_AUTHN_ACCOUNT_CACHE_H

#include <stdatomic.h>

#include "api/context/account_token.h"
#include "api/context/user.h"
#include "base/dlist.h"
#include "base/map.h"
#include "base/ref.h"
#include "base/sync.h"
#include "crypto/digest.h"

enum {
    LW_ACCOUNT_CACHE_MAX = 16384, /* tokens */
    LW_ACCOUNT_CACHE_SHARDS = 16,
};

/* A verified token.  Immutable but for the atomics. */
typedef struct lw_verified_token {
    lw_ref refs;
    uint8_t digest[LW_DIGEST_SIZE];
    lw_dlist_node link; /* in the shard, oldest first */
    const lw_user *user;
    lw_account_claims claims; /* views of memory behind the entry */
    bool is_legacy;           /* the token of a Secret */
    /* Revisions of the objects as they were found valid last; 0: check them again. */
    atomic_uint_least64_t account_revision, bound_revision;
} lw_verified_token;

typedef struct lw_account_cache_shard {
    lw_mutex mu;   /* guards the others */
    lw_map tokens; /* of lw_verified_token, one reference each */
    lw_dlist order;
} lw_account_cache_shard;

typedef struct lw_account_cache {
    lw_account_cache_shard shards[LW_ACCOUNT_CACHE_SHARDS];
} lw_account_cache;

void lw_account_cache_init(lw_account_cache *cache);
void lw_account_cache_done(lw_account_cache *cache);

/* Makes an entry with copies of |claims| and a reference to |user|.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_verified_token_new(lw_verified_token **out,
                                              const uint8_t digest[LW_DIGEST_SIZE],
                                              const lw_account_claims *claims, bool is_legacy,
                                              const lw_user *user);
void lw_verified_token_unref(lw_verified_token *token); /* NULL does nothing */

/* Returns the entry, which the caller unrefs; NULL: unknown. */
lw_verified_token *lw_account_cache_get_ref(lw_account_cache *cache,
                                            const uint8_t digest[LW_DIGEST_SIZE]);

/* Adds |token|, if there is memory for it. */
void lw_account_cache_put(lw_account_cache *cache, lw_verified_token *token);

/* Removes |token|, if it is there. */
void lw_account_cache_drop(lw_account_cache *cache, lw_verified_token *token);

#endif
