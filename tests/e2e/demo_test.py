#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""demo_test.py -- `make run` and `make demo` from behind the Makefile: a Deployment becomes Pods.
usage: demo_test.py LISTWATCH [--record FILE.svg]

With --record the output of a demo is drawn, each line at its time; that is the picture in README."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

from etcd import Cluster, etcd_is_missing
from recording import draw
from serving import Follower, run_tests

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "tools", "run.py")
MANIFEST = os.path.join(ROOT, "examples", "web.yaml")
PATIENCE = 180


def command(program, folder, *options, demo=True):
    words = [sys.executable, "-B", SCRIPT] + (["--demo"] if demo else [])
    return words + [program, folder, MANIFEST, *options]


def demo(program, folder, *options):
    done = subprocess.run(command(program, folder, *options), capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is forbidden" not in done.stderr, done.stderr
    return done.stdout


def a_deployment_becomes_pods_step_by_step(program):
    with tempfile.TemporaryDirectory() as folder:
        said = demo(program, folder)
    chain = ["you +deployment.apps/web created", "deployment +created ReplicaSet default/web-",
             "replicaset +created Pod default/web-", "scheduler +bound Pod default/web-"]
    places = [re.search(step, said) for step in chain]
    assert all(places), said
    starts = [place.start() for place in places]
    assert starts == sorted(starts), said
    assert "3 pods are running " in said and "Latency from a write to a watch connection" in said, said


def a_second_one_goes_its_own_way(program):
    with tempfile.TemporaryDirectory() as folder:
        first = Follower(command(program, folder, demo=False))
        try:
            first.await_line("The page:", PATIENCE)
            assert "3 pods are running" in demo(program, folder)
            assert sorted(name for name in os.listdir(folder) if name.isdigit()) == ["1", "2"]
        finally:
            first.end(signal.SIGTERM)
            first.kill()


def a_run_serves_its_page_until_it_is_told_to_stop_and_goes_on_where_it_was(program):
    with tempfile.TemporaryDirectory() as folder:
        for number in range(2):
            run = Follower(command(program, folder, demo=False))
            try:
                url = run.await_line("The page:", PATIENCE).split()[-1]
                request = urllib.request.Request(url, headers={"Accept": "text/html"})
                with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
                    assert b"<html" in reply.read()
                run.await_line("Press Ctrl-C to stop.")
                assert run.end(signal.SIGTERM) == 0, run.told()
                made = [line for line in run.lines if "created Pod" in line]
                assert bool(made) == (number == 0), run.told()
            finally:
                run.kill()


def it_runs_on_etcd_too(program):
    missing = etcd_is_missing()
    if missing:
        return missing
    with Cluster() as etcd, tempfile.TemporaryDirectory() as folder:
        said = demo(program, folder, "--etcd", etcd.endpoints())
        assert "3 pods are running" in said, said
        assert len(etcd.read("/registry/pods/default/")) == 3
    return None


def what_cannot_be_started_ends_with_the_servers_word(program):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command(program, folder, "--no-such-option"), capture_output=True,
                              text=True, timeout=PATIENCE)
    assert done.returncode != 0 and "no-such-option" in done.stderr, done


def record(program, path):
    with tempfile.TemporaryDirectory() as folder:
        said = demo(program, folder)
    with open(path, "w") as file:
        file.write(draw("make demo", said.splitlines()))


if "--record" in sys.argv:
    record(sys.argv[1], sys.argv[3])
elif "MESON_EXE_WRAPPER" in os.environ:
    print("1..0 # SKIP the script starts programs of this machine alone")
else:
    run_tests([a_deployment_becomes_pods_step_by_step, a_second_one_goes_its_own_way,
               a_run_serves_its_page_until_it_is_told_to_stop_and_goes_on_where_it_was,
               it_runs_on_etcd_too, what_cannot_be_started_ends_with_the_servers_word])
