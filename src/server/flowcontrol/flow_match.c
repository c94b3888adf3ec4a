/* SPDX-License-Identifier: Apache-2.0 */
/* flow_match.c -- finds out whether a FlowSchema matches a request.  Runs for every request: it
 * compares views and allocates nothing. */
#include "server/flowcontrol/flow_schema.h"

#include <string.h>

#include "base/str.h"

int lw_flow_schema_compare(const void *a, const void *b)
{
    const lw_flow_schema *left = a, *right = b;
    if (left->precedence != right->precedence)
        return left->precedence < right->precedence ? -1 : 1;
    return lw_str_compare(left->name, right->name);
}

static bool has_name(const lw_flow_names *names, lw_str name)
{
    if (names->is_any)
        return true;
    for (size_t i = 0; i < names->count; i++) {
        if (lw_str_equal(names->at[i], name))
            return true;
    }
    return false;
}

static bool has_group(const lw_user *user, lw_str group)
{
    for (size_t i = 0; i < user->group_count; i++) {
        if (lw_str_equal(user->groups[i], group))
            return true;
    }
    return false;
}

/* The name of a service account as a user is "system:serviceaccount:NAMESPACE:NAME". */
static bool is_service_account(const lw_flow_subject *subject, lw_str user)
{
    static const lw_str prefix = LW_STR_INIT("system:serviceaccount:");
    lw_str ns, name;
    if (!lw_str_starts_with(user, prefix) ||
        !lw_str_cut(lw_str_skip(user, prefix.len), ':', &ns, &name))
        return false;
    return lw_str_equal(ns, subject->ns) && (subject->is_any || lw_str_equal(name, subject->name));
}

static bool matches_subject(const lw_flow_subject *subject, const lw_user *user)
{
    switch (subject->kind) {
    case LW_FLOW_USER: return subject->is_any || lw_str_equal(subject->name, user->name);
    case LW_FLOW_GROUP: return subject->is_any || has_group(user, subject->name);
    case LW_FLOW_SERVICE_ACCOUNT: return is_service_account(subject, user->name);
    }
    return false;
}

static bool matches_subjects(const lw_flow_rule *rule, const lw_user *user)
{
    for (size_t i = 0; i < rule->subject_count; i++) {
        if (matches_subject(&rule->subjects[i], user))
            return true;
    }
    return false;
}

/* Whether "resource" or "resource/subresource" is in |names|. */
static bool has_resource(const lw_flow_names *names, const lw_request_info *info)
{
    if (names->is_any || info->subresource.len == 0)
        return has_name(names, info->resource);
    for (size_t i = 0; i < names->count; i++) {
        lw_str resource, subresource;
        if (lw_str_cut(names->at[i], '/', &resource, &subresource) &&
            lw_str_equal(resource, info->resource) && lw_str_equal(subresource, info->subresource))
            return true;
    }
    return false;
}

static bool matches_resource(const lw_flow_resource_rule *rule, const lw_request_info *info)
{
    if (!has_name(&rule->verbs, info->verb) || !has_resource(&rule->resources, info) ||
        !has_name(&rule->groups, info->group))
        return false;
    return info->ns.len == 0 ? rule->has_cluster_scope : has_name(&rule->namespaces, info->ns);
}

/* "/healthz" matches itself and everything below it; so does "/healthz/" followed by a star. */
static bool matches_path(lw_str pattern, lw_str path)
{
    if (lw_str_equal(pattern, LW_STR("*")) || lw_str_equal(pattern, path))
        return true;
    if (lw_str_ends_with(pattern, LW_STR("*")))
        pattern.len--;
    if (lw_str_ends_with(pattern, LW_STR("/")))
        return lw_str_starts_with(path, pattern);
    return path.len > pattern.len && path.ptr[pattern.len] == '/' &&
           lw_str_starts_with(path, pattern);
}

static bool matches_path_rule(const lw_flow_path_rule *rule, const lw_request_info *info)
{
    if (!has_name(&rule->verbs, info->verb))
        return false;
    for (size_t i = 0; i < rule->paths.count; i++) {
        if (matches_path(rule->paths.at[i], info->path))
            return true;
    }
    return false;
}

static bool matches_rule(const lw_flow_rule *rule, const lw_request_info *info, const lw_user *user)
{
    if (!matches_subjects(rule, user))
        return false;
    for (size_t i = 0; info->is_resource && i < rule->resource_rule_count; i++) {
        if (matches_resource(&rule->resource_rules[i], info))
            return true;
    }
    for (size_t i = 0; !info->is_resource && i < rule->path_rule_count; i++) {
        if (matches_path_rule(&rule->path_rules[i], info))
            return true;
    }
    return false;
}

bool lw_flow_schema_matches(const lw_flow_schema *schema, const lw_request_info *info,
                            const lw_user *user)
{
    for (size_t i = 0; i < schema->rule_count; i++) {
        if (matches_rule(&schema->rules[i], info, user))
            return true;
    }
    return false;
}

lw_str lw_flow_schema_distinguish(const lw_flow_schema *schema, const lw_request_info *info,
                                  const lw_user *user)
{
    switch (schema->distinguisher) {
    case LW_FLOW_BY_USER: return user->name;
    case LW_FLOW_BY_NAMESPACE: return info->ns;
    case LW_FLOW_ONE: break;
    }
    return LW_STR("");
}
