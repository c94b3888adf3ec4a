#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heavy_requests.py PROGRAM [SECONDS [CLIENTS]] -- clients send large bodies in a loop; reports what
another client notices, and how long the server takes to stop.

For people, not for `make test`: the figures depend on the machine and its load."""

import json
import multiprocessing
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../e2e")]
import probe  # noqa: E402
from serving import Server  # noqa: E402

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


def unknown_keys():
    body = {"metadata": {"generateName": "heavy-"}}
    body.update({f"unknown{i:06}": i % 10 for i in range(150000)})
    return json.dumps(body, separators=(",", ":")), CONFIGMAPS + "?fieldValidation=Warn"


def large_data():
    body = {"metadata": {"generateName": "large-"},
            "data": {f"key-{i}": "x" * 10 for i in range(30000)}}
    return json.dumps(body, separators=(",", ":")), CONFIGMAPS + "?dryRun=All"


def deep_lists():
    body = {"metadata": {"generateName": "pod-"}, "spec": {"containers": [
        {"name": f"c{i}", "image": "i", "ports": [{"containerPort": p} for p in range(1, 40)]}
        for i in range(1500)]}}
    return json.dumps(body, separators=(",", ":")), "/api/v1/namespaces/default/pods?dryRun=All"


def send(port, number, results):
    bodies = [unknown_keys(), large_data(), deep_lists()]
    codes = {}
    while True:
        body, path = bodies[number % len(bodies)]
        number += 1
        try:
            client = probe.Client(port, 120)
            status, _ = client.request("POST", path, body, {"Content-Type": "application/json"})
        except OSError:
            status = "closed"
            time.sleep(0.05)
        codes[status] = codes.get(status, 0) + 1
        results[os.getpid()] = dict(codes)


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    clients = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    server = Server(program, memory=True).start()
    client = probe.Client(server.port)
    client.request("POST", CONFIGMAPS, json.dumps({"metadata": {"name": "small"}}),
                   {"Content-Type": "application/json"})
    paths = [CONFIGMAPS + "/small", "/livez"]
    print("without load:")
    probe.report(probe.measure(server.port, paths, 2))
    results = multiprocessing.Manager().dict()
    senders = [multiprocessing.Process(target=send, args=(server.port, i, results), daemon=True)
               for i in range(clients)]
    for sender in senders:
        sender.start()
    time.sleep(1)
    print(f"with {clients} clients:")
    probe.report(probe.measure(server.port, paths, seconds))
    total = {}
    for codes in results.values():
        for code, count in codes.items():
            total[code] = total.get(code, 0) + count
    print(f"  heavy requests: {total}; passed to workers: "
          f"{client.metric('listwatch_worker_requests_total')}; "
          f"resident {probe.resident_mb(server.process.pid):.0f} MB")
    start = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    code = server.process.wait(60)
    print(f"  SIGTERM: exit status {code} after {time.monotonic() - start:.2f} s", flush=True)
    for sender in senders:
        sender.terminate()
    print(open(server.folder + "/server.log").read()[-400:])


if __name__ == "__main__":
    main()
