#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py -- `make run` and `make demo`: runs a cluster in one process and creates a Deployment in it.

    run.py [--demo] PROGRAM FOLDER MANIFEST [OPTION...]

Starts `listwatch serve` with its controllers and three hollow nodes on free ports, applies MANIFEST
and prints each step of the controllers.  `--demo` exits with 0 when all Pods are running, and with 1
if that takes too long; otherwise it runs until Ctrl-C.  OPTIONs are passed to the server.  The data
is kept in FOLDER/1 for the next run; a second run at the same time uses FOLDER/2; a demo starts
with an empty store."""

import argparse
import fcntl
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

NODES = 3
# Short times, so that one can watch how a stopped node is detected and its Pods are moved.
IMPATIENT = ["--node-grace", "10s", "--pod-eviction-timeout", "5s"]
DEMO_S = 120  # enough for a busy machine


def own_folder(folder):
    """The first directory that no other run uses, and its lock file, which must stay open."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        lock = open(folder / f"{number}.lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return (folder / str(number)).resolve(), lock
        except OSError:
            lock.close()
            number += 1


class Cluster:
    """The server with its controllers.  Its output is put into a queue of (seconds since the start,
    line); line None marks the end."""

    def __init__(self, program, data, options):
        self.program, self.data, self.began = program, data, time.monotonic()
        self.kubeconfig = data / "admin.kubeconfig"
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--insecure-listen", "127.0.0.1:0",
             "--controllers", "--nodes", str(NODES), "--steps", *IMPATIENT,
             "--data-dir", str(data), "--kubeconfig", str(self.kubeconfig), *options],
            stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.turn = threading.Lock()  # of those who put lines into the queue

    def follow_server(self):
        for line in self.process.stdout:
            since = self.since_start()
            with self.turn:
                self.lines.put((since, line.rstrip("\n")))
        self.lines.put((self.since_start(), None))

    def is_ready(self):
        words = self.process.stdout.readline().split()
        if len(words) != 3 or words[0] != "ready:":
            return False
        self.tls, self.plain = words[1:]
        self.ready_s = self.since_start()
        threading.Thread(target=self.follow_server, daemon=True).start()
        return True

    def since_start(self):
        return time.monotonic() - self.began

    def apply(self, manifest):
        """Applies the manifest; the output is put into the queue, too, before the steps it causes:
        the controllers may be done before the command has printed what it did."""
        with self.turn:
            since = self.since_start()
            done = subprocess.run([self.program, "apply", "-f", manifest, "--server", self.plain],
                                  stdout=subprocess.PIPE, text=True)
            for line in done.stdout.splitlines():
                self.lines.put((since, "you          " + line))
        return done.returncode == 0

    def get(self, path):
        with urllib.request.urlopen(self.plain + path, timeout=30) as reply:
            return json.load(reply)

    def running(self):
        """The names of the running Pods."""
        found = self.get("/api/v1/namespaces/default/pods?labelSelector=app%3Dweb")["items"]
        return {pod["metadata"]["name"] for pod in found
                if pod.get("status", {}).get("phase") == "Running"
                and "deletionTimestamp" not in pod["metadata"]}

    def wanted(self):
        """The number of Pods that the Deployment wants."""
        return self.get("/apis/apps/v1/namespaces/default/deployments/web")["spec"]["replicas"]

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait()


def show_steps(cluster, deadline, before):
    """Prints the output until all Pods are running, and the steps that started them are printed,
    except those of the Pods |before|: True.  False: timeout, or the server has ended."""
    started = set(before)
    running, wanted = set(), 0
    while True:
        if cluster.lines.empty():
            running, wanted = cluster.running(), cluster.wanted()
            if len(running) == wanted and running <= started:
                return True
        try:
            left = None if deadline is None else max(0, deadline - time.monotonic())
            step = cluster.lines.get(timeout=left)
            if not show(step):
                return False
            started.update(re.findall(r"^hollow-pod +started Pod default/(\S+)", step[1]))
        except queue.Empty:
            print(f"\nonly {len(running)} of {wanted} pods are running after {DEMO_S} s",
                  file=sys.stderr)
            return False


def show(step):
    since, line = step
    if line is not None:
        print(f"  {1000 * since:7.0f} ms  {line}", flush=True)
    return line is not None


def print_usage_examples(cluster):
    data, plain, tls = cluster.data, cluster.plain, cluster.tls
    print(f"""
The page:     {plain}/

In another terminal:

    export KUBECONFIG={cluster.kubeconfig}
    kubectl get pods -o wide --watch
    kubectl scale deployment web --replicas=5
    kubectl set image deployment/web web=nginx:1.25 && kubectl rollout status deployment/web
    kubectl delete pod -l app=web
    kubectl get events

    curl {plain}/api/v1/namespaces/default/pods
    curl -N '{plain}/api/v1/namespaces/default/pods?watch=1'
    curl --cacert {data}/pki/ca.crt -H "Authorization: Bearer $(cat {data}/pki/admin.token)" {tls}/version

The data is kept in {data}.  Press Ctrl-C to stop.
""", flush=True)


def within_ms(told, share):
    """The percentile |share| of the delivery latencies in milliseconds."""
    seen = 0
    for below_us, count in told["buckets_us"]:
        seen += count
        if seen >= share * told["count"]:
            return below_us / 1000
    raise AssertionError("buckets hold less than their count")


def print_statistics(cluster):
    running = len(cluster.running())
    told = cluster.get("/debug/listwatch")["delivery"]
    print(f"\n{running} pods are running {cluster.since_start():.2f} s after the start "
          f"(the server was ready after {cluster.ready_s:.2f} s).")
    if told["count"]:
        print(f"Latency from a write to a watch connection: p50 {within_ms(told, 0.5)} ms, "
              f"p99 {within_ms(told, 0.99)} ms ({told['count']} deliveries).")


def run(cluster, args):
    if not cluster.is_ready():
        return cluster.process.wait() or 1
    print(f"ready: {cluster.tls} {cluster.plain}\n\nSteps of the controllers (the informer that "
          "caused the step, time from its event to the write):\n", flush=True)
    before = cluster.running()
    if not cluster.apply(args.manifest):
        return 1
    is_up = show_steps(cluster, time.monotonic() + DEMO_S if args.demo else None, before)
    if is_up:
        print_statistics(cluster)
    if args.demo:
        return 0 if is_up else 1
    if is_up:
        print_usage_examples(cluster)
    while show(cluster.lines.get()):
        pass
    return cluster.process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("manifest")
    args, options = parser.parse_known_args()
    data, lock = own_folder(args.folder)
    if args.demo:
        shutil.rmtree(data, ignore_errors=True)
    data.mkdir(exist_ok=True)
    # The terminal sends Ctrl-C to the server, too; this waits until the server has ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN if not args.demo else signal.default_int_handler)
    cluster = Cluster(os.path.abspath(args.program), data, options)
    signal.signal(signal.SIGTERM, lambda *_: cluster.process.terminate())
    try:
        code = run(cluster, args)
    finally:
        cluster.stop()
        lock.close()
    sys.exit(code)


main()
