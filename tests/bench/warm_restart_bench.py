#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""warm_restart_bench.py -- what it costs a server when many agents restart at once: agents that have
saved their caches, beside client-go.

    warm_restart_bench.py [--agents N] [--objects N] [--client-go PROGRAM] [--server URL --pid PID]
                          [--interop FOLDER] BUILD

Each agent is a process with one informer on ConfigMaps.  All are stopped, some objects change, and
all start again within a second.  Printed are the lists and watches that the server counts in its
metrics, its CPU time, the CPU time of the agents, and the time until all are synced.  Without
--server it starts `listwatch serve`; with it, any server on plain HTTP; with --interop, the
kube-apiserver, etcd and kubectl of a folder that tests/interop/build.sh has filled: `kubectl proxy`
is in front of it for plain HTTP, and its CPU time is not counted."""

import argparse
import http.client
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from serving import CONFIGMAPS, Server  # noqa: E402


COUNTED_S = 60


class Api:
    """A server, ours or another one."""

    def __init__(self, url, pid):
        self.url, self.pid = url, pid
        self.address = urllib.parse.urlsplit(url).netloc

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        connection.request(method, path, json.dumps(body) if body else None,
                           {"Content-Type": "application/json"})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text

    def put(self, i, value):
        body = {"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": f"o{i}", "labels": {"shard": "0"}},
                "data": {"n": str(value), "text": "x" * 1000}}
        status, text = self.call("POST", CONFIGMAPS, body)
        if status == 409:
            status, text = self.call("PUT", f"{CONFIGMAPS}/o{i}", body)
        assert status < 300, text

    def requests(self):
        """Lists and watches of ConfigMaps since the start, as the server counts them; a stream
        that begins with the state counts as a list."""
        _, text = self.call("GET", "/metrics")
        counts = {"LIST": 0, "WATCH": 0}
        for line in text.splitlines():
            if not line.startswith("apiserver_request_total{") or 'resource="configmaps"' not in line:
                continue
            verb = re.search(r'verb="(\w+)"', line)
            if verb and verb[1] in counts:
                counts[verb[1]] += int(float(line.rsplit(" ", 1)[1]))
        return counts

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat") as stat:
            words = stat.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class KubeApiserverOnHttp:
    """A kube-apiserver with `kubectl proxy` in front of it."""

    def __init__(self, folder):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                                        "interop"))
        from kube_apiserver import KubeApiserver
        self.server = KubeApiserver(os.path.join(folder, "kube-apiserver"),
                                    os.path.join(folder, "etcd"))
        self.process = self.server.process
        self.proxy = subprocess.Popen(
            [os.path.join(folder, "kubectl"),
             "--kubeconfig", self.server.kubeconfig("proxy.json", token=self.server.token),
             "proxy", "--port", "0", "--reject-methods", "^$"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.address = self.proxy.stdout.readline().split()[-1]

    def url(self):
        return "http://" + self.address

    def stop(self):
        self.proxy.kill()
        self.proxy.wait()

    def remove(self):
        self.server.remove()


class Agent(threading.Thread):
    def __init__(self, command):
        super().__init__(daemon=True)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.is_ready = threading.Event()
        self.names = set()

    def run(self):
        for line in self.process.stdout:
            words = line.split()
            if line.endswith(b"ready\n"):  # perhaps in the line that another thread has begun
                self.is_ready.set()
            elif len(words) > 1:
                self.names.add(words[1])

    def stop(self):
        self.process.stdin.close()


def run_agents(command_of, count):
    """Starts all; returns them when all are synced, and the seconds that took."""
    begin = time.time()
    agents = []
    for i in range(count):
        agents.append(Agent(command_of(i)))
        agents[-1].start()
    for agent in agents:
        assert agent.is_ready.wait(600), "an agent is not ready"
    return agents, time.time() - begin


def stop_agents(api, agents):
    """Ends them, and waits until the server has counted their watches: it does when they end."""
    before = api.requests()["WATCH"]
    for agent in agents:
        agent.stop()
    for agent in agents:
        agent.process.wait()
    deadline, pause = time.monotonic() + COUNTED_S, threading.Event()
    while api.requests()["WATCH"] < before + len(agents):
        assert time.monotonic() < deadline, "watches are still open"
        pause.wait(0.1)


def children_cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def contest(name, api, command_of, options):
    agents, first_s = run_agents(command_of, options.agents)
    stop_agents(api, agents)
    for i in range(min(10, options.objects)):
        api.put(i, time.time_ns())
    before, cpu, own = api.requests(), api.cpu_s(), children_cpu_s()
    agents, again_s = run_agents(command_of, options.agents)
    cpu = api.cpu_s() - cpu
    stop_agents(api, agents)
    own = children_cpu_s() - own
    counts = {verb: count - before[verb] for verb, count in api.requests().items()}
    print(f"{name}: {options.agents} agents, {options.objects} objects: first start {first_s:.1f} s; "
          f"restart {again_s:.1f} s, {counts['LIST']} lists, {counts['WATCH']} watches, "
          f"CPU of the server {cpu:.2f} s, of the agents {own:.2f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--agents", type=int, default=500)
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument("--client-go", default="")
    parser.add_argument("--server", default="")
    parser.add_argument("--pid", type=int, default=0)
    parser.add_argument("--interop", default="")
    parser.add_argument("build")
    options = parser.parse_args()
    server = None
    if options.interop:
        server = KubeApiserverOnHttp(options.interop)
    elif not options.server:
        server = Server(os.path.join(options.build, "listwatch")).start()
    api = Api(options.server or server.url(), options.pid or server.process.pid)
    folder = tempfile.mkdtemp()
    follow = os.path.join(options.build, "tests/bench/follow-changes")
    try:
        for i in range(options.objects):
            api.put(i, 1)
        contest("listwatch, warm", api,
                lambda i: [follow, api.url, "1", "1", f"{folder}/{i}"], options)
        contest("listwatch, cold", api, lambda i: [follow, api.url, "1", "1"], options)
        if options.client_go:
            contest("client-go", api,
                    lambda i: [options.client_go, "follow", "-", api.url, "1", "1"], options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if server:
            server.stop()
            server.remove()


if __name__ == "__main__":
    main()
