#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""crash_test.py -- kill -9 under load, many times: what was acknowledged is there, revisions never
go back, and a watch that resumes misses nothing.   usage: crash_test.py LISTWATCH"""

import http.client
import itertools
import json
import random
import threading

from serving import CONFIGMAPS, Server, Watch, Worker, config_map, revision, run_tests

ROUNDS = 50
WRITERS = 4
STEPS_MAX = 60  # of the writers together, before the kill


class Writer(Worker):
    """Creates, updates and deletes config maps until the server is killed; remembers each answer.
    An answer other than success is a failure, and so is a connection that ends before the kill."""

    def __init__(self, server, round_number, number, acknowledged, progress, is_killed):
        super().__init__(self.write)
        self.server, self.prefix = server, f"r{round_number}-w{number}"
        self.acknowledged = acknowledged  # name -> revision, or None when deleted
        self.progress, self.is_killed = progress, is_killed
        self.unsure = set()  # asked for and not answered: may or may not be there
        self.random = random.Random(f"{round_number}/{number}")

    def write(self):
        connection = self.server.connect()
        try:
            for count in itertools.count():
                self.step(connection, count)
                self.progress.release()
        except (OSError, http.client.HTTPException, ValueError):
            if not self.is_killed.is_set():
                raise
        finally:
            connection.close()
            self.progress.release(STEPS_MAX)  # nobody waits for a writer that has ended

    def step(self, connection, count):
        name = f"{self.prefix}-{count}"
        self.unsure.add(name)
        status, made = self.server.call("POST", CONFIGMAPS, config_map(name, n=str(count)),
                                        connection)
        assert status == 201, made
        self.acknowledged[name] = revision(made)
        choice = self.random.random()
        if choice < 0.3:
            made["data"]["changed"] = "yes"
            status, changed = self.server.call("PUT", f"{CONFIGMAPS}/{name}", made, connection)
            assert status == 200, changed
            self.acknowledged[name] = revision(changed)
        elif choice < 0.5:
            status, _ = self.server.call("DELETE", f"{CONFIGMAPS}/{name}", None, connection)
            assert status == 200
            self.acknowledged[name] = None
        self.unsure.discard(name)


class Follower:
    """One watch carried over all crashes by its last resourceVersion."""

    def __init__(self):
        self.last = None
        self.state = {}  # name -> revision
        self.trouble = []

    def start(self, server):
        if self.last is None:
            _, listed = server.call("GET", CONFIGMAPS)
            self.last = revision(listed)
        self.watch = Watch(server, f"{CONFIGMAPS}?watch=1&resourceVersion={self.last}")
        self.thread = Worker(self.follow)
        self.thread.start()

    def follow(self):
        try:
            for event in self.watch:
                self.take(event)
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # the server was killed

    def take(self, event):
        if event["type"] == "ERROR":
            self.trouble.append(event)
            return
        seen = revision(event["object"])
        if seen <= self.last:
            self.trouble.append(f"{seen} after {self.last}")
        self.last = seen
        name = event["object"]["metadata"]["name"]
        if event["type"] == "DELETED":
            self.state.pop(name, None)
        else:
            self.state[name] = seen

    def catch_up(self, server, wanted):
        """Follows until the revision |wanted| was seen."""
        watch = Watch(server, f"{CONFIGMAPS}?watch=1&resourceVersion={self.last}")
        while self.last < wanted:
            self.take(next(watch))
        watch.close()


def crash_once(server, number, acknowledged, follower):
    server.start()
    follower.start(server)
    progress = threading.Semaphore(0)
    is_killed = threading.Event()
    writers = [Writer(server, number, i, acknowledged, progress, is_killed)
               for i in range(WRITERS)]
    for writer in writers:
        writer.start()
    for _ in range(random.Random(number).randrange(1, STEPS_MAX)):
        progress.acquire()
    is_killed.set()
    server.kill()
    for thread in [*writers, follower.thread]:
        thread.join()
    follower.watch.close()
    return set().union(*(writer.unsure for writer in writers))


def check_state(server, acknowledged, unsure, highest):
    status, listed = server.call("GET", CONFIGMAPS)
    assert status == 200, listed
    there = {item["metadata"]["name"]: revision(item) for item in listed["items"]}
    assert revision(listed) >= highest, f"the revision went back: {revision(listed)} < {highest}"
    for name, rv in acknowledged.items():
        if name in unsure:
            continue
        assert there.get(name) == rv, f"{name}: acknowledged at {rv}, now {there.get(name)}"
    for name in set(there) - set(acknowledged):
        assert name in unsure, f"{name} came from nowhere"
    return revision(listed), there


def acknowledged_writes_survive_kill_9_and_a_watch_resumes(program):
    server = Server(program)
    acknowledged, highest, follower, unsure = {}, 0, Follower(), set()
    try:
        for number in range(ROUNDS):
            unsure |= crash_once(server, number, acknowledged, follower)
            server.start()
            highest, there = check_state(server, acknowledged, unsure, highest)
            last_change = max(there.values(), default=0)
            if follower.last < last_change:
                follower.catch_up(server, last_change)
            server.kill()
            assert not follower.trouble, follower.trouble[:3]
        # What was deleted last may come after the newest object that is still there.
        server.start()
        status, made = server.call("POST", CONFIGMAPS, config_map("end"))
        assert status == 201, made
        follower.catch_up(server, revision(made))
        _, there = check_state(server, acknowledged, unsure | {"end"}, highest)
        assert follower.state == there, "the watch did not see what the list shows"
        assert not follower.trouble, follower.trouble[:3]
        print(f"# {len(acknowledged)} acknowledged writes over {ROUNDS} crashes")
    finally:
        server.remove()


run_tests([acknowledged_writes_survive_kill_9_and_a_watch_resumes])
