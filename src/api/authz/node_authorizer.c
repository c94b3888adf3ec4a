/* SPDX-License-Identifier: Apache-2.0 */
/* node_authorizer.c -- decides by resource, verb and relation. */
#include "api/authz/node_authorizer.h"

#include <string.h>

#include "api/authz/bootstrap.h"
#include "base/str.h"

/* A request of a node. */
typedef struct request {
    const lw_node_authorizer *by;
    const lw_authz_attributes *a;
    lw_str node;
    lw_buf *reason; /* may be NULL */
} request;

bool lw_node_identify(const lw_user *user, lw_str *name)
{
    static const lw_str prefix = LW_STR_INIT(LW_NODE_USER_PREFIX);
    if (user->name.len < prefix.len || memcmp(user->name.ptr, prefix.ptr, prefix.len) != 0)
        return false; /* most users: without a call */
    *name = lw_str_skip(user->name, prefix.len);
    for (size_t i = 0; i < user->group_count; i++) {
        if (lw_str_equal(user->groups[i], LW_STR(LW_GROUP_NODES)))
            return true;
    }
    return false;
}

lw_status lw_node_authorizer_init(lw_node_authorizer *node)
{
    *node = (lw_node_authorizer){ .graph = NULL };
    lw_status st = lw_node_graph_new(&node->graph);
    return st < 0 ? st : lw_rbac_bootstrap_rules(&node->rules, LW_STR("system:node"));
}

void lw_node_authorizer_done(lw_node_authorizer *node)
{
    lw_node_graph_free(node->graph);
    lw_rbac_rules_unref(node->rules);
}

static lw_authz_decision deny(const request *r, const char *why)
{
    if (r->reason)
        lw_buf_append_text(r->reason, why);
    return LW_AUTHZ_NO_OPINION;
}

static bool verb_is(const request *r, const char *verb)
{
    return lw_str_equal(r->a->verb, lw_str_of(verb));
}

static bool is_read(const request *r)
{
    return verb_is(r, "get") || verb_is(r, "list") || verb_is(r, "watch");
}

static bool is_change(const request *r)
{
    return verb_is(r, "update") || verb_is(r, "patch");
}

static lw_authz_decision decide_relation(const request *r, lw_ref_kind kind)
{
    if (lw_node_graph_has(r->by->graph, r->node, kind, r->a->ns, r->a->name))
        return LW_AUTHZ_ALLOW;
    if (r->reason)
        lw_buf_printf(r->reason, "no relationship found between node '%.*s' and this object",
                      LW_STR_ARG(r->node));
    return LW_AUTHZ_NO_OPINION;
}

static lw_authz_decision decide_by_name(const request *r, lw_ref_kind kind)
{
    return r->a->name.len == 0 ? deny(r, "No Object name found") : decide_relation(r, kind);
}

static lw_authz_decision decide_get(const request *r, lw_ref_kind kind)
{
    if (!verb_is(r, "get"))
        return deny(r, "can only get individual resources of this type");
    if (r->a->subresource.len > 0)
        return deny(r, "cannot get subresource");
    return decide_by_name(r, kind);
}

static lw_authz_decision decide_read(const request *r, lw_ref_kind kind)
{
    if (!is_read(r))
        return deny(r, "can only read resources of this type");
    if (r->a->subresource.len > 0)
        return deny(r, "cannot read subresource");
    if (r->a->ns.len == 0)
        return deny(r, "can only read namespaced object of this type");
    return decide_by_name(r, kind);
}

static lw_authz_decision decide_secret(const request *r)
{
    return decide_read(r, LW_REF_SECRET);
}

static lw_authz_decision decide_config_map(const request *r)
{
    return decide_read(r, LW_REF_CONFIG_MAP);
}

static lw_authz_decision decide_claim(const request *r)
{
    if (!lw_str_equal(r->a->subresource, LW_STR("status")))
        return decide_get(r, LW_REF_CLAIM);
    if (!is_change(r))
        return deny(r, "can only get/update/patch this type");
    return decide_by_name(r, LW_REF_CLAIM);
}

static lw_authz_decision decide_volume(const request *r)
{
    return decide_get(r, LW_REF_VOLUME);
}

static lw_authz_decision decide_resource_claim(const request *r)
{
    return decide_get(r, LW_REF_RESOURCE_CLAIM);
}

static lw_authz_decision decide_attachment(const request *r)
{
    return decide_get(r, LW_REF_ATTACHMENT);
}

static lw_authz_decision decide_service_account(const request *r)
{
    if (verb_is(r, "get") && r->a->subresource.len == 0)
        return decide_read(r, LW_REF_SERVICE_ACCOUNT);
    if (!verb_is(r, "create") || r->a->name.len == 0)
        return deny(r, "can only create tokens for individual service accounts");
    if (!lw_str_equal(r->a->subresource, LW_STR("token")))
        return deny(r, "can only create token subresource of serviceaccount");
    return decide_relation(r, LW_REF_SERVICE_ACCOUNT);
}

/* At a create the name is not known yet; admission compares it. */
static bool is_own(const request *r)
{
    return verb_is(r, "create") || lw_str_equal(r->a->name, r->node);
}

static bool is_of_own_object(const request *r)
{
    return verb_is(r, "get") || verb_is(r, "create") || verb_is(r, "delete") || is_change(r);
}

static lw_authz_decision decide_lease(const request *r)
{
    if (!is_of_own_object(r))
        return deny(r, "can only get, create, update, patch, or delete a node lease");
    if (!lw_str_equal(r->a->ns, LW_STR(LW_NODE_LEASE_NAMESPACE)))
        return deny(r, "can only access leases in the \"" LW_NODE_LEASE_NAMESPACE
                       "\" system namespace");
    if (!is_own(r))
        return deny(r, "can only access node lease with the same name as the requesting node");
    return LW_AUTHZ_ALLOW;
}

static lw_authz_decision decide_csi_node(const request *r)
{
    if (r->a->subresource.len > 0)
        return deny(r, "cannot authorize CSINode subresources");
    if (!is_of_own_object(r))
        return deny(r, "can only get, create, update, patch, or delete a CSINode");
    if (!is_own(r))
        return deny(r, "can only access CSINode with the same name as the requesting node");
    return LW_AUTHZ_ALLOW;
}

static lw_authz_decision decide_node(const request *r)
{
    bool is_status = lw_str_equal(r->a->subresource, LW_STR("status"));
    if (!is_status && r->a->subresource.len > 0)
        return LW_AUTHZ_NO_OPINION;
    if (is_change(r) || (!is_status && verb_is(r, "create")))
        return LW_AUTHZ_ALLOW; /* admission compares the name */
    if (is_status || !is_read(r))
        return LW_AUTHZ_NO_OPINION;
    /* By name, not by relation: a node may look for itself before it exists. */
    if (lw_str_equal(r->a->name, r->node))
        return LW_AUTHZ_ALLOW;
    if (r->reason && r->a->name.len == 0)
        lw_buf_printf(r->reason, "node '%.*s' cannot read all nodes, only its own Node object",
                      LW_STR_ARG(r->node));
    else if (r->reason)
        lw_buf_printf(r->reason, "node '%.*s' cannot read '%.*s', only its own Node object",
                      LW_STR_ARG(r->node), LW_STR_ARG(r->a->name));
    return LW_AUTHZ_NO_OPINION;
}

/* True if the field selector demands spec.nodeName=NODE.  One with an escape is not understood: its
 * commas may be parts of values. */
static bool selects_own(const request *r)
{
    static const lw_str field = LW_STR_INIT("spec.nodeName");
    lw_str rest = r->a->field_selector, term;
    if (rest.len == 0 || memchr(rest.ptr, '\\', rest.len))
        return false;
    for (bool goes_on = true; goes_on;) {
        goes_on = lw_str_cut(rest, ',', &term, &rest);
        if (!lw_str_starts_with(term, field))
            continue;
        term = lw_str_skip(term, field.len);
        if (!lw_str_starts_with(term, LW_STR("=")))
            continue;
        term = lw_str_skip(term, lw_str_starts_with(term, LW_STR("==")) ? 2 : 1);
        if (lw_str_equal(term, r->node))
            return true;
    }
    return false;
}

static lw_authz_decision decide_pod(const request *r)
{
    lw_str sub = r->a->subresource;
    bool is_allowed = sub.len == 0 ? verb_is(r, "create") || verb_is(r, "delete")
                      : lw_str_equal(sub, LW_STR("status"))   ? is_change(r)
                      : lw_str_equal(sub, LW_STR("eviction")) ? verb_is(r, "create")
                                                              : false;
    if (is_allowed)
        return LW_AUTHZ_ALLOW; /* admission looks at the node of the pod */
    if (sub.len > 0 || !is_read(r))
        return LW_AUTHZ_NO_OPINION;
    if (verb_is(r, "get"))
        return decide_get(r, LW_REF_POD);
    if (selects_own(r))
        return LW_AUTHZ_ALLOW;
    if (r->a->name.len > 0)
        return decide_relation(r, LW_REF_POD);
    return deny(r, "can only list/watch pods with spec.nodeName field selector");
}

static lw_authz_decision decide_resource_slice(const request *r)
{
    if (r->a->subresource.len > 0)
        return deny(r, "cannot authorize ResourceSlice subresources");
    if (verb_is(r, "create"))
        return LW_AUTHZ_ALLOW; /* admission looks at the node of the slice */
    if (verb_is(r, "get") || verb_is(r, "delete") || is_change(r))
        return decide_by_name(r, LW_REF_RESOURCE_SLICE);
    if (!is_read(r) && !verb_is(r, "deletecollection"))
        return deny(r, "only the following verbs are allowed for a ResourceSlice: get, watch, "
                       "list, create, update, patch, delete, deletecollection");
    return selects_own(r) ? LW_AUTHZ_ALLOW
                          : deny(r, "can only list/watch/deletecollection resourceslices with "
                                    "nodeName field selector");
}

static lw_authz_decision decide_certificate_request(const request *r)
{
    if (r->a->subresource.len > 0)
        return deny(r, "nodes may not access the status subresource of PodCertificateRequests");
    if (verb_is(r, "create"))
        return LW_AUTHZ_ALLOW; /* admission compares it with the node and the pod */
    if (verb_is(r, "get"))
        return decide_by_name(r, LW_REF_CERTIFICATE_REQUEST);
    if (is_read(r))
        return selects_own(r) ? LW_AUTHZ_ALLOW
                              : deny(r, "can only list/watch podcertificaterequests with nodeName "
                                        "field selector");
    if (r->reason)
        lw_buf_printf(r->reason, "nodes may not %.*s podcertificaterequests",
                      LW_STR_ARG(r->a->verb));
    return LW_AUTHZ_NO_OPINION;
}

static const struct {
    lw_str group, resource;
    lw_authz_decision (*decide)(const request *r);
} resources[] = {
    { LW_STR_INIT(""), LW_STR_INIT("pods"), decide_pod },
    { LW_STR_INIT(""), LW_STR_INIT("nodes"), decide_node },
    { LW_STR_INIT("coordination.k8s.io"), LW_STR_INIT("leases"), decide_lease },
    { LW_STR_INIT(""), LW_STR_INIT("secrets"), decide_secret },
    { LW_STR_INIT(""), LW_STR_INIT("configmaps"), decide_config_map },
    { LW_STR_INIT(""), LW_STR_INIT("serviceaccounts"), decide_service_account },
    { LW_STR_INIT(""), LW_STR_INIT("persistentvolumeclaims"), decide_claim },
    { LW_STR_INIT(""), LW_STR_INIT("persistentvolumes"), decide_volume },
    { LW_STR_INIT("storage.k8s.io"), LW_STR_INIT("volumeattachments"), decide_attachment },
    { LW_STR_INIT("storage.k8s.io"), LW_STR_INIT("csinodes"), decide_csi_node },
    { LW_STR_INIT("resource.k8s.io"), LW_STR_INIT("resourceclaims"), decide_resource_claim },
    { LW_STR_INIT("resource.k8s.io"), LW_STR_INIT("resourceslices"), decide_resource_slice },
    { LW_STR_INIT("certificates.k8s.io"), LW_STR_INIT("podcertificaterequests"),
      decide_certificate_request },
};

static lw_authz_decision decide_by_rules(const request *r)
{
    const lw_rbac_rules *rules = r->by->rules;
    for (size_t i = 0; i < rules->count; i++) {
        if (lw_rbac_rule_allows(&rules->items[i], r->a))
            return LW_AUTHZ_ALLOW;
    }
    return LW_AUTHZ_NO_OPINION;
}

lw_authz_decision lw_node_authorizer_decide(const lw_node_authorizer *node,
                                            const lw_authz_attributes *attributes, lw_buf *reason)
{
    lw_str name;
    if (!lw_node_identify(attributes->user, &name))
        return LW_AUTHZ_NO_OPINION;
    const request r = { .by = node, .a = attributes, .node = name, .reason = reason };
    if (r.node.len == 0)
        return deny(&r, "unknown node for user \"" LW_NODE_USER_PREFIX "\"");
    for (size_t i = 0; attributes->is_resource && i < sizeof(resources) / sizeof(resources[0]);
         i++) {
        if (lw_str_equal(attributes->resource, resources[i].resource) &&
            lw_str_equal(attributes->group, resources[i].group))
            return resources[i].decide(&r);
    }
    return decide_by_rules(&r);
}
