/* SPDX-License-Identifier: Apache-2.0 */
/* pem.h -- checks certificates and keys before they are used for a connection. */
#ifndef LW_TRANSPORT_PEM_H
#define LW_TRANSPORT_PEM_H

#include <listwatch/error.h>
#include <listwatch/str.h>

/* Returns LW_ERR_INVALID unless |pem| contains a certificate; |what| is its name in the message. */
lw_status lw_pem_check_certificate(lw_str pem, const char *what, lw_error *err);

/* As lw_pem_check_certificate for a private key, which must not be encrypted with a passphrase. */
lw_status lw_pem_check_key(lw_str pem, const char *what, lw_error *err);

#endif
