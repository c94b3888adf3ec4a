#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""real_tree.py -- a real tree of mirrors on this machine, beside the simulation of the same tree with
the unit costs of the same run.

    real_tree.py [--levels 2,3,9] [--watchers N] [--rate N] [--seconds N] PROGRAM

The watchers are connections of this process.  The lag of a change is counted from the moment at
which a watch at the upstream has it.  A mid-level mirror is killed, then a root; recovery is the time
until each leaf has a change that was made after the kill."""

import argparse
import os
import re
import selectors
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from mirrors import Mirror  # noqa: E402
from serving import CONFIGMAPS, Server  # noqa: E402
from simulator import Costs, Histogram, Simulation, Tree  # noqa: E402

STAMP = re.compile(rb'"stamp":"(\d+)"')


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as stat:
        words = stat.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Watchers(threading.Thread):
    """All connections, in one thread; notes when each group has which change."""

    def __init__(self):
        super().__init__(daemon=True)
        self.selector, self.count, self.is_over = selectors.DefaultSelector(), 0, False
        self.seen = {}       # stamp: {group: [times]}
        self.changed = threading.Condition()

    def add(self, group, port, revision):
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall(f"GET {CONFIGMAPS}?watch=1&resourceVersion={revision}&timeoutSeconds=3000 "
                    "HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        one.setblocking(False)
        self.selector.register(one, selectors.EVENT_READ, group)
        self.count += 1

    def run(self):
        while not self.is_over:
            for key, _ in self.selector.select(0.1):
                self.read(key)
            with self.changed:
                self.changed.notify_all()

    def read(self, key):
        try:
            data = key.fileobj.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.selector.unregister(key.fileobj)
            key.fileobj.close()
            return
        now = time.monotonic()
        for stamp in STAMP.findall(data):
            self.seen.setdefault(int(stamp), {}).setdefault(key.data, []).append(now)

    def wait_for(self, holds, seconds=60):
        with self.changed:
            assert self.changed.wait_for(holds, seconds), "the watchers did not get everything"

    def times(self, stamp, group):
        return self.seen.get(stamp, {}).get(group, [])


class RealTree:
    def __init__(self, options):
        self.program, self.options = options.program, options
        self.server = Server(options.program).start()
        self.stamp = 0
        self.write()
        self.levels = []
        above = [self.server]
        for level in [int(word) for word in options.levels.split(",")]:
            above = [self.mirror(above, i) for i in range(level)]
            self.levels.append(above)
        self.watchers = Watchers()
        _, answer = self.server.call("GET", CONFIGMAPS)
        revision = answer["metadata"]["resourceVersion"]
        self.watchers.add("upstream", self.server.port, revision)
        leaves = self.levels[-1]
        for i in range(options.watchers):
            self.watchers.add(i % len(leaves), leaves[i % len(leaves)].port, revision)
        self.watchers.start()

    def mirror(self, above, i):
        addresses = above[i % len(above):] + above[:i % len(above)]
        return Mirror(self.program, addresses[0], "configmaps", options=(
            "--server", ",".join(one.url() for one in addresses)))

    def write(self):
        """One change; what it carries tells it from all others."""
        self.stamp += 1
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "change"},
                "data": {"stamp": str(self.stamp), "text": "x" * 800}}
        method, path = ("POST", CONFIGMAPS) if self.stamp == 1 else ("PUT", CONFIGMAPS + "/change")
        status, text = self.server.call(method, path, body)
        assert status < 300, text
        return self.stamp

    def pids(self):
        return [mirror.process.pid for level in self.levels for mirror in level]

    def have(self, stamp, leaves):
        wanted = self.options.watchers // len(self.levels[-1])
        return (self.watchers.times(stamp, "upstream")
                and all(len(self.watchers.times(stamp, leaf)) >= wanted for leaf in leaves))

    def steady(self):
        """Writes at the rate; the lags, and the CPU time of mirrors and watchers per delivery."""
        leaves = range(len(self.levels[-1]))
        before, own = sum(map(cpu_s, self.pids())), time.process_time()
        first, pause = self.stamp + 1, threading.Event()
        for _ in range(int(self.options.rate * self.options.seconds)):
            self.write()
            pause.wait(1 / self.options.rate)  # the rate of changes, not a wait for one
        self.watchers.wait_for(lambda: self.have(self.stamp, leaves))
        changes = self.stamp - first + 1
        deliveries = changes * (self.options.watchers + sum(map(len, self.levels)))
        lags = Histogram()
        for stamp in range(first, self.stamp + 1):
            begin = self.watchers.times(stamp, "upstream")[0]
            for leaf in leaves:
                for when in self.watchers.times(stamp, leaf):
                    lags.add(max(0.0, when - begin))
        return (lags, (sum(map(cpu_s, self.pids())) - before) / deliveries,
                (time.process_time() - own) / deliveries)

    def lose(self, level):
        """Kills the first mirror of |level|, and makes a change; how long the leaves below it, or
        all, take to have it."""
        self.levels[level][0].process.kill()
        begin = time.monotonic()
        stamp, leaves = self.write(), range(len(self.levels[-1]))
        self.watchers.wait_for(lambda: self.have(stamp, leaves))
        self.levels[level].pop(0).process.wait()
        took = Histogram()
        for leaf in leaves:
            took.add(max(self.watchers.times(stamp, leaf)) - begin)
        return took

    def stop(self):
        self.watchers.is_over = True
        self.watchers.join()
        for level in reversed(self.levels):
            for mirror in level:
                mirror.stop()
        self.server.stop()
        self.server.remove()


def simulated(options, cores, unit, level=None):
    """The same tree with the measured |unit| costs; |level| loses a mirror."""
    tree = Tree(tuple(int(word) for word in options.levels.split(",")), options.watchers, cores,
                is_one_machine=True)
    costs = Costs(deliver_s=unit[0], client_s=unit[1], latency_s=0.00005)
    run = Simulation(tree, costs, options.rate, seed=1)
    if level is not None:
        run.at(1.0, lambda: run.lose(run.levels[level][0]))
        run.at(1.0, run.change_now)
    run.run(options.seconds)
    return run


def free_cores(options):
    """How much CPU others leave for this: with it, the simulation of one mirror with the watchers of
    one leaf has the median lag of the real one."""
    leaf = argparse.Namespace(**vars(options))
    leaf.watchers = options.watchers // int(options.levels.rsplit(",", 1)[1])
    leaf.levels, leaf.seconds = "1", 5
    tree = RealTree(leaf)
    try:
        lags, *unit = tree.steady()
    finally:
        tree.stop()
    low, high = 0.01, float(os.cpu_count())
    for _ in range(12):
        middle = (low * high) ** 0.5
        if simulated(leaf, middle, unit).lags.share(.5) > lags.share(.5):
            low = middle
        else:
            high = middle
    return high


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--levels", default="2,3,9")
    parser.add_argument("--watchers", type=int, default=1800)
    parser.add_argument("--rate", type=float, default=4)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("program")
    options = parser.parse_args()
    cores = free_cores(options)
    tree = RealTree(options)
    try:
        lags, *unit = tree.steady()
        print(f"{options.watchers} watchers, mirrors per level {options.levels}, "
              f"{options.rate:g} changes/s, one machine with {cores:.2f} free cores: "
              f"{unit[0] * 1e6:.1f} us CPU of mirrors and {unit[1] * 1e6:.1f} us of watchers per "
              "delivery")
        print(f"lag:            real {lags}")
        print(f"                simulated {simulated(options, cores, unit).lags}")
        for name, level in (("mid-level mirror", 1), ("root", 0)):
            print(f"{name} killed: real, by leaf: {tree.lose(level)}")
            run = simulated(options, cores, unit, level + 1)
            print(f"                simulated, mirrors that move: {run.recoveries}")
    finally:
        tree.stop()


if __name__ == "__main__":
    main()
