/* SPDX-License-Identifier: Apache-2.0 */
/* tls_read.h -- whether a certificate is still the one that is wanted. */
#ifndef LW_NET_TLS_READ_H
#define LW_NET_TLS_READ_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

/* What a certificate should be.  Seconds since 1970. */
typedef struct lw_tls_wish {
    lw_str cert;              /* PEM */
    lw_str key;               /* PEM; empty: not looked at */
    lw_str ca_cert;           /* PEM, who has signed it; empty: not looked at */
    const char *const *hosts; /* it is for all of these, NULL-terminated; NULL: not looked at */
    int64_t from_s, until_s;  /* it is valid from the one to the other */
} lw_tls_wish;

/* LW_ERR_EXPIRED: the time; LW_ERR_NOT_FOUND: a host is not in it; LW_ERR_INVALID: it cannot be
 * read, the key is another's, or another has signed it.  The message says which. */
lw_status lw_tls_check(const lw_tls_wish *wish, lw_error *err);

#endif
