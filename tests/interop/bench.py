# SPDX-License-Identifier: Apache-2.0
"""bench.py -- what a check works with: a server, our programs with a kubeconfig for it, objects."""

import json
import os
import subprocess

from program import Program, wait_until

MERGE = "application/merge-patch+json"
MAPS = "/api/v1/namespaces/default/configmaps"
ALL_MAPS = "/api/v1/configmaps"


class Bench:
    def __init__(self, build, server):
        self.build = build
        self.server = server
        self.running = []
        self.use_token(server.token)

    def use_token(self, token):
        self.server.token = token
        self.env = self.env_with("admin.json", token=token)

    def env_with(self, name, **user):
        """An environment whose kubeconfig, in a file |name|, is for |user|."""
        return dict(os.environ, KUBECONFIG=self.server.kubeconfig(name, **user))

    def listwatch(self, *words, text=None, code=0, env=None):
        done = subprocess.run([self.build / "listwatch", *words], env=env or self.env, input=text,
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == code, (words, done.returncode, done.stdout[-500:], done.stderr)
        return done.stdout if code == 0 else done.stderr

    def apply(self, *objects):
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        return self.listwatch("apply", "-f", "-", text=json.dumps(items))

    def start(self, *command, env=None, stdin=None):
        program = Program([str(word) for word in command], env or self.env, stdin)
        self.running.append(program)
        return program

    def watch(self, *words, env=None):
        return self.start(self.build / "listwatch", "watch", *words, "--stats", "json", env=env)

    def example(self, name, *words, stdin=None):
        return self.start(self.build / "examples" / name, *words, stdin=stdin)

    def agrees(self, watch, path, seconds=60):
        """Waits until the informer holds exactly what a fresh list shows."""
        wait_until(lambda: watch.cache() == self.server.list(path), seconds,
                   f"the informer agrees with a list of {path}; {watch.errors[-3:]}")

    def end_all(self):
        for program in self.running:
            if program.process.poll() is None:
                program.process.kill()
                program.process.wait()
        self.running.clear()


def config_map(name, ns="default", labels=None, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": ns, "labels": labels or {}}, "data": data}


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod(name, ns="default", **labels):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": ns, "labels": labels},
            "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "nothing"}]}}


def event(name, ns="default", message=""):
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": ns},
            "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": ns, "name": "web-1"},
            "reason": "Interop", "message": message, "type": "Normal",
            "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z"}


def definition(plural, kind, *short_names):
    """A CustomResourceDefinition of the group example.com whose objects have a number spec.size."""
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": plural, "singular": kind.lower(), "kind": kind,
                               "shortNames": list(short_names)},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                             "type": "object", "properties": {"size": {"type": "integer"}}}}}}}]}}


def custom(kind, name, size, ns="default"):
    return {"apiVersion": "example.com/v1", "kind": kind,
            "metadata": {"name": name, "namespace": ns}, "spec": {"size": size}}
