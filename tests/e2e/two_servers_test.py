#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""two_servers_test.py -- two servers on one etcd are one.   usage: two_servers_test.py LISTWATCH"""

import contextlib

from etcd import Cluster, etcd_is_missing
from serving import CONFIGMAPS, Server, Watch, Worker, config_map, revision, run_tests, run_together

ROUNDS = 50  # increments of each writer


@contextlib.contextmanager
def pair(program):
    """An etcd, and two servers on it that were started at the same time."""
    with Cluster() as cluster:
        servers = [Server(program, options=["--etcd", cluster.url()]) for _ in range(2)]
        try:
            run_together([Worker(server.start) for server in servers])
            yield cluster, servers
            for server in servers:
                assert server.stop() == 0
        finally:
            for server in servers:
                server.remove()


def needs_etcd(test):
    def run(program):
        if etcd_is_missing():
            return etcd_is_missing()
        with pair(program) as (cluster, servers):
            test(cluster, *servers)
        return None
    run.__name__ = test.__name__
    return run


@needs_etcd
def servers_that_start_at_once_agree_on_what_always_exists(cluster, a, b):
    lists = [server.call("GET", "/api/v1/namespaces")[1] for server in (a, b)]
    assert lists[0]["items"] == lists[1]["items"]
    assert len(lists[0]["items"]) == 4, lists[0]


@needs_etcd
def what_one_acknowledges_the_other_shows(cluster, a, b):
    for i in range(ROUNDS):
        writer, reader = (a, b) if i % 2 else (b, a)
        status, made = writer.call("POST", CONFIGMAPS, config_map(f"c{i}", i=str(i)))
        assert status == 201, made
        assert reader.call("GET", f"{CONFIGMAPS}/c{i}") == (200, made)
        status, shown = reader.call("GET", CONFIGMAPS)
        assert len(shown["items"]) == i + 1, len(shown["items"])
        assert revision(shown) >= revision(made)


def increment(server):
    for _ in range(ROUNDS):
        while True:
            _, seen = server.call("GET", f"{CONFIGMAPS}/counter")
            seen["data"]["n"] = str(int(seen["data"]["n"]) + 1)
            status, answer = server.call("PUT", f"{CONFIGMAPS}/counter", seen)
            if status == 200:
                break
            assert status == 409, answer


@needs_etcd
def no_increment_of_two_servers_is_lost(cluster, a, b):
    status, made = a.call("POST", CONFIGMAPS, config_map("counter", n="0"))
    assert status == 201, made
    watch = Watch(b, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(made)}")
    run_together([Worker(increment, server) for server in (a, b, a, b)])
    seen = [next(watch)["object"] for _ in range(4 * ROUNDS)]
    watch.close()
    assert [int(obj["data"]["n"]) for obj in seen] == list(range(1, 4 * ROUNDS + 1))
    revisions = [revision(obj) for obj in seen]
    assert revisions == sorted(set(revisions))


@needs_etcd
def a_restarted_server_resumes_where_its_watches_were(cluster, a, b):
    _, made = a.call("POST", CONFIGMAPS, config_map("x", n="0"))
    a.stop()
    _, changed = b.call("PUT", f"{CONFIGMAPS}/x", config_map("x", n="1"))
    a.start()
    watch = Watch(a, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(made)}")
    assert next(watch) == {"type": "MODIFIED", "object": changed}
    watch.close()


@needs_etcd
def an_etcd_that_is_away_is_503_and_comes_back(cluster, a, b):
    _, made = a.call("POST", CONFIGMAPS, config_map("x"))
    watch = Watch(b, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(made)}", timeout=60)
    cluster.pause()
    status, answer = a.call("GET", f"{CONFIGMAPS}/x")
    assert status == 503 and "etcd" in answer["message"], (status, answer)
    assert a.call("GET", f"{CONFIGMAPS}/x?resourceVersion=0") == (200, made)
    status, answer = b.call("POST", CONFIGMAPS, config_map("y"))
    assert status in (503, 504), (status, answer)
    cluster.resume()
    status = 0
    while status != 201:
        status, answer = b.call("POST", CONFIGMAPS, config_map("z"))
        assert status in (201, 503, 504), (status, answer)
    assert a.call("GET", f"{CONFIGMAPS}/z") == (200, answer)
    names = []
    while "z" not in names:
        names.append(next(watch)["object"]["metadata"]["name"])
    watch.close()


def await_deleted(watch, name):
    """The events up to the deletion of |name|."""
    events = []
    while not events or events[-1]["type"] != "DELETED" or events[-1]["name"] != name:
        event = next(watch)
        events.append({"type": event["type"], "name": event["object"]["metadata"]["name"]})
    watch.close()
    return events


def owned(name, owner):
    child = config_map(name)
    child["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"],
         "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}]
    return child


def raise_family(server):
    """An owner and its dependents; the owner, and their names."""
    _, owner = server.call("POST", CONFIGMAPS, config_map("owner"))
    names = [f"child-{i}" for i in range(ROUNDS)]
    for name in names:
        status, made = server.call("POST", CONFIGMAPS, owned(name, owner))
        assert status == 201, made
    return made, names


@needs_etcd
def what_two_collectors_collect_goes_once(cluster, a, b):
    last, names = raise_family(a)
    watch = Watch(b, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(last)}")
    status, answer = a.call("DELETE", f"{CONFIGMAPS}/owner?propagationPolicy=Foreground")
    assert status == 200, answer
    events = await_deleted(watch, "owner")
    for name in names:
        assert [e["type"] for e in events if e["name"] == name] == ["DELETED"], events
    assert [e["type"] for e in events if e["name"] == "owner"] == ["MODIFIED", "DELETED"], events


@needs_etcd
def what_two_collectors_orphan_is_written_once(cluster, a, b):
    last, names = raise_family(a)
    watch = Watch(b, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(last)}")
    status, answer = b.call("DELETE", f"{CONFIGMAPS}/owner?propagationPolicy=Orphan")
    assert status == 200, answer
    events = await_deleted(watch, "owner")
    for name in names:
        assert [e["type"] for e in events if e["name"] == name] == ["MODIFIED"], events
    _, left = a.call("GET", CONFIGMAPS)
    assert len(left["items"]) == ROUNDS, left
    assert not any("ownerReferences" in item["metadata"] for item in left["items"]), left


@needs_etcd
def a_namespace_is_emptied_by_who_is_left(cluster, a, b):
    configs = "/api/v1/namespaces/t/configmaps"
    a.call("POST", "/api/v1/namespaces", {"metadata": {"name": "t"}})
    for i in range(4 * ROUNDS):
        status, made = a.call("POST", configs, config_map(f"c{i}"))
        assert status == 201, made
    held = config_map("held")
    held["metadata"]["finalizers"] = ["ex.io/f"]
    _, made = a.call("POST", configs, held)
    contents = Watch(b, f"{configs}?watch=1&resourceVersion={revision(made)}")
    spaces = Watch(b, f"/api/v1/namespaces?watch=1&resourceVersion={revision(made)}")
    status, answer = a.call("DELETE", "/api/v1/namespaces/t")
    assert status == 200, answer
    a.kill()
    gone = set()
    while len(gone) < 4 * ROUNDS:
        event = next(contents)
        if event["type"] == "DELETED":
            gone.add(event["object"]["metadata"]["name"])
    contents.close()
    assert b.call("GET", "/api/v1/namespaces/t")[0] == 200
    _, held = b.call("GET", f"{configs}/held")
    del held["metadata"]["finalizers"]
    status, answer = b.call("PUT", f"{configs}/held", held)
    assert status == 200, answer
    await_deleted(spaces, "t")
    a.start()
    assert a.call("GET", "/api/v1/namespaces/t")[0] == 404


@needs_etcd
def a_definition_goes_with_its_objects_on_both(cluster, a, b):
    crds, widgets = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/apis/ex.io/v1/widgets"
    schema = {"openAPIV3Schema": {"type": "object"}}
    status, made = a.call("POST", crds, {
        "metadata": {"name": "widgets.ex.io"},
        "spec": {"group": "ex.io", "scope": "Cluster",
                 "names": {"plural": "widgets", "kind": "Widget"},
                 "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}]}})
    assert status == 201, made
    watch = Watch(b, f"{crds}?watch=1&resourceVersion={revision(made)}")
    for i in range(ROUNDS):
        status, owner = a.call("POST", widgets, {"metadata": {"name": f"w{i}"}})
        assert status == 201, owner
        child = owned(f"child-{i}", owner)
        child["metadata"]["ownerReferences"][0].update(apiVersion="ex.io/v1", kind="Widget")
        status, last = a.call("POST", CONFIGMAPS, child)
        assert status == 201, last
    contents = Watch(b, f"{CONFIGMAPS}?watch=1&resourceVersion={revision(last)}")
    status, answer = b.call("DELETE", f"{crds}/widgets.ex.io")
    assert status == 200, answer
    await_deleted(watch, "widgets.ex.io")
    assert a.call("GET", f"{crds}/widgets.ex.io")[0] == 404
    gone = [next(contents) for _ in range(ROUNDS)]
    contents.close()
    assert {e["type"] for e in gone} == {"DELETED"}, gone


run_tests([servers_that_start_at_once_agree_on_what_always_exists,
           what_one_acknowledges_the_other_shows,
           no_increment_of_two_servers_is_lost,
           a_restarted_server_resumes_where_its_watches_were,
           what_two_collectors_collect_goes_once,
           what_two_collectors_orphan_is_written_once,
           a_namespace_is_emptied_by_who_is_left,
           a_definition_goes_with_its_objects_on_both,
           an_etcd_that_is_away_is_503_and_comes_back])
