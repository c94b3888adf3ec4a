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

/* The label selector of a review as a text. */
static void append_labels(const lw_node *selector, lw_buf *out)
{
    const lw_node *requirements = lw_node_get(selector, LW_STR("requirements"));
    lw_buf_append_str(out, lw_fields_text(selector, "rawSelector"));
    for (size_t i = 0; i < lw_node_count(requirements); i++) {
        const lw_node *requirement = lw_node_at(requirements, i);
        const lw_node *values = lw_node_get(requirement, LW_STR("values"));
        lw_str op = lw_fields_text(requirement, "operator");
        bool is_in = lw_str_equal(op, LW_STR("In")), is_not = lw_str_equal(op, LW_STR("NotIn"));
        if (out->len > 0)
            lw_buf_append_char(out, ',');
        if (lw_str_equal(op, LW_STR("DoesNotExist")))
            lw_buf_append_char(out, '!');
        lw_buf_append_str(out, lw_fields_text(requirement, "key"));
        if (!is_in && !is_not)
            continue;
        lw_buf_append_text(out, is_in ? " in (" : " notin (");
        for (size_t k = 0; k < lw_node_count(values); k++) {
            lw_buf_append_text(out, k > 0 ? "," : "");
            lw_buf_append_str(out, lw_node_text(lw_node_at(values, k)));
        }
        lw_buf_append_char(out, ')');
    }
}

/* What the spec of a review asks about |user|; |selector| and |labels| are empty and must live as
 * long. */
static lw_authz_attributes read_attributes(const lw_node *root, const lw_user *user,
                                           lw_buf *selector, lw_buf *labels)
{
    const lw_node *resource = lw_fields_find(root, "/spec/resourceAttributes");
    append_selector(lw_node_get(resource, LW_STR("fieldSelector")), selector);
    append_labels(lw_node_get(resource, LW_STR("labelSelector")), labels);
    lw_str version = lw_fields_text(resource, "version");
    const lw_node *path = lw_fields_find(root, "/spec/nonResourceAttributes");
    return (lw_authz_attributes){ .user = user,
                                  .verb = lw_fields_text(resource ? resource : path, "verb"),
                                  .is_resource = resource != NULL,
                                  .group = lw_fields_text(resource, "group"),
                                  .version = version.len > 0 ? version : LW_STR("*"),
                                  .resource = lw_fields_text(resource, "resource"),
                                  .subresource = lw_fields_text(resource, "subresource"),
                                  .ns = lw_fields_text(resource, "namespace"),
                                  .name = lw_fields_text(resource, "name"),
                                  .field_selector = lw_buf_view(selector),
                                  .label_selector = lw_buf_view(labels),
                                  .path = lw_fields_text(path, "path") };
}

static void decide(lw_pending_object *pending, const lw_node *asked, const lw_api_call *call,
                   const lw_user *user)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_tree_object(tree);
    lw_buf reason, error, selector, labels;
    lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
    lw_buf_init(&error, LW_AUTHZ_REASON_MAX);
    lw_buf_init(&selector, SELECTOR_MAX);
    lw_buf_init(&labels, SELECTOR_MAX);
    lw_authz_attributes attributes = read_attributes(asked, user, &selector, &labels);
    attributes.stream = call->stream;
    lw_authz_decision decision = lw_authz_explain(call->api->authz, &attributes, &reason, &error);
    lw_node_put(tree, status, LW_STR("allowed"), lw_tree_bool(tree, decision == LW_AUTHZ_ALLOW));
    if (decision == LW_AUTHZ_DENY)
        lw_node_put(tree, status, LW_STR("denied"), lw_tree_bool(tree, true));
    if (reason.len > 0)
        lw_fields_set_text(tree, status, "reason", lw_buf_view(&reason));
    if (error.len > 0 && decision != LW_AUTHZ_ALLOW)
        lw_fields_set_text(tree, status, "evaluationError", lw_buf_view(&error));
    lw_pending_object_note(pending, reason.st == LW_ERR_NOMEM ? reason.st : LW_OK);
    lw_pending_object_note(pending, selector.st < 0 ? selector.st : labels.st);
    lw_node_put(tree, pending->root, LW_STR("status"), status);
    lw_buf_done(&labels);
    lw_buf_done(&selector);
    lw_buf_done(&error);
    lw_buf_done(&reason);
}

void lw_review_answer_self(lw_pending_object *pending, const lw_node *asked,
                           const lw_api_call *call)
{
    if (call->api->authz)
        decide(pending, asked, call, call->user);
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

/* The user that a review names, in one block of memory. */
typedef struct named_user {
    lw_user user;
    lw_str *texts; /* groups, then the values of the extras */
    lw_user_extra *extras;
} named_user;

static size_t count_values(const lw_node *extra)
{
    size_t count = 0;
    for (size_t i = 0; i < lw_node_count(extra); i++)
        count += lw_node_count(lw_node_at(extra, i));
    return count;
}

static lw_str *append_texts(lw_str *at, const lw_node *list)
{
    for (size_t i = 0; i < lw_node_count(list); i++)
        *at++ = lw_node_text(lw_node_at(list, i));
    return at;
}

static lw_status read_user(named_user *out, const lw_node *asked)
{
    const lw_node *groups = lw_fields_find(asked, "/spec/groups");
    const lw_node *extra = lw_fields_find(asked, "/spec/extra");
    size_t count = lw_node_count(groups), extras = lw_node_count(extra);
    out->texts = lw_alloc_zero(count + count_values(extra) + 1, sizeof(*out->texts));
    out->extras = lw_alloc_zero(extras + 1, sizeof(*out->extras));
    if (!out->texts || !out->extras)
        return LW_ERR_NOMEM;
    lw_str *next = append_texts(out->texts, groups);
    for (size_t i = 0; i < extras; i++) {
        const lw_node *values = lw_node_at(extra, i);
        out->extras[i] = (lw_user_extra){ lw_node_key_at(extra, i), next, lw_node_count(values) };
        next = append_texts(next, values);
    }
    out->user = (lw_user){ .name = lw_fields_text_at(asked, "/spec/user"),
                           .uid = lw_fields_text_at(asked, "/spec/uid"),
                           .groups = out->texts,
                           .group_count = count,
                           .extras = out->extras,
                           .extra_count = extras };
    return LW_OK;
}

void lw_review_answer_subject(lw_pending_object *pending, const lw_node *asked,
                              const lw_api_call *call)
{
    named_user named = { .texts = NULL };
    if (!call->api->authz) {
        answer_subject_without_authz(pending, call);
        return;
    }
    if (read_user(&named, asked) < 0)
        lw_pending_object_note(pending, LW_ERR_NOMEM);
    else
        decide(pending, asked, call, &named.user);
    lw_free(named.texts);
    lw_free(named.extras);
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

/* Some authorizers do not tell their rules: |is_silent| says whether that of nodes and a webhook
 * are asked about this user.  Roles that do not exist have none: |missing| is the error about them.
 * Several errors stand in brackets. */
static void put_errors(lw_tree *tree, lw_node *status, const bool is_silent[2], lw_str missing)
{
    static const char silent[] = "authorizer does not support user rule resolution";
    bool is_list = missing.len > 0 && missing.ptr[0] == '[';
    if (is_list)
        missing = lw_str_make(missing.ptr + 1, missing.len - 2);
    size_t count = (size_t)is_silent[0] + is_silent[1] + (missing.len > 0);
    lw_buf text;
    lw_buf_init(&text, 2 * sizeof(silent) + LW_AUTHZ_REASON_MAX);
    lw_buf_append_text(&text, is_list || count > 1 ? "[" : "");
    if (is_silent[0])
        lw_buf_printf(&text, "node %s%s", silent, count > 1 ? ", " : "");
    lw_buf_append_str(&text, missing);
    if (is_silent[1])
        lw_buf_printf(&text, "%swebhook %s", count > 1 && missing.len > 0 ? ", " : "", silent);
    lw_buf_append_text(&text, is_list || count > 1 ? "]" : "");
    lw_node_put(tree, status, LW_STR("incomplete"),
                lw_tree_bool(tree, is_silent[0] || is_silent[1]));
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
    const bool is_silent[] = {
        lw_authz_node_graph(call->api->authz) && lw_node_identify(call->user, &name),
        lw_authz_asks_webhooks(call->api->authz),
    };
    put_errors(tree, status, is_silent, lw_buf_view(&missing));
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
