#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster_bench.py -- a cluster grows: hollow nodes, Deployments, and how soon all Pods run.

    cluster_bench.py --build FOLDER [--nodes N] [--pods N] [--plot FILE.svg]

`listwatch serve` and `listwatch control` are two processes on the embedded store.  Once a quarter of
a second it is noted how many Pods run and what both have taken; all the while a third program
measures the way from a write to a handler.  Prints figures; with --plot draws them.  Nothing is
asserted."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from cluster_plot import draw

DEPLOYMENTS = 20
GIVE_UP_S = 900
LOOK_S = 0.25
PROBES_A_SECOND = 50
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def deployment(number, replicas):
    name = f"web-{number}"
    labels = {"app": name}
    container = {"name": "web", "image": "nginx",
                 "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [container]}}}}


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


def rss_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmRSS:"))


class Bench:
    def __init__(self, build, nodes, pods):
        self.build, self.nodes, self.pods = build, nodes, pods
        self.folder = tempfile.mkdtemp(prefix="cluster-")
        self.processes = []
        self.samples = []

    def start(self, *command, **more):
        log = open(f"{self.folder}/{len(self.processes)}.log", "wb")
        self.processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log,
                                               text=True, **more))
        return self.processes[-1]

    def begin(self):
        program = f"{self.build}/listwatch"
        self.server = self.start(program, "serve", "--listen", "none", "--insecure-listen",
                                 "127.0.0.1:0", "--data-dir", self.folder + "/data")
        self.url = self.server.stdout.readline().split()[-1]
        self.control = self.start(program, "control", "--server", self.url, "--nodes",
                                  str(self.nodes))

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method,
                                         data=json.dumps(body).encode() if body else None,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def count(self, path):
        """How many there are, without reading them all."""
        found = self.ask("GET", path + "limit=1")
        return len(found["items"]) + found["metadata"].get("remainingItemCount", 0)

    def deployed(self):
        """Pods that are ready, as their Deployments say."""
        found = self.ask("GET", "/apis/apps/v1/namespaces/default/deployments")["items"]
        return sum(one.get("status", {}).get("readyReplicas", 0) for one in found)

    def look(self, began):
        self.samples.append({"s": time.monotonic() - began, "running": self.deployed(),
                             "server_cpu_s": cpu_s(self.server.pid),
                             "control_cpu_s": cpu_s(self.control.pid),
                             "server_mb": rss_mb(self.server.pid),
                             "control_mb": rss_mb(self.control.pid)})
        return self.samples[-1]

    def wait(self, is_done, began):
        while not is_done():
            if time.monotonic() - began > GIVE_UP_S:
                sys.exit(f"given up after {GIVE_UP_S} s: {self.samples[-1:]}")
            time.sleep(LOOK_S)

    def run(self):
        began = time.monotonic()
        self.begin()
        self.wait(lambda: self.count("/api/v1/nodes?") >= self.nodes, began)
        nodes_s = time.monotonic() - began
        before = {name: cpu_s(process.pid) for name, process in
                  (("server", self.server), ("control", self.control))}
        probe = self.start(f"{self.build}/tests/bench/write-to-handler", self.url,
                           str(PROBES_A_SECOND), stdin=subprocess.PIPE)
        began = time.monotonic()
        for number in range(DEPLOYMENTS):
            share = self.pods * (number + 1) // DEPLOYMENTS - self.pods * number // DEPLOYMENTS
            self.ask("POST", "/apis/apps/v1/namespaces/default/deployments",
                     deployment(number, share))
        self.wait(lambda: self.look(began)["running"] >= self.pods, began)
        latency = json.loads(probe.communicate()[0])
        return nodes_s, before, latency

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=20000)
    parser.add_argument("--plot")
    args = parser.parse_args()
    bench = Bench(args.build, args.nodes, args.pods)
    try:
        nodes_s, before, latency = bench.run()
    finally:
        bench.end()
    last = bench.samples[-1]
    print(f"{args.nodes} hollow nodes registered {nodes_s:8.1f} s after the start")
    print(f"{args.pods} pods of {DEPLOYMENTS} Deployments run {last['s']:8.1f} s later "
          f"({args.pods / last['s']:.0f} pods/s)")
    for name in ("server", "control"):
        used = last[name + "_cpu_s"] - before[name]
        print(f"{name:>8}: {used:6.1f} s CPU for it ({1e6 * used / args.pods:.0f} us a pod), "
              f"RSS {last[name + '_mb']:.0f} MB, at most "
              f"{max(one[name + '_mb'] for one in bench.samples):.0f} MB")
    print(f"write to handler, {latency['count']} writes meanwhile: p50 {latency['p50_us'] / 1000:.1f} ms, "
          f"p99 {latency['p99_us'] / 1000:.1f} ms, at most {latency['max_us'] / 1000:.1f} ms")
    if args.plot:
        with open(args.plot, "w") as file:
            file.write(draw(bench.samples, args.nodes, args.pods, latency))


main()
