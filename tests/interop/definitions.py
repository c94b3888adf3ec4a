#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""definitions.py -- public CustomResourceDefinitions, from Go modules, created on `listwatch serve`:
a part of `make interop`.

    definitions.py --build FOLDER --interop FOLDER [WORD...]   the program; unused; words of the
                                                               checks to run

kube-apiserver accepts all of them.  Each is created in a dry run and for real, established, and
deleted.  Prints TAP, one line per module; the last line counts.  A module that cannot be downloaded
is skipped, and the line says why."""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from listwatch_serve import ListwatchServe
from program import Skip, note, wait_until
from run import Count, skip_all

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ESTABLISHED_S = 30

# What is looked at in each module: the folders whose paths match.
MODULES = [
    ("Gateway API", "sigs.k8s.io/gateway-api@v1.6.0", r"^config/crd/(standard|experimental)$"),
    ("Karpenter", "sigs.k8s.io/karpenter@v1.14.0", r"^pkg/apis/crds$"),
    ("Kueue", "sigs.k8s.io/kueue@v0.19.2", r"^config/components/crd/bases$"),
    ("JobSet", "sigs.k8s.io/jobset@v0.12.0", r"^config/components/crd/bases$"),
    ("Crossplane", "github.com/crossplane/crossplane/v2@v2.3.4", r"^cluster/crds$"),
    ("Cluster API", "sigs.k8s.io/cluster-api@v1.14.2", r"config/crd/bases$"),
    ("cert-manager", "github.com/cert-manager/cert-manager@v1.21.2", r"^deploy/crds$"),
    ("Istio", "istio.io/api@v1.31.1", r"^kubernetes$"),
    ("KEDA", "github.com/kedacore/keda/v2@v2.21.0", r"^config/crd/bases$"),
    ("Cilium", "github.com/cilium/cilium@v1.20.2", r"^pkg/k8s/apis/cilium.io/client/crds/v2(alpha1)?$"),
    ("Kyverno", "github.com/kyverno/kyverno@v1.19.1", r"^config/crds/"),
    ("Knative Serving", "knative.dev/serving@v0.51.0", r"^config/core/300-resources$"),
]


def download(module):
    """The folder of |module|."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(["go", "mod", "download", "-json", module], cwd=scratch,
                              capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        answer = {"Error": done.stderr}
    if "Dir" not in answer:
        reason = " ".join(answer.get("Error", "no answer").split())
        raise Skip(f"{module} cannot be downloaded: {reason}")
    return Path(answer["Dir"])


def documents(folder, pattern):
    """The definitions in the files of |folder| whose paths match, as YAML."""
    for path in sorted(folder.rglob("*.yaml")):
        if not re.search(pattern, path.parent.relative_to(folder).as_posix()):
            continue
        for text in re.split(r"^---.*$", path.read_text(), flags=re.MULTILINE):
            if re.search(r"^kind: CustomResourceDefinition\s*$", text, re.MULTILINE):
                yield path.relative_to(folder).as_posix(), text


def is_established(definition):
    return any(condition["type"] == "Established" and condition["status"] == "True"
               for condition in definition.get("status", {}).get("conditions", []))


def create(server, text):
    """Creates one definition and deletes it again.  Returns what the server said against it."""
    for query in ("?dryRun=All", ""):
        status, said = server.request("POST", DEFINITIONS + query, text, "application/yaml")
        if status != 201:
            return f"{status} {json.loads(said).get('message', said)}"
    path = f"{DEFINITIONS}/{json.loads(said)['metadata']['name']}"
    wait_until(lambda: is_established(server.call("GET", path)), ESTABLISHED_S, f"{path} established")
    server.call("DELETE", path)
    wait_until(lambda: server.request("GET", path)[0] == 404, ESTABLISHED_S, f"{path} deleted")
    return None


class Scene:
    """The server that all are created on."""

    def __init__(self, program):
        self.server = ListwatchServe(program)

    def run(self, check):
        check(self.server)


def check_of(module, pattern):
    def check(server):
        count, refused = 0, []
        for path, text in documents(download(module), pattern):
            said = create(server, text)
            count += 1
            if said:
                refused.append(f"{path}: {said}")
        note(f"{module}: {count - len(refused)} of {count} definitions created")
        assert count > 0, f"{module} has no definitions in {pattern}"
        assert not refused, "\n".join(refused)
    return check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    named = [(f"listwatch serve: definitions of {title}", check_of(module, pattern))
             for title, module, pattern in MODULES]
    chosen = [(name, check) for name, check in named
              if not options.words or any(word in name for word in options.words)]
    if not chosen:
        return 0
    if not shutil.which("go"):
        skip_all("there is no go in PATH to download modules with")
    scene, count = Scene(options.build / "listwatch"), Count()
    try:
        for name, check in chosen:
            count.run(scene, check, name)
    finally:
        scene.server.remove()
    print(f"1..{len(chosen)}")
    print(f"{count.passed} passed, {count.failed} failed, {count.skipped} skipped")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
