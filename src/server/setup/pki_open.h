/* SPDX-License-Identifier: Apache-2.0 */
/* pki_open.h -- from the options of a server to its keys and certificates. */
#ifndef LW_SERVER_SETUP_PKI_OPEN_H
#define LW_SERVER_SETUP_PKI_OPEN_H

#include <listwatch/server.h>
#include <listwatch/sys/clock.h>

#include "net/endpoint.h"
#include "server/core/pki.h"

/* Opens the keys of a server that listens on |https|; the certificate names its hosts.  Errors:
 * those of lw_pki_open. */
LW_MUST_CHECK lw_status lw_server_open_pki(lw_pki *pki, const lw_server_options *options,
                                           const lw_endpoint *https, const lw_clock *clock,
                                           lw_error *err);

#endif
