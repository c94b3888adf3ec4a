#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kubelet_test.py -- logs, exec, attach, port forwarding and proxies, with a stub of a kubelet.
usage: kubelet_test.py LISTWATCH KUBECTL_FOLDER"""

import base64
import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import time

from kubectl import KUBECTL, kubectl
from kubelet_cluster import PODS, with_cluster
from serving import Follower, run_tests
from stub_server import Authority

EXEC = PODS + "/web/exec?command=cat&stdin=1&stdout=1&stderr=1"


def logs_come_from_the_kubelet(program):
    def work(cluster):
        assert cluster.get(PODS + "/web/log") == (200, "one\ntwo\nthree\n")
        code, text = cluster.get(PODS + "/web/log?tailLines=1&timestamps=true&sinceSeconds=9"
                                 "&container=c&pretty=true")
        assert (code, text) == (200, "three\n"), text
        seen = cluster.kubelet.await_asked(lambda one: "tailLines" in one.path)
        assert seen.path == \
            "/containerLogs/default/web/c?timestamps=true&sinceSeconds=9&tailLines=1", seen.path
        assert seen.name == "kube-apiserver-kubelet-client", seen.name
        assert cluster.get(PODS + "/waiting/log") == (200, "")
        assert cluster.message(PODS + "/web/log?previous=true") == \
            (400, 'previous terminated container "c" in pod "p" not found')
    with_cluster(program, work)


def wrong_requests_are_refused_in_the_words_of_kube_apiserver(program):
    def work(cluster):
        for path, code, message in (
                ("/two/log", 400, "a container name must be specified for pod two, choose one of: "
                                  "[a b]"),
                ("/web/log?container=x", 400, "container x is not valid for pod web"),
                ("/gone/log", 404, 'pods "gone" not found'),
                ("/web/log?tailLines=-1", 422, 'PodLogOptions "web" is invalid: tailLines: Invalid '
                                               "value: -1: must be greater than or equal to 0"),
                ("/waiting/exec?command=x", 400, "pod waiting does not have a host assigned"),
                ("/web/exec?command=x", 400, "Upgrade request required"),
                ("/hollow/log", 503, "h is a hollow node, which runs no containers and has no "
                                     "kubelet"),
                ("/web:x:y:z/proxy/", 400, 'invalid pod request "web:x:y:z"'),
                ("/web/proxy/", 400, "address not allowed")):
            assert cluster.message(PODS + path) == (code, message), cluster.message(PODS + path)
        assert cluster.get(PODS + "/web/log", "POST")[0] == 405
        assert cluster.message("/api/v1/nodes/n/proxy/pods") == (400, "address not allowed")
        assert cluster.message("/api/v1/namespaces/default/services/none/proxy/") == \
            (404, 'services "none" not found')
    with_cluster(program, work)


def a_kubelet_of_another_ca_is_not_asked(program):
    folder = subprocess.run(["mktemp", "-d"], capture_output=True, text=True).stdout.strip()
    other = Authority(folder, "other-ca")

    def work(cluster):
        code, message = cluster.message(PODS + "/web/log")
        assert code == 500 and "certificate" in message, (code, message)
        assert message.startswith(f'Get "https://127.0.0.1:{cluster.kubelet.port}/containerLogs/'
                                  'default/web/c": '), message
        assert cluster.get(PODS + "/web/log?insecureSkipTLSVerifyBackend=true")[0] == 200
    with_cluster(program, work, "--kubelet-certificate-authority", other.cert)
    subprocess.run(["rm", "-r", folder], check=True)


def a_kubelet_that_hangs_is_given_up(program):
    def work(cluster):
        code, message = cluster.message("/api/v1/nodes/n/proxy/hang")
        assert code == 504 and "did not answer in time" in message, (code, message)
    with_cluster(program, work, "--kubelet-timeout", "1s", "--proxy-any-address")


def proxies_pass_methods_paths_and_bodies(program):
    def work(cluster):
        code, text = cluster.get("/api/v1/nodes/n/proxy/some/path%2Fx?a=b", "PUT", "body",
                                 [("Content-Type", "text/plain")])
        seen = json.loads(text)
        assert (code, seen["path"], seen["method"], seen["body"]) == \
            (200, "/some/path%2Fx?a=b", "PUT", "body"), text
        assert seen["client"] == "kube-apiserver-kubelet-client", seen
        assert cluster.get("/api/v1/nodes/n/proxy?q=1")[0] == 301
        assert cluster.location == "/api/v1/nodes/n/proxy/?q=1", cluster.location
        port = cluster.kubelet.port
        code, pod = cluster.call("GET", PODS + "/web")
        pod["status"] = {"podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]}
        code, text = cluster.call("PUT", PODS + "/web/status", pod)
        assert code == 200, text
        code, text = cluster.get(f"{PODS}/https:web:{port}/proxy/a/b/")
        assert (code, json.loads(text)["path"]) == (200, "/a/b/"), text
        assert json.loads(text)["client"] is None, text
        cluster.make("/api/v1/namespaces/default/services", {
            "metadata": {"name": "s"}, "spec": {"ports": [{"port": 443, "name": "web"}]}})
        cluster.make("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
            "metadata": {"name": "s-1", "labels": {"kubernetes.io/service-name": "s"}},
            "addressType": "IPv4", "ports": [{"name": "web", "port": port}],
            "endpoints": [{"addresses": ["127.0.0.1"]}]})
        for name in ("https:s:443", "https:s:web", "https%3As%3Aweb"):
            code, text = cluster.get(f"/api/v1/namespaces/default/services/{name}/proxy/x")
            assert (code, json.loads(text)["path"]) == (200, "/x"), text
        assert cluster.message("/api/v1/namespaces/default/services/s:81/proxy/x") == \
            (503, 'no service port 81 found for service "s"')
    with_cluster(program, work, "--proxy-any-address")


class Browser:
    """The client's side of a WebSocket to the server."""

    def __init__(self, cluster, path, protocol, token=None):
        self.socket = socket.create_connection(("127.0.0.1", cluster.tls_port if token
                                                else cluster.port), timeout=30)
        if token:
            context = ssl._create_unverified_context()
            self.socket = context.wrap_socket(self.socket)
            bearer = base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
            protocol = f"base64url.bearer.authorization.k8s.io.{bearer}, {protocol}"
        self.file = self.socket.makefile("rb")
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Sec-WebSocket-Protocol: {protocol}\r\n\r\n".encode())
        self.status = int(self.file.readline().split()[1])
        self.headers = http.client.parse_headers(self.file)

    def send(self, data):
        mask = b"\1\2\3\4"
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        self.socket.sendall(bytes([0x82, 0x80 | len(data)]) + mask + masked)

    def receive(self):
        """The next message; b"" at the end."""
        head = self.file.read(2)
        return self.file.read(head[1]) if len(head) == 2 and head[0] & 15 == 2 else b""

    def close(self):
        self.file.close()
        self.socket.close()


def exec_by_websocket_is_tunnelled(program):
    def work(cluster):
        for protocol in ("v4.channel.k8s.io", "v5.channel.k8s.io"):
            browser = Browser(cluster, EXEC, protocol)
            assert browser.status == 101, browser.status
            assert browser.headers["Sec-WebSocket-Protocol"] == protocol
            browser.send(b"\0hello ")
            browser.send(b"\0world\n")
            assert browser.receive() == b"\1hello world\n"
            assert json.loads(browser.receive()[1:])["status"] == "Success"
            assert browser.receive() == b""
            browser.close()
        seen = cluster.kubelet.await_asked(lambda one: one.path.startswith("/exec/"))
        assert seen.path == "/exec/default/web/c?input=1&output=1&error=1&command=cat", seen.path
    with_cluster(program, work)


def who_may_only_read_cannot_run_commands(program):
    def work(cluster):
        rbac = "/apis/rbac.authorization.k8s.io/v1/"
        token = "bob-token"
        role = {"metadata": {"name": "peek"}, "rules": [
            {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get"]}]}
        cluster.make(rbac + "clusterroles", role)
        cluster.make(rbac + "clusterrolebindings", {
            "metadata": {"name": "peek"}, "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "peek"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
                          "name": "bob"}]})
        browser = Browser(cluster, EXEC, "v5.channel.k8s.io", token)
        length = int(browser.headers["Content-Length"])
        status = json.loads(browser.file.read(length))
        assert status["message"] == 'pods "web" is forbidden: User "bob" cannot create resource ' \
            '"pods/exec" in API group "" in the namespace "default"', status
        browser.close()
        _, found = cluster.call("GET", rbac + "clusterroles/peek")
        found["rules"][0]["verbs"].append("create")
        assert cluster.call("PUT", rbac + "clusterroles/peek", found)[0] == 200
        browser = Browser(cluster, EXEC, "v5.channel.k8s.io", token)
        assert browser.status == 101, browser.status
        seen = cluster.kubelet.await_asked(lambda one: one.path.startswith("/exec/"))
        assert seen.headers["Sec-WebSocket-Protocol"] == "v5.channel.k8s.io", seen.headers
        assert seen.headers["Authorization"] is None, seen.headers
        browser.close()
    folder = subprocess.run(["mktemp", "-d"], capture_output=True, text=True).stdout.strip()
    with open(folder + "/tokens.csv", "w") as file:
        file.write("bob-token,bob,8\n")
    with_cluster(program, work, "--token-file", folder + "/tokens.csv")
    subprocess.run(["rm", "-r", folder], check=True)


def kubectl_follows_logs(program):
    if not KUBECTL:
        return "there is no kubectl"

    def work(cluster):
        follower = Follower([KUBECTL, "-s", cluster.url(), "logs", "-f", "web"],
                            env={"HOME": cluster.folder})
        try:
            follower.await_line("three")
            cluster.kubelet.more("four")
            follower.await_line("four")
            cluster.kubelet.more("end")
            follower.await_line("end")
            assert follower.finish() == 0
        finally:
            follower.kill()
        assert kubectl(cluster, "logs", "web", "--tail=1") == "end\n"
    with_cluster(program, work)


def kubectl_runs_commands(program):
    if not KUBECTL:
        return "there is no kubectl"

    def work(cluster):
        assert kubectl(cluster, "exec", "web", "--", "ls", "-l", "a b") == "ran ls -l a b\n"
        assert kubectl(cluster, "exec", "-i", "web", "--", "cat", stdin="typed\n") == "typed\n"
        shown = kubectl(cluster, "exec", "web", "--", "fail", fails=True)
        assert "it failed" in shown and "exit code 3" in shown, shown
    with_cluster(program, work)


def kubectl_forwards_ports(program):
    if not KUBECTL:
        return "there is no kubectl"

    def work(cluster):
        code, pod = cluster.call("GET", PODS + "/web")
        pod["status"]["phase"] = "Running"
        cluster.call("PUT", PODS + "/web/status", pod)
        follower = Follower([KUBECTL, "-s", cluster.url(), "port-forward", "pod/web", ":8080"],
                            env={"HOME": cluster.folder})
        try:
            line = follower.await_line("Forwarding from 127.0.0.1:")
            port = int(re.search(r"127\.0\.0\.1:(\d+)", line).group(1))
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall(b"hello")
                assert connection.recv(100) == b"8080: HELLO"
        finally:
            follower.kill()
    with_cluster(program, work)


def shutdown_ends_tunnels_and_logs(program):
    def work(cluster):
        browser = Browser(cluster, EXEC, "v5.channel.k8s.io")
        assert browser.status == 101
        connection = cluster.connect()
        connection.request("GET", PODS + "/web/log?follow=true")
        reply = connection.getresponse()
        assert [reply.readline() for _ in range(3)][2] == b"three\n"
        began = time.monotonic()
        assert cluster.stop() == 0
        assert time.monotonic() - began < 8
        assert browser.receive() == b"" and reply.read() == b""
        browser.close()
        connection.close()
    with_cluster(program, work)


run_tests([logs_come_from_the_kubelet,
           wrong_requests_are_refused_in_the_words_of_kube_apiserver,
           a_kubelet_of_another_ca_is_not_asked,
           a_kubelet_that_hangs_is_given_up,
           proxies_pass_methods_paths_and_bodies,
           exec_by_websocket_is_tunnelled,
           who_may_only_read_cannot_run_commands,
           kubectl_follows_logs,
           kubectl_runs_commands,
           kubectl_forwards_ports,
           shutdown_ends_tunnels_and_logs])
