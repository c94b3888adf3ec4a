/* SPDX-License-Identifier: Apache-2.0 */
/* node_authorizer_test.c -- which objects a node may read, as pods, volumes and attachments come
 * and go; and the reasons, in kube-apiserver's words. */
#include "api/authz/node_authorizer.h"

#include <stdio.h>

#include "api/authz/authz.h"
#include "base/str.h"
#include "unit/test.h"

typedef struct world {
    lw_node_authorizer by;
    lw_buf text;
} world;

static int set_up(void **state)
{
    static world w;
    assert_int_equal(lw_node_authorizer_init(&w.by), LW_OK);
    lw_buf_init(&w.text, 65536);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    lw_buf_done(&w->text);
    lw_node_authorizer_done(&w->by);
    return 0;
}

static lw_tree *parse(const char *json)
{
    lw_tree *tree = NULL;
    assert_int_equal(lw_tree_parse(&tree, lw_str_of(json), 0, NULL), LW_OK);
    return tree;
}

/* Puts the pod prod/NAME; |rest| are more members of its spec. */
static void put_pod(world *w, const char *name, const char *annotation, const char *node,
                    const char *rest)
{
    char json[4096];
    (void)snprintf(json, sizeof(json),
                   "{\"metadata\":{\"name\":\"%s\",\"annotations\":{\"%s\":\"x\"}},"
                   "\"spec\":{\"nodeName\":\"%s\"%s%s}}",
                   name, annotation, node, rest[0] ? "," : "", rest);
    lw_tree *tree = parse(json);
    assert_int_equal(lw_node_graph_put_pod(w->by.graph, LW_STR("prod"), lw_str_of(name),
                                           lw_tree_root(tree), 1),
                     LW_OK);
    lw_tree_free(tree);
}

static void put_volume(world *w, const char *name, const char *spec)
{
    char json[4096];
    (void)snprintf(json, sizeof(json), "{\"spec\":{%s}}", spec);
    lw_tree *tree = parse(json);
    assert_int_equal(lw_node_graph_put_volume(w->by.graph, lw_str_of(name), lw_tree_root(tree)),
                     LW_OK);
    lw_tree_free(tree);
}

static void put_placed(world *w, lw_ref_kind kind, const char *ns, const char *name,
                       const char *node)
{
    assert_int_equal(lw_node_graph_put_placed(w->by.graph, kind, lw_key_make(ns, name),
                                              lw_str_of(node)),
                     LW_OK);
}

static const lw_str nodes[] = { LW_STR_INIT("system:nodes"), LW_STR_INIT("system:authenticated") };
static const lw_user n1 = { .name = LW_STR_INIT("system:node:n1"),
                            .groups = nodes,
                            .group_count = 2 };
static const lw_user n2 = { .name = LW_STR_INIT("system:node:n2"),
                            .groups = nodes,
                            .group_count = 2 };

static lw_authz_attributes on(const char *verb, const char *group, const char *resource,
                              const char *ns, const char *name)
{
    lw_str whole = lw_str_of(resource), plain, sub;
    (void)lw_str_cut(whole, '/', &plain, &sub);
    return (lw_authz_attributes){ .user = &n1,
                                  .verb = lw_str_of(verb),
                                  .is_resource = true,
                                  .group = lw_str_of(group),
                                  .resource = plain,
                                  .subresource = sub,
                                  .ns = lw_str_of(ns),
                                  .name = lw_str_of(name) };
}

static bool may(world *w, lw_authz_attributes a)
{
    lw_buf_reset(&w->text);
    return lw_node_authorizer_decide(&w->by, &a, &w->text) == LW_AUTHZ_ALLOW;
}

static bool may_get(world *w, const char *resource, const char *name)
{
    return may(w, on("get", "", resource, "prod", name));
}

static bool other_may_get(world *w, const char *resource, const char *name)
{
    lw_authz_attributes a = on("get", "", resource, "prod", name);
    a.user = &n2;
    return may(w, a);
}

static void assert_reason(world *w, const char *text)
{
    lw_buf_append_char(&w->text, '\0');
    assert_int_equal(w->text.st, LW_OK);
    assert_string_equal(lw_buf_view(&w->text).ptr, text);
}

#define EVERYTHING                                                                                 \
    "\"serviceAccountName\":\"sa\",\"imagePullSecrets\":[{\"name\":\"pull\"}],"                    \
    "\"containers\":[{\"envFrom\":[{\"secretRef\":{\"name\":\"env-from\"}},"                       \
    "{\"configMapRef\":{\"name\":\"env-from\"}}],"                                                 \
    "\"env\":[{\"valueFrom\":{\"secretKeyRef\":{\"name\":\"env\"}}},"                              \
    "{\"valueFrom\":{\"configMapKeyRef\":{\"name\":\"env\"}}}]}],"                                 \
    "\"initContainers\":[{\"envFrom\":[{\"secretRef\":{\"name\":\"init\"}}]}],"                    \
    "\"ephemeralContainers\":[{\"envFrom\":[{\"secretRef\":{\"name\":\"debug\"}}]}],"              \
    "\"volumes\":[{\"secret\":{\"secretName\":\"vol\"}},{\"configMap\":{\"name\":\"vol\"}},"       \
    "{\"projected\":{\"sources\":[{\"secret\":{\"name\":\"proj\"}},"                               \
    "{\"configMap\":{\"name\":\"proj\"}}]}},"                                                      \
    "{\"persistentVolumeClaim\":{\"claimName\":\"claim\"}},"                                       \
    "{\"name\":\"scratch\",\"ephemeral\":{}},"                                                     \
    "{\"csi\":{\"nodePublishSecretRef\":{\"name\":\"csi\"}}}]"

static void a_node_may_read_what_its_pods_refer_to(void **state)
{
    static const char *const secrets[] = { "pull",  "env-from", "env",  "init",
                                           "debug", "vol",      "proj", "csi" };
    static const char *const maps[] = { "env-from", "env", "vol", "proj" };
    world *w = *state;
    put_pod(w, "a", "none", "n1", EVERYTHING);
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        assert_true(may_get(w, "secrets", secrets[i]));
        assert_false(other_may_get(w, "secrets", secrets[i]));
    }
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
        assert_true(may_get(w, "configmaps", maps[i]));
    assert_true(may_get(w, "persistentvolumeclaims", "claim"));
    assert_true(may_get(w, "persistentvolumeclaims", "a-scratch"));
    assert_true(may_get(w, "serviceaccounts", "sa"));
    assert_true(may_get(w, "pods", "a"));
    assert_false(other_may_get(w, "pods", "a"));
    assert_reason(w, "no relationship found between node 'n2' and this object");
    assert_true(may(w, on("watch", "", "secrets", "prod", "vol")));
    assert_false(may(w, on("get", "", "secrets", "test", "vol")));
    assert_true(may(w, on("patch", "", "persistentvolumeclaims/status", "prod", "claim")));
}

static void a_pod_that_goes_takes_its_relations_along(void **state)
{
    world *w = *state;
    put_pod(w, "a", "none", "n1", EVERYTHING);
    put_pod(w, "b", "none", "n1", "\"imagePullSecrets\":[{\"name\":\"pull\"}]");
    lw_node_graph_remove_pod(w->by.graph, LW_STR("prod"), LW_STR("a"));
    assert_true(may_get(w, "secrets", "pull"));
    assert_false(may_get(w, "secrets", "vol"));
    put_pod(w, "b", "none", "n2", "\"imagePullSecrets\":[{\"name\":\"pull\"}]");
    assert_false(may_get(w, "secrets", "pull"));
    assert_true(other_may_get(w, "secrets", "pull"));
    lw_node_graph_remove_all(w->by.graph, LW_REF_POD);
    assert_false(other_may_get(w, "secrets", "pull"));
}

static void a_mirror_pod_gives_no_access(void **state)
{
    world *w = *state;
    put_pod(w, "a", "kubernetes.io/config.mirror", "n1", EVERYTHING);
    assert_true(may_get(w, "pods", "a"));
    assert_false(may_get(w, "secrets", "vol"));
    assert_false(may_get(w, "serviceaccounts", "sa"));
}

static void a_volume_belongs_to_the_nodes_of_its_claim(void **state)
{
    static const char spec[] =
        "\"claimRef\":{\"namespace\":\"prod\",\"name\":\"claim\"},"
        "\"csi\":{\"nodeStageSecretRef\":{\"namespace\":\"storage\",\"name\":\"key\"},"
        "\"controllerPublishSecretRef\":{\"namespace\":\"storage\",\"name\":\"root\"}}";
    world *w = *state;
    put_volume(w, "pv", spec);
    assert_false(may(w, on("get", "", "persistentvolumes", "", "pv")));
    put_pod(w, "a", "none", "n1", EVERYTHING);
    assert_true(may(w, on("get", "", "persistentvolumes", "", "pv")));
    assert_true(may(w, on("get", "", "secrets", "storage", "key")));
    assert_false(may(w, on("get", "", "secrets", "storage", "root")));
    put_volume(w, "pv", "\"claimRef\":{\"namespace\":\"prod\",\"name\":\"other\"}");
    assert_false(may(w, on("get", "", "persistentvolumes", "", "pv")));
    assert_false(may(w, on("get", "", "secrets", "storage", "key")));
    put_volume(w, "pv", spec);
    lw_node_graph_remove_all(w->by.graph, LW_REF_VOLUME);
    assert_false(may(w, on("get", "", "secrets", "storage", "key")));
    assert_true(may_get(w, "persistentvolumeclaims", "claim"));
}

static void an_attachment_belongs_to_its_node(void **state)
{
    world *w = *state;
    put_placed(w, LW_REF_ATTACHMENT, "", "va", "n1");
    assert_true(may(w, on("get", "storage.k8s.io", "volumeattachments", "", "va")));
    assert_false(may(w, on("list", "storage.k8s.io", "volumeattachments", "", "")));
    assert_reason(w, "can only get individual resources of this type");
    lw_node_graph_remove_placed(w->by.graph, LW_REF_ATTACHMENT, lw_key_make("", "va"));
    assert_false(may(w, on("get", "storage.k8s.io", "volumeattachments", "", "va")));
}

static bool may_get_claim(world *w, const char *name)
{
    return may(w, on("get", "resource.k8s.io", "resourceclaims", "prod", name));
}

static void a_node_reads_the_device_claims_of_its_pods(void **state)
{
    static const char json[] =
        "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"nodeName\":\"n1\",\"resourceClaims\":["
        "{\"name\":\"x\",\"resourceClaimName\":\"named\"},"
        "{\"name\":\"y\",\"resourceClaimTemplateName\":\"t\"},"
        "{\"name\":\"z\",\"resourceClaimTemplateName\":\"t\"}]},"
        "\"status\":{\"resourceClaimStatuses\":[{\"name\":\"x\",\"resourceClaimName\":\"wrong\"},"
        "{\"name\":\"y\",\"resourceClaimName\":\"made\"},{\"name\":\"z\"}],"
        "\"extendedResourceClaimStatus\":{\"resourceClaimName\":\"extended\"}}}";
    world *w = *state;
    lw_tree *tree = parse(json);
    assert_int_equal(lw_node_graph_put_pod(w->by.graph, LW_STR("prod"), LW_STR("a"),
                                           lw_tree_root(tree), 1),
                     LW_OK);
    lw_tree_free(tree);
    assert_true(may_get_claim(w, "named"));
    assert_true(may_get_claim(w, "made"));
    assert_true(may_get_claim(w, "extended"));
    assert_false(may_get_claim(w, "wrong"));
    assert_false(may_get_claim(w, "t"));
    assert_false(may(w, on("list", "resource.k8s.io", "resourceclaims", "prod", "")));
    assert_reason(w, "can only get individual resources of this type");
    lw_node_graph_remove_pod(w->by.graph, LW_STR("prod"), LW_STR("a"));
    assert_false(may_get_claim(w, "made"));
}

static bool may_select(world *w, lw_authz_attributes a, const char *selector)
{
    a.field_selector = lw_str_of(selector);
    return may(w, a);
}

static void a_node_uses_only_its_own_resource_slices(void **state)
{
    static const char *const verbs[] = { "get", "update", "patch", "delete" };
    static const char *const many[] = { "list", "watch", "deletecollection" };
    static const char group[] = "resource.k8s.io", slices[] = "resourceslices";
    world *w = *state;
    put_placed(w, LW_REF_RESOURCE_SLICE, "", "mine", "n1");
    put_placed(w, LW_REF_RESOURCE_SLICE, "", "theirs", "n2");
    put_placed(w, LW_REF_RESOURCE_SLICE, "", "shared", "");
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        assert_true(may(w, on(verbs[i], group, slices, "", "mine")));
        assert_false(may(w, on(verbs[i], group, slices, "", "theirs")));
        assert_reason(w, "no relationship found between node 'n1' and this object");
        assert_false(may(w, on(verbs[i], group, slices, "", "shared")));
    }
    for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
        assert_true(may_select(w, on(many[i], group, slices, "", ""), "spec.nodeName=n1"));
        assert_false(may_select(w, on(many[i], group, slices, "", ""), "spec.nodeName=n2"));
        assert_false(may_select(w, on(many[i], group, slices, "", "mine"), ""));
    }
    assert_reason(w, "can only list/watch/deletecollection resourceslices with nodeName field "
                     "selector");
    assert_true(may(w, on("create", group, slices, "", "")));
    assert_false(may(w, on("proxy", group, slices, "", "mine")));
    assert_reason(w, "only the following verbs are allowed for a ResourceSlice: get, watch, list, "
                     "create, update, patch, delete, deletecollection");
    assert_false(may(w, on("get", group, "resourceslices/status", "", "mine")));
    assert_reason(w, "cannot authorize ResourceSlice subresources");
    lw_node_graph_remove_all(w->by.graph, LW_REF_RESOURCE_SLICE);
    assert_false(may(w, on("get", group, slices, "", "mine")));
}

static void a_node_reads_only_its_own_certificate_requests(void **state)
{
    static const char group[] = "certificates.k8s.io", requests[] = "podcertificaterequests";
    world *w = *state;
    put_placed(w, LW_REF_CERTIFICATE_REQUEST, "prod", "mine", "n1");
    put_placed(w, LW_REF_CERTIFICATE_REQUEST, "prod", "theirs", "n2");
    assert_true(may(w, on("create", group, requests, "prod", "")));
    assert_true(may(w, on("get", group, requests, "prod", "mine")));
    assert_false(may(w, on("get", group, requests, "prod", "theirs")));
    assert_false(may(w, on("get", group, requests, "test", "mine")));
    assert_true(may_select(w, on("watch", group, requests, "", ""), "spec.nodeName=n1"));
    assert_false(may_select(w, on("list", group, requests, "", ""), ""));
    assert_reason(w, "can only list/watch podcertificaterequests with nodeName field selector");
    assert_false(may(w, on("delete", group, requests, "prod", "mine")));
    assert_reason(w, "nodes may not delete podcertificaterequests");
    assert_false(may(w, on("update", group, "podcertificaterequests/status", "prod", "mine")));
    assert_reason(w, "nodes may not access the status subresource of PodCertificateRequests");
}

static void what_is_not_allowed_has_a_reason(void **state)
{
    static const struct {
        const char *verb, *group, *resource, *ns, *name, *reason;
    } cases[] = {
        { "list", "", "secrets", "prod", "", "No Object name found" },
        { "list", "", "secrets", "", "", "can only read namespaced object of this type" },
        { "delete", "", "secrets", "prod", "x", "can only read resources of this type" },
        { "list", "", "nodes", "", "",
          "node 'n1' cannot read all nodes, only its own Node object" },
        { "get", "", "nodes", "", "n2", "node 'n1' cannot read 'n2', only its own Node object" },
        { "list", "", "pods", "", "",
          "can only list/watch pods with spec.nodeName field selector" },
        { "create", "", "serviceaccounts/token", "prod", "",
          "can only create tokens for individual service accounts" },
        { "create", "", "serviceaccounts", "prod", "x",
          "can only create token subresource of serviceaccount" },
        { "create", "", "serviceaccounts/token", "prod", "x",
          "no relationship found between node 'n1' and this object" },
        { "list", "coordination.k8s.io", "leases", "kube-node-lease", "",
          "can only get, create, update, patch, or delete a node lease" },
        { "get", "coordination.k8s.io", "leases", "prod", "n1",
          "can only access leases in the \"kube-node-lease\" system namespace" },
        { "update", "coordination.k8s.io", "leases", "kube-node-lease", "n2",
          "can only access node lease with the same name as the requesting node" },
        { "get", "storage.k8s.io", "csinodes", "", "n2",
          "can only access CSINode with the same name as the requesting node" },
        { "delete", "", "nodes", "", "n1", "" },
        { "create", "apps", "deployments", "prod", "", "" },
    };
    world *w = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(may(w, on(cases[i].verb, cases[i].group, cases[i].resource, cases[i].ns,
                               cases[i].name)));
        assert_reason(w, cases[i].reason);
    }
}

static void a_node_may_use_its_own_objects_and_the_fixed_rules(void **state)
{
    static const struct {
        const char *verb, *group, *resource, *ns, *name;
    } cases[] = {
        { "get", "", "nodes", "", "n1" },
        { "watch", "", "nodes", "", "n1" },
        { "create", "", "nodes", "", "" },
        { "patch", "", "nodes/status", "", "n1" },
        { "create", "", "pods", "prod", "" },
        { "create", "", "pods/eviction", "prod", "a" },
        { "patch", "", "pods/status", "prod", "a" },
        { "create", "coordination.k8s.io", "leases", "kube-node-lease", "" },
        { "update", "coordination.k8s.io", "leases", "kube-node-lease", "n1" },
        { "update", "storage.k8s.io", "csinodes", "", "n1" },
        { "list", "", "services", "", "" },
        { "create", "events.k8s.io", "events", "prod", "" },
        { "create", "authorization.k8s.io", "subjectaccessreviews", "", "" },
    };
    world *w = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(may(w, on(cases[i].verb, cases[i].group, cases[i].resource, cases[i].ns,
                              cases[i].name)));
}

static bool may_list_pods(world *w, const char *selector)
{
    lw_authz_attributes a = on("list", "", "pods", "", "");
    a.field_selector = lw_str_of(selector);
    return may(w, a);
}

static void a_field_selector_must_demand_the_node(void **state)
{
    world *w = *state;
    assert_true(may_list_pods(w, "spec.nodeName=n1"));
    assert_true(may_list_pods(w, "status.phase!=Failed,spec.nodeName==n1"));
    assert_false(may_list_pods(w, "spec.nodeName=n2"));
    assert_false(may_list_pods(w, "spec.nodeName!=n1"));
    assert_false(may_list_pods(w, "spec.nodeName=n1x"));
    assert_false(may_list_pods(w, "metadata.name=a\\,spec.nodeName=n1"));
}

static void only_members_of_the_group_of_nodes_are_nodes(void **state)
{
    static const lw_user alone = { .name = LW_STR_INIT("system:node:n1") };
    static const lw_user unnamed = { .name = LW_STR_INIT("system:node:"),
                                     .groups = nodes,
                                     .group_count = 2 };
    world *w = *state;
    lw_authz_attributes a = on("get", "", "nodes", "", "n1");
    a.user = &alone;
    assert_false(may(w, a));
    assert_reason(w, "");
    a.user = &unnamed;
    assert_false(may(w, a));
    assert_reason(w, "unknown node for user \"system:node:\"");
}

static void the_chain_joins_reasons_with_names_and_shows_only_why_it_allows(void **state)
{
    static const lw_authz_mode modes[] = { LW_AUTHZ_MODE_NODE, LW_AUTHZ_MODE_ALWAYS_DENY };
    static const lw_authz_mode then_all[] = { LW_AUTHZ_MODE_NODE, LW_AUTHZ_MODE_ALWAYS_ALLOW };
    world *w = *state;
    lw_authz *authz = NULL;
    lw_authz_attributes a = on("get", "", "nodes", "", "n2");
    assert_int_equal(lw_authz_new(&authz, modes, 2, NULL), LW_OK);
    assert_int_equal(lw_authz_decide(authz, &a, &w->text), LW_AUTHZ_NO_OPINION);
    assert_reason(w, "node: node 'n1' cannot read 'n2', only its own Node object\n"
                     "alwaysdeny: Everything is forbidden.");
    lw_authz_free(authz);
    lw_buf_reset(&w->text);
    assert_int_equal(lw_authz_new(&authz, then_all, 2, NULL), LW_OK);
    assert_int_equal(lw_authz_decide(authz, &a, &w->text), LW_AUTHZ_ALLOW);
    assert_reason(w, "");
    lw_authz_free(authz);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(a_node_may_read_what_its_pods_refer_to),
        CASE(a_pod_that_goes_takes_its_relations_along),
        CASE(a_mirror_pod_gives_no_access),
        CASE(a_volume_belongs_to_the_nodes_of_its_claim),
        CASE(an_attachment_belongs_to_its_node),
        CASE(a_node_reads_the_device_claims_of_its_pods),
        CASE(a_node_uses_only_its_own_resource_slices),
        CASE(a_node_reads_only_its_own_certificate_requests),
        CASE(what_is_not_allowed_has_a_reason),
        CASE(a_node_may_use_its_own_objects_and_the_fixed_rules),
        CASE(a_field_selector_must_demand_the_node),
        CASE(only_members_of_the_group_of_nodes_are_nodes),
        CASE(the_chain_joins_reasons_with_names_and_shows_only_why_it_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
