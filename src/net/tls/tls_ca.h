/* SPDX-License-Identifier: Apache-2.0 */
/* tls_ca.h -- internals of an lw_tls_ca, for src/net/tls. */
#ifndef LW_NET_TLS_TLS_CA_H
#define LW_NET_TLS_TLS_CA_H

#include "net/tls/tls_make.h"

struct lw_tls_ca {
    struct x509_st *certificate; /* X509; of one that was made, the public key is not decoded */
    struct evp_pkey_st *key;     /* EVP_PKEY */
};

#endif
