/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_client.h -- the source of objects from an API server. */
#ifndef LW_INFORMER_LISTWATCH_CLIENT_H
#define LW_INFORMER_LISTWATCH_CLIENT_H

#include <listwatch/client.h>
#include <listwatch/sys/source.h>

/* Makes a provider for the server of |client|, to which it takes a reference.  |encoding| is that
 * of lw_factory_options.  LW_ERR_INVALID: it is unknown.  Otherwise errors as lw_session_new. */
lw_status lw_client_provider_new(lw_provider **out, lw_client *client, const char *encoding,
                                 lw_error *err);

#endif
