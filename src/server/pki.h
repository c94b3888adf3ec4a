/* SPDX-License-Identifier: Apache-2.0 */
/* pki.h -- keys and certificates of a server that was given none, and the admin's token.
 *
 * In a folder: ca.crt ca.key, server.crt server.key, admin.crt admin.key (a client's), admin.token;
 * made at the first start, kept, and made anew when they expire or the server moves.  Without a
 * folder they live as long as the process. */
#ifndef LW_SERVER_PKI_H
#define LW_SERVER_PKI_H

#include <stdint.h>

#include <listwatch/log.h>

#include "base/buf.h"

enum {
    LW_PKI_PEM_MAX = 1 << 20, /* bytes of a file with certificates */
    LW_PKI_FILES_MAX = 6,
    LW_PKI_CA_DAYS = 3650,
    LW_PKI_LEAF_DAYS = 825,
    LW_PKI_RENEW_DAYS = 90, /* what is left when a certificate is made anew */
};

typedef struct lw_pki_options {
    const char *folder;       /* made (0700) if it is not there; NULL: in memory */
    const char *const *hosts; /* whom the server's certificate is for; NULL-terminated */
    const char *cert_file;    /* the user's own; NULL: made here.  Both or none */
    const char *key_file;
    const char *client_ca_file; /* the user's own; NULL: the CA that is made here */
    int64_t wall_ns;            /* now */
    const lw_logger *logger;    /* may be NULL */
} lw_pki_options;

/* What came of it; starts zeroed. */
typedef struct lw_pki {
    char *cert_file; /* for lw_tls_options; of a pki in memory only until lw_pki_done */
    char *key_file;
    char *client_ca_file;
    char *trust;       /* PEM: by which clients know the server */
    char *admin_token; /* 43 letters, digits, '-' and '_' */
    int fds[LW_PKI_FILES_MAX];
    unsigned fd_count; /* files that have no name */
} lw_pki;

/* LW_ERR_INVALID, LW_ERR_IO, LW_ERR_NOT_FOUND (a file of the user's), LW_ERR_NOMEM.  Call
 * lw_pki_done in any case. */
lw_status lw_pki_open(lw_pki *pki, const lw_pki_options *options, lw_error *err);
void lw_pki_done(lw_pki *pki);

#endif
