/* SPDX-License-Identifier: Apache-2.0 */
/* deletion_policies.c -- shows a deletion to admission policies: the object is oldObject. */
#include "api/write/deletion_policies.h"

#include "api/admission/validating_policy.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

bool lw_policies_admit_delete(lw_write *write)
{
    lw_tree *old = NULL;
    bool is_stored;
    bool is_namespace = write->kind == &lw_kind_namespaces;
    if (!write->current || (!write->user && !write->call) ||
        !lw_api_has_plugin(write->port->api, LW_PLUGIN_VALIDATING_POLICY) ||
        !lw_policies_look(write->port, LW_POLICY_VALIDATING))
        return true;
    lw_status st = lw_write_read_current(write, &old, &is_stored);
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return false;
    }
    lw_policy_request request = {
        .port = write->port,
        .call = write->call,
        .user = write->user,
        .stream = write->stream,
        .is_dry_run = write->is_dry_run,
        .name = write->key.name,
        .budget = write->budget,
        .match = { .kind = write->kind,
                   .operation = LW_OPERATION_DELETE,
                   .ns = is_namespace ? write->key.name : write->key.ns,
                   .name = write->key.name,
                   .old = lw_tree_root(old) },
    };
    bool is_admitted = lw_validating_policies_admit(&request, &write->status);
    lw_tree_free(old);
    return is_admitted;
}
