/* SPDX-License-Identifier: Apache-2.0 */
/* tls_secrets.h -- the secrets of a handshake that a channel needs, for src/net/tls. */
#ifndef LW_NET_TLS_TLS_SECRETS_H
#define LW_NET_TLS_TLS_SECRETS_H

#include "net/tls/tls_channel.h"

struct ssl_st;

typedef struct lw_tls_handshake_secrets {
    lw_tls_secrets secrets;
    size_t client_len, server_len; /* 0: not known */
} lw_tls_handshake_secrets;

/* A key log callback: keeps the secrets in the lw_tls_handshake_secrets that are the application
 * data of |ssl| (SSL); NULL: nobody wants them. */
void lw_tls__keep_secret(const struct ssl_st *ssl, const char *line);

/* After the handshake: sets the cipher suite.  False: a channel cannot be made of |ssl|. */
bool lw_tls__secrets_are_complete(lw_tls_handshake_secrets *secrets, const struct ssl_st *ssl);

#endif
