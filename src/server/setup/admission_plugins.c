/* SPDX-License-Identifier: Apache-2.0 */
/* admission_plugins.c -- reads the lists of admission plugins. */
#include "server/setup/admission_plugins.h"

#include "api/context/admission_plugin.h"
#include "base/error.h"
#include "base/str.h"

typedef enum plugin_choice {
    EITHER, /* enabled by default */
    ALWAYS, /* enabled, and cannot be disabled */
    NEVER,  /* not available here; disabled by default in kube-apiserver, too */
} plugin_choice;

/* The plugins of kube-apiserver.  Those with neither a bit nor ServiceAccount's member that are not
 * NEVER can be named in both lists, and it makes no difference. */
static const struct {
    const char *name;
    plugin_choice choice;
    unsigned plugin; /* a bit of lw_admission_plugin, or 0 */
} plugins_known[] = {
    { "NamespaceLifecycle", ALWAYS, 0 },
    { "LimitRanger", EITHER, LW_PLUGIN_LIMIT_RANGER },
    { "ServiceAccount", EITHER, 0 },
    { "NodeRestriction", EITHER, LW_PLUGIN_NODE_RESTRICTION },
    { "TaintNodesByCondition", EITHER, LW_PLUGIN_TAINT_NODES },
    { "PodSecurity", EITHER, LW_PLUGIN_POD_SECURITY },
    { "Priority", EITHER, LW_PLUGIN_PRIORITY },
    { "DefaultTolerationSeconds", EITHER, LW_PLUGIN_TOLERATION_SECONDS },
    { "DefaultStorageClass", EITHER, LW_PLUGIN_STORAGE_CLASS },
    { "StorageObjectInUseProtection", EITHER, LW_PLUGIN_STORAGE_PROTECTION },
    { "PodGroupProtection", EITHER, 0 },
    { "PersistentVolumeClaimResize", EITHER, LW_PLUGIN_CLAIM_RESIZE },
    { "RuntimeClass", EITHER, LW_PLUGIN_RUNTIME_CLASS },
    { "CertificateApproval", EITHER, LW_PLUGIN_CERTIFICATE_APPROVAL },
    { "CertificateSigning", EITHER, LW_PLUGIN_CERTIFICATE_SIGNING },
    { "ClusterTrustBundleAttest", EITHER, LW_PLUGIN_TRUST_BUNDLE },
    { "CertificateSubjectRestriction", EITHER, LW_PLUGIN_CERTIFICATE_SUBJECT },
    { "DefaultIngressClass", EITHER, LW_PLUGIN_INGRESS_CLASS },
    { "PodTopologyLabels", EITHER, 0 },
    { "NodeDeclaredFeatureValidator", EITHER, 0 },
    { "PodResizeValidator", EITHER, 0 },
    { "MutatingAdmissionPolicy", EITHER, LW_PLUGIN_MUTATING_POLICY },
    { "MutatingAdmissionWebhook", EITHER, LW_PLUGIN_MUTATING_WEBHOOK },
    { "ValidatingAdmissionPolicy", EITHER, LW_PLUGIN_VALIDATING_POLICY },
    { "ValidatingAdmissionWebhook", EITHER, LW_PLUGIN_VALIDATING_WEBHOOK },
    { "ResourceQuota", ALWAYS, 0 },
    { "AlwaysAdmit", EITHER, 0 },
    { "NamespaceExists", EITHER, 0 }, /* NamespaceLifecycle checks the same */
    { "AlwaysDeny", NEVER, 0 },
    { "AlwaysPullImages", NEVER, 0 },
    { "DenyServiceExternalIPs", NEVER, 0 },
    { "EventRateLimit", NEVER, 0 },
    { "ExtendedResourceToleration", NEVER, 0 },
    { "ImagePolicyWebhook", NEVER, 0 },
    { "LimitPodHardAntiAffinityTopology", NEVER, 0 },
    { "NamespaceAutoProvision", NEVER, 0 },
    { "OwnerReferencesPermissionEnforcement", NEVER, 0 },
    { "PodNodeSelector", NEVER, 0 },
    { "PodTolerationRestriction", NEVER, 0 },
};

static lw_status take(lw_admission_plugins *plugins, lw_str name, bool is_enabled, lw_error *err)
{
    for (size_t i = 0; i < sizeof(plugins_known) / sizeof(plugins_known[0]); i++) {
        if (!lw_str_equal(name, lw_str_of(plugins_known[i].name)))
            continue;
        if (plugins_known[i].choice == (is_enabled ? NEVER : ALWAYS))
            return lw_error_set(err, LW_ERR_INVALID, "admission plugin %.*s cannot be %s",
                                LW_STR_ARG(name), is_enabled ? "enabled" : "disabled");
        if (is_enabled)
            plugins->disabled &= ~plugins_known[i].plugin;
        else
            plugins->disabled |= plugins_known[i].plugin;
        if (lw_str_equal(name, LW_STR("ServiceAccount")))
            plugins->has_service_account = is_enabled;
        return LW_OK;
    }
    return lw_error_set(err, LW_ERR_INVALID, "\"%.*s\" is not an admission plugin",
                        LW_STR_ARG(name));
}

static lw_status read_list(lw_admission_plugins *plugins, const char *list, bool is_enabled,
                           lw_error *err)
{
    lw_str rest = lw_str_of(list), name;
    lw_status st = LW_OK;
    while (rest.len > 0 && st == LW_OK) {
        (void)lw_str_cut(rest, ',', &name, &rest);
        name = lw_str_trim(name);
        if (name.len > 0)
            st = take(plugins, name, is_enabled, err);
    }
    return st;
}

lw_status lw_admission_plugins_read(lw_admission_plugins *plugins, const char *enabled,
                                    const char *disabled, lw_error *err)
{
    *plugins = (lw_admission_plugins){ .has_service_account = true };
    lw_status st = read_list(plugins, enabled, true, err);
    return st == LW_OK ? read_list(plugins, disabled, false, err) : st;
}
