/* SPDX-License-Identifier: Apache-2.0 */
/* authorizer.c -- checks of what a user may do:
 * authorizer.group('apps').resource('deployments').namespace('a').check('create').allowed(). */
#include "base/str.h"
#include "cel/functions.h"
#include "cel/session_internal.h"
#include "object/names.h"

enum {
    REASON_MAX = 4096,
};

/* Returns a copy of the check |value|, to be changed; NULL: out of memory. */
static lw_cel_access *copy_of(lw_cel_run *run, const lw_cel_value *value)
{
    lw_cel_access *copy = lw_arena_take(&run->arena, sizeof(*copy));
    if (copy)
        *copy = *value->access;
    return copy;
}

static lw_cel_value of_access(lw_cel_run *run, lw_cel_kind kind, const lw_cel_access *access)
{
    return access ? (lw_cel_value){ .kind = (uint8_t)kind, .access = access } : lw_cel_over(run);
}

lw_cel_value lw_cel_fn_authz_path(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    if (lw_str_trim(args[1].text).len == 0)
        return lw_cel_fail(run, "path must not be empty");
    lw_cel_access *access = copy_of(run, &args[0]);
    if (access)
        access->path = args[1].text;
    return of_access(run, LW_CEL_PATH_CHECK, access);
}

lw_cel_value lw_cel_fn_authz_group(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_access *access = copy_of(run, &args[0]);
    (void)count;
    if (access)
        access->group = args[1].text;
    return of_access(run, LW_CEL_GROUP_CHECK, access);
}

lw_cel_value lw_cel_fn_authz_account(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_name_problems problems = { 0 };
    (void)count;
    if (!lw_name_is_dns1123_subdomain(args[2].text, &problems))
        return lw_cel_fail(run, "Invalid service account name");
    if (!lw_name_is_dns1123_label(args[1].text, &problems))
        return lw_cel_fail(run, "Invalid service account namespace");
    lw_cel_access *access = copy_of(run, &args[0]);
    if (access) {
        access->account_ns = args[1].text;
        access->account = args[2].text;
    }
    return of_access(run, LW_CEL_AUTHORIZER, access);
}

lw_cel_value lw_cel_fn_authz_resource(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)count;
    if (lw_str_trim(args[1].text).len == 0)
        return lw_cel_fail(run, "resource must not be empty");
    lw_cel_access *access = copy_of(run, &args[0]);
    if (access)
        access->resource = args[1].text;
    return of_access(run, LW_CEL_RESOURCE_CHECK, access);
}

/* subresource, namespace, name, fieldSelector, labelSelector. */
lw_cel_value lw_cel_fn_authz_refine(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_access *access = copy_of(run, &args[0]);
    (void)count;
    if (!access)
        return lw_cel_over(run);
    switch (run->function.ptr[0]) {
    case 's': access->subresource = args[1].text; break;
    case 'f': access->field_selector = args[1].text; break;
    case 'l': access->label_selector = args[1].text; break;
    default:
        if (lw_str_equal(run->function, LW_STR("name")))
            access->name = args[1].text;
        else
            access->ns = args[1].text;
        break;
    }
    return of_access(run, LW_CEL_RESOURCE_CHECK, access);
}

lw_cel_value lw_cel_fn_authz_check(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_cel_decision *decision = lw_arena_take_zero(&run->arena, 1, sizeof(*decision));
    const lw_cel_authorizer *authorizer =
        run->session ? lw_cel_session_authorizer(run->session) : NULL;
    lw_cel_access access = *args[0].access;
    lw_buf reason, error;
    (void)count;
    if (!decision)
        return lw_cel_over(run);
    lw_buf_init(&reason, REASON_MAX);
    lw_buf_init(&error, REASON_MAX);
    access.verb = args[1].text;
    decision->is_allowed = authorizer && authorizer->check &&
                           authorizer->check(authorizer->arg, &access, &reason, &error);
    decision->reason = lw_arena_copy(&run->arena, lw_buf_view(&reason));
    decision->error = lw_arena_copy(&run->arena, lw_buf_view(&error));
    if ((reason.st == LW_ERR_NOMEM || error.st == LW_ERR_NOMEM) && run->st == LW_OK)
        run->st = LW_ERR_NOMEM;
    lw_buf_done(&reason);
    lw_buf_done(&error);
    return (lw_cel_value){ .kind = LW_CEL_DECISION, .decision = decision };
}

lw_cel_value lw_cel_fn_authz_allowed(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(args[0].decision->is_allowed);
}

lw_cel_value lw_cel_fn_authz_reason(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_text(args[0].decision->reason);
}

lw_cel_value lw_cel_fn_authz_errored(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(args[0].decision->error.len > 0);
}

lw_cel_value lw_cel_fn_authz_error(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_text(args[0].decision->error);
}
