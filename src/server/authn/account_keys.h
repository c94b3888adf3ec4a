/* SPDX-License-Identifier: Apache-2.0 */
/* account_keys.h -- the keys that sign and verify the tokens of service accounts.
 *
 * Without files, one private key is generated at the first start and kept in the directory of the
 * other keys (sa.key).  Immutable after open; any thread. */
#ifndef LW_SERVER_AUTHN_ACCOUNT_KEYS_H
#define LW_SERVER_AUTHN_ACCOUNT_KEYS_H

#include <listwatch/log.h>

#include "base/buf.h"
#include "crypto/signing_key.h"

typedef struct lw_account_keys_options {
    const char *folder;           /* for the generated key; NULL: in memory */
    const char *signing_key_file; /* PEM with a private key; NULL: generated */
    const char *const *key_files; /* PEM with keys that verify; NULL-terminated, may be NULL */
    const lw_logger *logger;      /* may be NULL */
} lw_account_keys_options;

typedef struct lw_account_keys {
    lw_signing_key *signer;
    lw_signing_key *keys[LW_SIGNING_KEYS_MAX]; /* all that verify, also the signer, each once */
    size_t count;
} lw_account_keys;

/* Reads or generates the keys.  Must be zeroed before; call lw_account_keys_done in any case.
 * LW_ERR_INVALID, LW_ERR_NOT_FOUND, LW_ERR_IO, LW_ERR_LIMIT, LW_ERR_NOMEM; the message names the
 * file. */
LW_MUST_CHECK lw_status lw_account_keys_open(lw_account_keys *keys,
                                             const lw_account_keys_options *options, lw_error *err);
void lw_account_keys_done(lw_account_keys *keys);

/* Appends the public keys as a JSON Web Key Set (RFC 7517).  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_account_keys_write_set(const lw_account_keys *keys, lw_buf *json);

#endif
