/* SPDX-License-Identifier: Apache-2.0 */
/* proxies.h -- makes what passes requests on to other servers, from the options of a server. */
#ifndef LW_SERVER_SETUP_PROXIES_H
#define LW_SERVER_SETUP_PROXIES_H

#include "server/core/pki.h"
#include "server/core/server_internal.h"

/* Sets parts->forwarding, aggregator, connect and, if its certificate is generated, own_proxy.
 * LW_ERR_INVALID, LW_ERR_NOMEM, and the errors of reading the files of |options|. */
LW_MUST_CHECK lw_status lw_proxies_open(lw_server_parts *parts, const lw_server_options *options,
                                        const lw_pki *pki, lw_error *err);

#endif
