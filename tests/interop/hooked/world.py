# SPDX-License-Identifier: Apache-2.0
"""world.py -- two mutating and three validating webhooks, and five policies, the same for both
servers.  A label of the object says what they do with it: "ask" for webhooks, others for policies."""

import json
import time

from webhook_server import AdmissionServer, configuration, patch, webhook

REGISTRATION = "/apis/admissionregistration.k8s.io/v1/"
VERSION = "admissionregistration.k8s.io/v1"
READY_S = 60
SLOW_S = 0.02
PATHS = ("/m1", "/m2", "/v1", "/v2", "/v3")
GROUPS = ["", "apps", "batch", "networking.k8s.io", "coordination.k8s.io", "autoscaling",
          "policy", "differential.example"]
NOT_OURS = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                                  "values": ["default", "kube-system", "kube-public",
                                             "kube-node-lease"]}]}


def labels_of(request):
    obj = request.get("object") or request.get("oldObject") or {}
    return (obj.get("metadata") or {}).get("labels") or {}


def counted(request, name):
    """A patch that counts the calls of a webhook in an annotation."""
    notes = request["object"]["metadata"].get("annotations")
    key = f"{name}.example.com~1calls"
    number = str(int((notes or {}).get(key.replace("~1", "/"), "0")) + 1)
    first = [] if notes else [{"op": "add", "path": "/metadata/annotations", "value": {}}]
    return first + [{"op": "add", "path": f"/metadata/annotations/{key}", "value": number}]


def deny(code=None, **status):
    return {"allowed": False, "status": {**status, **({"code": code} if code else {})}}


ANSWERS = {
    "m1-denies": deny(message="m1 says no", reason="Forbidden"),
    "m1-denies-with-code": deny(409, message="m1 says no", reason="Conflict"),
    "m1-fails": (500, "m1 is broken"),
    "m1-hangs": None,
    "m2-denies": deny(message="m2 says no"),
    "m2-fails": (503, "m2 is broken"),
    "m2-garbage": (200, "not JSON"),
    "m2-empty": (200, ""),
    "m2-hangs": None,
    "m2-warns": {"allowed": True, "warnings": ["m2 warns", "twice"]},
    "v1-denies": deny(message="v1 says no", code=403),
    "v1-denies-silently": {"allowed": False},
    "v1-denies-with-reason": deny(reason="because"),
    "v1-denies-as-gone": deny(410, message="v1 says gone", reason="Gone"),
    "v1-warns": {"allowed": True, "warnings": ["v1 warns"]},
    "v1-patches": patch({"op": "add", "path": "/metadata/labels/v1", "value": "yes"}),
    "v2-fails": (500, "v2 is broken"),
    "v2-not-found": (404, "nothing here"),
    "v2-other-uid": {"allowed": True, "uid": "other"},
    "v2-denies": deny(400, message="v2 says no", reason="BadRequest"),
    "v3-hangs": None,
    "v3-denies": deny(message="v3 says no"),
    "v3-wrong-kind": (200, json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "Other"})),
}
WISHES = sorted(ANSWERS) + ["m2-patches", "m1-bad-patch", "skip"]


def answer(path, request):
    name, wish = path.strip("/"), labels_of(request).get("ask", "")
    if name == "m2":
        time.sleep(SLOW_S)  # it is the slow one
    if wish.startswith(name + "-") and wish in ANSWERS:
        return ANSWERS[wish]
    if request["object"] is None or "metadata" not in request["object"] or name[0] == "v":
        return {"allowed": True}
    if name == "m1" and wish == "m1-bad-patch":
        return patch({"op": "remove", "path": "/not/there"})
    if name == "m1":
        return patch(*counted(request, "m1"))
    if wish == "m2-patches":
        return patch(*counted(request, "m2"),
                     {"op": "add", "path": "/metadata/labels/m2", "value": "yes"})
    return {"allowed": True}


def rules(*operations, resources=("*", "*/status", "*/scale")):
    """Not of what kube-apiserver itself writes through its own API: IPAddresses of Services."""
    return [{"apiGroups": GROUPS, "apiVersions": ["*"], "resources": list(resources),
             "operations": list(operations), "scope": "Namespaced"}]


def webhooks(hook):
    def one(path, **settings):
        return webhook(hook, f"{path.strip('/')}.example.com", path, **{
            "namespaceSelector": NOT_OURS, "timeoutSeconds": 1,
            "rules": rules("CREATE", "UPDATE", "DELETE"), **settings})
    return [
        configuration("Mutating", "first", one("/m1", reinvocationPolicy="IfNeeded",
                                               rules=rules("CREATE", "UPDATE", "DELETE",
                                                           resources=["*"]))),
        configuration("Mutating", "second", one(
            "/m2", failurePolicy="Ignore", rules=rules("CREATE", "UPDATE", resources=["*"]),
            objectSelector={"matchExpressions": [{"key": "ask", "operator": "Exists"}]})),
        configuration(
            "Validating", "checks", one("/v1"),
            one("/v2", sideEffects="NoneOnDryRun", matchConditions=[
                {"name": "not-skipped", "expression":
                 "object == null || !has(object.metadata.labels) || !('ask' in object.metadata.labels)"
                 " || object.metadata.labels['ask'] != 'skip'"},
                {"name": "not-status", "expression": "!has(request.subResource) || request.subResource != 'status'"}]),
            one("/v3", matchPolicy="Equivalent", admissionReviewVersions=["v1beta1", "v1"])),
    ]


def labelled(key, of="object"):
    return f"has({of}.metadata.labels) && '{key}' in {of}.metadata.labels"


def policy(kind, name, spec, operations=("CREATE", "UPDATE"), binding=None):
    constraints = {"resourceRules": rules(*operations, resources=["*"]),
                   "namespaceSelector": NOT_OURS}
    made = {"apiVersion": VERSION, "kind": f"{kind}AdmissionPolicy", "metadata": {"name": name},
            "spec": {"matchConstraints": constraints, **spec}}
    bound = {"apiVersion": VERSION, "kind": f"{kind}AdmissionPolicyBinding",
             "metadata": {"name": name}, "spec": {"policyName": name, **(binding or {})}}
    plural = f"{kind.lower()}admissionpolic"
    return [(plural + "ies", made), (plural + "ybindings", bound)]


POLICIES = (
    policy("Validating", "p1", {"variables": [{"name": "has", "expression": labelled("p1")}],
                                "validations": [{
        "expression": "!variables.has",
        "messageExpression": "'p1 refuses ' + object.metadata.labels['p1']"}]},
           binding={"validationActions": ["Deny"]})
    + policy("Validating", "p2", {"validations": [
        {"expression": f"!({labelled('p2')})", "message": "p2 warns"},
        {"expression": f"!({labelled('p2')}) || object.metadata.labels['p2'] != 'y'"}]},
             binding={"validationActions": ["Warn", "Audit"]})
    + policy("Validating", "p3", {"matchConditions": [
        {"name": "kept", "expression": labelled("keep", "oldObject")}], "validations": [
            {"expression": "request.userInfo.username == 'nobody'", "message": "it is kept",
             "reason": "Forbidden"}]}, ["DELETE"], {"validationActions": ["Deny"]})
    + policy("Mutating", "p4", {"failurePolicy": "Fail", "reinvocationPolicy": "IfNeeded",
                                "matchConditions": [{"name": "m2", "expression": labelled("m2")}],
                                "mutations": [{
        "patchType": "ApplyConfiguration", "applyConfiguration": {
            "expression": "Object{metadata: Object.metadata{labels: {'p4': 'yes'}}}"}}]})
    + policy("Mutating", "p5", {"failurePolicy": "Fail", "reinvocationPolicy": "Never",
                                "matchConditions": [{"name": "p5", "expression": labelled("p5")}],
                                "mutations": [{
        "patchType": "JSONPatch", "jsonPatch": {"expression":
            "[JSONPatch{op: 'add', path: '/metadata/labels/p5-seen', value: 'yes'}]"}}]})
)


def not_in_force(server, hook):
    """Which of them have not seen an object, or not changed it."""
    hook.asked.clear()
    connection, reply = server.open(
        "POST", "/api/v1/namespaces/hooked/configmaps?dryRun=All",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": "probe", "labels": {"ask": "m2-patches", "m2": "y", "p2": "x", "p5": "x"}}})
    body, warnings = json.loads(reply.read()), str(reply.headers.get_all("Warning"))
    connection.close()
    seen = {path.split("?")[0] for path, _, _ in hook.asked}
    labels = body.get("metadata", {}).get("labels", {})
    refused, _ = server.request("POST", "/api/v1/namespaces/hooked/configmaps?dryRun=All", {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "probe", "labels": {"p1": "x"}}})
    kept, _ = server.request("DELETE", "/api/v1/namespaces/hooked/configmaps/kept?dryRun=All")
    missing = sorted(set(PATHS) - seen) + [name for name, is_there in (
        ("p1", refused == 422), ("p2", "p2 warns" in warnings), ("p3", kept == 403),
        ("p4", "p4" in labels), ("p5", "p5-seen" in labels)) if not is_there]
    return f"{missing}: {body.get('message')}" if missing else ""


def establish(server, hook):
    """All of it; returns when the server uses it."""
    server.call("POST", "/api/v1/namespaces", {"metadata": {"name": "hooked"}})
    server.call("POST", "/api/v1/namespaces/hooked/configmaps", {
        "metadata": {"name": "kept", "labels": {"keep": "y"}}})
    for one in webhooks(hook):
        server.call("POST", REGISTRATION + one["kind"].lower() + "s", one)
    for plural, one in POLICIES:
        server.call("POST", REGISTRATION + plural, one)
    deadline = time.monotonic() + READY_S
    in_force = 0
    while in_force < 5:  # its caches follow one after the other
        missing = not_in_force(server, hook)
        in_force = 0 if missing else in_force + 1
        assert time.monotonic() < deadline, f"{server.name} does not use {missing}"
    hook.asked.clear()


def make_hook():
    return AdmissionServer(answer)
