/* SPDX-License-Identifier: Apache-2.0 */
/* policy_request.c -- the values of expressions for one request. */
#include "api/admission/policy_request.h"

#include <stdio.h>

#include "api/context/cache_lookup.h"
#include "base/str.h"
#include "schema/kinds/conversion.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/kinds.h"
#include "schema/validation/typed.h"
#include "json/fields.h"

enum {
    VERSION_SIZE = 640, /* "group/version" */
    WORK_PER_STEP = 4,  /* an elementary step of an expression costs less than one of a request */
};

void lw_policy_request_begin(lw_policy_request *request)
{
    request->access = (lw_authz_access){ .authz = request->port->api->authz,
                                         .user = request->user,
                                         .stream = request->stream };
    request->match.api = request->port->api;
    request->match.registry = lw_catalog_look(&request->port->api->catalog, &request->port->kinds);
}

void lw_policy_request_done(lw_policy_request *request)
{
    lw_match_request_done(&request->match);
    lw_tree_free(request->tree);
    request->tree = NULL;
}

lw_match_verdict lw_policy_request_match_binding(lw_policy_request *request,
                                                 const lw_policy_binding *binding, lw_buf *why)
{
    const lw_kind *unused;
    lw_api_status failure;
    lw_match_verdict match = LW_MATCH_FOUND;
    if (binding->rules_error.len > 0) {
        lw_buf_append_str(why, binding->rules_error);
        return LW_MATCH_ERROR;
    }
    if (binding->rules)
        match = lw_match_rules_decide(binding->rules, &request->match, &unused, &failure);
    if (match == LW_MATCH_ERROR) {
        lw_buf_append_str(why, lw_api_status_str(&failure, failure.message));
        lw_api_status_done(&failure);
    }
    return match;
}

void lw_policy_request_forget(lw_policy_request *request)
{
    request->has_values = false;
}

bool lw_policy_request_charge(lw_policy_request *request, uint64_t work)
{
    return !request->budget || lw_budget_charge(request->budget, work / WORK_PER_STEP + 1);
}

static void put_gvk(lw_tree *tree, lw_node *object, const char *key, lw_gvk gvk)
{
    lw_node *node = lw_tree_object(tree);
    lw_fields_set_text(tree, node, "group", gvk.group);
    lw_fields_set_text(tree, node, "version", gvk.version);
    lw_fields_set_text(tree, node, "kind", gvk.kind);
    lw_node_put(tree, object, lw_str_of(key), node);
}

/* The kind of the object: |kind|, or that of a subresource such as Scale. */
static lw_gvk gvk_of(const lw_policy_request *request, const lw_kind *kind)
{
    return request->gvk.kind.len > 0 ? request->gvk : lw_kind_gvk(kind);
}

static void put_gvr(lw_tree *tree, lw_node *object, const char *key, const lw_kind *kind)
{
    lw_node *gvr = lw_tree_object(tree);
    lw_fields_set_text(tree, gvr, "group", kind->group);
    lw_fields_set_text(tree, gvr, "version", kind->version);
    lw_fields_set_text(tree, gvr, "resource", kind->plural);
    lw_node_put(tree, object, lw_str_of(key), gvr);
}

static void put_if_set(lw_tree *tree, lw_node *object, const char *key, lw_str text)
{
    if (text.len > 0)
        lw_fields_set_text(tree, object, key, text);
}

static lw_node *make_user(lw_tree *tree, const lw_user *user)
{
    lw_node *info = lw_tree_object(tree);
    if (!user)
        return info;
    put_if_set(tree, info, "username", user->name);
    put_if_set(tree, info, "uid", user->uid);
    if (user->group_count > 0) {
        lw_node *groups = lw_tree_array(tree);
        for (size_t i = 0; i < user->group_count; i++)
            lw_node_append(tree, groups, lw_tree_string(tree, user->groups[i]));
        lw_node_put(tree, info, LW_STR("groups"), groups);
    }
    if (user->extra_count > 0) {
        lw_node *extra = lw_tree_object(tree);
        for (size_t i = 0; i < user->extra_count; i++) {
            lw_node *values = lw_tree_array(tree);
            for (size_t k = 0; k < user->extras[i].count; k++)
                lw_node_append(tree, values, lw_tree_string(tree, user->extras[i].values[k]));
            lw_node_put(tree, extra, user->extras[i].key, values);
        }
        lw_node_put(tree, info, LW_STR("extra"), extra);
    }
    return info;
}

static lw_node *make_options(lw_tree *tree, const lw_policy_request *request)
{
    lw_node *options = lw_tree_object(tree);
    const char *kind = request->match.operation == LW_OPERATION_CREATE   ? "CreateOptions"
                       : request->match.operation == LW_OPERATION_UPDATE ? "UpdateOptions"
                                                                         : "DeleteOptions";
    lw_fields_set_text(tree, options, "kind", lw_str_of(kind));
    lw_fields_set_text(tree, options, "apiVersion", LW_STR("meta.k8s.io/v1"));
    put_if_set(tree, options, "fieldManager", request->manager);
    if (request->is_dry_run) {
        lw_node *all = lw_tree_array(tree);
        lw_node_append(tree, all, lw_tree_string(tree, LW_STR("All")));
        lw_node_put(tree, options, LW_STR("dryRun"), all);
    }
    return options;
}

/* Makes the AdmissionRequest of a policy that matched as |matched|. */
static lw_node *make_request(lw_tree *tree, const lw_policy_request *request,
                             const lw_kind *matched)
{
    const lw_match_request *match = &request->match;
    lw_node *root = lw_tree_object(tree);
    put_gvk(tree, root, "kind", gvk_of(request, matched));
    put_gvr(tree, root, "resource", matched);
    put_if_set(tree, root, "subResource", match->subresource);
    put_gvk(tree, root, "requestKind", gvk_of(request, match->kind));
    put_gvr(tree, root, "requestResource", match->kind);
    put_if_set(tree, root, "requestSubResource", match->subresource);
    put_if_set(tree, root, "name", match->name);
    put_if_set(tree, root, "namespace", match->ns);
    lw_fields_set_text(tree, root, "operation", lw_operation_name(match->operation));
    lw_node_put(tree, root, LW_STR("userInfo"), make_user(tree, request->user));
    lw_node_put(tree, root, LW_STR("dryRun"), lw_tree_bool(tree, request->is_dry_run));
    lw_node_put(tree, root, LW_STR("options"), make_options(tree, request));
    return root;
}

/* Makes the written form of |object| in the version that the policy names. */
static lw_status make_object(lw_policy_request *request, const lw_node *object,
                             const lw_kind *matched, lw_node **out)
{
    const lw_kind *kind = request->match.kind;
    lw_tree *tree = request->tree;
    bool is_other = request->gvk.kind.len > 0;
    lw_status st = LW_OK;
    *out = NULL;
    if (!object)
        return LW_OK;
    lw_node *copy = lw_tree_copy(tree, object);
    const lw_type *type = kind->custom && !is_other ? NULL : lw_type_of_kind(gvk_of(request, kind));
    if (type)
        (void)lw_typed_write(tree, type, copy);
    if (is_other) /* it has one version */
        matched = kind;
    if (matched != kind && kind->conversion && copy)
        st = lw_kind_to_stored(kind, tree, &copy);
    if (matched != kind && copy) {
        char version[VERSION_SIZE];
        (void)snprintf(version, sizeof(version), "%.*s%s%.*s", LW_STR_ARG(matched->group),
                       matched->group.len > 0 ? "/" : "", LW_STR_ARG(matched->version));
        lw_fields_set_text(tree, copy, "apiVersion", lw_str_of(version));
    }
    *out = copy;
    return st < 0 ? st : lw_tree_status(tree);
}

/* Makes the namespace without what expressions must not see. */
static lw_status make_namespace(lw_policy_request *request, lw_node **out)
{
    const lw_object *ns = NULL;
    *out = NULL;
    if (request->match.ns.len == 0 || request->match.kind == &lw_kind_namespaces)
        return LW_OK;
    lw_status st = lw_match_request_namespace(&request->match, &ns);
    if (st < 0 || !ns)
        return st < 0 ? st : LW_ERR_NOT_FOUND;
    st = lw_tree_parse_node(request->tree, lw_object_json(ns), out, NULL);
    if (st == LW_OK) {
        lw_node *metadata = lw_node_get(*out, LW_STR("metadata"));
        lw_fields_remove(metadata, "managedFields");
        lw_fields_remove(metadata, "ownerReferences");
    }
    return st;
}

lw_status lw_policy_request_input(lw_policy_request *request, const lw_kind *matched,
                                  lw_policy_input *input)
{
    lw_status st = LW_OK;
    *input = (lw_policy_input){ 0 };
    /* Conversion webhooks are not called for policies, which must not see a wrong object. */
    if (lw_kind_needs_webhook(matched, request->match.kind))
        return LW_ERR_UNAVAILABLE;
    if (!request->tree) {
        st = lw_tree_new(&request->tree, 0);
        if (st == LW_OK)
            lw_tree_set_budget(request->tree, request->budget);
    }
    if (st == LW_OK && (!request->has_values || matched != request->match.kind)) {
        st = make_object(request, request->match.object, matched, &request->object);
        if (st == LW_OK)
            st = make_object(request, request->match.old, matched, &request->old);
        if (st == LW_OK && !request->ns)
            st = make_namespace(request, &request->ns);
        request->has_values = st == LW_OK && matched == request->match.kind;
    }
    if (st < 0)
        return st;
    input->values[LW_POLICY_OBJECT] = request->object;
    input->values[LW_POLICY_OLD_OBJECT] = request->old;
    input->values[LW_POLICY_NAMESPACE] = request->ns;
    input->values[LW_POLICY_REQUEST] = make_request(request->tree, request, matched);
    input->authorizer = lw_authz_cel_authorizer(&request->access);
    input->requested = (lw_cel_access){ .group = request->match.kind->group,
                                        .resource = request->match.kind->plural,
                                        .subresource = request->match.subresource,
                                        .ns = request->match.ns,
                                        .name = request->match.name };
    return lw_tree_status(request->tree);
}

/* "apps/v1, Kind=Deployment" */
static void append_gvk(lw_str version, lw_str kind, lw_buf *out)
{
    lw_buf_printf(out, "%s%.*s, Kind=%.*s", memchr(version.ptr, '/', version.len) ? "" : "/",
                  LW_STR_ARG(version), LW_STR_ARG(kind));
}

static const lw_kind *find_kind(const lw_registry *registry, lw_str api_version, lw_str name)
{
    size_t count;
    lw_str group, version;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    if (lw_api_version_parse(api_version, &group, &version, NULL) < 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(kinds[i]->group, group) && lw_str_equal(kinds[i]->version, version) &&
            lw_str_equal(kinds[i]->kind, name) && kinds[i]->storage.len > 0)
            return kinds[i];
    }
    return NULL;
}

static lw_status fail(lw_buf *why, const char *text)
{
    lw_buf_append_text(why, text);
    return LW_ERR_INVALID;
}

bool lw_policy_params_are_known(const lw_policy_request *request, const lw_policy *policy,
                                lw_buf *why)
{
    if (!policy->has_params ||
        find_kind(request->match.registry, policy->param_version, policy->param_kind))
        return true;
    lw_buf_append_text(why, "failed to find resource referenced by paramKind: '");
    append_gvk(policy->param_version, policy->param_kind, why);
    lw_buf_append_char(why, '\'');
    return false;
}

lw_status lw_policy_params_find(lw_policy_request *request, const lw_policy *policy,
                                const lw_policy_binding *binding, lw_policy_params *params,
                                lw_buf *why)
{
    *params = (lw_policy_params){ .is_single = !policy->has_params || !binding->has_param_ref };
    if (params->is_single)
        return LW_OK;
    params->kind = find_kind(request->match.registry, policy->param_version, policy->param_kind);
    if (!params->kind)
        return LW_ERR_NOT_FOUND; /* lw_policy_params_are_known was false */
    lw_str ns = LW_STR("");
    if (params->kind->is_namespaced) {
        ns = binding->param_ns.len > 0 ? binding->param_ns : request->match.ns;
        if (ns.len == 0)
            return fail(why, "cannot use namespaced paramRef in policy binding that matches "
                             "cluster-scoped resources");
    } else if (binding->param_ns.len > 0) {
        return fail(why,
                    "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    }
    lw_cache_resource *resource = lw_api_resource(request->port->api, params->kind);
    const lw_cache_filter filter = { .ns = ns, .labels = binding->param_selector };
    lw_status st =
        binding->param_name.len > 0
            ? lw_lookup(resource, (lw_key){ ns, binding->param_name }, &params->named)
            : lw_cache_list_now(resource, &filter, LW_STR(""), 0, &params->objects, NULL);
    if (st < 0)
        return st;
    if (lw_policy_params_count(params) == 0 && binding->denies_without_params)
        return fail(why, "no params found for policy binding with `Deny` parameterNotFoundAction");
    return LW_OK;
}

void lw_policy_params_done(lw_policy_params *params)
{
    lw_object_unref(params->named);
    lw_cache_list_done(&params->objects);
}

size_t lw_policy_params_count(const lw_policy_params *params)
{
    return params->is_single || params->named ? 1 : params->objects.count;
}

lw_status lw_policy_params_set(const lw_policy_params *params, size_t index, lw_policy_input *input,
                               lw_tree **tree)
{
    lw_buf json;
    *tree = NULL;
    input->values[LW_POLICY_PARAMS] = NULL;
    if (params->is_single)
        return LW_OK;
    lw_buf_init(&json, LW_TREE_LIMIT);
    const lw_object *param = params->named ? params->named : params->objects.objects[index];
    lw_kind_append_object(params->kind, param, &json);
    lw_status st = json.st < 0 ? json.st : lw_tree_parse(tree, lw_buf_view(&json), 0, NULL);
    lw_buf_done(&json);
    if (st == LW_OK)
        input->values[LW_POLICY_PARAMS] = lw_tree_root(*tree);
    return st;
}
