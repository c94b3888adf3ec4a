# SPDX-License-Identifier: Apache-2.0
"""checks_openapi.py -- the OpenAPI documents, read by Go and held against those of Kubernetes."""

import json
import subprocess
from pathlib import Path

from bench import definition
from checks_custom import DEFINITIONS
from client_builds import HERE, need, run
from program import Skip, note


def openapi_documents_are_what_go_makes_of_them(b):
    """Both forms of /openapi/v2 say the same, and every schema and reference can be read."""
    b.server.call("POST", DEFINITIONS, definition("rulers", "Ruler"))
    try:
        done = subprocess.run([*b.builds.get("go"), "openapi"], env=b.env, text=True,
                              capture_output=True, timeout=120)
        assert done.returncode == 0, (done.stdout[-500:], done.stderr[-500:])
    finally:
        b.server.call("DELETE", DEFINITIONS + "/rulers.example.com")


RULES = ("$ref", "type", "format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
         "x-kubernetes-map-type", "x-kubernetes-patch-strategy", "x-kubernetes-patch-merge-key")
# Fields whose struct is atomic, or that are maps, and are said to be granular all the same.
GRANULAR = {("PersistentVolumeClaimStatus", "allocatedResourceStatuses"),
            ("PersistentVolumeSpec", "claimRef")}


def shape(schema):
    """What a schema says, but for its words."""
    said = {key: schema[key] for key in RULES if key in schema}
    for key in ("items", "additionalProperties"):
        if key in schema:
            said[key] = shape(schema[key])
    return said


def model_differences(name, ours, theirs):
    """Where a model is not the published one."""
    found = []
    if set(ours.get("required", [])) != set(theirs.get("required", [])):
        found.append((name, "required", ours.get("required"), theirs.get("required")))
    mine, other = ours.get("properties", {}), theirs.get("properties", {})
    for key in mine.keys() | other.keys():
        pair = shape(mine.get(key, {})), shape(other.get(key, {}))
        if (name.rpartition(".")[2], key) in GRANULAR:
            pair[1].pop("x-kubernetes-map-type")
        if (key in mine) != (key in other) or pair[0] != pair[1]:
            found.append((name, key, *pair))
    if shape(ours) != shape(theirs):
        found.append((name, shape(ours), shape(theirs)))
    return found


def openapi_models_are_those_of_kubernetes(b):
    """Every built-in model of /openapi/v2 against the document that Kubernetes publishes."""
    need("go", "the sources of Kubernetes")
    folder = run("the sources of Kubernetes cannot be had", "go", "list", "-m", "-f", "{{.Dir}}",
                 "k8s.io/kubernetes", cwd=HERE / "apiserver").strip()
    if not folder:
        raise Skip("the sources of Kubernetes are not there; make interop fetches them")
    published = json.loads((Path(folder) / "api/openapi-spec/swagger.json").read_text())
    ours = b.server.call("GET", "/openapi/v2")["definitions"]
    builtin = {name: model for name, model in ours.items() if name.startswith("io.k8s.")}
    strange = [name for name in builtin if name not in published["definitions"]]
    assert not strange, strange
    found = [one for name, model in builtin.items()
             for one in model_differences(name, model, published["definitions"][name])]
    assert not found, found[:5]
    note(f"{len(builtin)} models")


CHECKS = [
    openapi_models_are_those_of_kubernetes,
    openapi_documents_are_what_go_makes_of_them,
]
