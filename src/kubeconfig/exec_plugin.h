/* SPDX-License-Identifier: Apache-2.0 */
/* exec_plugin.h -- runs the program that gives a user's credentials. */
#ifndef LW_KUBECONFIG_EXEC_PLUGIN_H
#define LW_KUBECONFIG_EXEC_PLUGIN_H

#include "kubeconfig/exec_credential.h"

/* Runs the plugin of |spec| and waits for it, |timeout_ms| at most (0: a minute, ten where a person
 * may have to answer).  |cluster| is passed on when the plugin asks for it.  |credential| must be
 * initialised.  LW_ERR_UNAUTHORIZED: it gave none; the message says why, and how to install it.
 * LW_ERR_IO (no pipe), LW_ERR_NOMEM.  One run at a time is up to the caller. */
lw_status lw_exec_plugin_run(const lw_exec_spec *spec, const lw_exec_cluster *cluster,
                             int timeout_ms, lw_exec_credential *credential, lw_error *err);

#endif
