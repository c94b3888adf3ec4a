# SPDX-License-Identifier: Apache-2.0
"""server_figures.py -- `listwatch serve` on its own store, and kube-apiserver with an etcd: start,
memory, creates, lists, and the way of a write to many watchers."""

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "tests/interop"), str(ROOT / "tests/e2e")]

from etcd import Cluster  # noqa: E402
from kube_apiserver import KubeApiserver  # noqa: E402
from listwatch_serve import ListwatchServe  # noqa: E402
from server_load import WITHOUT_ACCOUNTS, run_load  # noqa: E402

PODS = 5000  # listed, besides those that the creates have made
OURS, THEIRS = "listwatch", "kube-apiserver + etcd"
READY = re.compile(r"start to ready.*?([\d.]+) ms.*RSS when empty +([\d.]+) MB", re.DOTALL)
CREATES = re.compile(r"durable creates, +(\d+) in flight.*?(\d+) /s +p50 ([\d.]+) ms, p99 ([\d.]+)")
LISTS = re.compile(r"list of all pods.*TLS +(JSON|protobuf, warm) +(\d+) MB/s.* (\d+) ms CPU")
WATCHERS = re.compile(r"fan-out, +(\d+) watchers.*p50 ([\d.]+) ms, p99 ([\d.]+) ms.* (\d+) lost")
SHOWN = "bench-server --pods 5000 --attach PID:PORT:TOKEN --only PART"


def resident_mb(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


class TimedKubeApiserver(KubeApiserver):
    """Notes how long the program took, without the keys that are made before it."""

    def start(self, *options):
        began = time.monotonic()
        super().start(*options)
        self.ready_ms = (time.monotonic() - began) * 1e3


def loads(build, server, who, quick, out, note):
    for load, pattern in (("creates", CREATES), ("lists", LISTS), ("watchers", WATCHERS)):
        note(f"{who}: {load}")
        for line in run_load(build, server, load, PODS, quick):
            match = pattern.match(line)
            if match and load == "creates":
                out["creates"].append({"who": who, "in_flight": int(match[1]), "per_s": int(match[2]),
                                       "p50_ms": float(match[3]), "p99_ms": float(match[4])})
            elif match and load == "lists":
                out["lists"].append({"who": who, "form": match[1].partition(",")[0],
                                     "mb_per_s": int(match[2]), "cpu_ms": int(match[3])})
            elif match and match[4] == "0":  # nothing was lost
                out["watchers"].append({"who": who, "watchers": int(match[1]),
                                        "p50_ms": float(match[2]), "p99_ms": float(match[3])})


def measure_ours(build, quick, out, note):
    done = subprocess.run([build / "tests/bench/bench-server", "--folder", build, "--only", "ready",
                           build / "listwatch"], capture_output=True, text=True)
    match = READY.search(done.stdout)
    if match:
        out["start"].append({"who": OURS, "ready_ms": float(match[1]), "rss_mb": float(match[2])})
    server = ListwatchServe(build / "listwatch", options=WITHOUT_ACCOUNTS)
    try:
        loads(build, server, OURS, quick, out, note)
    finally:
        server.remove()


def measure_theirs(build, interop, quick, out, note):
    began = time.monotonic()
    with Cluster(program=str(interop / "etcd")) as etcd:
        etcd_ms = (time.monotonic() - began) * 1e3
        server = TimedKubeApiserver(str(interop / "kube-apiserver"), etcd=etcd)
        try:
            out["start"].append({"who": THEIRS, "ready_ms": round(etcd_ms + server.ready_ms, 1),
                                 "rss_mb": round(resident_mb(server.process)
                                                 + resident_mb(etcd.members[0].process), 1)})
            out["versions"] = (f"kube-apiserver {server.call('GET', '/version')['gitVersion']}, etcd "
                               + ".".join(map(str, etcd.version())))
            loads(build, server, THEIRS, quick, out, note)
        finally:
            server.remove()


def measure(build, interop, quick, note):
    """|interop| has kube-apiserver and etcd; where it has not, they are left out."""
    out = {"command": SHOWN, "start": [], "creates": [], "lists": [], "watchers": []}
    measure_ours(build, quick, out, note)
    if all((interop / name).exists() for name in ("kube-apiserver", "etcd")):
        measure_theirs(build, interop, quick, out, note)
    else:
        note(f"no kube-apiserver and etcd in {interop}: `make interop` builds them")
    return out
