# SPDX-License-Identifier: Apache-2.0
"""crd.py -- the custom resource of the sequences: a schema with defaults and limits, status, scale,
columns, a field to select by."""

from program import wait_until

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GADGETS = "/apis/differential.example/v1/namespaces/{{ns}}/gadgets"

SCHEMA = {
    "type": "object",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 10},
                "color": {"type": "string", "enum": ["red", "green"], "default": "red"},
                "code": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
                "replicas": {"type": "integer"},
                "parts": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "map",
                          "x-kubernetes-list-map-keys": ["name"],
                          "items": {"type": "object", "required": ["name"], "properties": {
                              "name": {"type": "string"},
                              "count": {"type": "integer", "default": 1}}}},
                "tags": {"type": "array", "x-kubernetes-list-type": "set",
                         "items": {"type": "string"}},
                "port": {"x-kubernetes-int-or-string": True},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "maybe": {"type": "string", "nullable": True}}},
        "status": {"type": "object", "properties": {
            "ready": {"type": "integer"}, "phase": {"type": "string"}}}}}

DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "gadgets.differential.example"},
    "spec": {
        "group": "differential.example", "scope": "Namespaced",
        "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget",
                  "listKind": "GadgetList", "shortNames": ["gd"]},
        "versions": [{
            "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA},
            "subresources": {"status": {}, "scale": {
                "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.ready"}},
            "selectableFields": [{"jsonPath": ".spec.color"}],
            "additionalPrinterColumns": [
                {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}]}}


def define(server):
    """Makes the definition and waits until it is served."""
    server.call("POST", DEFINITIONS, DEFINITION)
    path = GADGETS.replace("{{ns}}", "default")
    wait_until(lambda: server.request("GET", path)[0] == 200, 60, "gadgets are served")
