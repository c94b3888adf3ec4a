#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""envtest_test.py -- the program in place of kube-apiserver and etcd, as test environments start
them.
usage: envtest_test.py LISTWATCH"""

import http.client
import ipaddress
import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import tempfile

from serving import run_tests

WRAPPER = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))


def output(*command):
    return subprocess.run(WRAPPER + list(command), capture_output=True, text=True, check=False)


class Assets:
    """The folder of `listwatch envtest`, and the two programs in it."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        made = output(program, "envtest", self.folder + "/assets")
        assert made.returncode == 0, made.stderr
        self.path = made.stdout.strip()
        self.etcd = self.server = None

    def start_etcd(self):
        self.etcd = subprocess.Popen(
            WRAPPER + [self.path + "/etcd", "--data-dir=" + self.folder + "/etcd data",
                       "--listen-client-urls=http://127.0.0.1:0", "--unsafe-no-fsync=true",
                       "--listen-peer-urls", "http://127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True)
        self.etcd_port = int(re.search(r"\(port (\d+)\)", self.etcd.stderr.readline()).group(1))

    def start_server(self, *flags):
        self.log = open(self.folder + "/log", "w+", encoding="utf-8")
        self.server = subprocess.Popen(
            WRAPPER + [self.path + "/kube-apiserver", "--bind-address=127.0.0.1",
                       "--secure-port=0", "--cert-dir=" + self.folder,
                       f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
                       "--token-auth-file=" + self.tokens(), "--authorization-mode=RBAC",
                       "--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true",
                       "--disable_admission_plugins", "ServiceAccount", *flags],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        ready = self.server.stdout.readline()
        assert ready.startswith("ready: https://127.0.0.1:"), self.read_log()
        self.port = int(ready.strip().rsplit(":", 1)[1])

    def tokens(self):
        path = self.folder + "/tokens"
        with open(path, "w", encoding="utf-8") as file:
            file.write('secret,admin,1,"system:masters"\n')
        return path

    def read_log(self):
        self.log.seek(0)
        return self.log.read()

    def call(self, method, path, body=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30,
                                                 context=ssl._create_unverified_context())
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Authorization": "Bearer secret", "Content-Type": "application/json"})
        reply = connection.getresponse()
        answer = reply.status, json.loads(reply.read())
        connection.close()
        return answer

    def stop_server(self):
        self.server.terminate()
        assert self.server.wait(timeout=30) == 0
        self.server.stdout.close()
        self.log.close()
        self.server = None

    def remove(self):
        for process in (self.server, self.etcd):
            if process and process.poll() is None:
                process.terminate()
                assert process.wait(timeout=30) == 0
        shutil.rmtree(self.folder)


def the_folder_has_the_programs_that_test_environments_start(program):
    assets = Assets(program)
    try:
        assert {"kube-apiserver", "etcd"} <= set(os.listdir(assets.path))
        assert output(assets.path + "/kube-apiserver", "--version").stdout == \
            "Kubernetes v1.37.1\n"
        assert output(assets.path + "/etcd", "--version").stdout.startswith("etcd Version: 3.")
        flags = output(assets.path + "/kube-apiserver", "--help").stdout
        assert re.search(r"(?m)^\s*--secure-port\b", flags)
        assert not re.search(r"(?m)^\s*--insecure-port\b", flags)
        again = output(program, "envtest", assets.path)
        assert again.returncode == 0 and again.stdout.strip() == assets.path, again
        assert sorted(os.listdir(assets.path)) == sorted(set(os.listdir(assets.path)))
    finally:
        assets.remove()


def unknown_flags_are_refused(program):
    assets = Assets(program)
    try:
        for name in ("kube-apiserver", "etcd"):
            done = output(assets.path + "/" + name, "--no-such-flag=1")
            assert done.returncode == 1 and "unknown flag: --no-such-flag" in done.stderr, done
            done = output(assets.path + "/" + name, "argument")
            assert done.returncode == 1 and "does not take any arguments" in done.stderr, done
        done = output(assets.path + "/kube-apiserver", "--secure-port=0")
        assert done.returncode == 1 and "--etcd-servers must be specified" in done.stderr, done
        done = output(assets.path + "/etcd", "--listen-client-urls=https://127.0.0.1:1")
        assert done.returncode == 1 and "use http" in done.stderr, done
    finally:
        assets.remove()


def ask_etcd(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    reply = connection.getresponse()
    answer = reply.status, reply.read()
    connection.close()
    return answer


def the_stand_in_for_etcd_answers_health_checks_while_others_send_nothing(program):
    assets = Assets(program)
    try:
        assets.start_etcd()
        idle = [socket.create_connection(("127.0.0.1", assets.etcd_port)) for _ in range(70)]
        assert ask_etcd(assets.etcd_port, "/health") == (200, b'{"health":"true","reason":""}')
        status, version = ask_etcd(assets.etcd_port, "/version")
        assert status == 200 and json.loads(version)["etcdserver"].startswith("3."), version
        assert ask_etcd(assets.etcd_port, "/v3/kv/range")[0] == 404
        for connection in idle:
            connection.close()
    finally:
        assets.remove()


def objects_survive_a_restart_of_the_server_and_flags_are_obeyed(program):
    assets = Assets(program)
    services = "/api/v1/namespaces/default/services"
    try:
        assets.start_etcd()
        assets.start_server()
        status, service = assets.call("POST", services, {
            "metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}})
        assert status == 201, service
        address = ipaddress.ip_address(service["spec"]["clusterIP"])
        assert address in ipaddress.ip_network("10.0.0.0/24"), address
        assert "flags without effect here: --allow-privileged\n" in assets.read_log()
        assets.stop_server()
        assets.start_server()
        assert assets.call("GET", services + "/a")[0] == 200
    finally:
        assets.remove()


def what_kube_apiserver_makes_at_its_start_is_there(program):
    assets = Assets(program)
    try:
        assets.start_etcd()
        assets.start_server("--advertise-address=192.0.2.9", "--event-ttl=1h0m0s",
                            "--enable-admission-plugins=NodeRestriction")
        _, service = assets.call("GET", "/api/v1/namespaces/default/services/kubernetes")
        assert service["spec"]["clusterIP"] == "10.0.0.1", service
        assert service["spec"]["ports"] == [{"name": "https", "protocol": "TCP", "port": 443,
                                             "targetPort": assets.port}], service
        _, found = assets.call("GET", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices")
        (one,) = found["items"]
        assert one["endpoints"][0]["addresses"] == ["192.0.2.9"], one
        assert one["ports"][0]["port"] == assets.port, one
        _, found = assets.call("GET", "/apis/scheduling.k8s.io/v1/priorityclasses")
        assert [item["metadata"]["name"] for item in found["items"]] == [
            "system-cluster-critical", "system-node-critical"], found
        _, found = assets.call("GET", "/apis/networking.k8s.io/v1/ipaddresses")
        assert [item["metadata"]["name"] for item in found["items"]] == ["10.0.0.1"], found
        _, found = assets.call("GET", "/api/v1/namespaces/default/configmaps")
        assert found["items"] == [], found
    finally:
        assets.remove()


def controllers_of_the_controller_manager_do_not_run(program):
    assets = Assets(program)
    maps = "/api/v1/namespaces/default/configmaps"
    try:
        assets.start_etcd()
        assets.start_server()
        _, owner = assets.call("POST", maps, {"metadata": {"name": "owner"}})
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
                     "uid": owner["metadata"]["uid"]}
        assert assets.call("POST", maps, {"metadata": {
            "name": "dependent", "ownerReferences": [reference]}})[0] == 201
        assert assets.call("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}})[0] == 201
        assert assets.call("DELETE", maps + "/owner")[0] == 200
        assert assets.call("DELETE", "/api/v1/namespaces/n")[0] == 200
        # A collector would be done long before this many further requests are.
        for _ in range(100):
            assert assets.call("GET", maps + "/dependent")[0] == 200
        _, namespace = assets.call("GET", "/api/v1/namespaces/n")
        assert namespace["status"]["phase"] == "Terminating", namespace
    finally:
        assets.remove()


run_tests([
    the_folder_has_the_programs_that_test_environments_start,
    unknown_flags_are_refused,
    the_stand_in_for_etcd_answers_health_checks_while_others_send_nothing,
    objects_survive_a_restart_of_the_server_and_flags_are_obeyed,
    what_kube_apiserver_makes_at_its_start_is_there,
    controllers_of_the_controller_manager_do_not_run,
])
