/* SPDX-License-Identifier: Apache-2.0 */
/* node_certificates.c -- compares a request with its node, pod and service account. */
#include "api/admission/node_certificates.h"

#include "api/authz/authz.h"
#include "api/authz/pod_refs.h"
#include "api/context/cache_lookup.h"
#include "base/str.h"
#include "object/quote.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

typedef struct check {
    const lw_admission *admission;
    const lw_api *api;
    const lw_node *spec; /* of the request */
    lw_str ns, node;
    lw_buf *why;
    lw_node_certificates_verdict verdict;
} check;

static void append_quoted_path(lw_buf *out, lw_str ns, lw_str name)
{
    lw_buf path;
    lw_buf_init(&path, out->limit);
    lw_buf_append_str(&path, ns);
    lw_buf_append_char(&path, '/');
    lw_buf_append_str(&path, name);
    lw_quote_append(out, lw_buf_view(&path));
    if (path.st < 0)
        out->st = path.st;
    lw_buf_done(&path);
}

/* Refuses.  In |format|, %P is the quoted name of the pod with its namespace, %S that of the
 * service account, %A and %B are |a| and |b| in quotes.  Returns false. */
static bool refuse(check *c, lw_node_certificates_verdict verdict, const char *format, lw_str a,
                   lw_str b)
{
    c->verdict = verdict;
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            lw_buf_append_char(c->why, *at);
            continue;
        }
        at++;
        if (*at == 'P')
            append_quoted_path(c->why, c->ns, lw_fields_text(c->spec, "podName"));
        else if (*at == 'S')
            append_quoted_path(c->why, c->ns, lw_fields_text(c->spec, "serviceAccountName"));
        else
            lw_quote_append(c->why, *at == 'A' ? a : b);
    }
    return false;
}

static bool forbid(check *c, const char *format, lw_str a, lw_str b)
{
    return refuse(c, LW_NODE_CERTIFICATES_FORBIDDEN, format, a, b);
}

static bool unsettle(check *c, const char *format, lw_str a, lw_str b)
{
    return refuse(c, LW_NODE_CERTIFICATES_UNSETTLED, format, a, b);
}

/* Finds the object |name|; NULL: refused with |missing|. */
static lw_object *find(check *c, const lw_kind *kind, lw_str ns, lw_str name, const char *missing)
{
    lw_object *found = NULL;
    lw_status st = lw_lookup(lw_api_resource(c->api, kind), (lw_key){ ns, name }, &found);
    if (st < 0 || !found)
        (void)unsettle(c, missing, name, name);
    if (st < 0)
        c->why->st = st;
    return found;
}

static bool has_uid(const check *c, const char *member, const lw_object *object)
{
    return lw_str_equal(lw_fields_text(c->spec, member), lw_str_of(lw_object_uid(object)));
}

static bool check_node(check *c)
{
    lw_str name = lw_fields_text(c->spec, "nodeName");
    if (!lw_str_equal(name, c->node))
        return forbid(c,
                      "PodCertificateRequest.Spec.NodeName=%A, which is not the requesting node %B",
                      name, c->node);
    lw_object *node = find(c, &lw_kind_nodes, LW_STR(""), name,
                           "while retrieving node %A named in the PodCertificateRequest: node %B "
                           "not found");
    bool is_right = node && has_uid(c, "nodeUID", node);
    if (node && !is_right)
        (void)unsettle(c,
                       "PodCertificateRequest for pod %P names node UID %A, inconsistent with the "
                       "running node (%B)",
                       lw_fields_text(c->spec, "nodeUID"), lw_str_of(lw_object_uid(node)));
    lw_object_unref(node);
    return is_right;
}

static bool check_pod_object(check *c, const lw_object *pod)
{
    static const char mirror[] = "/metadata/annotations/kubernetes.io~1config.mirror";
    lw_str account = lw_fields_text(c->spec, "serviceAccountName"), raw;
    lw_str of_pod = lw_str_of(lw_object_string(pod, "/spec/serviceAccountName", ""));
    if (!has_uid(c, "podUID", pod))
        return unsettle(c,
                        "PodCertificateRequest for pod %P contains pod UID (%A) which differs from "
                        "running pod %B",
                        lw_fields_text(c->spec, "podUID"), lw_str_of(lw_object_uid(pod)));
    if (!lw_str_equal(lw_str_of(lw_object_string(pod, "/spec/nodeName", "")), c->node))
        return forbid(c, "pod %P is not running on node %A named in the PodCertificateRequest",
                      c->node, c->node);
    if (lw_object_raw(pod, mirror, &raw) == LW_OK)
        return forbid(c, "pod %P is a mirror pod", raw, raw);
    return lw_str_equal(account, of_pod) ||
           forbid(c,
                  "PodCertificateRequest for pod %P contains serviceAccountName (%A) that differs "
                  "from running pod (%B)",
                  account, of_pod);
}

static bool check_account(check *c)
{
    lw_object *account =
        find(c, &lw_kind_serviceaccounts, c->ns, lw_fields_text(c->spec, "serviceAccountName"),
             "while retrieving service account %S named in the PodCertificateRequest: "
             "serviceaccount %B not found");
    bool is_right = account && has_uid(c, "serviceAccountUID", account);
    if (account && !is_right)
        (void)unsettle(c,
                       "PodCertificateRequest for pod %P names service account UID %A, which "
                       "differs from the running service account (%B)",
                       lw_fields_text(c->spec, "serviceAccountUID"),
                       lw_str_of(lw_object_uid(account)));
    lw_object_unref(account);
    return is_right;
}

static bool volume_names_signer(const lw_node *volume, lw_str signer)
{
    const lw_node *sources = lw_fields_find(volume, "/projected/sources");
    for (size_t i = 0; lw_node_is(sources, LW_JSON_ARRAY) && i < lw_node_count(sources); i++) {
        const lw_node *wanted = lw_node_get(lw_node_at(sources, i), LW_STR("podCertificate"));
        if (wanted && lw_str_equal(lw_fields_text(wanted, "signerName"), signer))
            return true;
    }
    return false;
}

static bool pod_names_signer(check *c, const lw_object *pod, lw_str signer)
{
    lw_str json;
    lw_tree *tree = NULL;
    bool is_named = false;
    if (lw_object_raw(pod, "/spec/volumes", &json) < 0)
        return false;
    lw_status st = lw_tree_parse(&tree, json, 0, NULL);
    if (st < 0)
        c->why->st = st;
    const lw_node *volumes = st == LW_OK ? lw_tree_root(tree) : NULL;
    size_t count = lw_node_is(volumes, LW_JSON_ARRAY) ? lw_node_count(volumes) : 0;
    for (size_t i = 0; i < count && !is_named; i++)
        is_named = volume_names_signer(lw_node_at(volumes, i), signer);
    lw_tree_free(tree);
    return is_named;
}

/* RBAC has no resources with a slash, so a colon stands for it, as in names of
 * ClusterTrustBundles. */
static bool is_authorized(check *c, lw_str signer)
{
    lw_buf resource;
    lw_buf_init(&resource, signer.len + 1);
    for (size_t i = 0; i < signer.len; i++)
        lw_buf_append_char(&resource, signer.ptr[i] == '/' ? ':' : signer.ptr[i]);
    const lw_authz_attributes attributes = {
        .user = c->admission->user,
        .verb = LW_STR("request-serviceaccounts-podcertificate-signer"),
        .is_resource = true,
        .group = LW_STR("certificates.k8s.io"),
        .version = LW_STR("v1"),
        .resource = lw_buf_view(&resource),
        .ns = c->ns,
        .name = lw_fields_text(c->spec, "serviceAccountName"),
        .stream = c->admission->stream,
    };
    bool is_allowed = resource.st == LW_OK && lw_authz_allows(c->api->authz, &attributes);
    if (resource.st < 0)
        c->why->st = resource.st;
    lw_buf_done(&resource);
    return is_allowed;
}

static bool check_signer(check *c, const lw_object *pod)
{
    lw_str signer = lw_fields_text(c->spec, "signerName");
    return pod_names_signer(c, pod, signer) || is_authorized(c, signer) ||
           forbid(c, "pod %P does not mount a podCertificate projected volume for signer %A",
                  signer, signer);
}

static bool check_pod(check *c)
{
    lw_object *pod = find(c, &lw_kind_pods, c->ns, lw_fields_text(c->spec, "podName"),
                          "while retrieving pod %P named in the PodCertificateRequest: pod %B not "
                          "found");
    bool is_right = pod && check_pod_object(c, pod) && check_account(c) && check_signer(c, pod);
    lw_object_unref(pod);
    return is_right;
}

lw_node_certificates_verdict lw_node_certificates_check(const lw_admission *admission, lw_str node,
                                                        lw_buf *why)
{
    const lw_pending_object *object = admission->object;
    check c = { .admission = admission,
                .api = object->port->api,
                .spec = lw_node_get(object->root, LW_STR("spec")),
                .ns = lw_fields_text(object->metadata, "namespace"),
                .node = node,
                .why = why,
                .verdict = LW_NODE_CERTIFICATES_ADMITTED };
    (void)(check_node(&c) && check_pod(&c));
    return c.verdict;
}
