/* SPDX-License-Identifier: Apache-2.0 */
/* advertise.h -- the address of this server for clients in the cluster. */
#ifndef LW_SERVER_SETUP_ADVERTISE_H
#define LW_SERVER_SETUP_ADVERTISE_H

#include <listwatch/log.h>

#include "api/context/advertised.h"
#include "net/endpoint.h"

/* Sets the port of |out| to that of |https|, and its address to |wanted| or, if that is NULL, to
 * the one that the server listens on; if this is a loopback address or all addresses, to the one of
 * the machine's default route.  A loopback address is not advertised: pods cannot use it.
 * LW_ERR_INVALID: |wanted| is not an IP address. */
LW_MUST_CHECK lw_status lw_advertise_find(lw_advertised *out, const char *wanted,
                                          const lw_endpoint *https, const lw_logger *logger,
                                          lw_error *err);

#endif
