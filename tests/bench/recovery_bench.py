#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""recovery_bench.py -- how fast informers are right again after a fault, and how stale they are
meanwhile; beside client-go, with the same proxy, seed and faults.

    recovery_bench.py [--informers N] [--processes N] [--seed N] [--rounds N] [--client-go PROGRAM]
                      BUILD

Informers in one or several processes follow ConfigMaps of a server that is restarted, through a
proxy that breaks (fault_proxy.py).  Each round is one fault of a few seconds; then the server
answers again.  The time from then until an informer has the changes meanwhile is its recovery.
Staleness is the time that an object of an informer was older than in the server, summed over
objects and informers."""

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from fault_proxy import RemoteProxy  # noqa: E402
from serving import CONFIGMAPS, Server  # noqa: E402

SHARDS, WRITE_S = 50, 1.0
SETTLE_S = 3  # of writes after everybody has recovered; they are delivered as before
FAULTS = ("refuse", "kill", "5xx", "429", "410", "stall", "hang", "flap")


class Writer(threading.Thread):
    """Changes an object a second per ten shards, directly at the server."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.lock, self.over = server, threading.Lock(), threading.Event()
        self.versions = collections.defaultdict(list)  # name: (time, n)
        self.is_away = False

    def put(self, shard):
        name = f"o{shard}"
        with self.lock:
            n = len(self.versions[name]) + 1
            body = {"metadata": {"name": name, "labels": {"shard": str(shard)}},
                    "data": {"n": str(n)}}
            try:
                if n == 1:
                    status, _ = self.server.call("POST", CONFIGMAPS, dict(
                        body, apiVersion="v1", kind="ConfigMap"))
                else:
                    status, _ = self.server.call("PUT", f"{CONFIGMAPS}/{name}", dict(
                        body, apiVersion="v1", kind="ConfigMap"))
            except OSError:
                return
            if status < 300:
                self.versions[name].append((time.time(), n))

    def put_all(self):
        for shard in range(SHARDS):
            self.put(shard)

    def run(self):
        order = random.Random(1)
        while not self.over.wait(WRITE_S):
            for shard in order.sample(range(SHARDS), SHARDS // 10):
                if not self.is_away:
                    self.put(shard)


class Newest:
    """The newest version that each informer was told of, and a wait for all to have some."""

    def __init__(self):
        self.changed, self.versions = threading.Condition(), {}

    def tell(self, informer, n):
        with self.changed:
            self.versions[informer] = max(n, self.versions.get(informer, 0))
            self.changed.notify_all()

    def wait(self, wanted, seconds):
        """Until each informer has the version that |wanted| says, or the time is over."""
        def have_all():
            return all(self.versions.get(informer, 0) >= n for informer, n in wanted.items())
        with self.changed:
            return self.changed.wait_for(have_all, seconds)


class Follower(threading.Thread):
    """A process with informers; keeps what its handlers are told."""

    def __init__(self, command, number, newest):
        super().__init__(daemon=True)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)  # client-go logs each fault
        self.number, self.is_ready, self.newest = number, threading.Event(), newest
        self.told = []  # informer, name, n, time

    def run(self):
        for line in self.process.stdout:
            words = line.split()
            if words[0] == b"ready":
                self.is_ready.set()
            else:
                informer = self.number, int(words[0])
                self.told.append((informer, words[1].decode(), int(words[2]),
                                  int(words[3]) / 1e9))
                self.newest.tell(informer, int(words[2]))

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.join(timeout=30)


def stay(seconds):
    """Things stay as they are for so long; nothing is waited for."""
    threading.Event().wait(seconds)


def fault(kind, seconds, proxy, server, writer, dice):
    """Breaks for some seconds, in which all objects change; returns when the server answers
    again."""
    if kind == "refuse":
        proxy.refuse()
        stay(seconds)
        writer.put_all()
        proxy.accept_again()
    elif kind == "kill":
        writer.is_away = True
        proxy.refuse()
        server.kill()
        stay(seconds)
        server.start()
        writer.is_away = False
        writer.put_all()
        proxy.accept_again()
    elif kind in ("5xx", "429", "410"):
        proxy.set_errors({"5xx": [500, 503], "429": [429], "410": [410]}[kind])
        proxy.cut()
        stay(seconds)
        writer.put_all()
        proxy.set_errors([])
    elif kind == "stall":
        proxy.stall()
        stay(seconds)
        writer.put_all()
        proxy.resume()
    elif kind == "hang":
        proxy.hang(0.5)
        writer.put_all()
    else:
        for _ in range(max(2, int(seconds / 3))):
            proxy.refuse()
            stay(dice.uniform(0.2, 2))
            proxy.accept_again()
            stay(dice.uniform(0.2, 2))
            proxy.cut()
        proxy.refuse()
        writer.put_all()
        proxy.accept_again()


def overlap(begin, end, windows):
    return sum(max(0.0, min(end, last) - max(begin, first)) for first, last in windows)


def staleness(told, versions, end, windows):
    """Object-seconds behind within the windows: for each informer and object, the time in which it
    had an older version than the server."""
    have = collections.defaultdict(list)
    for informer, name, n, when in told:
        have[informer, name].append((when, n))
    total = 0.0
    for (_, name), seen in have.items():
        newest, when_had = 0, {}
        for when, n in sorted(seen):
            for version in range(newest + 1, n + 1):
                when_had[version] = when
            newest = max(newest, n)
        behind_until = None
        for when, n in versions[name]:
            got = when_had.get(n, end)
            if seen[0][0] > when:  # before the first sync
                continue
            begin = when if behind_until is None else max(when, behind_until)
            total += overlap(begin, max(begin, got), windows)
            behind_until = max(got, behind_until or 0)
    return total


def recoveries(told, informers, marks):
    """For each fault the seconds until each informer had the version of its end."""
    have = collections.defaultdict(list)
    for informer, name, n, when in told:
        have[informer].append((when, n))
    result = []
    for mark, versions, limit in marks:
        times = []
        for informer in informers:
            wanted = versions[f"o{informer[1] % SHARDS}"]
            got = [when for when, n in have[informer] if n >= wanted]
            times.append(max(0.0, min(min(got, default=limit), limit) - mark))
        result.append(times)
    return result


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def most_per_second(times):
    """The largest number of times within one second."""
    times, most, first = sorted(times), 0, 0
    for last, when in enumerate(times):
        while when - times[first] > 1:
            first += 1
        most = max(most, last - first + 1)
    return most


def contest(name, command_of, options):
    dice = random.Random(options.seed)
    server = Server(os.path.join(options.build, "listwatch")).start()
    writer = Writer(server)
    writer.put_all()
    proxy = RemoteProxy(server.port, options.seed)
    each = options.informers // options.processes
    newest = Newest()
    followers = [Follower(command_of(f"http://127.0.0.1:{proxy.port}", each), p, newest)
                 for p in range(options.processes)]
    for follower in followers:
        follower.start()
    for follower in followers:
        assert follower.is_ready.wait(240), f"{name} is not ready"
    writer.start()
    faults = options.faults.split(",")
    marks, kinds = [], [faults[i % len(faults)] for i in range(options.rounds or len(faults))]
    begin = time.time()
    proxy.take_requests()
    for kind in kinds:
        fault(kind, dice.uniform(3, 12), proxy, server, writer, dice)
        mark = time.time()
        versions = {key: len(value) for key, value in writer.versions.items()}
        newest.wait({(p, i): versions[f"o{i % SHARDS}"] for p in range(options.processes)
                     for i in range(each)}, options.calm)
        stay(min(SETTLE_S, max(0.0, mark + options.calm - time.time())))
        marks.append((mark, versions, time.time()))
    writer.over.set()
    end = time.time()
    for follower in followers:
        follower.stop()
    requests = proxy.take_requests()
    proxy.end()
    server.stop()
    server.remove()
    told = [line for follower in followers for line in follower.told]
    told = [line for line in told if line[3] <= end]
    stale = staleness(told, writer.versions, end, [(begin, end)])
    calm = [(mark, limit) for mark, _, limit in marks]
    avoidable = staleness(told, writer.versions, end, calm)
    informers = [(p, i) for p in range(options.processes) for i in range(each)]
    times = recoveries(told, informers, marks)
    lists = [when for when, what in requests if what == "list"]
    print(f"{name}: {len(informers)} informers in {options.processes} processes, "
          f"{len(kinds)} faults in {end - begin:.0f} s")
    for kind, each_times in zip(kinds, times):
        print(f"  {kind:8} p50 {percentile(each_times, .5):6.2f} s  "
              f"p99 {percentile(each_times, .99):6.2f} s  max {max(each_times):6.2f} s")
    every = [t for each_times in times for t in each_times]
    print(f"  all      p50 {percentile(every, .5):6.2f} s  p99 {percentile(every, .99):6.2f} s")
    print(f"  staleness {stale:.0f} object-seconds, {avoidable:.0f} of them while the server could be "
          f"reached; {len(lists)} lists, at most "
          f"{most_per_second(lists)} in a second; {len(requests)} requests")
    return {"staleness": stale, "avoidable": avoidable, "p50": percentile(every, .5), "p99": percentile(every, .99),
            "lists": len(lists), "lists_per_s": most_per_second(lists)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--informers", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=0, help="faults; 0: each once")
    parser.add_argument("--faults", default=",".join(FAULTS))
    parser.add_argument("--calm", type=float, default=15, help="at most so many seconds after each fault")
    parser.add_argument("--client-go", default="")
    parser.add_argument("--json", default="")
    parser.add_argument("build")
    options = parser.parse_args()
    follow = os.path.join(options.build, "tests/bench/follow-changes")
    results = {"listwatch": contest(
        "listwatch", lambda url, count: [follow, url, str(count), str(SHARDS)], options)}
    if options.client_go:
        results["client-go"] = contest(
            "client-go",
            lambda url, count: [options.client_go, "follow", "-", url, str(count), str(SHARDS)],
            options)
        for what, where in (("staleness", "in all"), ("avoidable", "while it could be reached")):
            ratio = results["client-go"][what] / max(results["listwatch"][what], 0.001)
            print(f"client-go was stale {ratio:.1f} times as long as listwatch {where}")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(results, out)


if __name__ == "__main__":
    main()
