/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_audit_policy.c -- an audit policy of any bytes: it is refused with a reason, or it decides
 * about any request. */
#include <stdlib.h>

#include "base/str.h"
#include "fuzz/fuzz.h"
#include "server/audit/policy.h"

static void check(const lw_audit_policy *policy, const lw_authz_attributes *attributes)
{
    lw_audit_decision decision = lw_audit_policy_decide(policy, attributes);
    if ((unsigned)decision.level >= LW_AUDIT_LEVELS || decision.omitted_stages > 15)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lw_str groups[] = { LW_STR_INIT("dev") };
    static const lw_user jane = { .name = LW_STR_INIT("jane"), .groups = groups, .group_count = 1 };
    lw_audit_policy *policy = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_audit_policy_parse(&policy, lw_str_make((const char *)data, size), &err);
    if (st < 0) {
        if (policy || err.message[0] == '\0')
            abort(); /* a refused policy gives nothing, and has a reason */
        return 0;
    }
    lw_authz_attributes attributes = { .user = &jane,
                                       .verb = LW_STR("get"),
                                       .is_resource = true,
                                       .group = LW_STR("apps"),
                                       .version = LW_STR("v1"),
                                       .resource = LW_STR("pods"),
                                       .subresource = LW_STR("log"),
                                       .ns = LW_STR("default"),
                                       .name = LW_STR("web"),
                                       .path = LW_STR("/healthz") };
    check(policy, &attributes);
    attributes.subresource = LW_STR("");
    check(policy, &attributes);
    attributes.is_resource = false;
    attributes.user = NULL;
    check(policy, &attributes);
    lw_audit_policy_free(policy);
    return 0;
}
