#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""webhook_bench.py -- what webhooks cost the requests that they are not called for, and the server.

    webhook_bench.py [--memory] [--seconds N] [--rounds N] [--only hanging|cost] LISTWATCH

1. Creates of Secrets, 1,000 a second (h2load), alone and while creates of ConfigMaps wait for a webhook
   that hangs until its timeout of 10 s: latency of the Secrets.  GETs of /livez at the same rate show
   what the machine and h2load add themselves.
2. Creates of ConfigMaps without and with a webhook that answers: CPU time and instructions of the
   server for one, and the difference, which is the cost of a call.  The webhook is admit-all of the
   same build (HTTP/2; not measured if it was not built) and a server in Python (HTTP/1.1).
Rounds without and with alternate, and the median of the differences counts: other load on the
machine then disturbs both.  Prints one line for each figure."""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "e2e"))

from serving import CONFIGMAPS, Server
from webhook_server import AdmissionServer, configuration, webhook

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
SECRETS = "/api/v1/namespaces/default/secrets"
RATE = 1000  # a second
CLIENTS = 10
WAITING = 50  # creates that hang at a time
COUNTED = 3000  # creates of a round in which CPU time is measured


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


class Load:
    """Requests by h2load; the latencies in milliseconds, sorted, and how many a second there were."""

    def __init__(self, server, path, count, folder, kind=None, rps=None, clients=CLIENTS):
        body, log = folder / "body.json", folder / "log"
        log.unlink(missing_ok=True)
        command = ["h2load", "--h1", "-c", str(clients), "-n", str(count), f"--log-file={log}"]
        if rps:
            command.append(f"--rps={rps / clients:g}")
        if kind:
            body.write_text(json.dumps({"apiVersion": "v1", "kind": kind,
                                        "metadata": {"generateName": "bench-"}}))
            command += ["-d", body, "-H", "Content-Type: application/json"]
        started = time.monotonic()
        subprocess.run(command + [server.url() + path], check=True, stdout=subprocess.DEVNULL)
        self.rate = count / (time.monotonic() - started)
        rows = [line.split() for line in log.read_text().splitlines()]
        codes = {row[1] for row in rows}
        assert codes == {"201" if kind else "200"}, codes
        self.latencies = sorted(int(row[2]) / 1000 for row in rows)

    def tell(self, what):
        print(f"{what}: {len(self.latencies)} requests, {self.rate:.0f} a second, "
              f"p50 {percentile(self.latencies, .5):.2f} ms, "
              f"p99 {percentile(self.latencies, .99):.2f} ms, "
              f"most {self.latencies[-1]:.2f} ms", flush=True)


def keep_waiting(server, stop):
    """Creates ConfigMaps, one after the other, each of which hangs."""
    while not stop.is_set():
        try:
            server.call("POST", CONFIGMAPS, {"metadata": {"generateName": "hangs-"}})
        except OSError:
            pass


def measure_hanging(server, seconds, folder):
    hook = AdmissionServer(lambda path, request: None)
    count = RATE * seconds
    Load(server, "/livez", count, folder, rps=RATE).tell("GETs of /livez alone")
    Load(server, SECRETS, count, folder, "Secret", RATE).tell("secrets alone")
    server.call("POST", HOOKS, configuration("Validating", "hangs",
                                             webhook(hook, timeoutSeconds=10)))
    stop = threading.Event()
    for _ in range(WAITING):
        threading.Thread(target=keep_waiting, args=(server, stop), daemon=True).start()
    hook.await_asked(WAITING)
    Load(server, SECRETS, count, folder, "Secret", RATE).tell(
        f"secrets beside {WAITING} hanging creates of configmaps")
    print(f"calls of the hanging webhook meanwhile: {len(hook.asked)}", flush=True)
    stop.set()
    server.call("DELETE", HOOKS + "/hangs")
    hook.close()
    Load(server, SECRETS, count, folder, "Secret", RATE).tell("secrets alone again")


class AdmitAll:
    """The webhook in C."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.base, self.ca = self.process.stdout.readline().split()

    def url(self, path):
        return self.base + path

    def ca_bundle(self):
        return self.ca

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def cpu_us(server):
    """CPU time of all threads of the server."""
    tasks = Path(f"/proc/{server.process.pid}/task")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir()) / 1000


class Instructions:
    """Instructions of the server in user space, by perf; None where that cannot count."""

    def __init__(self, server, folder):
        self.file = folder / "instructions"
        self.process = None
        if shutil.which("perf"):
            self.process = subprocess.Popen(
                ["perf", "stat", "-x,", "-e", "instructions:u", "-o", self.file, "-p",
                 str(server.process.pid)], stderr=subprocess.DEVNULL)

    def stop(self):
        if not self.process:
            return None
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        for line in self.file.read_text().splitlines():
            first = line.split(",")[0]
            if first.isdigit():
                return int(first)
        return None


def measure_round(server, folder, clients):
    """CPU time in microseconds and instructions for one create."""
    Load(server, CONFIGMAPS, 200, folder, "ConfigMap", clients=clients)  # connections, caches
    counter = Instructions(server, folder)
    before = cpu_us(server)
    Load(server, CONFIGMAPS, COUNTED, folder, "ConfigMap", clients=clients)
    each = (cpu_us(server) - before) / COUNTED
    counted = counter.stop()
    return each, counted / COUNTED if counted else 0


def measure_cost(server, hook, what, rounds, folder, clients):
    without, used = [], []
    for _ in range(rounds):
        without.append(measure_round(server, folder, clients))
        server.call("POST", HOOKS, configuration("Validating", "answers", webhook(hook)))
        used.append(measure_round(server, folder, clients))
        server.call("DELETE", HOOKS + "/answers")
    control = statistics.median(b[0] - a[0] for a, b in zip(without, without[1:]))
    cost = [statistics.median(b[i] - a[i] for a, b in zip(without, used)) for i in (0, 1)]
    print(f"{what}, {clients} clients: CPU of the server for a create: "
          f"{statistics.median(one[0] for one in without):.0f} us without a webhook, "
          f"{statistics.median(one[0] for one in used):.0f} us with one: a call costs "
          f"{cost[0]:.0f} us, {cost[1]:.0f} instructions "
          f"(control, without against without: {control:+.0f} us)", flush=True)


def measure_costs(server, rounds, folder, program):
    admit_all = Path(program).resolve().parent / "tests/bench/admit-all"
    hooks = [("webhook in Python, HTTP/1.1", AdmissionServer(lambda *_: {"allowed": True}))]
    if admit_all.exists():
        hooks.insert(0, ("webhook in C, HTTP/2", AdmitAll(admit_all)))
    print(f"load of the machine: {' '.join(f'{one:.1f}' for one in os.getloadavg())}")
    for what, hook in hooks:
        for clients in (1, CLIENTS):
            measure_cost(server, hook, what, rounds, folder, clients)
        hook.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("hanging", "cost"))
    parser.add_argument("program")
    options = parser.parse_args()
    if not shutil.which("h2load"):
        print("there is no h2load (package nghttp2-client)")
        return 1
    server = Server(options.program, memory=options.memory)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            server.start()
            if options.only != "cost":
                measure_hanging(server, options.seconds, Path(scratch))
            if options.only != "hanging":
                measure_costs(server, options.rounds, Path(scratch), options.program)
        finally:
            server.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
