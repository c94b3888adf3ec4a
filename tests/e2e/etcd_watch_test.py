#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etcd_watch_test.py -- `listwatch watch --etcd`: keys of a real etcd as objects, live.

    etcd_watch_test.py PROGRAM"""

import json

from etcd import Cluster, etcd_is_missing
from serving import Follower, run_tests


def with_etcd(test):
    def run(program):
        missing = etcd_is_missing()
        if missing:
            return missing
        with Cluster() as etcd:
            followers = []

            def watch(*arguments):
                followers.append(Follower([program, "watch", "--etcd", etcd.url(), *arguments]))
                return followers[-1]
            try:
                test(etcd, watch)
            finally:
                for follower in followers:
                    follower.kill()
        return None
    run.__name__ = test.__name__
    return run


@with_etcd
def prints_a_line_an_event(etcd, watch):
    first = etcd.put("/app/web", "1")
    etcd.put("/application", "not below it")
    run = watch("--prefix", "/app/")
    run.await_line(f"ADDED web {first}")
    run.await_line(f"ADDED ns/db {etcd.put('/app/ns/db', '2')}")
    run.await_line(f"MODIFIED web {etcd.put('/app/web', '3')}")
    run.await_line(f"DELETED web {etcd.delete('/app/web')}")
    assert run.end() == 0 and len(run.lines) == 4, run.told()


@with_etcd
def shows_values_as_json(etcd, watch):
    etcd.put("/app/a", '{"n": 1}')
    etcd.put("/app/b", '{"metadata": {"labels": {"x": "y"}}, "spec": {}}')
    etcd.put("/app/c", "text")
    etcd.put("/app/d", b"\xff\x00")
    run = watch("--prefix", "/app/", "-o", "json", "--once")
    assert run.finish() == 0, run.told()
    shown = {o["metadata"]["name"]: o for o in (json.loads(line)["object"] for line in run.lines)}
    assert shown["a"]["value"] == {"n": 1} and shown["a"]["kind"] == "Entry", shown
    assert shown["b"]["metadata"]["labels"] == {"x": "y"} and "kind" not in shown["b"], shown
    assert shown["c"]["data"] == "text" and shown["d"]["binaryData"] == "/wA=", shown


@with_etcd
def picks_by_namespace_and_label(etcd, watch):
    etcd.put("/app/ns/a", '{"metadata": {"labels": {"x": "y"}}}')
    etcd.put("/app/ns/b", "no label")
    etcd.put("/app/other/a", '{"metadata": {"labels": {"x": "y"}}}')
    run = watch("--prefix", "/app/", "-n", "ns", "-l", "x=y", "--once")
    assert run.finish() == 0 and [line[:10] for line in run.lines] == ["ADDED ns/a"], run.told()


@with_etcd
def ends_with_statistics(etcd, watch):
    for number in range(1200):
        etcd.put(f"/app/{number}", "x")
    run = watch("--prefix", "/app/", "--once", "-q", "--stats", "json")
    assert run.finish() == 0, run.told()
    stats = json.loads(run.lines[-1])
    assert stats["objects"] == 1200 and stats["lists"] == 1, stats


@with_etcd
def goes_on_when_etcd_is_killed_and_comes_back(etcd, watch):
    etcd.put("/app/web", "1")
    run = watch("--prefix", "/app/")
    run.await_line("ADDED web")
    etcd.kill()
    etcd.restart()
    assert etcd.await_health()
    run.await_line(f"MODIFIED web {etcd.put('/app/web', '2')}")
    assert run.end() == 0, run.told()


def refuses_what_makes_no_sense(program):
    for arguments, why in ((["--etcd", "http://127.0.0.1:1"], "--prefix"),
                           (["--etcd", "http://127.0.0.1:1", "--prefix", "/a/", "pods"], "pods"),
                           (["--prefix", "/a/", "pods"], "--etcd")):
        run = Follower([program, "watch", *arguments])
        assert run.finish() == 2 and why in run.told()["errors"], run.told()
        run.kill()
    for arguments, why in ((["--etcd", "ftp://x", "--prefix", "/a/"], "ftp://x"),
                           (["--etcd", "http://127.0.0.1:1", "--prefix", "/a/", "--etcd-user", "u",
                             "--etcd-password-file", "/nonexistent"], "/nonexistent")):
        run = Follower([program, "watch", *arguments])
        assert run.finish() == 1 and why in run.told()["errors"], run.told()
        run.kill()
    run = Follower([program, "get", "--etcd", "http://127.0.0.1:1", "pods"])
    assert run.finish() == 2, run.told()
    run.kill()


def says_that_there_is_no_etcd_and_tries_again(program):
    run = Follower([program, "watch", "--etcd", "http://127.0.0.1:1", "--prefix", "/a/"],
                   joined=True)
    try:
        run.await_line("retrying")
        assert run.end() == 0, run.told()
    finally:
        run.kill()


run_tests([prints_a_line_an_event, shows_values_as_json, picks_by_namespace_and_label,
           ends_with_statistics, goes_on_when_etcd_is_killed_and_comes_back,
           refuses_what_makes_no_sense, says_that_there_is_no_etcd_and_tries_again])
