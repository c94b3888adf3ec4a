/* SPDX-License-Identifier: Apache-2.0 */
/* pki.h -- generates the keys and certificates of a server that was given none, and the
 * administrator's token.
 *
 * The files in the directory are ca.crt, ca.key, server.crt, server.key, admin.crt, admin.key (for
 * a client), admin.token, kubelet-client.crt and .key (of this server, for kubelets), and
 * front-proxy-ca and front-proxy-client (of this server, for API servers behind it).  They are
 * generated at the first start and kept, and reach the disk together (file_batch.h); they are
 * generated again when they expire or when the server's host names change.  Without a directory
 * they exist only in memory. */
#ifndef LW_SERVER_CORE_PKI_H
#define LW_SERVER_CORE_PKI_H

#include <stdint.h>

#include <listwatch/log.h>

#include "base/buf.h"

/* Common name of the generated certificate for API servers behind this one. */
#define LW_PKI_FRONT_PROXY_NAME "front-proxy-client"

enum {
    LW_PKI_PEM_MAX = 1 << 20, /* maximum size of a file with certificates in bytes */
    LW_PKI_FILES_MAX = 12,
    LW_PKI_CA_DAYS = 3650,
    LW_PKI_LEAF_DAYS = 825,
    LW_PKI_RENEW_DAYS = 90, /* a certificate is renewed when fewer days are left */
};

typedef struct lw_pki_options {
    const char *folder;       /* created (0700) if it does not exist; NULL: in memory */
    const char *const *hosts; /* host names in the server's certificate; NULL-terminated */
    const char *cert_file;    /* given by the user; NULL: generated.  Both or neither */
    const char *key_file;
    const char *client_ca_file; /* given by the user; NULL: the generated CA */
    bool has_kubelet_client;    /* a certificate for kubelets is generated, if there is a CA */
    bool has_front_proxy;       /* a CA and certificate for API servers behind it are generated */
    int64_t wall_ns;            /* current time */
    const lw_logger *logger;    /* may be NULL */
} lw_pki_options;

/* The result of lw_pki_open; must be zeroed before. */
typedef struct lw_pki {
    char *cert_file; /* for lw_tls_options; without a directory valid only until lw_pki_done */
    char *key_file;
    char *client_ca_file;
    char *trust;   /* PEM: certificates by which clients verify the server */
    char *ca_cert; /* PEM: the generated CA; NULL: none was needed */
    char *ca_key;  /* PEM: its private key */
    char *kubelet_client_cert, *kubelet_client_key;            /* PEM; NULL: none */
    char *front_proxy_ca, *front_proxy_cert, *front_proxy_key; /* PEM; NULL: none */
    char *admin_token;                                         /* 43 letters, digits, '-' and '_' */
    int fds[LW_PKI_FILES_MAX];
    unsigned fd_count; /* number of in-memory files */
} lw_pki;

/* Reads or generates all keys and certificates.  LW_ERR_INVALID, LW_ERR_IO, LW_ERR_NOT_FOUND (a
 * file given by the user), LW_ERR_NOMEM.  Call lw_pki_done in any case. */
lw_status lw_pki_open(lw_pki *pki, const lw_pki_options *options, lw_error *err);
void lw_pki_done(lw_pki *pki);

#endif
