/* SPDX-License-Identifier: Apache-2.0 */
/* node_restriction.c -- refuses writes of nodes, by resource. */
#include "api/admission/node_restriction.h"

#include <stdio.h>

#include "api/admission/node_audience.h"
#include "api/admission/node_certificates.h"
#include "api/admission/node_labels.h"
#include "api/authz/authz.h"
#include "api/context/cache_lookup.h"
#include "api/http/failures.h"
#include "base/str.h"
#include "object/quote.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 64 * 1024,
};

/* A write of a node. */
typedef struct node_write {
    const lw_api *api;
    lw_str node;
    const lw_kind *kind;
    lw_str ns, name;
    lw_admission_operation operation; /* if an object is sent */
    const lw_node *object, *old;
    const lw_admission *admission; /* NULL: no object is sent */
    lw_api_status *status;
} node_write;

/* Sets the status to 403.  In |format|, %N is the quoted name of the node, %O that of the object,
 * and %S is |text|. */
static bool refuse(const node_write *w, const char *format, lw_str text)
{
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            lw_buf_append_char(&message, *at);
            continue;
        }
        at++;
        if (*at == 'S')
            lw_buf_append_str(&message, text);
        else
            lw_quote_append(&message, *at == 'N' ? w->node : w->name);
    }
    lw_api_status_forbidden(w->status, lw_kind_gvr(w->kind), w->name, lw_buf_view(&message));
    if (message.st == LW_ERR_NOMEM)
        w->status->st = message.st;
    lw_buf_done(&message);
    return false;
}

static bool refuse_plain(const node_write *w, const char *format)
{
    return refuse(w, format, LW_STR(""));
}

/* What a pod refers to; the order is that of the messages. */
typedef struct pod_refs_found {
    bool has[LW_REF_KIND_COUNT];
} pod_refs_found;

static lw_status note_ref(lw_ref_kind kind, lw_str ns, lw_str name, void *arg)
{
    pod_refs_found *found = arg;
    (void)ns;
    (void)name;
    found->has[kind] = true;
    return LW_OK;
}

/* Returns the resource that a source of a volume needs from the API, or NULL. */
static const char *resource_of_volume(const lw_node *volume)
{
    static const struct {
        const char *source, *resource;
    } sources[] = {
        { "csi", "csidrivers (via CSI volumes)" },
        { "configMap", "configmaps (via configmap volumes)" },
        { "secret", "secrets (via secret volumes)" },
        { "glusterfs", "endpoints (via glusterFS volumes)" },
        { "persistentVolumeClaim", "persistentvolumeclaims" },
        { "ephemeral", "persistentvolumeclaims (via ephemeral volumes)" },
        { "azureFile", "secrets (via azureFile volumes)" },
    };
    static const struct {
        const char *source, *resource;
    } projected[] = {
        { "configMap", "configmaps (via projected volumes)" },
        { "secret", "secrets (via projected volumes)" },
        { "serviceAccountToken", "serviceaccounts (via projected volumes)" },
        { "clusterTrustBundle", "clustertrustbundles" },
        { "podCertificate", "podcertificates" },
    };
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (lw_node_get(volume, lw_str_of(sources[i].source)))
            return sources[i].resource;
    }
    const lw_node *list = lw_fields_find(volume, "/projected/sources");
    for (size_t i = 0; i < lw_node_count(list); i++) {
        for (size_t j = 0; j < sizeof(projected) / sizeof(projected[0]); j++) {
            if (lw_node_get(lw_node_at(list, i), lw_str_of(projected[j].source)))
                return projected[j].resource;
        }
    }
    return NULL;
}

/* Returns the first resource of the API that |pod| refers to, or NULL. */
static const char *resource_of_pod(const lw_node *pod)
{
    pod_refs_found found = { { false } };
    const lw_node *volumes = lw_fields_find(pod, "/spec/volumes");
    const char *resource = NULL;
    (void)lw_pod_visit_refs(pod, note_ref, &found);
    if (found.has[LW_REF_SERVICE_ACCOUNT])
        return "serviceaccounts";
    if (found.has[LW_REF_SECRET])
        return "secrets";
    if (found.has[LW_REF_CONFIG_MAP])
        return "configmaps";
    if (lw_node_count(lw_fields_find(pod, "/spec/resourceClaims")) > 0)
        return "resourceclaims";
    for (size_t i = 0; i < lw_node_count(volumes) && !resource; i++)
        resource = resource_of_volume(lw_node_at(volumes, i));
    return resource;
}

/* Refuses unless the Node object of the node has the UID |uid|. */
static bool check_owner_uid(const node_write *w, lw_str uid)
{
    lw_object *node = NULL;
    lw_status st =
        lw_lookup(lw_api_resource(w->api, &lw_kind_nodes), (lw_key){ LW_STR(""), w->node }, &node);
    bool is_same = node && lw_str_equal(uid, lw_str_of(lw_object_uid(node)));
    if (st < 0) {
        lw_api_status_of_failure(w->status, st);
    } else if (!node) {
        lw_api_status_not_found(w->status, lw_kind_gvr(&lw_kind_nodes), w->node);
    } else if (!is_same) {
        char text[1024];
        (void)snprintf(text, sizeof(text), "node %.*s UID mismatch: expected %.*s got %s",
                       LW_STR_ARG(w->node), LW_STR_ARG(uid), lw_object_uid(node));
        (void)refuse(w, "%S", lw_str_of(text));
    }
    lw_object_unref(node);
    return is_same;
}

/* A mirror pod belongs to the node. */
static bool check_pod_owner(const node_write *w)
{
    const lw_node *owners = lw_fields_find(w->object, "/metadata/ownerReferences");
    const lw_node *owner = lw_node_at(owners, 0);
    if (lw_node_count(owners) > 1)
        return refuse_plain(w, "node %N can only create pods with a single owner reference set to "
                               "itself");
    if (!owner || !lw_str_equal(lw_fields_text(owner, "apiVersion"), LW_STR("v1")) ||
        !lw_str_equal(lw_fields_text(owner, "kind"), LW_STR("Node")) ||
        !lw_str_equal(lw_fields_text(owner, "name"), w->node))
        return refuse_plain(w,
                            "node %N can only create pods with an owner reference set to itself");
    if (!lw_node_bool(lw_node_get(owner, LW_STR("controller"))))
        return refuse_plain(w, "node %N can only create pods with a controller owner reference set "
                               "to itself");
    if (lw_node_bool(lw_node_get(owner, LW_STR("blockOwnerDeletion"))))
        return refuse_plain(w, "node %N must not set blockOwnerDeletion on an owner reference");
    return check_owner_uid(w, lw_fields_text(owner, "uid"));
}

static bool admit_pod_create(const node_write *w)
{
    if (!lw_pod_is_mirror(w->object))
        return refuse_plain(w, "pod does not have \"" LW_MIRROR_POD_ANNOTATION
                               "\" annotation, node %N can only create mirror pods");
    if (!lw_str_equal(lw_fields_text_at(w->object, "/spec/nodeName"), w->node))
        return refuse_plain(w, "node %N can only create pods with spec.nodeName set to itself");
    if (!check_pod_owner(w))
        return false;
    const char *resource = resource_of_pod(w->object);
    if (resource)
        return refuse(w, "node %N can not create pods that reference %S", lw_str_of(resource));
    return true;
}

static bool is_equal_at(const node_write *w, const char *pointer)
{
    return lw_node_equal(lw_fields_find(w->object, pointer), lw_fields_find(w->old, pointer));
}

static bool admit_pod_status(const node_write *w)
{
    if (!lw_str_equal(lw_fields_text_at(w->old, "/spec/nodeName"), w->node))
        return refuse_plain(w, "node %N can only update pod status for pods with spec.nodeName set "
                               "to itself");
    if (!is_equal_at(w, "/metadata/labels"))
        return refuse_plain(w, "node %N cannot update labels through pod status");
    if (!is_equal_at(w, "/status/resourceClaimStatuses"))
        return refuse_plain(w, "node %N cannot update resource claim statues");
    if (!is_equal_at(w, "/status/extendedResourceClaimStatus"))
        return refuse_plain(w, "node %N cannot update extended resource claim status");
    if (!is_equal_at(w, "/status/nodeAllocatableResourceClaimStatuses"))
        return refuse_plain(w, "node %N cannot update node allocatable resource claim statuses");
    return true;
}

static bool admit_pod(const node_write *w)
{
    switch (w->operation) {
    case LW_ADMIT_CREATE: return admit_pod_create(w);
    case LW_ADMIT_STATUS: return admit_pod_status(w);
    case LW_ADMIT_UPDATE:
    case LW_ADMIT_APPROVAL:
    case LW_ADMIT_FINALIZE:
    case LW_ADMIT_PART: break;
    }
    return refuse_plain(w, "unexpected operation \"UPDATE\", node %N can only create and delete "
                           "mirror pods");
}

static bool check_labels(const node_write *w)
{
    bool is_create = w->operation == LW_ADMIT_CREATE;
    lw_buf forbidden;
    lw_buf_init(&forbidden, MESSAGE_MAX);
    bool has_any =
        lw_node_labels_append_forbidden(lw_fields_find(w->object, "/metadata/labels"),
                                        is_create ? NULL
                                                  : lw_fields_find(w->old, "/metadata/labels"),
                                        &forbidden);
    if (has_any)
        (void)refuse(w,
                     is_create ? "node %N is not allowed to set the following labels: %S"
                               : "is not allowed to modify labels: %S",
                     lw_buf_view(&forbidden));
    lw_buf_done(&forbidden);
    return !has_any;
}

static bool admit_node(const node_write *w)
{
    bool is_create = w->operation == LW_ADMIT_CREATE;
    const lw_node *source = lw_fields_find(w->object, "/spec/configSource");
    if (!lw_str_equal(w->name, w->node))
        return refuse_plain(w, "node %N is not allowed to modify node %O");
    if (is_create && source)
        return refuse_plain(w, "node %N is not allowed to create pods with a non-nil configSource");
    if (!is_create && source && !is_equal_at(w, "/spec/configSource"))
        return refuse_plain(w, "node %N is not allowed to update configSource to a new non-nil "
                               "configSource");
    if (!is_create && !is_equal_at(w, "/spec/taints"))
        return refuse_plain(w, "node %N is not allowed to modify taints");
    if (!is_create && !is_equal_at(w, "/metadata/ownerReferences"))
        return refuse_plain(w, "node %N is not allowed to modify ownerReferences");
    return check_labels(w);
}

static bool admit_claim(const node_write *w)
{
    static const char *const parts[] = { "metadata", "status", NULL };
    static const char *const metadata[] = { "resourceVersion", "managedFields", NULL };
    static const char *const status[] = { "capacity", "conditions", "allocatedResources",
                                          "allocatedResourceStatuses", NULL };
    if (w->operation != LW_ADMIT_STATUS)
        return refuse_plain(w, "may only update PVC status");
    if (lw_fields_differ(w->object, w->old, parts) ||
        lw_fields_differ(lw_fields_find(w->object, "/metadata"),
                         lw_fields_find(w->old, "/metadata"), metadata) ||
        lw_fields_differ(lw_fields_find(w->object, "/status"), lw_fields_find(w->old, "/status"),
                         status))
        return refuse_plain(w, "node %N is not allowed to update fields other than status.quantity "
                               "and status.conditions");
    return true;
}

static bool admit_lease(const node_write *w)
{
    if (!lw_str_equal(w->ns, LW_STR(LW_NODE_LEASE_NAMESPACE)))
        return refuse_plain(w, "can only access leases in the \"" LW_NODE_LEASE_NAMESPACE
                               "\" system namespace");
    if (!lw_str_equal(w->name, w->node))
        return refuse_plain(w,
                            "can only access node lease with the same name as the requesting node");
    return true;
}

static bool admit_csi_node(const node_write *w)
{
    if (!lw_str_equal(w->name, w->node))
        return refuse_plain(w, "can only access CSINode with the same name as the requesting node");
    return true;
}

/* An update concerns a slice that the graph knows as the node's own. */
static bool admit_slice(const node_write *w)
{
    if (w->operation == LW_ADMIT_CREATE &&
        !lw_str_equal(lw_fields_text_at(w->object, "/spec/nodeName"), w->node))
        return refuse_plain(w, "can only create ResourceSlice with the same NodeName as the "
                               "requesting node");
    return true;
}

static bool admit_certificate_request(const node_write *w)
{
    if (w->operation != LW_ADMIT_CREATE)
        return refuse_plain(w, "unexpected operation UPDATE");
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    lw_node_certificates_verdict verdict = lw_node_certificates_check(w->admission, w->node, &why);
    bool is_admitted = verdict == LW_NODE_CERTIFICATES_ADMITTED && why.st == LW_OK;
    if (why.st < 0)
        lw_api_status_of_failure(w->status, why.st);
    else if (verdict == LW_NODE_CERTIFICATES_FORBIDDEN)
        (void)refuse(w, "%S", lw_buf_view(&why));
    if (why.st == LW_OK && verdict == LW_NODE_CERTIFICATES_UNSETTLED)
        lw_api_status_unclassified(w->status, &why);
    else
        lw_buf_done(&why);
    return is_admitted;
}

/* Returns true if |user| is to be restricted, and sets |*node|. */
static bool is_restricted(const lw_api *api, const lw_user *user, lw_str *node)
{
    return user && lw_api_has_plugin(api, LW_PLUGIN_NODE_RESTRICTION) &&
           lw_authz_node_graph(api->authz) && lw_node_identify(user, node);
}

static bool refuse_unknown(const node_write *w, const lw_user *user)
{
    lw_buf name;
    lw_buf_init(&name, MESSAGE_MAX);
    lw_quote_append(&name, user->name);
    (void)refuse(w, "could not determine node from user %S", lw_buf_view(&name));
    lw_buf_done(&name);
    return false;
}

bool lw_node_restriction_admit(lw_admission *admission)
{
    static const struct {
        const lw_kind *kind;
        bool (*admit)(const node_write *w);
    } restricted[] = {
        { &lw_kind_pods, admit_pod },
        { &lw_kind_nodes, admit_node },
        { &lw_kind_leases, admit_lease },
        { &lw_kind_persistentvolumeclaims, admit_claim },
        { &lw_kind_csinodes, admit_csi_node },
        { &lw_kind_resourceslices, admit_slice },
        { &lw_kind_podcertificaterequests, admit_certificate_request },
    };
    const lw_pending_object *object = admission->object;
    node_write w = { .api = object->port->api,
                     .kind = object->kind,
                     .ns = lw_fields_text(object->metadata, "namespace"),
                     .name = admission->name,
                     .operation = admission->operation,
                     .object = object->root,
                     .old = object->old,
                     .admission = admission,
                     .status = admission->status };
    if (!is_restricted(w.api, admission->user, &w.node))
        return true;
    if (w.node.len == 0)
        return refuse_unknown(&w, admission->user);
    for (size_t i = 0; i < sizeof(restricted) / sizeof(restricted[0]); i++) {
        if (restricted[i].kind == w.kind)
            return restricted[i].admit(&w);
    }
    return true;
}

static node_write write_of(const lw_node_restriction_request *request, lw_api_status *status)
{
    return (node_write){ .api = request->api,
                         .kind = request->kind,
                         .ns = request->key.ns,
                         .name = request->key.name,
                         .status = status };
}

/* Whether the pod or slice names |node|. */
static bool is_own(const lw_node_restriction_request *request, lw_str node)
{
    return !request->current ||
           lw_str_equal(lw_str_of(lw_object_string(request->current, "/spec/nodeName", "")), node);
}

bool lw_node_restriction_admits_delete(const lw_node_restriction_request *request,
                                       lw_api_status *status)
{
    node_write w = write_of(request, status);
    if (!is_restricted(w.api, request->user, &w.node))
        return true;
    if (w.node.len == 0)
        return refuse_unknown(&w, request->user);
    if (w.kind == &lw_kind_pods && !is_own(request, w.node))
        return refuse_plain(&w, "node %N can only delete pods with spec.nodeName set to itself");
    if (w.kind == &lw_kind_nodes && !lw_str_equal(w.name, w.node))
        return refuse_plain(&w, "node %N is not allowed to modify node %O");
    if (w.kind == &lw_kind_persistentvolumeclaims)
        return refuse_plain(&w, "may only update PVC status");
    if (w.kind == &lw_kind_resourceslices && !is_own(request, w.node))
        return refuse_plain(&w, "can only delete ResourceSlice with the same NodeName as the "
                                "requesting node");
    if (w.kind == &lw_kind_podcertificaterequests)
        return refuse_plain(&w, "unexpected operation DELETE");
    if (w.kind == &lw_kind_leases)
        return admit_lease(&w);
    return w.kind != &lw_kind_csinodes || admit_csi_node(&w);
}

bool lw_node_restriction_admits_eviction(const lw_node_restriction_request *request,
                                         lw_api_status *status)
{
    node_write w = write_of(request, status);
    if (!is_restricted(w.api, request->user, &w.node))
        return true;
    if (w.node.len == 0)
        return refuse_unknown(&w, request->user);
    if (!request->current) {
        lw_api_status_not_found(status, lw_gvr_make("", "", "pod"), request->key.name);
        return false;
    }
    if (!is_own(request, w.node))
        return refuse(&w, "node %S can only evict pods with spec.nodeName set to itself", w.node);
    return true;
}

bool lw_node_restriction_admits_binding(const lw_node_restriction_request *request,
                                        lw_api_status *status)
{
    node_write w = write_of(request, status);
    if (!is_restricted(w.api, request->user, &w.node))
        return true;
    return refuse_plain(&w, "unexpected pod subresource \"binding\", only 'status' and 'eviction' "
                            "are allowed");
}

static bool admit_audience(const node_write *w, const lw_node_restriction_request *request,
                           const lw_object *pod, const lw_node *spec)
{
    lw_buf why;
    lw_buf_init(&why, MESSAGE_MAX);
    bool is_admitted = lw_node_audience_admits(request, pod, spec, &why);
    if (!is_admitted)
        (void)refuse(w, "%S", lw_buf_view(&why));
    if (!is_admitted && why.st < 0)
        w->status->st = why.st;
    lw_buf_done(&why);
    return is_admitted;
}

/* Checks the pod |name| with |uid| to which a token is to be bound. */
static bool admit_token_of_pod(const node_write *w, const lw_node_restriction_request *request,
                               const lw_node *spec, lw_str name, lw_str uid)
{
    lw_object *pod = NULL;
    lw_status st = lw_lookup(lw_api_resource(w->api, &lw_kind_pods), (lw_key){ w->ns, name }, &pod);
    bool is_admitted = false;
    if (st < 0) {
        lw_api_status_of_failure(w->status, st);
    } else if (!pod) {
        lw_api_status_not_found(w->status, lw_kind_gvr(&lw_kind_pods), name);
    } else if (!lw_str_equal(uid, lw_str_of(lw_object_uid(pod)))) {
        (void)refuse(w,
                     "the UID in the bound object reference (%S) does not match the UID in record. "
                     "The object might have been deleted and then recreated",
                     uid);
    } else if (!lw_str_equal(lw_str_of(lw_object_string(pod, "/spec/nodeName", "")), w->node)) {
        (void)refuse_plain(w, "node requested token bound to a pod scheduled on a different node");
    } else {
        is_admitted = admit_audience(w, request, pod, spec);
    }
    lw_object_unref(pod);
    return is_admitted;
}

bool lw_node_restriction_admits_token(const lw_node_restriction_request *request,
                                      const lw_node *spec, lw_api_status *status)
{
    const lw_node *bound = lw_node_get(spec, LW_STR("boundObjectRef"));
    lw_str name = lw_fields_text(bound, "name"), uid = lw_fields_text(bound, "uid");
    node_write w = write_of(request, status);
    if (!is_restricted(request->api, request->user, &w.node))
        return true;
    if (w.node.len == 0)
        return refuse_unknown(&w, request->user);
    if (!lw_str_equal(lw_fields_text(bound, "apiVersion"), LW_STR("v1")) ||
        !lw_str_equal(lw_fields_text(bound, "kind"), LW_STR("Pod")) || name.len == 0)
        return refuse_plain(&w, "node requested token not bound to a pod");
    if (uid.len == 0)
        return refuse_plain(&w, "node requested token with a pod binding without a uid");
    return admit_token_of_pod(&w, request, spec, name, uid);
}
