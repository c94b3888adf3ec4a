# SPDX-License-Identifier: Apache-2.0
"""draw.py -- requests of the access checks, drawn from a seed.  Writes are dry runs, so that each
user meets the same objects."""

import random
from urllib.parse import quote

from access.world import BLUE, DEVICES, GREEN, RBAC, RBAC_GROUP, binding, pod, resource_slice, rule, urls
from differential.step import JSON, Step, apply, delete, get, json_patch, merge, post, put, watch

DRY = "?dryRun=All"
NAMESPACES = (BLUE, BLUE, BLUE, GREEN, "missing")
NAMES = ("ada", "ada", "bob", "eve", "nope")
RESOURCES = [("/api/v1", "configmaps"), ("/api/v1", "secrets"), ("/api/v1", "pods"), ("/api/v1", "services"),
             ("/api/v1", "serviceaccounts"), ("/api/v1", "persistentvolumeclaims"),
             ("/api/v1", "resourcequotas"), ("/api/v1", "events"), ("/apis/apps/v1", "deployments"),
             ("/apis/batch/v1", "jobs"), ("/apis/coordination.k8s.io/v1", "leases"),
             ("/apis/networking.k8s.io/v1", "ingresses"), (RBAC, "roles"), (RBAC, "rolebindings")]
CLUSTER_RESOURCES = [("/api/v1", "nodes"), ("/api/v1", "namespaces"), ("/api/v1", "persistentvolumes"),
                     (RBAC, "clusterroles"), (RBAC, "clusterrolebindings"),
                     ("/apis/storage.k8s.io/v1", "storageclasses"), ("/apis/storage.k8s.io/v1", "csinodes"),
                     ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"),
                     ("/apis/certificates.k8s.io/v1", "certificatesigningrequests")]
CLUSTER_NAMES = ("n1", "n2", BLUE, GREEN, "view", "mixed", "nope")
PATHS = ["/", "/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/healthz", "/healthz/ping", "/livez",
         "/readyz", "/readyz/ping", "/version", "/version/", "/metrics", "/openapi/v2", "/openapi/v3",
         "/openapi/v3/api/v1", "/custom", "/custom/a/b", "/.well-known/openid-configuration",
         "/openid/v1/jwks", "/nothing", "/apis/none.example", "/custom/"]
SELECTORS = ["fieldSelector=metadata.name%3Dada", "fieldSelector=metadata.name%3Dbob", "labelSelector=app%3Dada",
             "fieldSelector=spec.nodeName%3Dn1", "fieldSelector=spec.nodeName%3Dn2", "limit=1",
             "fieldSelector=metadata.name!%3Dada", "fieldSelector=metadata.name%3Dada,metadata.namespace%3Dblue",
             "labelSelector=app%20in%20(ada)&limit=2"]


class Deck:
    """The dice and what they are thrown for."""

    def __init__(self, seed):
        self.dice = random.Random(seed)

    def of(self, *choices):
        return self.dice.choice(choices)

    def collection(self, namespaces=NAMESPACES):
        """A path and the name of its resource."""
        if self.dice.random() < 0.25:
            base, plural = self.of(*CLUSTER_RESOURCES)
            return f"{base}/{plural}", plural
        base, plural = self.of(*RESOURCES)
        if self.dice.random() < 0.15:
            return f"{base}/{plural}", plural
        return f"{base}/namespaces/{self.of(*namespaces)}/{plural}", plural

    def object(self):
        path, plural = self.collection()
        is_namespaced = "/namespaces/" in path
        if not is_namespaced and any(plural == other for _, other in RESOURCES):
            path = f"{path.rpartition('/')[0]}/namespaces/{BLUE}/{plural}"
            is_namespaced = True
        return f"{path}/{self.of(*(NAMES if is_namespaced else CLUSTER_NAMES))}"


def draw_read(deck):
    return get(deck.object())


def draw_list(deck):
    path, _ = deck.collection()
    return get(path + deck.of("", "", "?" + deck.of(*SELECTORS)))


def draw_watch(deck):
    """Its end is not waited for: a watch that is allowed ends by itself."""
    path, plural = deck.collection()
    if deck.dice.random() < 0.2 and path.startswith("/api/v1/"):
        return get(path.replace("/api/v1/", "/api/v1/watch/") + "?timeoutSeconds=1")
    return watch(path, deck.of("", deck.of(*SELECTORS)))


def body_of(path, plural, name):
    bodies = {"pods": pod(name, deck_node(name)), "services": {"spec": {"ports": [{"port": 80}]}},
              "nodes": {}, "persistentvolumeclaims": {"spec": {
                  "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}
    return {**bodies.get(plural, {}), "metadata": {"name": name}}


def deck_node(name):
    return {"ada": "n1", "bob": "n2"}.get(name, "")


CREATED = ("configmaps", "secrets", "pods", "services", "serviceaccounts", "nodes", "namespaces",
           "persistentvolumeclaims", "leases")


def draw_create(deck):
    while True:
        path, plural = deck.collection()
        if plural in CREATED and ("/namespaces/" in path or plural in ("nodes", "namespaces")):
            return post(path + DRY, body_of(path, plural, deck.of("new", "newer", "ada", "n1")))


def draw_change(deck):
    path = deck.object()
    label = {"metadata": {"labels": {"seen": deck.of("a", "b")}}}
    name, plural = path.split("/")[-1], path.split("/")[-2]
    kinds = {"configmaps": "ConfigMap", "secrets": "Secret", "nodes": "Node", "namespaces": "Namespace"}
    if plural in kinds and deck.dice.random() < 0.3:
        return apply(path + DRY + "&fieldManager=me", {"apiVersion": "v1", "kind": kinds[plural],
                                                      "metadata": {"name": name, **label["metadata"]}})
    if plural in ("configmaps", "secrets", "serviceaccounts") and deck.dice.random() < 0.3:
        return put(path + DRY, {"metadata": {"name": name, **label["metadata"]}})
    if deck.dice.random() < 0.3:
        return json_patch(path + DRY, {"op": "test", "path": "/metadata/name", "value": name})
    return merge(path + DRY, label)


def draw_delete(deck):
    if deck.dice.random() < 0.4:
        path, plural = deck.collection()
        if plural != "namespaces":
            return delete(path + DRY + deck.of("", "&" + deck.of(*SELECTORS[:4])))
    return delete(deck.object() + DRY)


def draw_subresource(deck):
    blue = f"/api/v1/namespaces/{deck.of(*NAMESPACES)}"
    name = deck.of(*NAMES)
    return deck.of(
        get(f"{blue}/pods/{name}/status"), merge(f"{blue}/pods/{name}/status{DRY}", {"status": {"reason": "x"}}),
        post(f"{blue}/pods/{name}/eviction{DRY}", {"apiVersion": "policy/v1", "kind": "Eviction",
                                                   "metadata": {"name": name}}),
        post(f"{blue}/pods/{name}/binding{DRY}", {"metadata": {"name": name}, "target": {
            "kind": "Node", "name": "n1"}}),
        get(f"/apis/apps/v1/namespaces/{BLUE}/deployments/{name}/scale"),
        merge(f"/apis/apps/v1/namespaces/{BLUE}/deployments/{name}/scale{DRY}", {"spec": {"replicas": 1}}),
        merge(f"/apis/apps/v1/namespaces/{BLUE}/deployments/{name}/status{DRY}", {"status": {}}),
        get(f"/api/v1/nodes/{deck.of('n1', 'n2', 'n3')}/status"),
        merge(f"/api/v1/nodes/{deck.of('n1', 'n2', 'n3')}/status{DRY}", {"status": {"phase": "x"}}),
        merge(f"/api/v1/namespaces/{BLUE}/status{DRY}", {"metadata": {"labels": {"a": "b"}}}),
        get(f"/api/v1/namespaces/{deck.of(*NAMESPACES)}/status"),
        get(f"{blue}/nothings/{name}/other"))


def draw_device(deck):
    """What a node may do with devices and certificates of its pods."""
    claims = f"{DEVICES}/namespaces/{deck.of(*NAMESPACES)}/resourceclaims"
    slices, node = DEVICES + "/resourceslices", deck.of("n1", "n2", "n3")
    certificates = f"/apis/certificates.k8s.io/v1/namespaces/{deck.of(*NAMESPACES)}/podcertificaterequests"
    selector = deck.of("", "?fieldSelector=spec.nodeName%3Dn1", "?fieldSelector=spec.nodeName%3Dn2")
    label = {"metadata": {"labels": {"seen": "a"}}}
    return deck.of(
        get(f"{claims}/{deck.of(*NAMES)}"), get(f"{claims}/{deck.of(*NAMES)}"), get(claims),
        merge(f"{claims}/{deck.of(*NAMES)}/status{DRY}", {"status": {}}), get(f"{slices}/{node}"),
        get(slices + selector), watch(slices, selector[1:]), merge(f"{slices}/{node}{DRY}", label),
        delete(f"{slices}/{node}{DRY}"), delete(slices + DRY + selector.replace("?", "&")),
        post(slices + DRY, resource_slice("new", node)), get(f"{certificates}/{deck.of(*NAMES)}"),
        get(certificates + selector), delete(f"{certificates}/{deck.of(*NAMES)}{DRY}"),
        get(f"{certificates}/{deck.of(*NAMES)}/status"))


def draw_token(deck):
    path = f"/api/v1/namespaces/{deck.of(*NAMESPACES)}/serviceaccounts/{deck.of('robot', 'other', 'nope')}/token"
    bound = deck.of({}, {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": deck.of("ada", "bob")}},
                    {"audiences": ["vault"]}, {"expirationSeconds": deck.of(1, 600)})
    return post(path, {"spec": bound})


def attributes_of(deck):
    base, plural = deck.of(*RESOURCES, *CLUSTER_RESOURCES)
    group = "" if base == "/api/v1" else base.split("/")[2]
    return {"verb": deck.of("get", "list", "create", "delete", "*", "impersonate"), "group": group,
            "resource": plural, "namespace": deck.of(BLUE, GREEN, ""), "name": deck.of("", "ada", "bob")}


def draw_review(deck):
    access, authn = "/apis/authorization.k8s.io/v1", "/apis/authentication.k8s.io/v1"
    about = deck.of({"resourceAttributes": attributes_of(deck)}, {"resourceAttributes": attributes_of(deck)},
                    {"nonResourceAttributes": {"path": deck.of(*PATHS), "verb": deck.of("get", "post")}}, {})
    user = {"user": deck.of("viewer", "named", "nobody", ""), "groups": deck.of(["ops"], [])}
    namespace = deck.of(BLUE, GREEN)
    return deck.of(
        post(access + "/selfsubjectaccessreviews", {"spec": about}),
        post(access + "/selfsubjectaccessreviews", {"spec": about}),
        post(access + "/subjectaccessreviews", {"spec": {**about, **user}}),
        post(f"{access}/namespaces/{namespace}/localsubjectaccessreviews", {"spec": {**about, **user}}),
        post(access + "/selfsubjectrulesreviews", {"spec": {"namespace": deck.of(BLUE, GREEN, "")}}),
        post(authn + "/selfsubjectreviews", {}),
        post(authn + "/tokenreviews", {"spec": {"token": deck.of("viewer-token", "wrong", "")}}))


def rules_of(deck):
    return deck.dice.sample([
        rule("get", "configmaps"), rule("get,list", "secrets"), rule("*", "*", "*"), rule("get", "pods,pods/log"),
        rule("create", "deployments", "apps,extensions"), rule("get", "secrets", names="ada"),
        rule("get", "secrets", names="ada,bob"), rule("escalate", "roles", RBAC_GROUP),
        rule("impersonate", "users"), rule("get,watch", "configmaps", names="ada")], deck.of(1, 1, 2, 3))


def draw_grant(deck):
    """Roles and bindings that may give more than the user has."""
    namespace = f"{RBAC}/namespaces/{deck.of(BLUE, BLUE, GREEN)}"
    rules = rules_of(deck)
    role = deck.of("view", "edit", "admin", "cluster-admin", "mixed", "paths", "system:node", "missing")
    way = deck.dice.randrange(7)
    if way == 0:
        return post(f"{namespace}/roles{DRY}", {"metadata": {"name": "new"}, "rules": rules})
    if way == 1:
        more = [urls("get", deck.of("/custom/*", "/custom/a", "/metrics", "*"))] if deck.of(True, False) else []
        return post(f"{RBAC}/clusterroles{DRY}", {"metadata": {"name": "new"}, "rules": rules + more})
    if way == 2:
        return merge(f"{namespace}/roles/{deck.of('named', 'robot', 'nope')}{DRY}", {"rules": rules})
    if way == 3:
        return post(f"{RBAC}/clusterrolebindings{DRY}", binding("new", "ClusterRole", role, "eve"))
    if way == 4:
        return post(f"{RBAC}/clusterroles{DRY}", {"metadata": {"name": "new"}, "aggregationRule": {
            "clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}})
    if way == 5:
        return post(f"{namespace}/rolebindings{DRY}", binding("new", "Role", deck.of("named", "robot", "nope"), "eve"))
    return post(f"{namespace}/rolebindings{DRY}", binding("new", "ClusterRole", role, "eve"))


def draw_path(deck):
    return Step(deck.of("GET", "GET", "GET", "POST", "HEAD", "DELETE", "PUT"), deck.of(*PATHS))


def draw_unknown(deck):
    return get(deck.of("/apis/none.example/v1/things", "/apis/apps/v9/deployments", "/api/v1/nothings",
                       f"/api/v1/namespaces/{BLUE}/nothings/ada", "/apis/example.com/v1/gadgets",
                       f"/apis/apps/v1/namespaces/{BLUE}/deployments/ada/nothing", "/api/v1/namespaces/blue/pods/a/b/c",
                       "/api/v2/pods", "/apis/apps/v1/namespaces/", f"/api/v1/namespaces/{BLUE}/pods/" + quote("a b")))


def draw_impersonation(deck):
    headers = deck.dice.sample([("Impersonate-User", deck.of("viewer", "boss", "system:node:n1",
                                                             "system:serviceaccount:blue:robot",
                                                             "system:anonymous", "")),
                                ("Impersonate-Group", deck.of("dev", "system:masters", "system:nodes")),
                                ("Impersonate-Extra-scopes", deck.of("read", "all")),
                                ("Impersonate-Uid", deck.of("u-1", "u-2"))], deck.of(1, 1, 2, 3))
    if deck.dice.random() < 0.8 and headers[0][0] != "Impersonate-User":
        headers.append(("Impersonate-User", "viewer"))
    step = deck.of(get(f"/api/v1/namespaces/{BLUE}/pods"), get("/api/v1/nodes/n1"),
                   post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}),
                   get(f"/api/v1/namespaces/{BLUE}/secrets/ada"))
    step.headers = dict(headers)
    return step


def draw_certificate(deck):
    path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
    approve = {"status": {"conditions": [{"type": "Approved", "status": "True", "reason": "r"}]}}
    name = deck.of("client", "serving", "foreign", "nope")
    return deck.of(get(f"{path}/{name}"), merge(f"{path}/{name}/approval{DRY}", approve),
                   merge(f"{path}/{name}/status{DRY}", {"status": {"certificate": "eA=="}}),
                   post(path + DRY, deck.of(*CSRS)("fresh")))


def csr(signer, groups=None):
    def body(name):
        return {"metadata": {"name": name}, "spec": {"signerName": signer, "request": REQUEST,
                                                     "usages": ["client auth"]}}
    return body


REQUEST = ""  # filled in by whoever makes keys
CSRS = [csr("kubernetes.io/kube-apiserver-client"), csr("kubernetes.io/kubelet-serving"),
        csr("example.com/signer"), csr("kubernetes.io/legacy-unknown")]

WAYS = ([draw_read] * 5 + [draw_list] * 5 + [draw_watch] + [draw_create] * 3 + [draw_change] * 4 + [draw_delete] * 3
        + [draw_subresource] * 3 + [draw_device] * 3 + [draw_token] * 2 + [draw_review] * 4 + [draw_grant] * 4 + [draw_path] * 3
        + [draw_unknown] + [draw_impersonation] * 2)


def draw(seed, count):
    deck = Deck(seed)
    for _ in range(count):
        yield deck.of(*WAYS)(deck)
