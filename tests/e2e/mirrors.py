# SPDX-License-Identifier: Apache-2.0
"""mirrors.py -- mirrors of a server, for tests in Python."""

import contextlib
import http.client
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from serving import CONFIGMAPS, Server, config_map

PODS = "/api/v1/namespaces/default/pods"
PATIENCE_S = 30


def wait_for(what, holds, patience=PATIENCE_S):
    """Asks |holds| again until it says something true, which is returned."""
    end = time.monotonic() + patience
    pause = threading.Event()
    while True:
        answer = holds()
        if answer:
            return answer
        assert time.monotonic() < end, f"still not: {what}"
        pause.wait(0.02)


def another_cluster(program, server, count):
    """Kills |server|; another one, with |count| ConfigMaps and so at a later revision, takes its
    address."""
    other = Server(program)
    try:
        other.start()
        for i in range(count):
            status, answer = other.call("POST", CONFIGMAPS, config_map(f"other-{i}"))
            assert status == 201, answer
        assert other.stop() == 0
        other.port, other.tls_port = server.port, server.tls_port
        server.kill()
        return other.start()
    except BaseException:
        other.remove()
        raise


class Mirror:
    """A mirror of |server|'s plain port, with a plain port of its own."""

    def __init__(self, program, server, resources="configmaps,pods,namespaces", options=(),
                 cluster=None, user=None):
        self.folder = tempfile.mkdtemp()
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "u",
            "clusters": [{"name": "u", "cluster": cluster or {"server": server.url()}}],
            "users": [{"name": "u", "user": user or {}}],
            "contexts": [{"name": "u", "context": {"cluster": "u", "user": "u"}}],
        }
        with open(self.folder + "/upstream.kubeconfig", "w") as file:
            json.dump(config, file)
        self.log = open(self.folder + "/mirror.log", "ab")
        wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
        self.process = subprocess.Popen(
            wrapper + [program, "mirror", "--kubeconfig", self.folder + "/upstream.kubeconfig",
                       "--resources", resources, "--listen", "none",
                       "--insecure-listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline().split()
        if len(line) < 2 or line[0] != "ready:":
            self.process.wait()
            raise RuntimeError("not ready: " + open(self.folder + "/mirror.log").read())
        self.port = int(line[1].rsplit(":", 1)[1])

    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def connect(self, timeout=PATIENCE_S):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None):
        """Status, headers and text."""
        connection = self.connect()
        text = json.dumps(body) if body is not None else None
        connection.request(method, path, text, dict(headers or {}, **(
            {"Content-Type": "application/json"} if text else {})))
        reply = connection.getresponse()
        answer = reply.read().decode()
        connection.close()
        return reply.status, reply.headers, answer

    def call(self, method, path, body=None):
        status, _, text = self.ask(method, path, body)
        return status, json.loads(text)

    def metric(self, name, resource="configmaps"):
        for line in self.ask("GET", "/metrics")[2].splitlines():
            if line.startswith(name + "{") and f'resource="{resource}"' in line:
                return float(line.split()[-1])
        raise AssertionError(name)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE_S)

    def remove(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def mirrored(program, count=1, options=(), memory=True):
    """An upstream and |count| mirrors of it."""
    server = Server(program, memory=memory)
    mirrors = []
    try:
        server.start()
        for _ in range(count):
            mirrors.append(Mirror(program, server, options=options))
        yield (server, *mirrors)
        for mirror in mirrors:
            assert mirror.process.poll() is not None or mirror.stop() == 0
    finally:
        for mirror in mirrors:
            mirror.remove()
        server.remove()
