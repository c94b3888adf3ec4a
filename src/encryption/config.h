/* SPDX-License-Identifier: Apache-2.0 */
/* config.h -- the encryption configuration: which keys the values of which resource have.
 *
 * The file is an EncryptionConfiguration (apiserver.config.k8s.io/v1) in YAML or JSON, with the
 * rules of kube-apiserver: resources are "secrets", "widgets.example.com", "*." (the core group),
 * "*.apps" (a group) or "*.*" (everything); an entry for the resource is before one for its group,
 * and that before "*.*"; what is named in several entries has the providers of all of them.  The
 * providers are aescbc, aesgcm, secretbox and identity.
 *
 * Threads: any; a configuration does not change. */
#ifndef LW_ENCRYPTION_CONFIG_H
#define LW_ENCRYPTION_CONFIG_H

#include "encryption/keys.h"

enum {
    LW_ENCRYPTION_FILE_MAX = 1 << 20, /* bytes of the file */
    LW_ENCRYPTION_KEYS_MAX = 1000,    /* keys of a resource */
    LW_ENCRYPTION_RULES_MAX = 1000,   /* resources that are named */
};

typedef struct lw_encryption_config lw_encryption_config;

/* Reads |text|.  LW_ERR_NOMEM; LW_ERR_SYNTAX, LW_ERR_INVALID and LW_ERR_LIMIT name the field:
 * "resources[0].providers[1].aescbc.keys[0].secret: ...".  No message shows a secret. */
lw_status lw_encryption_config_parse(lw_encryption_config **out, lw_str text, lw_error *err);

/* Reads |path|, a file that nobody but its owner can read or change.  LW_ERR_FORBIDDEN: others can,
 * or it belongs to somebody else; LW_ERR_NOT_FOUND, LW_ERR_IO, and as above; messages name the
 * file. */
lw_status lw_encryption_config_load(lw_encryption_config **out, const char *path, lw_error *err);

/* Overwrites the secrets.  NULL does nothing. */
void lw_encryption_config_free(lw_encryption_config *config);

/* The keys of |resource| ("secrets") in |group|, which live as long as |config|; none if it is not
 * named. */
const lw_encryption_keys *lw_encryption_config_find(const lw_encryption_config *config,
                                                    lw_str group, lw_str resource);

#endif
