/* SPDX-License-Identifier: Apache-2.0 */
/* admission_plugin.h -- admission plugins that can be disabled, as bits.  ServiceAccount has a
 * member of its own in lw_api: most servers without controllers disable it. */
#ifndef LW_API_CONTEXT_ADMISSION_PLUGIN_H
#define LW_API_CONTEXT_ADMISSION_PLUGIN_H

typedef enum lw_admission_plugin {
    LW_PLUGIN_LIMIT_RANGER = 1 << 0,
    LW_PLUGIN_TAINT_NODES = 1 << 1,
    LW_PLUGIN_PRIORITY = 1 << 2,
    LW_PLUGIN_TOLERATION_SECONDS = 1 << 3,
    LW_PLUGIN_STORAGE_CLASS = 1 << 4,
    LW_PLUGIN_CLAIM_RESIZE = 1 << 5,
    LW_PLUGIN_NODE_RESTRICTION = 1 << 6,
    LW_PLUGIN_RUNTIME_CLASS = 1 << 7,
    LW_PLUGIN_CERTIFICATE_APPROVAL = 1 << 8,
    LW_PLUGIN_CERTIFICATE_SIGNING = 1 << 9,
    LW_PLUGIN_CERTIFICATE_SUBJECT = 1 << 10,
    LW_PLUGIN_TRUST_BUNDLE = 1 << 11,
    LW_PLUGIN_INGRESS_CLASS = 1 << 12,
    LW_PLUGIN_POD_SECURITY = 1 << 13,
    LW_PLUGIN_MUTATING_POLICY = 1 << 14,
    LW_PLUGIN_VALIDATING_POLICY = 1 << 15,
    LW_PLUGIN_MUTATING_WEBHOOK = 1 << 16,
    LW_PLUGIN_VALIDATING_WEBHOOK = 1 << 17,
    LW_PLUGIN_STORAGE_PROTECTION = 1 << 18,
} lw_admission_plugin;

#endif
