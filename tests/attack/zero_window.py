#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""zero_window.py PROGRAM [WINDOW [SECONDS]] -- HTTP/2 clients request large documents on many streams
and open no window (or WINDOW bytes); reports how much memory the server takes for them, and what
another client notices.

For people, not for `make test`: the figures depend on the machine and its load."""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../e2e")]
import h2frames  # noqa: E402
import probe  # noqa: E402
from serving import Server  # noqa: E402

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
CONNECTIONS, STREAMS = 5, 900
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
ROUNDS = [
    ("/openapi/v2", [("accept", "application/json")]),
    (CONFIGMAPS, [("accept", "application/yaml")]),
    (CONFIGMAPS + "?includeObject=Object", [("accept", TABLE)]),
    (CONFIGMAPS, [("accept", "application/vnd.kubernetes.protobuf")]),
    (CONFIGMAPS, [("accept", "application/json")]),
    (CONFIGMAPS + "/large-0001", [("accept", "application/json")]),
    ("/apis", [("accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")]),
]


def fill(port):
    """Creates about 10 MB of ConfigMaps."""
    client = probe.Client(port)
    for i in range(200):
        body = {"metadata": {"name": f"large-{i:04}"},
                "data": {f"key-{k:03}": "value " * 16 for k in range(480)}}
        status, reply = client.request("POST", CONFIGMAPS, json.dumps(body),
                                       {"Content-Type": "application/json"})
        assert status == 201, reply


def main():
    program = sys.argv[1]
    window = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 4
    server = Server(program, memory=True).start()
    fill(server.port)
    client = probe.Client(server.port)
    for path, headers in ROUNDS:  # every document is made once
        client.request("GET", path, headers=dict(headers))
    pid = server.process.pid
    for path, headers in ROUNDS:
        before = probe.resident_mb(pid)
        connections = [h2frames.Connection(server.port, window) for _ in range(CONNECTIONS)]
        for connection in connections:
            connection.send_requests([path] * STREAMS, headers)
        times = probe.measure(server.port, [CONFIGMAPS + "/large-0000", "/livez"], seconds)
        during = probe.resident_mb(pid)
        print(f"{headers[0][1]} {path}: {CONNECTIONS} x {STREAMS} streams of window {window}: "
              f"resident {before:.0f} MB, then {during:.0f} MB ({during - before:+.0f}); held "
              f"{client.metric('listwatch_held_reply_bytes')}; refused by workers "
              f"{client.metric('listwatch_worker_refused_total')}")
        probe.report(times)
        for connection in connections:
            connection.close()
        time.sleep(12)  # the server gives memory back every ten seconds
        print(f"  after they closed: resident {probe.resident_mb(pid):.0f} MB", flush=True)
    server.process.terminate()
    print(f"exit status {server.process.wait(60)}")


if __name__ == "__main__":
    main()
