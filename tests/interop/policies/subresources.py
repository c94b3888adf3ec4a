# SPDX-License-Identifier: Apache-2.0
"""subresources.py -- policies that match scales, bindings, evictions and tokens: what is created or
updated below an object, and not the object."""

from policies import cases

GRACE = ('[JSONPatch{op: "add", path: "/deleteOptions", '
         'value: Object.deleteOptions{gracePeriodSeconds: 0}}]')


def mutating(group, resource, operation, expression, **more):
    return cases.mutating(expression, rules=[cases.rule([resource], [operation], group)], **more)


def validating(group, resource, operation, expression):
    return cases.validating(expression, rules=[cases.rule([resource], [operation], group)])


def scale(replicas):
    return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "d"},
            "spec": {"replicas": replicas}}


def binding(node):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"},
            "target": {"kind": "Node", "name": node}}


EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
         "spec": {"audiences": ["a"], "expirationSeconds": 1000}}

SCALE = ("PUT", "deployments/d/scale", scale(5))
PATCH = ("PATCH", "deployments/d/scale", {"spec": {"replicas": 7}})
SEE = ("GET", "deployments/d", None)
BIND = ("POST", "pods/p/binding", binding("n"))
EVICT = ("POST", "pods/p/eviction", EVICTION)
POD = ("GET", "pods/p", None)
ASK = ("POST", "serviceaccounts/s/token", TOKEN)

# Name: kind, policy, requests.
CASES = {
    "scale": ("Mutating", mutating("apps", "deployments/scale", "UPDATE",
                                   '[JSONPatch{op: "replace", path: "/spec/replicas", value: 2}]'),
              [SCALE, SEE, PATCH, SEE]),
    "scale-sees": ("Mutating", mutating(
        "apps", "deployments/scale", "UPDATE",
        '[JSONPatch{op: "replace", path: "/spec/replicas", value: oldObject.spec.replicas + 1}]',
        matchConditions=[{"name": "m", "expression": 'request.kind.kind == "Scale" && '
                          'request.resource.resource == "deployments" && '
                          'request.subResource == "scale" && object.kind == "Scale"'}]),
                   [SCALE, SEE, PATCH, SEE]),
    "scale-invalid": ("Mutating", mutating(
        "apps", "deployments/scale", "UPDATE",
        '[JSONPatch{op: "replace", path: "/spec/replicas", value: -1}]'), [SCALE, SEE]),
    "scale-fails": ("Mutating", mutating(
        "apps", "deployments/scale", "UPDATE",
        '[JSONPatch{op: "replace", path: "/spec/replicas", value: object.spec.nothing}]'),
                    [SCALE, SEE]),
    "binding": ("Mutating", mutating(
        "", "pods/binding", "CREATE",
        '[JSONPatch{op: "replace", path: "/target/name", value: object.target.name + "2"}, '
        'JSONPatch{op: "add", path: "/metadata/annotations", value: {"by": "policy"}}]'),
                [BIND, POD]),
    "binding-applied": ("Mutating", mutating(
        "", "pods/binding", "CREATE", 'Object{metadata: Object.metadata{labels: {"x": "y"}}}'),
                        [BIND, POD]),
    "eviction": ("Mutating", mutating("", "pods/eviction", "CREATE", GRACE), [EVICT, POD]),
    "token": ("Mutating", mutating(
        "", "serviceaccounts/token", "CREATE",
        '[JSONPatch{op: "replace", path: "/spec/expirationSeconds", value: 2000}, '
        'JSONPatch{op: "add", path: "/spec/audiences/-", value: "b"}]'), [ASK]),
    "scale-applied": ("Mutating", mutating(
        "apps", "deployments/scale", "UPDATE", "Object{spec: Object.spec{replicas: 2}}"),
                      [SCALE, SEE]),
    "eviction-applied": ("Mutating", mutating(
        "", "pods/eviction", "CREATE",
        "Object{deleteOptions: Object.deleteOptions{gracePeriodSeconds: 0}}"), [EVICT, POD]),
    "token-applied": ("Mutating", mutating(
        "", "serviceaccounts/token", "CREATE",
        "Object{spec: Object.spec{expirationSeconds: 3000}}"), [ASK]),
    "validated-scale": ("Validating", validating(
        "apps", "deployments/scale", "UPDATE",
        'request.kind.kind == "Scale" && request.requestKind.group == "autoscaling" && '
        "has(object.spec.replicas) && !has(object.spec.selector) && object.spec.replicas < 6"),
                        [SCALE, PATCH, SEE]),
    "validated-binding": ("Validating", validating(
        "", "pods/binding", "CREATE",
        'request.kind.kind == "Binding" && !has(object.spec) && object.target.name == "m"'),
                          [BIND, POD]),
    "validated-eviction": ("Validating", validating(
        "", "pods/eviction", "CREATE", 'request.kind.group != "policy" || has(object.spec)'),
                           [EVICT]),
}


def objects():
    """What the requests are about: resource and body."""
    return [cases.deployment(), cases.pod(),
            ("serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount",
                                 "metadata": {"name": "s"}})]
