# SPDX-License-Identifier: Apache-2.0
"""checks_streams.py -- logs, exec, attach and port-forward through the server to a stub of a
kubelet."""

import re
import socket
import socketserver
import threading

from stub_server import Authority
from stub_streams import StreamKubelet

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"


class Node:
    """A node with a stub as its kubelet, and a pod on it, for the time of a block."""

    def __init__(self, b):
        self.server = b.server
        authority = Authority(b.server.folder, "kubelet-ca")
        self.kubelet = StreamKubelet(authority.issue("kubelet", "/CN=kubelet", "IP:127.0.0.1"))

    def __enter__(self):
        port = {"kubeletEndpoint": {"Port": self.kubelet.port}}
        self.server.call("POST", NODES, {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "streams"},
            "status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                       "daemonEndpoints": port}})
        self.server.call("POST", PODS, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
            "spec": {"nodeName": "streams", "automountServiceAccountToken": False,
                     "containers": [{"name": "c", "image": "i"}]}})
        return self.kubelet

    def __exit__(self, *_):
        self.server.call("DELETE", PODS + "/web?gracePeriodSeconds=0")
        self.server.call("DELETE", NODES + "/streams")
        self.kubelet.close()


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(1 << 16):
            self.request.sendall(data)


def commands_run_in_a_pod(b):
    with Node(b):
        assert b.listwatch("exec", "-i", "web", "--", "cat", text="a\nb\n") == "a\nb\n"
        b.listwatch("attach", "-i", "web", text="")
        said = b.listwatch("exec", "web", "--", "fail", code=3)
        assert said == "it failed\ncommand terminated with exit code 3\n", said


def logs_of_a_pod_are_followed(b):
    with Node(b) as kubelet:
        assert b.listwatch("logs", "web") == "one\ntwo\nthree\n"
        assert b.listwatch("logs", "web", "--tail", "1") == "three\n"
        kubelet.more("end")
        assert b.listwatch("logs", "-f", "web") == "one\ntwo\nthree\nend\n"


def a_port_of_a_pod_is_forwarded(b):
    echo = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=echo.serve_forever, daemon=True).start()
    try:
        with Node(b):
            program = b.start(b.build / "listwatch", "port-forward", "web",
                              f":{echo.server_address[1]}")
            line = program.says("Forwarding from 127.0.0.1:")
            port = int(re.search(r"127\.0\.0\.1:(\d+)", line).group(1))
            for text in (b"hello", b"x" * 100000):
                with socket.create_connection(("127.0.0.1", port), 60) as connection:
                    connection.sendall(text)
                    back = b""
                    while len(back) < len(text):
                        back += connection.recv(1 << 16)
                    assert back == text
            b.end_all()
    finally:
        echo.shutdown()
        echo.server_close()


CHECKS = [commands_run_in_a_pod, logs_of_a_pod_are_followed, a_port_of_a_pod_is_forwarded]
