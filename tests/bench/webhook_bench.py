#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""webhook_bench.py -- what webhooks cost the requests that they are not called for, and the server.

    webhook_bench.py [--memory] [--seconds N] LISTWATCH

1. Creates of Secrets, 1,000 a second (h2load), alone and while creates of ConfigMaps wait for a webhook
   that hangs until its timeout of 10 s: latency of the Secrets.
2. Creates of ConfigMaps without and with a webhook that answers: CPU time of the server for one, and
   the difference, which is the cost of a call.
Prints one line for each figure."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "e2e"))

from serving import CONFIGMAPS, Server
from webhook_server import AdmissionServer, configuration, webhook

HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
SECRETS = "/api/v1/namespaces/default/secrets"
RATE = 1000  # a second
CLIENTS = 10
WAITING = 50  # creates that hang at a time


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def load(server, path, kind, count, folder, rps=None):
    """h2load creates |count| objects; the latencies in milliseconds, sorted."""
    body, log = folder / "body.json", folder / "log"
    body.write_text(json.dumps({"apiVersion": "v1", "kind": kind,
                                "metadata": {"generateName": "bench-"}}))
    log.unlink(missing_ok=True)
    command = ["h2load", "--h1", "-c", str(CLIENTS), "-n", str(count), "-d", body,
               "-H", "Content-Type: application/json", f"--log-file={log}", server.url() + path]
    if rps:
        command.insert(1, f"--rps={rps / CLIENTS:g}")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    rows = [line.split() for line in log.read_text().splitlines()]
    assert all(row[1] == "201" for row in rows), {row[1] for row in rows}
    return sorted(int(row[2]) / 1000 for row in rows)


def told(what, values):
    print(f"{what}: {len(values)} creates, p50 {percentile(values, .5):.2f} ms, "
          f"p99 {percentile(values, .99):.2f} ms, most {values[-1]:.2f} ms", flush=True)


def cpu_s(server):
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    told("secrets alone", load(server, SECRETS, "Secret", count, folder, RATE))
    server.call("POST", HOOKS, configuration("Validating", "hangs",
                                             webhook(hook, timeoutSeconds=10)))
    stop = threading.Event()
    for _ in range(WAITING):
        threading.Thread(target=keep_waiting, args=(server, stop), daemon=True).start()
    hook.await_asked(WAITING)
    told(f"secrets beside {WAITING} hanging creates of configmaps",
         load(server, SECRETS, "Secret", count, folder, RATE))
    print(f"calls of the hanging webhook meanwhile: {len(hook.asked)}", flush=True)
    stop.set()
    server.call("DELETE", HOOKS + "/hangs")
    hook.close()


def measure_cost(server, count, folder):
    hook = AdmissionServer(lambda path, request: {"allowed": True})
    each = {}
    for what in ("without", "with"):
        if what == "with":
            server.call("POST", HOOKS, configuration("Validating", "answers", webhook(hook)))
        load(server, CONFIGMAPS, "ConfigMap", CLIENTS * 10, folder)  # connections, caches
        before = cpu_s(server)
        load(server, CONFIGMAPS, "ConfigMap", count, folder)
        each[what] = (cpu_s(server) - before) / count * 1e6
    print(f"CPU of the server for a create: {each['without']:.0f} us without a webhook, "
          f"{each['with']:.0f} us with one: a call costs {each['with'] - each['without']:.0f} us")
    hook.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("program")
    options = parser.parse_args()
    if not shutil.which("h2load"):
        print("there is no h2load (package nghttp2-client)")
        return 1
    server = Server(options.program, memory=options.memory)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            server.start()
            measure_hanging(server, options.seconds, Path(scratch))
            measure_cost(server, 5000, Path(scratch))
        finally:
            server.remove()
    return 0


if __name__ == "__main__":
    sys.exit(main())
