# SPDX-License-Identifier: Apache-2.0
"""kubelet_cluster.py -- a server and a node whose kubelet is a stub, for tests."""

import json
import os

from serving import Server
from stub_kubelet import Kubelet
from stub_server import Authority

PODS = "/api/v1/namespaces/default/pods"


class Cluster(Server):
    """A server, a node with a stub as its kubelet, and pods on it."""

    def __init__(self, program, *options, kubelet=Kubelet):
        super().__init__(program, options=options)
        self.stub = kubelet
        self.authority = Authority(self.folder, "kubelet-ca")
        self.cert = self.authority.issue("kubelet", "/CN=kubelet", "IP:127.0.0.1")
        self.kubelet = None

    def start(self):
        super().start()
        self.kubelet = self.stub(self.cert, os.path.join(self.folder, "data/pki/ca.crt"))
        self.make("/api/v1/nodes", {
            "metadata": {"name": "n"},
            "status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                       "daemonEndpoints": {"kubeletEndpoint": {"Port": self.kubelet.port}}}})
        self.make_pod("web", ["c"], nodeName="n")
        self.make_pod("two", ["a", "b"], nodeName="n")
        self.make_pod("waiting", ["c"])
        self.make("/api/v1/nodes", {"metadata": {"name": "h", "annotations": {
            "listwatch.io/hollow": "running"}}})
        self.make_pod("hollow", ["c"], nodeName="h")
        return self

    def make(self, path, body):
        code, made = self.call("POST", path, body)
        assert code == 201, made

    def make_pod(self, name, containers, **spec):
        self.make(PODS, {"metadata": {"name": name}, "spec": {
            "automountServiceAccountToken": False,
            "containers": [{"name": one, "image": "i"} for one in containers], **spec}})

    def get(self, path, method="GET", body=None, headers=(), port=None):
        """The status and the text."""
        connection = self.connect()
        connection.request(method, path, body, dict(headers))
        reply = connection.getresponse()
        answer = reply.read().decode()
        self.location = reply.getheader("Location")
        connection.close()
        return reply.status, answer

    def message(self, path):
        """The status and the message of a Status."""
        code, text = self.get(path)
        return code, json.loads(text)["message"]

    def remove(self):
        if self.kubelet:
            self.kubelet.close()
        super().remove()


def with_cluster(program, work, *options, kubelet=Kubelet):
    cluster = Cluster(program, *options, kubelet=kubelet)
    try:
        work(cluster.start())
    finally:
        cluster.remove()
