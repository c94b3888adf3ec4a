/* SPDX-License-Identifier: Apache-2.0 */
/* factory_client.c -- where the objects come from when nobody says otherwise: an API server. */
#include "informer/factory.h"

#include "base/error.h"

lw_status lw_factory__open_client(const lw_factory_options *options, lw_client **client,
                                  lw_provider **provider, lw_error *err)
{
    (void)options;
    (void)client;
    (void)provider;
    return lw_error_set(err, LW_ERR_UNSUPPORTED, "a factory needs a provider");
}

void lw_factory__close_client(lw_client *client)
{
    (void)client;
}
