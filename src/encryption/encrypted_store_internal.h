/* SPDX-License-Identifier: Apache-2.0 */
/* encrypted_store_internal.h -- what the store and its watches share. */
#ifndef LW_ENCRYPTION_ENCRYPTED_STORE_INTERNAL_H
#define LW_ENCRYPTION_ENCRYPTED_STORE_INTERNAL_H

#include "base/map.h"
#include "base/sync.h"
#include "encryption/encrypted_store.h"

typedef struct lw_encrypted_store {
    lw_store base;
    lw_store_ops ops; /* of |base| */
    lw_store *inner;
    lw_encryption_config *config;
    char *key_prefix;
    lw_map by_storage; /* of bound_resource, which are in |bound| */
    struct lw_bound_resource *bound;
    lw_mutex mu; /* guards watches */
    lw_dlist watches;
} lw_encrypted_store;

/* The keys of the resource that |store_key| belongs to. */
const lw_encryption_keys *lw_encrypted_store_keys(const lw_encrypted_store *store,
                                                  lw_str store_key);

/* Members of lw_store_ops. */
lw_status lw_encrypted_watch_open(lw_store *base, lw_str prefix, uint64_t after,
                                  const lw_store_sink *sink, lw_store_watch **out, lw_error *err);
void lw_encrypted_watch_close(lw_store *base, lw_store_watch *opened);

/* Frees the watches that the inner store has ended. */
void lw_encrypted_watches_free(lw_encrypted_store *store);

#endif
