/* SPDX-License-Identifier: Apache-2.0 */
/* policy_match.c -- finds the rule of a request. */
#include "base/str.h"
#include "server/audit/policy_rules.h"

static bool has_group(const lw_rbac_texts *groups, const lw_user *user)
{
    for (size_t i = 0; i < user->group_count; i++) {
        if (lw_rbac_texts_have(groups, user->groups[i]))
            return true;
    }
    return false;
}

/* Whether |text| is |first|, a slash, and |second|. */
static bool is_pair(lw_str text, lw_str first, lw_str second)
{
    return text.len == first.len + 1 + second.len && lw_str_starts_with(text, first) &&
           text.ptr[first.len] == '/' && lw_str_ends_with(text, second);
}

/* "pods" is the resource without its subresources; "pods/STAR" is both. */
static bool matches_resource(lw_str pattern, const lw_authz_attributes *a)
{
    static const lw_str all = LW_STR_INIT("*");
    if (lw_str_equal(pattern, all) || is_pair(pattern, a->resource, all))
        return true;
    if (a->subresource.len == 0)
        return lw_str_equal(pattern, a->resource);
    return is_pair(pattern, a->resource, a->subresource) || is_pair(pattern, all, a->subresource);
}

static bool matches_group(const lw_audit_resources *r, const lw_authz_attributes *a)
{
    if (!lw_str_equal(r->group, a->group))
        return false;
    if (r->resources.count == 0)
        return true;
    if (r->names.count > 0 && !lw_rbac_texts_have(&r->names, a->name))
        return false;
    for (size_t i = 0; i < r->resources.count; i++) {
        if (matches_resource(r->resources.items[i], a))
            return true;
    }
    return false;
}

static bool matches_resources(const lw_audit_rule *rule, const lw_authz_attributes *a)
{
    if (!a->is_resource)
        return false;
    if (rule->namespaces.count > 0 && !lw_rbac_texts_have(&rule->namespaces, a->ns))
        return false;
    for (size_t i = 0; i < rule->resource_count; i++) {
        if (matches_group(&rule->resources[i], a))
            return true;
    }
    return rule->resource_count == 0;
}

static bool matches(const lw_audit_rule *rule, const lw_authz_attributes *a)
{
    const lw_user *user = a->user;
    if (rule->users.count > 0 && !(user && lw_rbac_texts_have(&rule->users, user->name)))
        return false;
    if (rule->groups.count > 0 && !(user && has_group(&rule->groups, user)))
        return false;
    if (rule->verbs.count > 0 && !lw_rbac_texts_have(&rule->verbs, a->verb))
        return false;
    if (rule->namespaces.count > 0 || rule->resource_count > 0)
        return matches_resources(rule, a);
    if (rule->urls.count > 0)
        return !a->is_resource && lw_rbac_urls_allow(&rule->urls, a->path);
    return true;
}

lw_audit_decision lw_audit_policy_decide(const lw_audit_policy *policy,
                                         const lw_authz_attributes *attributes)
{
    for (size_t i = 0; i < policy->count; i++) {
        if (matches(&policy->rules[i], attributes))
            return policy->rules[i].decision;
    }
    return (lw_audit_decision){ .level = LW_AUDIT_NONE };
}
