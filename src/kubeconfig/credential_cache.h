/* SPDX-License-Identifier: Apache-2.0 */
/* credential_cache.h -- the credentials of a configuration, kept up to date.
 *
 *   files ──┐ once a second      ┌─▶ current ─▶ copies for callers
 *   plugin ─┘ before it expires ─┘
 *
 * One thread at a time refreshes (the busy thread).  Other threads use the current credentials, or
 * wait if these cannot be used any more.  No lock is held while files are read or a plugin runs. */
#ifndef LW_KUBECONFIG_CREDENTIAL_CACHE_H
#define LW_KUBECONFIG_CREDENTIAL_CACHE_H

#include "base/sync.h"
#include "kubeconfig/cluster.h"
#include "kubeconfig/credentials.h"
#include "kubeconfig/exec.h"
#include "kubeconfig/rotating.h"
#include "kubeconfig/user.h"

typedef struct lw_credential_cache {
    /* Set once. */
    lw_exec_spec plugin;     /* command NULL: no plugin */
    lw_exec_cluster cluster; /* passed to the plugin, with the current CA */
    int plugin_timeout_ms;   /* 0: the default of exec_plugin.h */

    /* Used only by the busy thread. */
    lw_rotating token, ca, cert, key;
    lw_exec_credential given; /* result of the plugin */

    lw_mutex mu; /* guards the following members */
    lw_cond idle;
    bool is_busy;
    bool is_forced; /* read everything again at the next opportunity */
    lw_credentials current;
    int64_t checked_ns; /* time of the last check of the files; INT64_MIN: never */

    bool is_given;   /* the plugin has succeeded */
    bool is_refused; /* the server did not accept its credentials */
    bool does_expire;
    int64_t expires_ns; /* nanoseconds since 1970 */
    int64_t leeway_ns;
    int64_t retry_ns; /* the plugin does not run again before this time */
    lw_status plugin_st;
    lw_error plugin_err;

    uint64_t refused_generation; /* the generation for which everything was read again; 0: none */
    int64_t refused_ns;          /* when that was; INT64_MIN: not yet */
} lw_credential_cache;

void lw_credential_cache_init(lw_credential_cache *cache);
void lw_credential_cache_done(lw_credential_cache *cache);

/* Takes the credentials from |cluster| and |user| and reads their files for the first time.
 * |endpoint| must outlive the cache.  LW_ERR_IO, LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_credential_cache_open(lw_credential_cache *cache, lw_cluster *cluster,
                                   lw_kubeconfig_user *user, const lw_config_endpoint *endpoint,
                                   lw_error *err);

/* See lw_config_credentials and lw_config_refused. */
lw_status lw_credential_cache_get(lw_credential_cache *cache, const lw_clock *clock,
                                  lw_credentials *credentials, lw_error *err);
bool lw_credential_cache_refused(lw_credential_cache *cache, uint64_t generation);

#endif
