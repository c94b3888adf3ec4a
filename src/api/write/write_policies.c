/* SPDX-License-Identifier: Apache-2.0 */
/* write_policies.c -- requests as policies see them: of a deletion the object is oldObject. */
#include "api/write/write_policies.h"

#include "api/admission/mutating_policy.h"
#include "api/admission/validating_policy.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

static bool has_policies(const lw_write *write)
{
    return (write->user || write->call) &&
           lw_api_has_plugin(write->port->api, LW_PLUGIN_VALIDATING_POLICY) &&
           lw_policies_look(write->port, LW_POLICY_VALIDATING);
}

static bool has_mutating_policies(const lw_write *write)
{
    return (write->user || write->call) &&
           lw_api_has_plugin(write->port->api, LW_PLUGIN_MUTATING_POLICY) &&
           lw_policies_look(write->port, LW_POLICY_MUTATING);
}

static lw_policy_request request_of(lw_write *write, lw_gvk gvk, const lw_match_request *match)
{
    return (lw_policy_request){ .port = write->port,
                                .call = write->call,
                                .user = write->user,
                                .stream = write->stream,
                                .is_dry_run = write->is_dry_run,
                                .name = write->key.name,
                                .budget = write->budget,
                                .gvk = gvk,
                                .match = *match };
}

static bool admit(lw_write *write, lw_gvk gvk, const lw_match_request *match)
{
    lw_policy_request request = request_of(write, gvk, match);
    return lw_validating_policies_admit(&request, &write->status);
}

bool lw_policies_admit_delete(lw_write *write)
{
    lw_tree *old = NULL;
    bool is_stored;
    bool is_namespace = write->kind == &lw_kind_namespaces;
    if (!write->current || !has_policies(write))
        return true;
    lw_status st = lw_write_read_current(write, &old, &is_stored);
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return false;
    }
    const lw_match_request match = { .kind = write->kind,
                                     .operation = LW_OPERATION_DELETE,
                                     .ns = is_namespace ? write->key.name : write->key.ns,
                                     .name = write->key.name,
                                     .old = lw_tree_root(old) };
    bool is_admitted = admit(write, (lw_gvk){ 0 }, &match);
    lw_tree_free(old);
    return is_admitted;
}

/* What policies match; |old| may be NULL. */
static lw_match_request match_of(const lw_write *write, const lw_ask *ask, lw_str subresource,
                                 lw_tree *old)
{
    return (lw_match_request){ .kind = write->kind,
                               .operation = ask->operation,
                               .subresource = subresource,
                               .ns = write->key.ns,
                               .name = write->key.name,
                               .object = ask->object,
                               .old = old ? lw_tree_root(old) : NULL };
}

bool lw_policies_admit_ask(lw_write *write, const lw_ask *ask, lw_str subresource, lw_str old)
{
    lw_tree *tree = NULL;
    if (!has_policies(write))
        return true;
    lw_status st = old.len > 0 ? lw_tree_parse(&tree, old, 0, NULL) : LW_OK;
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return false;
    }
    const lw_match_request match = match_of(write, ask, subresource, tree);
    bool is_admitted = admit(write, ask->gvk, &match);
    lw_tree_free(tree);
    return is_admitted;
}

static bool mutate(lw_write *write, lw_gvk gvk, const lw_match_request *shown, lw_tree **changed)
{
    lw_kind kind;
    lw_match_request match = *shown;
    lw_pending_object pending;
    bool is_admitted = false;
    lw_status st = lw_ask_open_object(&pending, write, &kind, gvk, shown->object);
    if (st == LW_OK) {
        const lw_node *before = pending.root;
        match.object = pending.root;
        lw_policy_request request = request_of(write, gvk, &match);
        is_admitted = lw_mutating_policies_admit(&request, &pending, NULL, NULL, &write->status);
        if (is_admitted && pending.root != before)
            st = lw_ask_copy_object(&pending, changed);
    }
    lw_pending_object_done(&pending);
    if (st < 0)
        (void)lw_write_fail(write, st);
    return is_admitted && st == LW_OK;
}

bool lw_policies_mutate_ask(lw_write *write, const lw_ask *ask, lw_str subresource,
                            lw_tree **changed)
{
    lw_tree *old = NULL;
    *changed = NULL;
    if (!has_mutating_policies(write))
        return true;
    lw_status st = ask->old.len > 0 ? lw_tree_parse(&old, ask->old, 0, NULL) : LW_OK;
    if (st < 0) {
        (void)lw_write_fail(write, st);
        return false;
    }
    const lw_match_request match = match_of(write, ask, subresource, old);
    bool is_admitted = mutate(write, ask->gvk, &match, changed);
    lw_tree_free(old);
    return is_admitted;
}
