#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etcd_cluster_test.py -- two servers on three members of etcd, while members and servers die.

    etcd_cluster_test.py LISTWATCH"""

import http.client
import json
import threading
import time

from etcd import Cluster, etcd_is_missing
from serving import CONFIGMAPS, Follower, Server, config_map, revision, run_tests

PAUSE_S = 20
WRITERS = 3
KEYS = 5  # of each writer
PATIENCE_S = 90
PREFIX = "/registry/configmaps/default/"


class Site:
    """An etcd cluster and two servers on it."""

    def __init__(self, program, members=3):
        self.program = program
        self.cluster = Cluster(members)
        self.servers, self.followers = [], []

    def __enter__(self):
        self.cluster.__enter__()
        try:
            for _ in range(2):
                self.servers.append(Server(self.program, options=(
                    "--etcd", self.cluster.endpoints())))
                self.servers[-1].start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for follower in self.followers:
            follower.kill()
        for server in self.servers:
            server.remove()
        self.cluster.__exit__()

    def follow(self, server):
        self.followers.append(Follower([self.program, "watch", "cm", "-n", "default", "-o", "json",
                                        "--stats", "json", "--server", server.url()]))
        return self.followers[-1]

    def stored(self):
        """What etcd holds: name -> (mod revision, n)."""
        return {key[len(PREFIX):]: (rv, json.loads(value).get("data", {}).get("n"))
                for key, (rv, value) in self.cluster.read(PREFIX).items()}

    def mark(self, name):
        """A config map made through the first server, once it takes writes again."""
        def make():
            status, _ = self.servers[0].call("POST", CONFIGMAPS, config_map(name))
            return status in (201, 409)
        eventually(make, f"{name} could not be written")


def eventually(question, complaint, timeout=PATIENCE_S):
    end = time.monotonic() + timeout
    last = None
    while time.monotonic() < end:
        try:
            if question():
                return
        except (OSError, http.client.HTTPException, ValueError) as error:
            last = error
        time.sleep(0.05)  # between two questions
    raise AssertionError(f"{complaint} within {timeout} s; {last}")


def is_ready(server):
    connection = server.connect()
    connection.request("GET", "/readyz")
    status = connection.getresponse().status
    connection.close()
    return status == 200


class Writer(threading.Thread):
    """Writes numbers that only rise into keys of its own, through one server and then the other."""

    def __init__(self, servers, number, stop):
        super().__init__()
        self.servers, self.number, self.stop = servers, number, stop
        self.acknowledged = {}  # name -> (n, revision); n None: deleted
        self.tried = {}  # name -> the last n that was asked for
        self.failures = {}  # what was said -> how often
        self.trouble = []

    def run(self):
        n = 0
        while not self.stop.is_set():
            n += 1
            name = f"w{self.number}-{n % KEYS}"
            try:
                self.write(self.servers[n // 10 % 2], name, n)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.note(type(error).__name__)
            except AssertionError as error:
                self.trouble.append(str(error))
                return

    def note(self, what):
        self.failures[what] = self.failures.get(what, 0) + 1
        self.stop.wait(0.02)  # a server that is gone refuses at once: do not spin

    def write(self, server, name, n):
        path = f"{CONFIGMAPS}/{name}"
        if n % 17 == 0 and self.acknowledged.get(name, (None, 0))[0] is not None:
            self.tried[name] = n
            status, answer = server.call("DELETE", path)
            if status == 200:
                self.acknowledged[name] = (None, 0)
            return self.judge(status, answer, (200, 404))
        self.tried[name] = n
        status, answer = server.call("PUT", path, config_map(name, n=str(n)))
        if status == 404:
            status, answer = server.call("POST", CONFIGMAPS, config_map(name, n=str(n)))
        if status in (200, 201):
            before = self.acknowledged.get(name, (None, 0))
            assert revision(answer) > before[1], f"{name}: {revision(answer)} after {before}"
            self.acknowledged[name] = (n, revision(answer))
        return self.judge(status, answer, (200, 201, 404, 409))

    def judge(self, status, answer, good):
        if status in good:
            return
        assert answer.get("kind") == "Status" and answer.get("message"), (status, answer)
        assert status in (429, 500, 503, 504), (status, answer)
        self.note(f"{status} {answer.get('reason')}")


def replay(follower):
    """The objects at the end of what an informer told, and whether each came in order."""
    state, last = {}, {}
    for line in follower.lines:
        told = json.loads(line)
        if "type" not in told:
            continue  # the statistics
        name, rv = told["object"]["metadata"]["name"], revision(told["object"])
        assert rv >= last.get(name, 0), f"{name} went back from {last[name]} to {rv}"
        if rv == last.get(name):
            assert told["type"] == "DELETED" or name not in state, f"{name} at {rv} came twice"
        last[name] = rv
        if told["type"] == "DELETED":
            assert name in state, f"{name} was deleted without having been there"
            del state[name]
        else:
            assert (told["type"] == "ADDED") == (name not in state), (told["type"], name)
            state[name] = (rv, told["object"].get("data", {}).get("n"))
    return state


def run_chaos(site, writers):
    cluster = site.cluster
    for index in range(len(cluster.members)):
        cluster.kill(index)
        await_writes(writers, f"with member {index} dead")
        cluster.restart(index)
        assert cluster.await_health(), f"member {index} did not come back"
    cluster.pause(0)
    end = time.monotonic() + PAUSE_S
    await_writes(writers, "with a member paused")
    time.sleep(max(0, end - time.monotonic()))  # the pause itself is what is tested
    cluster.resume(0)
    site.servers[1].kill()
    await_writes(writers, "with a server dead")
    site.servers[1].start()
    await_writes(writers, "after everything")


def await_writes(writers, when):
    """Until every writer has had some more writes acknowledged."""
    for writer in writers:
        before = dict(writer.acknowledged)
        eventually(lambda w=writer, b=before: w.acknowledged != b or w.trouble,
                   f"no write came through {when}: {writer.failures}")
        assert not writer.trouble, writer.trouble


def check_nothing_lost(site, writers):
    stored = site.stored()
    for writer in writers:
        for name, (n, _) in writer.acknowledged.items():
            there = stored.get(name, (0, None))[1]
            unsure = writer.tried[name] != n
            if there is not None:
                assert unsure or int(there) == n, f"{name}: {there} is stored, {n} was acknowledged"
                assert n is None or int(there) >= n, f"{name} went back to {there} from {n}"
            else:
                assert n is None or unsure, f"{name}: {n} was acknowledged and is lost"
    return stored


def nothing_is_lost_while_members_and_servers_die(program):
    if etcd_is_missing():
        return etcd_is_missing()
    with Site(program) as site:
        informers = [site.follow(server) for server in site.servers]
        stop = threading.Event()
        writers = [Writer(site.servers, i, stop) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        try:
            await_writes(writers, "at first")
            run_chaos(site, writers)
        finally:
            stop.set()
            for writer in writers:
                writer.join()
        site.mark("end")
        stored = check_nothing_lost(site, writers)
        for informer in informers:
            informer.await_line('"name": "end"', PATIENCE_S)
            assert informer.end() == 0, informer.told()
            assert replay(informer) == stored, "an informer and etcd differ"
        count = sum(len(writer.acknowledged) for writer in writers)
        print(f"# {count} keys; failures seen: {[writer.failures for writer in writers]}")
    return None


def a_write_through_one_server_is_read_and_watched_through_the_other(program):
    if etcd_is_missing():
        return etcd_is_missing()
    with Site(program, members=1) as site:
        one, other = site.servers
        informer = site.follow(other)
        for i in range(50):
            status, made = one.call("POST", CONFIGMAPS, config_map(f"c{i}", n=str(i)))
            assert status == 201, made
            status, read = other.call("GET", f"{CONFIGMAPS}/c{i}")
            assert status == 200 and read == made, (i, read)
            status, listed = other.call("GET", CONFIGMAPS)
            assert len(listed["items"]) == i + 1, (i, len(listed["items"]))
            status, refused = other.call("POST", CONFIGMAPS, config_map(f"c{i}"))
            assert (status, refused["reason"]) == (409, "AlreadyExists"), refused
        for i in range(50):
            assert other.call("DELETE", f"{CONFIGMAPS}/c{i}")[0] == 200
            assert one.call("GET", f"{CONFIGMAPS}/c{i}")[0] == 404
            status, _ = one.call("POST", CONFIGMAPS, config_map(f"c{i}", n="again"))
            assert status == 201, "what was deleted through the other can be made anew"
        site.mark("end")
        informer.await_line('"name": "end"', PATIENCE_S)
        assert informer.end() == 0 and replay(informer) == site.stored()
    return None


def without_quorum_writes_fail_clearly_and_come_back_with_it(program):
    if etcd_is_missing():
        return etcd_is_missing()
    with Site(program) as site:
        server = site.servers[0]
        site.mark("before")
        site.cluster.kill(0)
        site.cluster.kill(1)
        status, answer = server.call("POST", CONFIGMAPS, config_map("lost"))
        assert status in (503, 504) and answer["kind"] == "Status", (status, answer)
        assert "etcd" in answer["message"], answer
        status, answer = server.call("GET", f"{CONFIGMAPS}/before")
        assert status in (503, 504), (status, answer)
        status, answer = server.call("GET", f"{CONFIGMAPS}?resourceVersion=0")
        assert status == 200, "what may be old is still told"
        eventually(lambda: not is_ready(server), "it did not say that it is not ready")
        site.cluster.restart(0)
        site.cluster.restart(1)
        site.mark("after")
        eventually(lambda: server.call("GET", f"{CONFIGMAPS}/after")[0] == 200, "no read came back")
        eventually(lambda: is_ready(server), "it did not say that it is ready again")
    return None


def a_watcher_whose_past_is_compacted_lists_again_and_is_right(program):
    if etcd_is_missing():
        return etcd_is_missing()
    with Site(program, members=1) as site:
        late, other = site.servers
        for i in range(20):
            assert other.call("POST", CONFIGMAPS, config_map(f"c{i}", n="0"))[0] == 201
        _, listed = late.call("GET", CONFIGMAPS)
        informer = site.follow(late)
        informer.await_line('"name": "c9"')
        late.kill()
        for i in range(10):
            assert other.call("DELETE", f"{CONFIGMAPS}/c{i}")[0] == 200
        for i in range(10, 20):
            assert other.call("PUT", f"{CONFIGMAPS}/c{i}", config_map(f"c{i}", n="1"))[0] == 200
        site.cluster.compact()
        late.start()
        status, answer = late.call(
            "GET", f"{CONFIGMAPS}?watch=1&timeoutSeconds=1&resourceVersion={revision(listed)}")
        told = answer if status != 200 else answer["object"]
        assert (told["code"], told["reason"]) == (410, "Expired"), (status, answer)
        site.mark("end")
        informer.await_line('"name": "end"', PATIENCE_S)
        assert informer.end() == 0 and replay(informer) == site.stored()
        assert json.loads(informer.lines[-1])["relists"] >= 1, informer.lines[-1]
    return None


run_tests([a_write_through_one_server_is_read_and_watched_through_the_other,
           a_watcher_whose_past_is_compacted_lists_again_and_is_right,
           without_quorum_writes_fail_clearly_and_come_back_with_it,
           nothing_is_lost_while_members_and_servers_die])
