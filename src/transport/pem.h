/* SPDX-License-Identifier: Apache-2.0 */
/* pem.h -- a first look at certificates and keys, before a connection has to fail on them. */
#ifndef LW_TRANSPORT_PEM_H
#define LW_TRANSPORT_PEM_H

#include <listwatch/error.h>
#include <listwatch/str.h>

/* LW_ERR_INVALID unless |pem| has a whole certificate in it.  |what| names it for the message. */
lw_status lw_pem_check_certificate(lw_str pem, const char *what, lw_error *err);

/* The same for a private key, which must not be locked with a passphrase: nobody is there to type
 * it. */
lw_status lw_pem_check_key(lw_str pem, const char *what, lw_error *err);

#endif
