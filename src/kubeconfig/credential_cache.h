/* SPDX-License-Identifier: Apache-2.0 */
/* credential_cache.h -- the credentials of a configuration, kept fresh.
 *
 *   files ──┐ once a second      ┌─▶ current ─▶ copies for whoever asks
 *   plugin ─┘ before it expires ─┘
 *
 * One thread at a time refreshes (it is the busy one); others go on with what there is, unless that
 * cannot be used any more: then they wait for it.  No lock is held meanwhile. */
#ifndef LW_KUBECONFIG_CREDENTIAL_CACHE_H
#define LW_KUBECONFIG_CREDENTIAL_CACHE_H

#include "base/sync.h"
#include "kubeconfig/cluster.h"
#include "kubeconfig/credentials.h"
#include "kubeconfig/exec_credential.h"
#include "kubeconfig/rotating.h"
#include "kubeconfig/user.h"

typedef struct lw_credential_cache {
    /* Set once. */
    lw_exec_spec plugin;     /* command NULL: none */
    lw_exec_cluster cluster; /* what it is told; its CA is that of the day */
    int plugin_timeout_ms;   /* 0: as exec_plugin.h says */

    /* Of whoever is busy. */
    lw_rotating token, ca, cert, key;
    lw_exec_credential given; /* by the plugin */

    lw_mutex mu; /* guards what follows */
    lw_cond idle;
    bool is_busy;
    bool is_forced; /* read everything anew at the next opportunity */
    lw_credentials current;
    int64_t checked_ns; /* the files; INT64_MIN: never */

    bool is_given;   /* the plugin has run with success */
    bool is_refused; /* the server did not accept what it gave */
    bool does_expire;
    int64_t expires_ns; /* since 1970 */
    int64_t leeway_ns;
    int64_t retry_ns; /* the plugin does not run again before this */
    lw_status plugin_st;
    lw_error plugin_err;

    uint64_t refused_generation; /* what was read anew for, once; 0: none */
    int64_t refused_ns;          /* when; INT64_MIN: not yet */
} lw_credential_cache;

void lw_credential_cache_init(lw_credential_cache *cache);
void lw_credential_cache_done(lw_credential_cache *cache);

/* Takes the credentials out of |cluster| and |user| and reads their files for the first time.
 * |endpoint| outlives the cache.  LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_credential_cache_open(lw_credential_cache *cache, lw_cluster *cluster,
                                   lw_kubeconfig_user *user, const lw_config_endpoint *endpoint,
                                   lw_error *err);

/* As lw_config_credentials and lw_config_refused say. */
lw_status lw_credential_cache_get(lw_credential_cache *cache, const lw_clock *clock,
                                  lw_credentials *credentials, lw_error *err);
bool lw_credential_cache_refused(lw_credential_cache *cache, uint64_t generation);

#endif
