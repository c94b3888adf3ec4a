/* SPDX-License-Identifier: Apache-2.0 */
/* config.c -- an lw_config as others see it. */
#include <listwatch/config.h>

#include <stdlib.h>

#include "base/alloc.h"
#include "kubeconfig/core.h"
#include "kubeconfig/environment.h"

lw_config_environment lw_config_environment_read(void)
{
    lw_config_environment env = { .kubeconfig = getenv("KUBECONFIG"),
                                  .home = getenv("HOME"),
                                  .service_host = getenv("KUBERNETES_SERVICE_HOST"),
                                  .service_port = getenv("KUBERNETES_SERVICE_PORT"),
                                  .pod_namespace = getenv("POD_NAMESPACE") };
    return env;
}

lw_status lw_config_load(lw_config **out, const lw_config_options *options, lw_error *err)
{
    lw_config_environment env = lw_config_environment_read();
    return lw_config__load(out, options, &env, err);
}

lw_config *lw_config_ref(lw_config *config)
{
    if (config)
        lw_ref_inc(&config->refs);
    return config;
}

void lw_config_unref(lw_config *config)
{
    if (!config || !lw_ref_dec(&config->refs))
        return;
    lw_credential_cache_done(&config->credentials);
    lw_cluster_done(&config->cluster);
    lw_kubeconfig_user_done(&config->user);
    lw_free(config->server);
    lw_free(config->ca);
    lw_free(config->credential_source);
    lw_free(config->ns);
    lw_free(config->origin);
    lw_free(config);
}

const char *lw_config_server(const lw_config *config)
{
    return config->server;
}

const char *lw_config_ca(const lw_config *config)
{
    return config->ca;
}

const char *lw_config_namespace(const lw_config *config)
{
    return config->ns;
}

const char *lw_config_origin(const lw_config *config)
{
    return config->origin;
}

const char *lw_config_credential_source(const lw_config *config)
{
    return config->credential_source;
}

const lw_config_endpoint *lw_config_get_endpoint(const lw_config *config)
{
    return &config->endpoint;
}

const char *const *lw_config_headers(const lw_config *config)
{
    return lw_strings_view(&config->user.headers);
}

lw_status lw_config_credentials(lw_config *config, const lw_clock *clock,
                                lw_credentials *credentials, lw_error *err)
{
    return lw_credential_cache_get(&config->credentials, clock, credentials, err);
}

bool lw_config_refused(lw_config *config, uint64_t generation)
{
    return lw_credential_cache_refused(&config->credentials, generation);
}
