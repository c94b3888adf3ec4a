/* SPDX-License-Identifier: Apache-2.0 */
/* exec_plugin.h -- runs an exec plugin. */
#ifndef LW_KUBECONFIG_EXEC_PLUGIN_H
#define LW_KUBECONFIG_EXEC_PLUGIN_H

#include "kubeconfig/exec_credential.h"

/* Runs the plugin of |spec| and waits for it, at most |timeout_ms| (0: one minute, or ten if a user
 * may have to answer).  |cluster| is passed if the plugin requests it.  |credential| must be
 * initialised.  LW_ERR_UNAUTHORIZED: it failed; the message contains the reason and the install
 * hint.  LW_ERR_IO (cannot create a pipe), LW_ERR_NOMEM.  The caller makes sure that one runs at a
 * time. */
lw_status lw_exec_plugin_run(const lw_exec_spec *spec, const lw_exec_cluster *cluster,
                             int timeout_ms, lw_exec_credential *credential, lw_error *err);

#endif
