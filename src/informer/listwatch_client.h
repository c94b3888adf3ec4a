/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_client.h -- informers' objects from an API server. */
#ifndef LW_INFORMER_LISTWATCH_CLIENT_H
#define LW_INFORMER_LISTWATCH_CLIENT_H

#include <listwatch/client.h>
#include <listwatch/sys/source.h>

/* A provider that asks the server of |client|, which it takes a reference of.  Errors of making a
 * session (client/session.h). */
lw_status lw_client_provider_new(lw_provider **out, lw_client *client, lw_error *err);

#endif
