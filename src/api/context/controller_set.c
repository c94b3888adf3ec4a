/* SPDX-License-Identifier: Apache-2.0 */
/* controller_set.c -- parses which controllers run. */
#include "api/context/controller_set.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

static const struct {
    const char *name, *short_name;
    lw_controller controller;
} names[] = {
    { "garbage-collector-controller", "garbagecollector", LW_CONTROLLER_GC },
    { "namespace-controller", "namespace", LW_CONTROLLER_NAMESPACE },
    { "resourcequota-controller", "resourcequota", LW_CONTROLLER_QUOTA },
    { "clusterrole-aggregation-controller", "clusterrole-aggregation",
      LW_CONTROLLER_ROLE_AGGREGATION },
    { "serviceaccount-token-controller", "serviceaccount-token", LW_CONTROLLER_TOKEN_SECRETS },
    { "certificatesigningrequest-signing-controller", "csrsigning", LW_CONTROLLER_CSR },
    { "serviceaccount-controller", "serviceaccount", LW_CONTROLLER_ACCOUNTS },
    { "root-ca-certificate-publisher-controller", "root-ca-cert-publisher", LW_CONTROLLER_ROOT_CA },
    { "token-cleaner-controller", "tokencleaner", LW_CONTROLLER_TOKEN_CLEANER },
    { "persistentvolumeclaim-protection-controller", "pvc-protection",
      LW_CONTROLLER_CLAIM_PROTECTION },
    { "persistentvolume-protection-controller", "pv-protection", LW_CONTROLLER_VOLUME_PROTECTION },
    { "validatingadmissionpolicy-status-controller", "validatingadmissionpolicy-status",
      LW_CONTROLLER_POLICY_STATUS },
};

static unsigned find(lw_str name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (lw_str_equal(name, lw_str_of(names[i].name)) ||
            lw_str_equal(name, lw_str_of(names[i].short_name)))
            return names[i].controller;
    }
    return 0;
}

lw_status lw_controller_set_parse(unsigned *set, lw_str list, lw_error *err)
{
    unsigned named = 0, left_out = 0;
    bool has_more = list.len > 0;
    while (has_more) {
        lw_str name;
        has_more = lw_str_cut(list, ',', &name, &list);
        bool is_left_out = name.len > 0 && name.ptr[0] == '-';
        unsigned found = lw_str_equal(name, LW_STR("*")) ? LW_CONTROLLERS_ALL
                         : is_left_out ? find(lw_str_make(name.ptr + 1, name.len - 1))
                                       : find(name);
        if (found == 0)
            return lw_error_set(err, LW_ERR_INVALID,
                                "\"%.*s\" is not a controller of this server: use *, or "
                                "garbagecollector, namespace, resourcequota, "
                                "clusterrole-aggregation, serviceaccount, serviceaccount-token, "
                                "csrsigning, root-ca-cert-publisher, tokencleaner, "
                                "pvc-protection and pv-protection, each with '-' to leave it out",
                                LW_STR_ARG(name));
        *(is_left_out ? &left_out : &named) |= found;
    }
    *set = (named > 0 ? named : LW_CONTROLLERS_ALL) & ~left_out;
    return LW_OK;
}
