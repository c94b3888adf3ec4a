#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mirror_restart_test.py -- a mirror with a data directory is stopped, killed and started again.
usage: mirror_restart_test.py LISTWATCH"""

import contextlib
import glob
import tempfile

from mirrors import Mirror, another_cluster, wait_for
from serving import CONFIGMAPS, Server, Watch, config_map, revision, run_tests

LISTS = "listwatch_mirror_lists_total"
MEMORY = CONFIGMAPS + "?resourceVersion=0"


class Site:
    """A server, and a mirror of it that is started several times with the same data directory."""

    def __init__(self, program, memory, options):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.server = Server(program, memory=memory, options=options).start()
        self.mirrors = []

    def mirror(self, resources="configmaps,namespaces", options=()):
        self.mirrors.append(Mirror(self.program, self.server, resources=resources,
                                   options=("--data-dir", self.folder.name + "/data", *options)))
        return self.mirrors[-1]

    def files(self, resource="configmaps"):
        return glob.glob(f"{self.folder.name}/data/mirror/{resource}-*.state")

    def log(self):
        """What the last mirror has logged."""
        with open(self.mirrors[-1].folder + "/mirror.log") as file:
            return file.read()

    def make(self, *names):
        """Creates ConfigMaps at the server, and returns the last one."""
        for name in names:
            status, made = self.server.call("POST", CONFIGMAPS, config_map(name))
            assert status == 201, made
        return made

    def remove(self):
        for mirror in self.mirrors:
            mirror.remove()
        self.server.remove()
        self.folder.cleanup()


@contextlib.contextmanager
def site(program, memory=False, options=()):
    made = Site(program, memory, options)
    try:
        yield made
    finally:
        made.remove()


def names(mirror):
    return [item["metadata"]["name"] for item in mirror.call("GET", MEMORY)[1].get("items", ())]


def kill(mirror):
    mirror.process.kill()
    mirror.process.wait()


def a_stopped_mirror_goes_on_where_it_was(program):
    with site(program) as place:
        mirror = place.mirror()
        made = place.make("a", "b")
        wait_for("b is mirrored", lambda: names(mirror) == ["a", "b"])
        watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&allowWatchBookmarks=true"
                              f"&resourceVersion={revision(made)}")
        assert mirror.stop() == 0
        since = revision(list(watch)[-1]["object"])
        later = place.make("c")
        assert place.server.call("DELETE", CONFIGMAPS + "/a")[0] == 200
        mirror = place.mirror()
        wait_for("what has happened meanwhile is there", lambda: names(mirror) == ["b", "c"])
        assert mirror.metric(LISTS) == 0 and mirror.metric(LISTS, "namespaces") == 0
        watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={since}")
        assert next(watch)["object"] == later
        assert next(watch)["type"] == "DELETED"
        watch.close()
        assert mirror.stop() == 0


def a_killed_mirror_goes_on_where_it_was(program):
    with site(program) as place:
        before = place.make("a")
        mirror = place.mirror()
        wait_for("the first state is saved", place.files)
        since = revision(mirror.call("GET", MEMORY)[1])
        made = place.make("b")
        wait_for("b is mirrored", lambda: names(mirror) == ["a", "b"])
        kill(mirror)
        later = place.make("c")
        mirror = place.mirror()
        wait_for("c is mirrored", lambda: names(mirror) == ["a", "b", "c"])
        assert mirror.metric(LISTS) == 0
        assert mirror.call("GET", CONFIGMAPS)[1]["items"] == \
            place.server.call("GET", CONFIGMAPS)[1]["items"]
        # A client that was behind when the mirror was killed goes on as well.
        watch = Watch(mirror, f"{CONFIGMAPS}?watch=1&resourceVersion={max(since, revision(before))}")
        assert [next(watch)["object"], next(watch)["object"]] == [made, later]
        watch.close()


def without_the_upstream_what_was_saved_is_served(program):
    with site(program) as place:
        mirror = place.mirror()
        place.make("a")
        wait_for("a is mirrored", lambda: names(mirror) == ["a"])
        assert mirror.stop() == 0
        place.server.kill()
        mirror = place.mirror()
        status, headers, _ = mirror.ask("GET", MEMORY)
        assert status == 200 and float(headers["X-Listwatch-Lag"]) >= 0, headers
        assert names(mirror) == ["a"]
        place.server.start()
        place.make("b")
        wait_for("b is mirrored", lambda: names(mirror) == ["a", "b"])
        assert mirror.metric(LISTS) == 0


def what_the_upstream_has_forgotten_is_listed_once(program):
    with site(program, options=("--history-size", "64K")) as place:
        mirror = place.mirror()
        made = place.make("a")
        wait_for("a is mirrored", lambda: names(mirror) == ["a"])
        assert mirror.stop() == 0

        def is_forgotten():
            for _ in range(20):
                stored = place.server.call("GET", CONFIGMAPS + "/a")[1]
                stored["data"] = {"x": "y" * 4096 if stored.get("data") != {"x": "y" * 4096} else "z"}
                assert place.server.call("PUT", CONFIGMAPS + "/a", stored)[0] == 200
            watch = Watch(place.server, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(made)}")
            event = next(watch)
            watch.close()
            return event["type"] == "ERROR"
        wait_for("the upstream has forgotten the revision", is_forgotten)
        place.make("b")
        mirror = place.mirror()
        wait_for("b is mirrored", lambda: names(mirror) == ["a", "b"])
        assert mirror.metric(LISTS) == 1


def the_state_of_another_cluster_is_not_served(program):
    with site(program, memory=True) as place:
        mirror = place.mirror()
        place.make(*[f"c{i}" for i in range(30)])
        wait_for("all are mirrored", lambda: len(names(mirror)) == 30)
        assert mirror.stop() == 0
        place.server.kill()
        place.server.start()  # in memory: another one, at the same address
        mirror = place.mirror()
        assert names(mirror) == []
        assert mirror.metric(LISTS) == 1
        assert "another cluster" in place.log(), place.log()


def the_state_of_another_cluster_is_not_served_at_a_later_revision(program):
    with site(program) as place:
        mirror = place.mirror()
        place.make("a", "b")
        wait_for("all are mirrored", lambda: len(names(mirror)) == 2)
        assert mirror.stop() == 0
        other = another_cluster(program, place.server, 40)
        try:
            mirror = place.mirror()
            assert len(names(mirror)) == 40 and "a" not in names(mirror), names(mirror)
            assert mirror.metric(LISTS) == 1
            assert "another cluster" in place.log(), place.log()
            assert mirror.stop() == 0
            mirror = place.mirror()  # what it has saved now is of this cluster
            assert mirror.metric(LISTS) == 0
            assert mirror.stop() == 0
        finally:
            other.stop()
            other.remove()


def a_damaged_file_is_ignored(program):
    with site(program) as place:
        mirror = place.mirror()
        place.make("a")
        wait_for("a is mirrored", lambda: names(mirror) == ["a"])
        assert mirror.stop() == 0
        (path,) = place.files()
        with open(path, "r+b") as file:
            file.seek(-3, 2)
            file.write(b"#")
        mirror = place.mirror()
        assert names(mirror) == ["a"] and mirror.metric(LISTS) == 1
        assert mirror.metric(LISTS, "namespaces") == 0
        assert "configmaps: the saved state is ignored: its checksum is wrong" in place.log()


def a_file_of_another_version_is_ignored(program):
    with site(program) as place:
        place.make("a")
        mirror = place.mirror()
        assert mirror.stop() == 0
        (path,) = place.files()
        with open(path, "r+b") as file:
            file.seek(8)
            file.write(b"\1")
        mirror = place.mirror()
        assert names(mirror) == ["a"] and mirror.metric(LISTS) == 1
        assert "the saved state is ignored: it has format version 1 instead of 3" in place.log()


def packed_objects_are_saved_as_they_are(program):
    with site(program) as place:
        for i in range(50):
            made = config_map(f"web-{i:02}")
            made["metadata"]["labels"] = {"app": "web", "tier": "back" if i == 7 else "front"}
            made["data"] = {"text": "This is so long that it is worth the effort. " * 20, "n": str(i)}
            assert place.server.call("POST", CONFIGMAPS, made)[0] == 201
        mirror = place.mirror(options=("--compact", "on"))
        wait_for("it is saved", place.files)
        kill(mirror)
        for mode in ("on", "auto", "off"):
            mirror = place.mirror(options=("--compact", mode))
            wait_for("all are mirrored", lambda: len(names(mirror)) == 50)
            assert mirror.metric(LISTS) == 0
            assert mirror.call("GET", MEMORY)[1]["items"] == \
                place.server.call("GET", CONFIGMAPS)[1]["items"]
            selected = MEMORY + "&labelSelector=tier=back"
            assert len(mirror.call("GET", selected)[1]["items"]) == 1
            assert mirror.stop() == 0


def a_mirror_that_is_killed_while_it_saves_loses_nothing(program):
    with site(program) as place:
        for i in range(5):
            place.make(f"n{i}")
            kill(place.mirror())
            for path in place.files():
                with open(path + ".new", "wb") as file:
                    file.write(b"LWSTATE\n\3\0")
        mirror = place.mirror()
        wait_for("all are mirrored", lambda: len(names(mirror)) == 5)
        assert mirror.metric(LISTS) <= 1
        assert mirror.call("GET", CONFIGMAPS)[1]["items"] == \
            place.server.call("GET", CONFIGMAPS)[1]["items"]


def other_selectors_have_another_state(program):
    with site(program) as place:
        place.make("a")
        mirror = place.mirror()
        wait_for("it is saved", place.files)
        kill(mirror)
        place.mirrors.append(Mirror(program, place.server, resources="configmaps", options=(
            "--data-dir", place.folder.name + "/data", "--label-selector", "x=y")))
        assert names(place.mirrors[-1]) == []
        assert place.mirrors[-1].metric(LISTS) == 1


def custom_resources_are_saved_as_well(program):
    with site(program) as place:
        definition = {
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "websites.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": "websites", "kind": "Website"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object"}}}]}}
        websites = "/apis/example.com/v1/namespaces/default/websites"
        assert place.server.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                                 definition)[0] == 201
        assert place.server.call("POST", websites, {
            "apiVersion": "example.com/v1", "kind": "Website", "metadata": {"name": "w"}})[0] == 201
        mirror = place.mirror("websites.example.com")
        assert len(mirror.call("GET", websites + "?resourceVersion=0")[1]["items"]) == 1
        assert mirror.stop() == 0
        place.server.kill()
        mirror = place.mirror("websites.example.com")
        assert len(mirror.call("GET", websites + "?resourceVersion=0")[1]["items"]) == 1
        assert mirror.metric(LISTS, "websites") == 0


run_tests([
    a_stopped_mirror_goes_on_where_it_was,
    a_killed_mirror_goes_on_where_it_was,
    without_the_upstream_what_was_saved_is_served,
    what_the_upstream_has_forgotten_is_listed_once,
    the_state_of_another_cluster_is_not_served,
    the_state_of_another_cluster_is_not_served_at_a_later_revision,
    a_damaged_file_is_ignored,
    a_file_of_another_version_is_ignored,
    packed_objects_are_saved_as_they_are,
    a_mirror_that_is_killed_while_it_saves_loses_nothing,
    other_selectors_have_another_state,
    custom_resources_are_saved_as_well,
])
