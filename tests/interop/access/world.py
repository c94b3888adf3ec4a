# SPDX-License-Identifier: Apache-2.0
"""world.py -- the users, roles, bindings and objects that the access checks create on both servers.

Nothing but kube-apiserver runs on its side, so what kube-controller-manager would do is done here:
the rules of aggregated ClusterRoles are gathered, and namespaces get their service account."""

import json

from program import wait_until

RBAC = "/apis/rbac.authorization.k8s.io/v1"
DEVICES = "/apis/resource.k8s.io/v1"
RBAC_GROUP = "rbac.authorization.k8s.io"
BLUE, GREEN = "blue", "green"
NODES = ("n1", "n2")
AGGREGATE = "example.com/aggregate-to-mixed"

# Users of the token file, with their groups.
USERS = [
    ("boss", ""), ("viewer", "dev"), ("editor", "dev"), ("chief", ""), ("system:node:n1", "system:nodes"),
    ("system:node:n2", "system:nodes"), ("named", ""), ("paths", ""), ("mixed", ""), ("proxy", ""),
    ("granter", ""), ("approver", ""), ("outsider", ""), ("grouped", "ops"),
]


def rule(verbs, resources, groups="", names=None):
    made = {"verbs": verbs.split(","), "apiGroups": groups.split(","),
            "resources": resources.split(",")}
    return {**made, "resourceNames": names.split(",")} if names else made


def urls(verbs, *paths):
    return {"verbs": verbs.split(","), "nonResourceURLs": list(paths)}


CLUSTER_ROLES = {
    "paths": [urls("get", "/healthz/*", "/metrics", "/custom/*", "/logs"), urls("*", "/openapi/v3*"),
              urls("head,post", "/version")],
    "mixed-one": [rule("get,list,watch", "configmaps,pods")],
    "mixed-two": [rule("get,create,delete", "deployments,deployments/scale", "apps,extensions"),
                  rule("*", "gadgets", "*")],
    "proxy": [rule("impersonate", "users", names="viewer,system:node:n1,nobody"),
              rule("impersonate", "groups", names="dev,system:nodes,system:authenticated"),
              rule("impersonate", "userextras/scopes", "authentication.k8s.io", names="read,write"),
              rule("impersonate", "uids", "authentication.k8s.io", names="u-1")],
    "granter": [rule("create,update,patch,get,delete", "roles,rolebindings,clusterroles,clusterrolebindings",
                     RBAC_GROUP),
                rule("bind", "clusterroles", RBAC_GROUP, "view,system:node"),
                rule("escalate", "roles", RBAC_GROUP), rule("get", "secrets", names="ada"),
                urls("get", "/custom/*")],
    "approver": [rule("get,list,update,create", "certificatesigningrequests", "certificates.k8s.io"),
                 rule("update,patch", "certificatesigningrequests/approval,certificatesigningrequests/status",
                      "certificates.k8s.io"),
                 rule("approve", "signers", "certificates.k8s.io", "kubernetes.io/kube-apiserver-client"),
                 rule("sign", "signers", "certificates.k8s.io", "example.com/*"),
                 rule("attest", "signers", "certificates.k8s.io", "example.com/*")],
    "grouped": [rule("get,list", "nodes,namespaces"), rule("deletecollection", "configmaps,secrets"),
                rule("create", "tokenreviews", "authentication.k8s.io"),
                rule("create", "subjectaccessreviews,localsubjectaccessreviews", "authorization.k8s.io")],
}

ROLES = {
    "named": [rule("get,list,watch,update,patch,delete", "configmaps", names="ada,bob"),
              rule("get", "secrets", names="ada"), rule("create", "serviceaccounts/token", names="robot"),
              rule("update,patch", "deployments/scale", "apps", "ada"), rule("create", "configmaps")],
    "robot": [rule("get,list,watch", "pods"), rule("get", "pods/log"), rule("*", "events"),
              rule("create", "serviceaccounts/token")],
}


def binding(name, kind, role, subject, subject_kind="User", namespace=None):
    made = {"kind": subject_kind, "name": subject}
    if subject_kind == "ServiceAccount":
        made["namespace"] = namespace or BLUE
    else:
        made["apiGroup"] = RBAC_GROUP
    return {"metadata": {"name": name}, "subjects": [made],
            "roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": role}}


CLUSTER_BINDINGS = [
    binding("boss", "ClusterRole", "cluster-admin", "boss"),
    binding("paths", "ClusterRole", "paths", "paths"),
    binding("mixed", "ClusterRole", "mixed", "mixed"),
    binding("proxy", "ClusterRole", "proxy", "proxy"),
    binding("granter", "ClusterRole", "granter", "granter"),
    binding("approver", "ClusterRole", "approver", "approver"),
    binding("grouped", "ClusterRole", "grouped", "ops", "Group"),
    binding("dangling", "ClusterRole", "missing", "outsider"),
]

BINDINGS = [
    binding("viewer", "ClusterRole", "view", "viewer"),
    binding("editor", "ClusterRole", "edit", "editor"),
    binding("chief", "ClusterRole", "admin", "chief"),
    binding("named", "Role", "named", "named"),
    binding("robot", "Role", "robot", "robot", "ServiceAccount"),
    binding("dangling", "Role", "missing", "named"),
]


def pod(name, node, **spec):
    return {"metadata": {"name": name, "labels": {"app": name}}, "spec": {
        "nodeName": node, "containers": [{"name": "main", "image": "nginx"}], **spec}}


def resource_slice(name, node):
    return {"metadata": {"name": name}, "spec": {"driver": "d.example.com", "nodeName": node, "pool": {
        "name": node, "generation": 1, "resourceSliceCount": 1}}}


def objects_of(namespace):
    """(path, body) of what a namespace has."""
    core = f"/api/v1/namespaces/{namespace}/"
    for account in ("default", "robot", "other"):
        yield core + "serviceaccounts", {"metadata": {"name": account}}
    for name in ("ada", "bob", "eve"):
        yield core + "configmaps", {"metadata": {"name": name}, "data": {"k": name}}
        yield core + "secrets", {"metadata": {"name": name}, "data": {"k": "eA=="}}
    yield core + "services", {"metadata": {"name": "ada"}, "spec": {"ports": [{"port": 80}]}}
    yield f"/apis/apps/v1/namespaces/{namespace}/deployments", {"metadata": {"name": "ada"}, "spec": {
        "replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": {
            "metadata": {"labels": {"app": "a"}},
            "spec": {"containers": [{"name": "main", "image": "nginx"}]}}}}
    for name in ("ada", "bob", "eve"):
        yield f"{DEVICES}/namespaces/{namespace}/resourceclaims", {"metadata": {"name": name}, "spec": {}}
    yield core + "pods", pod("ada", "n1", serviceAccountName="robot", volumes=[
        {"name": "s", "secret": {"secretName": "ada"}}, {"name": "c", "configMap": {"name": "ada"}}],
        resourceClaims=[{"name": "a", "resourceClaimName": "ada"},
                        {"name": "b", "resourceClaimTemplateName": "bob"}])
    yield core + "pods", pod("bob", "n2", volumes=[{"name": "s", "secret": {"secretName": "bob"}}])
    yield core + "pods", pod("ghost", "n1", serviceAccountName="robot")
    for node in NODES:
        yield "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", {
            "metadata": {"name": node}, "spec": {"holderIdentity": node}}
        yield DEVICES + "/resourceslices", resource_slice(node, node)


def aggregate_defaults(server):
    aggregate(server, ("view", "edit", "admin"))  # edit has view's, admin has edit's


def aggregate(server, names):
    """Gathers the rules of aggregated ClusterRoles as kube-controller-manager does."""
    roles = server.call("GET", RBAC + "/clusterroles")["items"]
    by_name = {role["metadata"]["name"]: role for role in roles}
    for name in names:
        rules = []
        for selector in by_name[name]["aggregationRule"]["clusterRoleSelectors"]:
            for other in sorted(by_name):
                labels = by_name[other]["metadata"].get("labels", {})
                if all(labels.get(key) == value for key, value in selector["matchLabels"].items()):
                    rules += [one for one in by_name[other].get("rules") or [] if one not in rules]
        by_name[name]["rules"] = rules
        server.call("PATCH", f"{RBAC}/clusterroles/{name}", {"rules": rules},
                    "application/merge-patch+json")


def add(server, path, body):
    status, text = server.request("POST", path, body)
    assert status in (201, 409), f"{server.name}: POST {path}: {status} {text}"


def create_roles(server):
    for name, rules in CLUSTER_ROLES.items():
        labels = {AGGREGATE: "true"} if name.startswith("mixed-") else {}
        add(server, RBAC + "/clusterroles", {"metadata": {"name": name, "labels": labels}, "rules": rules})
    add(server, RBAC + "/clusterroles", {"metadata": {"name": "mixed"}, "rules": [], "aggregationRule": {
        "clusterRoleSelectors": [{"matchLabels": {AGGREGATE: "true"}}]}})
    for name, rules in ROLES.items():
        add(server, f"{RBAC}/namespaces/{BLUE}/roles", {"metadata": {"name": name}, "rules": rules})
    for body in CLUSTER_BINDINGS:
        add(server, RBAC + "/clusterrolebindings", body)
    for body in BINDINGS:
        add(server, f"{RBAC}/namespaces/{BLUE}/rolebindings", body)


def token_of(server, pod_name=None):
    bound = {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": pod_name}} if pod_name else {}
    made = server.call("POST", f"/api/v1/namespaces/{BLUE}/serviceaccounts/robot/token",
                       {"spec": {"expirationSeconds": 3600, **bound}})
    return made["status"]["token"]


def may(server, user, verb, **attributes):
    asked = {"spec": {"user": user, "groups": dict(USERS)[user].split(","),
                      "resourceAttributes": {"verb": verb, **attributes}}}
    answer = server.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", asked)
    return answer["status"].get("allowed", False)


def wait_for_authorizers(server):
    """Until the authorizers have learnt of the last objects of each kind."""
    for user, verb, attributes in (
            ("named", "get", {"resource": "secrets", "name": "ada", "namespace": BLUE}),
            ("chief", "create", {"resource": "pods", "namespace": BLUE}),
            ("mixed", "list", {"resource": "pods"}),
            ("grouped", "list", {"resource": "nodes"}),
            ("system:node:n1", "get", {"resource": "secrets", "name": "ada", "namespace": GREEN}),
            ("system:node:n2", "get", {"resource": "secrets", "name": "bob", "namespace": GREEN})):
        wait_until(lambda: may(server, user, verb, **attributes), 30,
                   f"{server.name}: {user} may {verb} {json.dumps(attributes)}")


def create(server):
    """Everything, in the same order on each server."""
    for node in NODES:
        add(server, "/api/v1/nodes", {"metadata": {"name": node}})
    for namespace in (BLUE, GREEN):
        add(server, "/api/v1/namespaces", {"metadata": {"name": namespace}})
    add(server, "/api/v1/namespaces", {"metadata": {"name": "kube-node-lease"}})
    create_roles(server)
    for namespace in (BLUE, GREEN):
        for path, body in objects_of(namespace):
            wait_until(lambda: server.request("POST", path, body)[0] in (201, 409), 30,
                       f"{server.name}: POST {path} {body['metadata']['name']}")
    aggregate_defaults(server)
    aggregate(server, ("mixed",))
    server.tokens["robot"] = token_of(server)
    server.tokens["ghost"] = token_of(server, "ghost")
    server.call("DELETE", f"/api/v1/namespaces/{BLUE}/pods/ghost", {"gracePeriodSeconds": 0})
    wait_for_authorizers(server)
