/* SPDX-License-Identifier: Apache-2.0 */
/* escalation.c -- compares the rules that a write would grant with those that the writer holds. */
#include "api/authz/escalation.h"

#include "api/authz/rbac_cover.h"
#include "api/http/failures.h"
#include "base/str.h"
#include "object/names.h"
#include "object/quote.h"
#include "json/fields.h"

#define GROUP_NAME "rbac.authorization.k8s.io"

enum {
    MESSAGE_MAX = 2 * 1024 * 1024,
};

static bool is_role(const lw_kind *kind)
{
    return kind == &lw_kind_roles || kind == &lw_kind_clusterroles;
}

bool lw_rbac_is_checked(const lw_kind *kind)
{
    return is_role(kind) || kind == &lw_kind_rolebindings || kind == &lw_kind_clusterrolebindings;
}

static void forbid(const lw_rbac_write *write, lw_str why, lw_api_status *status)
{
    const lw_gvr gvr = { LW_STR(GROUP_NAME), write->kind->version, write->kind->plural };
    lw_api_status_forbidden(status, gvr, write->name, why);
}

static bool is_listed(lw_str key, const char *const *list)
{
    while (*list && !lw_str_equal(key, lw_str_of(*list)))
        list++;
    return *list != NULL;
}

/* Counts the members of |object| that are not in |left_out|. */
static size_t count_but(const lw_node *object, const char *const *left_out)
{
    size_t count = 0;
    for (size_t i = 0; i < lw_node_count(object); i++)
        count += !is_listed(lw_node_key_at(object, i), left_out);
    return count;
}

/* True if the members that are not in |left_out| are the same. */
static bool equal_but(const lw_node *a, const lw_node *b, const char *const *left_out)
{
    for (size_t i = 0; i < lw_node_count(a); i++) {
        lw_str key = lw_node_key_at(a, i);
        if (!is_listed(key, left_out) && !lw_node_equal(lw_node_at(a, i), lw_node_get(b, key)))
            return false;
    }
    return count_but(a, left_out) == count_but(b, left_out);
}

bool lw_rbac_keeps_metadata(const lw_node *object, const lw_node *old)
{
    static const char *const of_collector[] = { "ownerReferences", "finalizers", "selfLink",
                                                "managedFields", NULL };
    return equal_but(lw_node_get(object, LW_STR("metadata")), lw_node_get(old, LW_STR("metadata")),
                     of_collector);
}

/* True if only what the garbage collector changes is different: finalizers and owner references. */
static bool is_of_collector(const lw_rbac_write *write)
{
    static const char *const others[] = { "kind", "apiVersion", "metadata", NULL };
    return write->old && write->keeps_metadata &&
           lw_rbac_keeps_metadata(write->object, write->old) &&
           equal_but(write->object, write->old, others);
}

/* True if the authorizers let the user do |verb| to the role |name| of |resource|. */
static bool is_allowed(lw_authz *authz, const lw_rbac_write *write, const char *verb, lw_str group,
                       lw_str resource, lw_str name)
{
    const lw_authz_attributes attributes = { .user = write->user,
                                             .verb = lw_str_of(verb),
                                             .is_resource = true,
                                             .group = group,
                                             .version = LW_STR("v1"),
                                             .resource = resource,
                                             .ns = write->ns,
                                             .name = name,
                                             .stream = write->stream };
    return lw_authz_allows(authz, &attributes);
}

/* user "ann" (groups=["team" "system:authenticated"]) is attempting to grant ... */
static void append_user(const lw_user *user, lw_buf *out)
{
    lw_buf_append_text(out, "user ");
    lw_quote_append(out, user->name);
    lw_buf_append_text(out, " (groups=[");
    for (size_t i = 0; i < user->group_count; i++) {
        if (i > 0)
            lw_buf_append_char(out, ' ');
        lw_quote_append(out, user->groups[i]);
    }
    lw_buf_append_text(out, "]) is attempting to grant RBAC permissions not currently held:\n");
}

/* Checks that the user holds |wanted|.  |short_message|, if not NULL, is said instead of what is
 * missing. */
static bool holds(lw_authz *authz, const lw_rbac_write *write, const lw_rbac_rules *wanted,
                  const char *short_message, lw_api_status *status)
{
    lw_rbac_held held = { .count = 0 };
    lw_buf message, missing;
    bool is_covered = false;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_init(&missing, LW_AUTHZ_REASON_MAX);
    append_user(write->user, &message);
    lw_status st = lw_rbac_collect(lw_authz_rbac(authz), write->user, write->ns, &held, &missing);
    if (st == LW_OK)
        st = lw_rbac_cover(&held, wanted, &is_covered, &message);
    if (st == LW_OK && !is_covered && missing.len > 0)
        lw_buf_printf(&message, "; resolution errors: [%.*s]", LW_STR_ARG(lw_buf_view(&missing)));
    if (st == LW_ERR_LIMIT)
        lw_api_status_too_large(status, LW_STR("the rules have too many combinations of verbs, "
                                               "resources and names to be compared with those of "
                                               "the user: split the role"));
    else if (st < 0 || message.st < 0) {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
        is_covered = false;
    } else if (!is_covered) {
        forbid(write, short_message ? lw_str_of(short_message) : lw_buf_view(&message), status);
    }
    lw_rbac_held_done(&held);
    lw_buf_done(&message);
    lw_buf_done(&missing);
    return is_covered;
}

/* Compiles |json|, a list of rules, and checks that the user holds them. */
static bool holds_rules(lw_authz *authz, const lw_rbac_write *write, const lw_node *rules,
                        const char *short_message, lw_api_status *status)
{
    lw_rbac_rules *wanted = NULL;
    if (lw_rbac_rules_new(&wanted, rules) < 0) {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
        return false;
    }
    bool is_held = holds(authz, write, wanted, short_message, status);
    lw_rbac_rules_unref(wanted);
    return is_held;
}

static bool is_aggregated(const lw_node *role)
{
    return lw_node_count(lw_fields_find(role, "/aggregationRule/clusterRoleSelectors")) > 0;
}

/* An aggregation rule can gather any rule, so it needs all of them. */
static bool may_aggregate(lw_authz *authz, const lw_rbac_write *write, lw_api_status *status)
{
    static const lw_str everything =
        LW_STR_INIT("[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":[\"*\"]},"
                    "{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]}]");
    lw_tree *tree = NULL;
    if (!is_aggregated(write->object) && !(write->old && is_aggregated(write->old)))
        return true;
    if (lw_tree_parse(&tree, everything, 0, NULL) < 0) {
        lw_api_status_init(status);
        status->st = LW_ERR_NOMEM;
        return false;
    }
    bool is_held =
        holds_rules(authz, write, lw_tree_root(tree),
                    "must have cluster-admin privileges to use the aggregationRule", status);
    lw_tree_free(tree);
    return is_held;
}

static bool admits_role(lw_authz *authz, const lw_rbac_write *write, lw_api_status *status)
{
    if (is_allowed(authz, write, "escalate", LW_STR(GROUP_NAME), write->kind->plural,
                   write->requested))
        return true;
    return holds_rules(authz, write, lw_node_get(write->object, LW_STR("rules")), NULL, status) &&
           may_aggregate(authz, write, status);
}

/* 500: nothing is known about the kind of role. */
static bool refuse_kind(lw_str kind, lw_api_status *status)
{
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, "unsupported role reference kind: ");
    lw_quote_append(&message, kind);
    lw_api_status_unclassified(status, &message);
    return false;
}

/* False, with 400, if no role can have the name |name|: this runs before validation. */
static bool is_nameable(const lw_rbac_write *write, bool is_of_cluster, lw_str name,
                        lw_api_status *status)
{
    lw_name_problems problems;
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    if (!is_of_cluster && write->ns.len == 0) {
        lw_buf_append_text(&message, "Namespace parameter required.");
    } else if (name.len == 0) {
        lw_buf_append_text(&message, "Name parameter required.");
    } else if (!lw_name_is_path_segment(name, &problems)) {
        lw_buf_append_text(&message, "Name parameter invalid: ");
        lw_quote_append(&message, name);
        for (size_t i = 0; i < problems.count; i++)
            lw_buf_printf(&message, "%s%s", i > 0 ? ";" : ": ", problems.text[i]);
    } else {
        return true;
    }
    return lw_failure_bad_request(status, &message);
}

/* Checks that the user holds the rules of the role |name|. */
static bool holds_role(lw_authz *authz, const lw_rbac_write *write, bool is_of_cluster, lw_str name,
                       lw_api_status *status)
{
    if (!is_nameable(write, is_of_cluster, name, status))
        return false;
    lw_rbac_rules *rules =
        lw_rbac_role_rules_ref(lw_authz_rbac(authz), is_of_cluster ? LW_STR("") : write->ns, name);
    if (!rules) {
        /* kube-apiserver names the resource of the request. */
        lw_api_status_not_found(status, lw_kind_gvr(write->kind), name);
        return false;
    }
    bool is_held = holds(authz, write, rules, NULL, status);
    lw_rbac_rules_unref(rules);
    return is_held;
}

static bool admits_binding(lw_authz *authz, const lw_rbac_write *write, lw_api_status *status)
{
    const lw_node *ref = lw_node_get(write->object, LW_STR("roleRef"));
    lw_str kind = lw_fields_text(ref, "kind"), name = lw_fields_text(ref, "name");
    bool is_of_cluster = lw_str_equal(kind, LW_STR("ClusterRole"));
    if (!is_of_cluster && !lw_str_equal(kind, LW_STR("Role")))
        return refuse_kind(kind, status);
    const lw_kind *role = is_of_cluster ? &lw_kind_clusterroles : &lw_kind_roles;
    return is_allowed(authz, write, "bind", lw_fields_text(ref, "apiGroup"), role->plural, name) ||
           holds_role(authz, write, is_of_cluster, name, status);
}

bool lw_rbac_admits(lw_authz *authz, const lw_rbac_write *write, lw_api_status *status)
{
    if (!lw_authz_rbac(authz) || lw_authz_is_privileged(write->user) || is_of_collector(write))
        return true;
    return is_role(write->kind) ? admits_role(authz, write, status)
                                : admits_binding(authz, write, status);
}
