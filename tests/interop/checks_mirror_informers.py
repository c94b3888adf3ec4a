# SPDX-License-Identifier: Apache-2.0
"""checks_mirror_informers.py -- many unmodified informers of client-go behind two mirrors: what the
upstream is asked, and what the caches hold while mirrors, upstream and history go away.

The upstream is kube-apiserver: its metrics and its audit log count.  $MIRROR_INFORMERS is how many
informers there are; 200 without it."""

import hashlib
import json
import os
import random
import tempfile
import threading

from bench import config_map, pod
from checks_clients import Cache
from checks_mirror import Mirror
from program import note, wait_until
from relay import Relay

RESOURCES = {  # in the words of the mirror: the path of all, the path of one namespace, how to make one
    "configmaps": ("/api/v1/configmaps", "/api/v1/namespaces/default/configmaps",
                   lambda name: config_map(name, n="0")),
    "pods": ("/api/v1/pods", "/api/v1/namespaces/default/pods", pod),
    "deployments.apps": ("/apis/apps/v1/deployments", "/apis/apps/v1/namespaces/default/deployments",
                         lambda name: deployment(name)),
}
GO_NAMES = {"deployments.apps": "deployments.v1.apps"}
PATIENCE_S = 120  # client-go may wait for half a minute before it tries again
MERGE = "application/merge-patch+json"


def deployment(name):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "c", "image": "nothing"}]}}}}


class RandomWriter:
    """Creates, changes and deletes objects of all resources at the upstream, by its dice."""

    def __init__(self, server, seed):
        self.server, self.dice, self.made = server, random.Random(seed), []
        self.count = self.writes = 0

    def write(self):
        self.writes += 1
        what = self.dice.random()
        if what < 0.4 or not self.made:
            resource, name = self.dice.choice(list(RESOURCES)), f"fleet-{self.count}"
            self.count += 1
            self.server.call("POST", RESOURCES[resource][1], RESOURCES[resource][2](name))
            self.made.append((resource, name))
            return
        resource, name = self.dice.choice(self.made)
        path = f"{RESOURCES[resource][1]}/{name}"
        if what < 0.8:
            self.server.call("PATCH", path, {"metadata": {"labels": {
                "turn": str(self.count), "dice": str(self.dice.randrange(1000))}}}, MERGE)
        else:
            self.server.call("DELETE", path + "?gracePeriodSeconds=0")
            self.made.remove((resource, name))

    def write_many(self, count):
        for _ in range(count):
            self.write()

    def sweep(self):
        for resource, name in self.made:
            self.server.call("DELETE", f"{RESOURCES[resource][1]}/{name}?gracePeriodSeconds=0")


class WritesMeanwhile(threading.Thread):
    """Writes until the block ends; a write at a time, so that nothing else waits for long."""

    def __init__(self, writer):
        super().__init__(daemon=True)
        self.writer, self.is_over, self.failure = writer, threading.Event(), None

    def run(self):
        try:
            while not self.is_over.wait(0.005):
                self.writer.write()
        except Exception as failure:  # raised by __exit__
            self.failure = failure

    def __enter__(self):
        self.start()

    def __exit__(self, *_):
        self.is_over.set()
        self.join()
        if self.failure:
            raise self.failure


def digest(item):
    """As fleet.go has it."""
    content = {key: value for key, value in item.items() if key not in ("kind", "apiVersion")}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def upstream_state(server):
    """mode, resource: what a cache must hold."""
    wanted = {}
    for resource, (path, _, _) in RESOURCES.items():
        plain, whole = {}, {}
        for item in server.call("GET", path)["items"]:
            meta = item["metadata"]
            key = f"{meta['namespace']}/{meta['name']}"
            plain[key] = meta["resourceVersion"]
            whole[key] = f"{meta['resourceVersion']} {digest(item)}"
        for mode in ("typed", "dynamic", "metadata"):
            wanted[mode, GO_NAMES.get(resource, resource)] = whole if mode == "dynamic" else plain
    return wanted


def wrong_caches(report, wanted):
    """How many caches differ from the upstream, and an example."""
    wrong = [cache for cache in report["caches"]
             if cache["held"] != wanted[cache["mode"], cache["resource"]]]
    if not wrong:
        return 0, ""
    one, there = wrong[0], wanted[wrong[0]["mode"], wrong[0]["resource"]]
    keys = [key for key in one["held"].keys() | there.keys()
            if one["held"].get(key) != there.get(key)]
    return (sum(cache["count"] for cache in wrong),
            f"{one['count']} {one['mode']} {one['resource']} differ in {keys[:3]}")


class Fleet:
    """The informers, behind a relay to the mirrors."""

    def __init__(self, b, relay, count):
        server, own = b.server, b.server.port
        server.port = relay.port
        env = b.env_with("fleet.json", token=server.token)
        server.port = own
        names = ",".join(GO_NAMES.get(name, name) for name in RESOURCES)
        self.server = server
        self.cache = Cache(b, *b.builds.get("go"), "fleet", count, names, env=env)

    def agrees(self, what):
        """Waits until all caches are what the upstream has; the report."""
        seen = {}

        def is_right():
            seen["report"] = self.cache.held()
            seen["wrong"] = wrong_caches(seen["report"], upstream_state(self.server))
            return seen["wrong"][0] == 0

        try:
            wait_until(is_right, PATIENCE_S, f"all caches are right after {what}")
        except AssertionError as late:
            raise AssertionError(f"{late}: {seen['wrong']}") from None
        return seen["report"]


class Mirrors:
    """Two of them, with a relay in front."""

    def __init__(self, b):
        self.b, self.folders = b, [tempfile.TemporaryDirectory() for _ in range(2)]
        self.running = [self.begin(0), self.begin(1)]
        self.relay = Relay(mirror.port for mirror in self.running)

    def begin(self, i):
        return Mirror(str(self.b.build / "listwatch"), self.b.server,
                      "--resources", ",".join(RESOURCES),
                      "--data-dir", self.folders[i].name + "/data")

    def kill(self, i):
        self.running[i].process.kill()
        self.running[i].stop()

    def start_again(self, i):
        self.running[i] = self.begin(i)
        self.relay.ports[i] = self.running[i].port

    def stop(self):
        self.relay.stop()
        for mirror in self.running:
            mirror.stop()
        for folder in self.folders:
            folder.cleanup()


def metric(server, name, resource, verb):
    """The sum of the samples of |name| for all namespaces at once, in the upstream's metrics."""
    text = server.request("GET", "/metrics")[1]
    total = 0
    for line in text.splitlines():
        if line.startswith(name + "{") and f'resource="{resource.partition(".")[0]}"' in line \
                and f'verb="{verb}"' in line and 'scope="cluster"' in line:
            total += float(line.rsplit(" ", 1)[1])
    return int(total)


def counted(server):
    """The watches that are open and the lists so far, per resource.  The server's own informers
    are among them: what counts is the difference."""
    return ({name: metric(server, "apiserver_longrunning_requests", name, "WATCH")
             for name in RESOURCES},
            {name: metric(server, "apiserver_request_total", name, "LIST") for name in RESOURCES})


def counted_since(server, before):
    return tuple({name: now[name] - then[name] for name in now}
                 for now, then in zip(counted(server), before))


def mirror_requests(server, before):
    """Of the requests of the mirrors since |before|: lists, their further pages and watches per
    resource, and their small questions which revision is the newest, which the upstream counts as
    lists as well; and the lists of this check."""
    found = {name: {"lists": 0, "pages": 0, "watches": 0, "questions": 0, "own": 0}
             for name in RESOURCES}
    for uri in server.requests_of("admin")[before:]:
        path, _, query = uri.partition("?")
        name = next((name for name, paths in RESOURCES.items() if paths[0] == path), None)
        if not name:
            continue
        if not query:
            found[name]["own"] += 1
        elif "continue=" in query:
            found[name]["pages"] += 1
        elif "limit=500" in query:
            found[name]["lists"] += 1
        elif "watch=true" in query and "timeoutSeconds=3" not in query.split("&"):
            found[name]["watches"] += 1
        elif "limit=1" in query.split("&"):
            found[name]["questions"] += 1
    return found


def one_list_and_one_watch_each(server, before, then):
    """By the upstream's metrics: two open watches, and two lists before there are clients.  The
    clients cause only questions, which its audit log tells from lists."""
    wait_until(lambda: set(counted_since(server, then)[0].values()) == {2}, 30,
               "two watches of each resource are open")
    asked = mirror_requests(server, before)
    watches, lists = counted_since(server, then)
    note(f"the upstream's metrics: {watches} open watches, {lists} lists; by its log the mirrors "
         f"asked for {asked}")
    for name in RESOURCES:
        assert asked[name]["lists"] == 2 and asked[name]["watches"] == 2, name
        others = sum(asked[name][what] for what in ("pages", "questions", "own"))
        assert lists[name] == 2 + others, name


def mirrors_are_killed(fleet, mirrors, writer):
    """One after the other, under writes; each starts again from its files."""
    for turn in range(4):
        with WritesMeanwhile(writer):
            mirrors.kill(turn % 2)
            wait_until(lambda at=writer.writes: writer.writes > at + 20, 60, "writes go on")
        report = fleet.agrees(f"kill {turn + 1} of a mirror")
        mirrors.start_again(turn % 2)
    return report


def client_go_informers_move_between_two_mirrors_without_a_list(b):
    server, count = b.server, int(os.environ.get("MIRROR_INFORMERS", "200"))
    b.builds.get("go")
    before, then = len(server.requests_of("admin")), counted(server)
    writer = RandomWriter(server, 19)
    writer.write_many(60)
    mirrors = Mirrors(b)
    try:
        one_list_and_one_watch_each(server, before, then)
        fleet = Fleet(b, mirrors.relay, count)
        assert fleet.agrees("the start")["lists"] == count
        one_list_and_one_watch_each(server, before, then)
        with WritesMeanwhile(writer):
            wait_until(lambda: writer.writes > 300, 120, "random writes")
        fleet.agrees("random writes")
        report = mirrors_are_killed(fleet, mirrors, writer)
        note(f"after 4 kills of mirrors: {report['lists']} lists and {report['watches']} watches of "
             f"{count} informers; the mirrors asked for {mirror_requests(server, before)}")
        assert report["lists"] == count, "informers have listed again"
        server.kill()
        server.start()
        writer.write_many(100)
        report = fleet.agrees("the kill of the upstream")
        assert report["lists"] == count, "informers have listed again"
        server.forget()  # killed, etcd compacted
        writer.write_many(100)
        report = fleet.agrees("etcd's compaction")
        note(f"in the end, after {writer.writes} writes: {report['lists']} lists and "
             f"{report['watches']} watches of {count} informers")
        assert report["lists"] == count, "informers have listed again"
    finally:
        mirrors.stop()
        writer.sweep()


CHECKS = [client_go_informers_move_between_two_mirrors_without_a_list]
