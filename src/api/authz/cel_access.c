/* SPDX-License-Identifier: Apache-2.0 */
/* cel_access.c -- checks of expressions. */
#include "api/authz/cel_access.h"

#include <stdio.h>

#include "base/str.h"

enum {
    NAME_SIZE = 640, /* "system:serviceaccount:", a namespace and a name */
};

static bool check_access(void *arg, const lw_cel_access *access, lw_buf *reason, lw_buf *error)
{
    lw_authz_access *asked = arg;
    lw_authz *authz = asked->authz;
    char name[NAME_SIZE], group[NAME_SIZE];
    lw_str groups[2] = { LW_STR("system:serviceaccounts") };
    lw_user account = { .groups = groups, .group_count = 2 };
    const lw_user *user = asked->user;
    if (access->account.len > 0) {
        (void)snprintf(name, sizeof(name), "system:serviceaccount:%.*s:%.*s",
                       LW_STR_ARG(access->account_ns), LW_STR_ARG(access->account));
        (void)snprintf(group, sizeof(group), "system:serviceaccounts:%.*s",
                       LW_STR_ARG(access->account_ns));
        groups[1] = lw_str_of(group);
        account.name = lw_str_of(name);
        user = &account;
    }
    bool is_resource = access->path.len == 0;
    lw_authz_attributes attributes = {
        .user = user,
        .verb = access->verb,
        .is_resource = is_resource,
        .group = access->group,
        .version = is_resource ? LW_STR("*") : LW_STR(""),
        .resource = access->resource,
        .subresource = access->subresource,
        .ns = access->ns,
        .name = access->name,
        .field_selector = access->field_selector,
        .label_selector = access->label_selector,
        .path = access->path,
        .stream = asked->stream,
    };
    if (!authz || !user)
        return !authz;
    lw_authz_decision decision = lw_authz_explain(authz, &attributes, reason, error);
    asked->is_pending = asked->is_pending || decision == LW_AUTHZ_PENDING;
    return decision == LW_AUTHZ_ALLOW;
}

lw_cel_authorizer lw_authz_cel_authorizer(lw_authz_access *access)
{
    return (lw_cel_authorizer){ check_access, access };
}
