/* SPDX-License-Identifier: Apache-2.0 */
/* hooks_open.c -- from the options to the admission webhooks. */
#include "server/setup/hooks_open.h"

#include "api/context/admission_plugin.h"
#include "api/webhooks/hooks.h"
#include "base/error.h"
#include "server/webhook/hook_caller.h"

lw_status lw_server_open_hooks(lw_server_parts *parts, const lw_server_options *options,
                               const lw_admission_plugins *plugins, lw_error *err)
{
    const lw_server_webhooks *w = options->webhooks;
    lw_hook_credentials *credentials = NULL;
    lw_status st = LW_OK;
    bool is_mutating = !(plugins->disabled & LW_PLUGIN_MUTATING_WEBHOOK);
    bool is_validating = !(plugins->disabled & LW_PLUGIN_VALIDATING_WEBHOOK);
    if (w && w->admission_control_config_file)
        st = lw_hook_credentials_read(&credentials, w->admission_control_config_file, err);
    if (st == LW_OK)
        st = lw_http_hook_caller_new(&parts->hook_caller, w ? w->webhook_resolve : NULL,
                                     credentials, err);
    if (st < 0)
        return st;
    return lw_hooks_new(&parts->hooks, lw_http_hook_caller_interface(parts->hook_caller),
                        is_mutating, is_validating) < 0
               ? lw_error_nomem(err)
               : LW_OK;
}

void lw_server_close_hooks(lw_server_parts *parts)
{
    lw_hooks_free(parts->hooks);
    lw_http_hook_caller_free(parts->hook_caller);
}
