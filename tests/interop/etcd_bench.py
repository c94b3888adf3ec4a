#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etcd_bench.py -- `listwatch serve --etcd` under load and, where it can be built, kube-apiserver on
the same etcd under the same load; what one costs beside the other.

    etcd_bench.py --build FOLDER --interop FOLDER [--quick]

Both speak TLS, keep JSON and are asked by the same client, one after the other.  etcd does not wait
for the disk, so that the figures are the servers' and not the disk's.  Only the server's own CPU is
counted.  Nothing is asserted."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "e2e"))  # etcd.py

from etcd import Cluster
from kube_apiserver import KubeApiserver
from listwatch_serve import ListwatchServe
from server_load import WITHOUT_ACCOUNTS, run_load

LOADS = ["creates", "lists", "fanout-tls"]
PODS = 5000  # listed
# What is compared: a name, where a line shows it, and whether more is better.
FIGURES = [("/s", re.compile(r"(\d+) /s "), True),
           ("MB/s", re.compile(r"(\d+) MB/s"), True),
           ("ms CPU", re.compile(r"(\d+) ms CPU"), False),
           ("us CPU each", re.compile(r"(\d+) us CPU each"), False),
           ("us CPU/delivery", re.compile(r"([\d.]+) us CPU/delivery"), False)]


def programs(interop):
    """Paths of kube-apiserver and etcd; None for what cannot be had, with why."""
    done = subprocess.run(["sh", HERE / "build.sh", interop], capture_output=True, text=True)
    if done.returncode == 0:
        return interop / "kube-apiserver", interop / "etcd"
    print(f"no kube-apiserver: {done.stdout.strip()}")
    return None, shutil.which("etcd")


def title(line):
    """What was measured: the same for both servers, however large their objects are."""
    words = re.split(r"\s+[\d.]+ (?:/s|MB/s|us) ", line)[0]
    return " ".join(re.sub(r" \(\d+ MB\)", "", words).split())


def measure(build, server, quick):
    """Runs the loads on |server|; the lines that bench-server prints, by their beginnings."""
    found = {}
    for load in LOADS:
        for line in run_load(build, server, load, PODS, quick):
            print(f"{server.name:>16}: {line}", flush=True)
            found[title(line)] = line
    return found


def compare(ours, theirs):
    for beginning, line in ours.items():
        for name, pattern, is_more_better in FIGURES:
            mine, other = (pattern.search(text) for text in (line, theirs.get(beginning, "")))
            if mine and other and float(mine.group(1)) > 0 and float(other.group(1)) > 0:
                ratio = float(mine.group(1)) / float(other.group(1))
                said = f"{ratio:.1f} times" if is_more_better else f"1/{1 / ratio:.1f} of"
                print(f"{beginning}: {name}: {said} kube-apiserver's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--interop", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    apiserver, etcd_program = programs(args.interop.absolute())
    if not etcd_program:
        print("skipped: no etcd; make deps installs etcd-server")
        return
    with Cluster(program=str(etcd_program)) as etcd:
        print("etcd " + ".".join(map(str, etcd.version())))
        subprocess.run([args.build / "tests" / "bench" / "bench-etcd", etcd.endpoints(),
                        "2000" if args.quick else "20000"])
        server = ListwatchServe(args.build.absolute() / "listwatch", etcd, "/listwatch",
                                WITHOUT_ACCOUNTS)
        ours = measure(args.build, server, args.quick)
        server.remove()
        if apiserver:
            server = KubeApiserver(str(apiserver), etcd=etcd, storage_media_type="application/json")
            theirs = measure(args.build, server, args.quick)
            server.remove()
            compare(ours, theirs)


main()
