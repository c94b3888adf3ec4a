# SPDX-License-Identifier: Apache-2.0
"""probe.py -- measures what another client notices while a server is under attack."""

import http.client
import os
import re
import time


def resident_mb(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Client:
    def __init__(self, port, timeout=30):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def request(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body, headers or {})
        reply = self.connection.getresponse()
        return reply.status, reply.read()

    def metric(self, name):
        text = self.request("GET", "/metrics")[1].decode()
        found = re.search(rf"^{name} (\d+)$", text, re.M)
        return int(found.group(1)) if found else None


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] * 1000


def measure(port, paths, seconds):
    """Requests each path in turn for |seconds| over one connection; returns {path: times in s}."""
    client = Client(port)
    times = {path: [] for path in paths}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for path in paths:
            start = time.monotonic()
            status, _ = client.request("GET", path)
            times[path].append(time.monotonic() - start)
            if status != 200:
                raise RuntimeError(f"{path}: {status}")
    return times


def report(times):
    load = os.getloadavg()[0]
    for path, seen in times.items():
        print(f"  {path}: {len(seen)} requests, p50 {percentile(seen, 0.5):.2f} ms, "
              f"p99 {percentile(seen, 0.99):.2f} ms, max {max(seen) * 1000:.2f} ms "
              f"(load average {load:.1f})", flush=True)
