/* SPDX-License-Identifier: Apache-2.0 */
/* tls_read.h -- checks whether a certificate is still usable. */
#ifndef LW_NET_TLS_TLS_READ_H
#define LW_NET_TLS_TLS_READ_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

#include "net/tls/tls_make.h"

/* The expected properties of a certificate.  Times are seconds since 1970. */
typedef struct lw_tls_wish {
    lw_str cert;         /* PEM */
    lw_str key;          /* PEM; empty: not checked */
    const lw_tls_ca *ca; /* has signed it; NULL: not checked */
    /* Must be valid for all of these; NULL-terminated; NULL: not checked. */
    const char *const *hosts;
    int64_t from_s, until_s; /* must be valid during this time */
} lw_tls_wish;

/* Checks a certificate.  LW_ERR_EXPIRED: not valid at that time; LW_ERR_NOT_FOUND: a host is
 * missing; LW_ERR_INVALID: it cannot be read, the key does not match, or another CA signed it.  The
 * message says which. */
lw_status lw_tls_check(const lw_tls_wish *wish, lw_error *err);

#endif
