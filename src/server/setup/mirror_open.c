/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_open.c -- what a server does differently when it is a mirror. */
#include "server/setup/mirror_open.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/file/files.h"
#include "server/core/webhooks.h"
#include "server/mirror/mirror.h"
#include "server/setup/data_dir.h"
#include "store/memory.h"

void lw_mirror_adopt_options(lw_server_options *options, lw_server_webhooks *webhooks)
{
    const char *kubeconfig = options->mirror->kubeconfig ? options->mirror->kubeconfig : "";
    *webhooks =
        options->webhooks ? *options->webhooks : (lw_server_webhooks)LW_SERVER_WEBHOOKS_INIT;
    webhooks->authorization_webhook_config_file = kubeconfig;
    webhooks->authorization_webhook_version = "v1";
    webhooks->authentication_token_webhook_config_file = kubeconfig;
    webhooks->authentication_token_webhook_version = "v1";
    if (webhooks->authorization_webhook_cache_authorized_ttl_s == 0)
        webhooks->authorization_webhook_cache_authorized_ttl_s = LW_MIRROR_ALLOWED_S;
    if (webhooks->authorization_webhook_cache_unauthorized_ttl_s == 0)
        webhooks->authorization_webhook_cache_unauthorized_ttl_s = LW_MIRROR_REFUSED_S;
    options->webhooks = webhooks;
    options->authorization_mode = "Webhook";
}

lw_status lw_mirror_open_parts(lw_server_parts *parts, const lw_server_options *options,
                               lw_error *err)
{
    static const lw_memory_store_options none = { .limit_bytes = 0 };
    char *state_dir = NULL;
    lw_status st = lw_memory_store_new(&parts->store, &none, err);
    if (st == LW_OK && options->data_dir)
        st = lw_data_dir_open(options->data_dir, err);
    if (st == LW_OK && options->data_dir) {
        state_dir = lw_file_path(options->data_dir, "mirror");
        st = state_dir ? LW_OK : lw_error_nomem(err);
    }
    if (st == LW_OK)
        st = lw_mirror_open(&parts->mirror, options->mirror, options->history_bytes, state_dir,
                            parts->clock, options->logger, err);
    if (st == LW_OK && parts->webhooks)
        lw_webhooks_use_upstreams(parts->webhooks, lw_mirror_upstream(parts->mirror)->addresses);
    lw_free(state_dir);
    return st;
}

static void fire(lw_timer *timer)
{
    lw_mirror_recheck *recheck = LW_CONTAINER_OF(timer, lw_mirror_recheck, timer);
    lw_api_recheck_watches(recheck->api);
    /* Its place in the heap is free: this does not fail. */
    (void)lw_timer_set(recheck->loop, timer,
                       lw_loop_now(recheck->loop) + LW_MIRROR_RECHECK_S * LW_NS_PER_S);
}

lw_status lw_mirror_recheck_start(lw_mirror_recheck *recheck, lw_api *api, lw_loop *loop,
                                  lw_error *err)
{
    recheck->api = api;
    recheck->loop = loop;
    recheck->timer.fire = fire;
    int64_t first = lw_clock_now(lw_loop_clock(loop)) + LW_MIRROR_RECHECK_S * LW_NS_PER_S;
    return lw_timer_set(loop, &recheck->timer, first) < 0 ? lw_error_nomem(err) : LW_OK;
}

void lw_mirror_recheck_stop(lw_mirror_recheck *recheck)
{
    if (recheck->api)
        lw_timer_cancel(recheck->loop, &recheck->timer);
    recheck->api = NULL;
}
