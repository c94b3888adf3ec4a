/* SPDX-License-Identifier: Apache-2.0 */
/* admission_plugins.c -- reads the lists of admission plugins. */
#include "server/admission_plugins.h"

#include "api/context/context.h"
#include "base/error.h"
#include "base/str.h"

/* Plugins that are always enabled here. */
static bool is_built_in(lw_str name)
{
    static const lw_str names[] = { LW_STR_INIT("NamespaceLifecycle"), LW_STR_INIT("LimitRanger"),
                                    LW_STR_INIT("ResourceQuota") };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (lw_str_equal(names[i], name))
            return true;
    }
    return false;
}

/* The plugins that are a bit of |disabled|. */
static unsigned choice_of(lw_str name)
{
    if (lw_str_equal(name, LW_STR("PodSecurity")))
        return LW_PLUGIN_POD_SECURITY;
    if (lw_str_equal(name, LW_STR("MutatingAdmissionPolicy")))
        return LW_PLUGIN_MUTATING_POLICY;
    return lw_str_equal(name, LW_STR("ValidatingAdmissionPolicy")) ? LW_PLUGIN_VALIDATING_POLICY
                                                                   : 0;
}

static lw_status read_list(lw_admission_plugins *plugins, const char *list, bool is_enabled,
                           lw_error *err)
{
    lw_str rest = lw_str_of(list), name;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &name, &rest);
        name = lw_str_trim(name);
        unsigned plugin = choice_of(name);
        if (lw_str_equal(name, LW_STR("ServiceAccount")))
            plugins->has_service_account = is_enabled;
        else if (plugin && is_enabled)
            plugins->disabled &= ~plugin;
        else if (plugin)
            plugins->disabled |= plugin;
        else if (name.len > 0 && !(is_enabled && is_built_in(name)))
            return lw_error_set(err, LW_ERR_INVALID,
                                "admission plugin %.*s cannot be %s: the plugins with a choice are "
                                "ServiceAccount, PodSecurity, MutatingAdmissionPolicy and "
                                "ValidatingAdmissionPolicy",
                                LW_STR_ARG(name), is_enabled ? "enabled" : "disabled");
    }
    return LW_OK;
}

lw_status lw_admission_plugins_read(lw_admission_plugins *plugins, const char *enabled,
                                    const char *disabled, lw_error *err)
{
    *plugins = (lw_admission_plugins){ .has_service_account = true,
                                       .has_mutating_webhooks = true,
                                       .has_validating_webhooks = true };
    lw_status st = read_list(plugins, enabled, true, err);
    return st == LW_OK ? read_list(plugins, disabled, false, err) : st;
}
