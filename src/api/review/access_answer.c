/* SPDX-License-Identifier: Apache-2.0 */
/* access_answer.c -- answers reviews of access: by the authorizers, or, without authorization, by
 * whether the user can authenticate. */
#include <string.h>

#include "api/authz/forbidden.h"
#include "api/review/review.h"
#include "base/alloc.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    SELECTOR_MAX = 4 * 1024 * 1024, /* bytes; more than the body of a request can have */
};

/* Returns true for the paths that need no authentication. */
static bool is_public(const lw_node *attributes)
{
    static const char *const paths[] = { "healthz", "livez", "readyz", "version" };
    lw_str path = lw_fields_text(attributes, "path"), first, rest;
    if (!lw_str_equal(lw_fields_text(attributes, "verb"), LW_STR("get")) || path.len == 0 ||
        path.ptr[0] != '/')
        return false;
    (void)lw_str_cut(lw_str_skip(path, 1), '/', &first, &rest);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (lw_str_equal(first, lw_str_of(paths[i])))
            return true;
    }
    return false;
}

/* Without authorization: any authenticated user has full access; health and version are public.  So
 * the answer depends on whether the user can authenticate.  The caller has; other known users are
 * the administrator, the users of the token file, the group system:masters, and
 * system:authenticated as a group without a user.  Users of client certificates cannot be
 * enumerated, so they are denied. */
static void decide_without_authz(lw_pending_object *pending, bool is_authenticated,
                                 const char *why_not)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_tree_object(tree);
    bool is_allowed =
        is_authenticated || is_public(lw_fields_find(pending->root, "/spec/nonResourceAttributes"));
    const char *reason = is_authenticated ? "any authenticated user has full access"
                         : is_allowed     ? "this path is public"
                                          : why_not;
    lw_node_put(tree, status, LW_STR("allowed"), lw_tree_bool(tree, is_allowed));
    lw_fields_set_text(tree, status, "reason", lw_str_of(reason));
    lw_node_put(tree, pending->root, LW_STR("status"), status);
}

static bool is_authenticated(const lw_user *user)
{
    return user && user->name.len > 0 && !lw_str_equal(user->name, LW_STR(LW_USER_ANONYMOUS));
}

/* Appends the field selector of a review as a text: that which is sent, or the requirements that
 * one value must be equal.  Others do not matter to any authorizer. */
static void append_selector(const lw_node *selector, lw_buf *out)
{
    const lw_node *requirements = lw_node_get(selector, LW_STR("requirements"));
    lw_buf_append_str(out, lw_fields_text(selector, "rawSelector"));
    for (size_t i = 0; i < lw_node_count(requirements); i++) {
        const lw_node *requirement = lw_node_at(requirements, i);
        const lw_node *values = lw_node_get(requirement, LW_STR("values"));
        lw_str value = lw_node_text(lw_node_at(values, 0));
        if (!lw_str_equal(lw_fields_text(requirement, "operator"), LW_STR("In")) ||
            lw_node_count(values) != 1 || (value.len > 0 && memchr(value.ptr, ',', value.len)))
            continue;
        if (out->len > 0)
            lw_buf_append_char(out, ',');
        lw_buf_append_str(out, lw_fields_text(requirement, "key"));
        lw_buf_append_char(out, '=');
        lw_buf_append_str(out, value);
    }
}

/* What the spec of a review asks about |user|; |selector| is empty and must live as long. */
static lw_authz_attributes read_attributes(const lw_node *root, const lw_user *user,
                                           lw_buf *selector)
{
    const lw_node *resource = lw_fields_find(root, "/spec/resourceAttributes");
    append_selector(lw_node_get(resource, LW_STR("fieldSelector")), selector);
    const lw_node *path = lw_fields_find(root, "/spec/nonResourceAttributes");
    return (lw_authz_attributes){ .user = user,
                                  .verb = lw_fields_text(resource ? resource : path, "verb"),
                                  .is_resource = resource != NULL,
                                  .group = lw_fields_text(resource, "group"),
                                  .version = lw_fields_text(resource, "version"),
                                  .resource = lw_fields_text(resource, "resource"),
                                  .subresource = lw_fields_text(resource, "subresource"),
                                  .ns = lw_fields_text(resource, "namespace"),
                                  .name = lw_fields_text(resource, "name"),
                                  .field_selector = lw_buf_view(selector),
                                  .path = lw_fields_text(path, "path") };
}

static void decide(lw_pending_object *pending, const lw_node *asked, lw_authz *authz,
                   const lw_user *user)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_tree_object(tree);
    lw_buf reason, selector;
    lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
    lw_buf_init(&selector, SELECTOR_MAX);
    const lw_authz_attributes attributes = read_attributes(asked, user, &selector);
    lw_authz_decision decision = lw_authz_decide(authz, &attributes, &reason);
    lw_node_put(tree, status, LW_STR("allowed"), lw_tree_bool(tree, decision == LW_AUTHZ_ALLOW));
    if (decision == LW_AUTHZ_DENY)
        lw_node_put(tree, status, LW_STR("denied"), lw_tree_bool(tree, true));
    if (reason.len > 0)
        lw_fields_set_text(tree, status, "reason", lw_buf_view(&reason));
    lw_pending_object_note(pending, reason.st == LW_ERR_NOMEM ? reason.st : LW_OK);
    lw_pending_object_note(pending, selector.st);
    lw_node_put(tree, pending->root, LW_STR("status"), status);
    lw_buf_done(&selector);
    lw_buf_done(&reason);
}

void lw_review_answer_self(lw_pending_object *pending, const lw_node *asked,
                           const lw_api_call *call)
{
    if (call->api->authz)
        decide(pending, asked, call->api->authz, call->user);
    else
        decide_without_authz(pending, is_authenticated(call->user),
                             "anonymous access is not allowed");
}

/* Returns true if this server can authenticate a user named |name|. */
static bool has_user(const lw_authenticator *by, lw_str name)
{
    return lw_str_equal(name, LW_STR(LW_USER_ADMIN)) ||
           (by->has_user && !lw_str_equal(name, LW_STR(LW_USER_ANONYMOUS)) &&
            by->has_user(by->arg, name));
}

/* A user who cannot authenticate gets no access through groups, except through system:masters. */
static void answer_subject_without_authz(lw_pending_object *pending, const lw_api_call *call)
{
    const lw_node *groups = lw_fields_find(pending->root, "/spec/groups");
    lw_str user = lw_fields_text_at(pending->root, "/spec/user");
    bool is_master = lw_fields_list_has(groups, LW_STR(LW_GROUP_MASTERS));
    bool is_everybody = lw_fields_list_has(groups, LW_STR(LW_GROUP_AUTHENTICATED));
    if (user.len > 0)
        decide_without_authz(
            pending, is_master || has_user(&call->api->authenticator, user),
            "this server does not know the user: it is not the administrator, not in the token "
            "file, and not in the group " LW_GROUP_MASTERS);
    else
        decide_without_authz(pending, is_master || is_everybody,
                             "this server grants access only to the groups " LW_GROUP_MASTERS
                             " and " LW_GROUP_AUTHENTICATED);
}

void lw_review_answer_subject(lw_pending_object *pending, const lw_node *asked,
                              const lw_api_call *call)
{
    const lw_node *names = lw_fields_find(asked, "/spec/groups");
    size_t count = lw_node_count(names);
    if (!call->api->authz) {
        answer_subject_without_authz(pending, call);
        return;
    }
    lw_str *groups = lw_alloc_zero(count > 0 ? count : 1, sizeof(*groups));
    if (!groups) {
        lw_pending_object_note(pending, LW_ERR_NOMEM);
        return;
    }
    for (size_t i = 0; i < count; i++)
        groups[i] = lw_node_text(lw_node_at(names, i));
    const lw_user user = { .name = lw_fields_text_at(asked, "/spec/user"),
                           .uid = lw_fields_text_at(asked, "/spec/uid"),
                           .groups = groups,
                           .group_count = count };
    decide(pending, asked, call->api->authz, &user);
    lw_free(groups);
}

static lw_node *make_texts(lw_tree *tree, const lw_rbac_texts *texts)
{
    lw_node *array = lw_tree_array(tree);
    for (size_t i = 0; i < texts->count; i++)
        lw_node_append(tree, array, lw_tree_string(tree, texts->items[i]));
    return array;
}

static void put_texts(lw_tree *tree, lw_node *rule, const char *name, const lw_rbac_texts *texts)
{
    if (texts->count > 0)
        lw_node_put(tree, rule, lw_str_of(name), make_texts(tree, texts));
}

static void append_rule(lw_tree *tree, const lw_rbac_rule *rule, lw_node *resources, lw_node *urls)
{
    lw_node *shown = lw_tree_object(tree);
    bool is_of_urls = rule->urls.count > 0;
    lw_node_put(tree, shown, LW_STR("verbs"), make_texts(tree, &rule->verbs));
    if (is_of_urls) {
        put_texts(tree, shown, "nonResourceURLs", &rule->urls);
    } else {
        put_texts(tree, shown, "apiGroups", &rule->groups);
        put_texts(tree, shown, "resources", &rule->resources);
        put_texts(tree, shown, "resourceNames", &rule->names);
    }
    lw_node_append(tree, is_of_urls ? urls : resources, shown);
}

/* The rules of a node are not told, nor those of roles that do not exist: |missing| names them.
 * Several errors stand in brackets. */
static void put_errors(lw_tree *tree, lw_node *status, bool is_node, lw_str missing)
{
    static const char of_nodes[] = "node authorizer does not support user rule resolution";
    lw_buf text;
    lw_buf_init(&text, sizeof(of_nodes) + LW_AUTHZ_REASON_MAX);
    if (is_node && missing.len > 0) {
        bool is_list = missing.ptr[0] == '[';
        lw_buf_printf(&text, "[%s, %.*s", of_nodes, LW_STR_ARG(lw_str_skip(missing, is_list)));
        lw_buf_append_text(&text, is_list ? "" : "]");
    } else if (is_node) {
        lw_buf_append_text(&text, of_nodes);
    } else {
        lw_buf_append_str(&text, missing);
    }
    lw_node_put(tree, status, LW_STR("incomplete"), lw_tree_bool(tree, is_node));
    if (text.len > 0)
        lw_fields_set_text(tree, status, "evaluationError", lw_buf_view(&text));
    lw_buf_done(&text);
}

/* The rules that the caller holds in the namespace of the review. */
static void answer_rules_of(lw_pending_object *pending, const lw_node *asked,
                            const lw_api_call *call)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_tree_object(tree), *resources = lw_tree_array(tree);
    lw_node *urls = lw_tree_array(tree);
    lw_str name;
    lw_buf missing;
    lw_rbac_held held;
    lw_buf_init(&missing, LW_AUTHZ_REASON_MAX);
    lw_status st = lw_rbac_collect(lw_authz_rbac(call->api->authz), call->user,
                                   lw_fields_text_at(asked, "/spec/namespace"), &held, &missing);
    if (st < 0) {
        lw_pending_object_note(pending, st);
        lw_buf_done(&missing);
        return;
    }
    for (size_t i = 0; i < held.count; i++) {
        for (size_t j = 0; j < held.sets[i]->count; j++)
            append_rule(tree, &held.sets[i]->items[j], resources, urls);
    }
    lw_rbac_held_done(&held);
    lw_node_put(tree, status, LW_STR("resourceRules"), resources);
    lw_node_put(tree, status, LW_STR("nonResourceRules"), urls);
    put_errors(tree, status,
               lw_authz_node_graph(call->api->authz) && lw_node_identify(call->user, &name),
               lw_buf_view(&missing));
    lw_buf_done(&missing);
    (void)lw_fields_object(tree, pending->root, "spec");
    lw_node_put(tree, pending->root, LW_STR("status"), status);
}

void lw_review_answer_rules(lw_pending_object *pending, const lw_node *asked,
                            const lw_api_call *call)
{
    static const lw_str public =
        LW_STR_INIT("{\"resourceRules\":[],\"nonResourceRules\":[{\"verbs\":[\"get\"],"
                    "\"nonResourceURLs\":[\"/healthz\",\"/livez\",\"/readyz\",\"/version\"]}],"
                    "\"incomplete\":false}");
    static const lw_str everything =
        LW_STR_INIT("{\"resourceRules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"*\"],\"resources\":["
                    "\"*\"]}],\"nonResourceRules\":[{\"verbs\":[\"*\"],\"nonResourceURLs\":[\"*\"]"
                    "}],\"incomplete\":false}");
    lw_node *status = NULL;
    bool has_all = call->api->authz ? lw_authz_is_privileged(call->user) ||
                                          lw_authz_allows_everything(call->api->authz)
                                    : is_authenticated(call->user);
    /* What members of system:masters may do is told by their roles, too. */
    if (lw_authz_rbac(call->api->authz) && !lw_authz_allows_everything(call->api->authz)) {
        answer_rules_of(pending, asked, call);
        return;
    }
    lw_pending_object_note(pending, lw_tree_parse_node(pending->tree, has_all ? everything : public,
                                                       &status, NULL));
    (void)lw_fields_object(pending->tree, pending->root, "spec");
    lw_node_put(pending->tree, pending->root, LW_STR("status"), status);
}
