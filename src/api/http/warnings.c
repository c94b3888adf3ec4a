/* SPDX-License-Identifier: Apache-2.0 */
/* warnings.c -- warnings, in kube-apiserver's words. */
#include "api/http/warnings.h"

#include "base/str.h"

static bool is_about(const lw_api_call *call, const char *group, const char *plural)
{
    const lw_kind *kind = call->route.kind;
    return lw_str_equal(kind->group, lw_str_of(group)) &&
           lw_str_equal(kind->plural, lw_str_of(plural));
}

void lw_warn_of_kind(lw_api_call *call)
{
    if (is_about(call, "", "endpoints"))
        lw_call_warn(call, LW_STR("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 "
                                  "EndpointSlice"));
    if (is_about(call, "", "componentstatuses"))
        lw_call_warn(call, LW_STR("v1 ComponentStatus is deprecated in v1.19+"));
}

void lw_warn_of_deletion(lw_api_call *call, const lw_api_delete_options *options)
{
    if (is_about(call, "batch", "jobs") && options->propagation == LW_PROPAGATION_DEFAULT)
        lw_call_warn(call, LW_STR("child pods are preserved by default when jobs are deleted; set "
                                  "propagationPolicy=Background to remove them or set "
                                  "propagationPolicy=Orphan to suppress this warning"));
}
