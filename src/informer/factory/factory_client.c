/* SPDX-License-Identifier: Apache-2.0 */
/* factory_client.c -- the default source of objects: the API server of the client that the program
 * passed, of kubeconfig, or of the pod that the program runs in. */
#include "informer/factory/factory.h"

#include "informer/listwatch_client.h"

static lw_status client_of(const lw_factory_options *options, lw_client **out, lw_error *err)
{
    lw_config *config = NULL;
    if (options->client) {
        *out = lw_client_ref(options->client);
        return LW_OK;
    }
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.kubeconfig = options->kubeconfig;
    where.context = options->context;
    lw_client_options how = LW_CLIENT_OPTIONS_INIT;
    how.clock = options->clock;
    lw_status st = lw_config_load(&config, &where, err);
    if (st == LW_OK)
        st = lw_client_new(out, config, &how, err);
    lw_config_unref(config);
    return st;
}

lw_status lw_factory__open_client(const lw_factory_options *options, lw_client **client,
                                  lw_provider **provider, lw_error *err)
{
    lw_client *made = NULL;
    lw_status st = client_of(options, &made, err);
    if (st == LW_OK)
        st = lw_client_provider_new(provider, made, options->encoding, err);
    if (st < 0) {
        lw_client_unref(made);
        return st;
    }
    *client = made;
    return LW_OK;
}

void lw_factory__close_client(lw_client *client)
{
    lw_client_unref(client);
}
