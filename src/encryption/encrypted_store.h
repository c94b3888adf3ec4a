/* SPDX-License-Identifier: Apache-2.0 */
/* encrypted_store.h -- a store whose values are encrypted in another store.
 *
 * Values are encrypted by the thread that submits them and decrypted by the one that reads, so the
 * inner store sees stored forms only.  A change with an attachment is passed on with its value as
 * it is stored: its reader has the object and needs no value.  Changes of resources that are not
 * encrypted are passed through. */
#ifndef LW_ENCRYPTION_ENCRYPTED_STORE_H
#define LW_ENCRYPTION_ENCRYPTED_STORE_H

#include "encryption/config.h"
#include "store/store.h"

/* Where the objects of a resource are in the store. */
typedef struct lw_encrypted_resource {
    lw_str storage; /* below the prefix: "secrets", "services/specs" */
    lw_str group, resource;
} lw_encrypted_resource;

typedef struct lw_encrypted_store_options {
    lw_store *inner;              /* taken, on success only */
    lw_encryption_config *config; /* taken, on success only */
    lw_str key_prefix;            /* "/registry/"; copied */
    /* Resources whose storage is not "group/resource"; static. */
    const lw_encrypted_resource *resources;
    size_t count;
} lw_encrypted_store_options;

/* LW_ERR_NOMEM. */
lw_status lw_encrypted_store_new(lw_store **out, const lw_encrypted_store_options *options,
                                 lw_error *err);

#endif
