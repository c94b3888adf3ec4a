# SPDX-License-Identifier: Apache-2.0
"""encryption.py -- kube-apiserver and `listwatch serve` on one etcd, with the same encryption
configuration: each must read what the other has encrypted, with every provider."""

import base64
import json
import os
import tempfile

from bench import MERGE, config_map, custom, definition
from etcd import Cluster
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from program import wait_until

SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"},
          "stringData": {"password": "opensesame"}}


class Kind:
    """A resource, the provider that encrypts it, and one of it."""

    def __init__(self, provider, name, path, key, example):
        self.provider, self.name, self.path, self.key = provider, name, path, key
        self.example = example

    def prefix(self):
        return f"k8s:enc:{self.provider}:v1:key1:".encode()


KINDS = [
    Kind("aesgcm", "secrets", "/api/v1/namespaces/default/secrets", "/registry/secrets/default/",
         SECRET),
    Kind("aescbc", "configmaps", "/api/v1/namespaces/default/configmaps",
         "/registry/configmaps/default/", config_map("settings", "default", k="v")),
    Kind("secretbox", "widgets.example.com", "/apis/example.com/v1/namespaces/default/widgets",
         "/registry/example.com/widgets/default/", custom("Widget", "gear", 1, "default")),
]


def configuration():
    entries = []
    for kind in KINDS:
        keys = [{"name": "key1", "secret": base64.b64encode(os.urandom(32)).decode()}]
        entries.append({"resources": [kind.name],
                        "providers": [{kind.provider: {"keys": keys}}, {"identity": {}}]})
    return {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration",
            "resources": entries}


class Scene:
    """One etcd and both servers."""

    def __init__(self, build, apiserver, etcd_program):
        self.etcd = self.kube = self.ours = None
        handle, self.file = tempfile.mkstemp()  # for its owner only
        os.write(handle, json.dumps(configuration()).encode())
        os.close(handle)
        options = ["--encryption-provider-config", self.file]
        try:
            self.etcd = Cluster(1, etcd_program).start()
            self.kube = KubeApiserver(apiserver, etcd=self.etcd,
                                      storage_media_type="application/json", options=options)
            self.kube.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                           definition("widgets", "Widget"))
            wait_until(lambda: self.kube.request("GET", KINDS[2].path)[0] == 200, 60,
                       "kube-apiserver has widgets")
            self.ours = ListwatchServe(build / "listwatch", self.etcd, options=options)
        except BaseException:
            self.remove()
            raise

    def servers(self):
        return [server for server in (self.kube, self.ours) if server]

    def run(self, check):
        check(self)

    def remove(self):
        for server in self.servers():
            server.remove()
        if self.etcd:
            self.etcd.stop()
        os.unlink(self.file)


def named(kind, name):
    example = json.loads(json.dumps(kind.example))
    example["metadata"]["name"] = name
    return example


def handed_over(scene, writer, reader, name):
    for kind in KINDS:
        made = writer.call("POST", kind.path, named(kind, name))
        stored = scene.etcd.read(kind.key + name)[kind.key + name][1]
        assert stored.startswith(kind.prefix()), (kind.name, stored[:40])
        one = f"{kind.path}/{name}"
        wait_until(lambda one=one: reader.request("GET", one)[0] == 200, 30,
                   f"{reader.name} has {one}")
        read = reader.call("GET", one)
        for member in ("data", "spec"):
            assert read.get(member) == made.get(member), (kind.name, read, made)
        changed = reader.call("PATCH", one, {"metadata": {"labels": {"by": "reader"}}}, MERGE)
        stored = scene.etcd.read(kind.key + name)[kind.key + name][1]
        assert stored.startswith(kind.prefix()), (kind.name, stored[:40])
        revision = changed["metadata"]["resourceVersion"]
        wait_until(lambda one=one, revision=revision: writer.call("GET", one)["metadata"][
            "resourceVersion"] == revision, 30, f"{writer.name} has the change")


def listwatch_reads_what_kube_apiserver_has_encrypted(scene):
    handed_over(scene, scene.kube, scene.ours, "by-kube")


def kube_apiserver_reads_what_listwatch_has_encrypted(scene):
    handed_over(scene, scene.ours, scene.kube, "by-listwatch")


def both_read_everything_after_a_restart(scene):
    for server in scene.servers():
        server.restart()
    for kind in KINDS:
        for server in scene.servers():  # kube-apiserver says 429 until a custom kind is loaded
            wait_until(lambda: server.request("GET", kind.path)[0] != 429, 60,
                       f"{server.name} has loaded {kind.path}")
        theirs, mine = (sorted(item["metadata"]["name"] for item in server.call(
            "GET", kind.path)["items"]) for server in scene.servers())
        assert mine == theirs and {"by-kube", "by-listwatch"} <= set(mine), (mine, theirs)


CHECKS = [
    listwatch_reads_what_kube_apiserver_has_encrypted,
    kube_apiserver_reads_what_listwatch_has_encrypted,
    both_read_everything_after_a_restart,
]
