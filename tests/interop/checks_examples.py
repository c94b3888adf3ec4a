# SPDX-License-Identifier: Apache-2.0
"""checks_examples.py -- every example does what its first lines say."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from bench import MERGE, config_map, namespace, pod
from program import wait_until

ROOT = Path(__file__).resolve().parent.parent.parent


def make_pods(b):
    b.apply(pod("web-1", app="web"), pod("db-1", app="db"))


def example_01_lists_pods(b):
    make_pods(b)
    run = b.example("01_list", "app=web")
    assert run.ends() == 0 and run.lines == ["default/web-1 on node-1", "1 pods"], run.lines


def example_02_shows_what_is_there_and_what_changes(b):
    b.apply(config_map("before"))
    run = b.example("02_watch", "8")
    run.says("ADDED default/before")
    b.apply(config_map("meanwhile"))
    run.says("ADDED default/meanwhile")
    b.listwatch("delete", "cm", "before", "meanwhile")
    run.says("DELETED default/before")
    assert run.ends() == 0, run.errors  # the server ends it after eight seconds


def example_03_goes_on_where_a_watch_has_ended(b):
    b.apply(config_map("listed"))
    run = b.example("03_list_then_watch", "3", "3")
    run.says("LISTED listed")
    run.says("-- as of ")
    b.apply(config_map("watched"))
    run.says("ADDED watched")
    assert run.ends() == 0, run.errors
    assert sum(line.startswith("-- as of") for line in run.lines) == 1, run.lines
    b.listwatch("delete", "cm", "listed", "watched")


def example_04_has_a_cache_of_pods(b):
    make_pods(b)
    run = b.example("04_informer")
    run.says("1 web pods")
    b.apply(pod("web-2", app="web"))
    run.says("default/web-2 on node-1")
    assert run.ends(signal.SIGTERM) == 0


def example_05_joins_services_and_slices(b):
    run = b.example("05_services_endpoints")
    b.apply({"apiVersion": "v1", "kind": "Service",
             "metadata": {"name": "web", "namespace": "default"},
             "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}},
            {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
             "metadata": {"name": "web-x", "namespace": "default",
                          "labels": {"kubernetes.io/service-name": "web"}},
             "ports": [{"port": 8080}],
             "endpoints": [{"addresses": ["10.1.0.5"]}, {"addresses": ["10.1.0.6"]}]})
    run.says(" 10.1.0.5:8080 10.1.0.6:8080")
    b.listwatch("delete", "service", "web")
    run.says("default/web gone")
    assert run.ends(signal.SIGTERM) == 0


def example_06_makes_right_what_was_changed(b):
    run = b.example("06_controller")
    b.apply(namespace("crew", team="blue"))
    path = "/api/v1/namespaces/crew/configmaps"

    def team_is(color):
        status, text = b.server.request("GET", path + "/team")
        return status == 200 and json.loads(text)["data"] == {"team": color}

    wait_until(lambda: team_is("blue"), 30, "the map says blue")
    b.listwatch("delete", "cm", "team", "-n", "crew")
    wait_until(lambda: team_is("blue"), 30, "the map is back")
    b.server.call("PATCH", "/api/v1/namespaces/crew", {"metadata": {"labels": {"team": "red"}}},
                   MERGE)
    wait_until(lambda: team_is("red"), 30, "the map says red")
    assert run.ends(signal.SIGTERM) == 0


def example_07_answers_from_its_own_loop(b):
    make_pods(b)
    run = b.example("07_own_loop", stdin=subprocess.PIPE)
    run.says("web-1")
    run.process.stdin.write("app=db\n")
    run.process.stdin.flush()
    run.says("- db-1")
    assert run.ends() == 0, run.errors


def example_08_is_the_library_in_python(b):
    env = dict(b.env, LISTWATCH_LIBRARY=str(b.build / "src" / "liblistwatch.so.0"))
    run = b.start(sys.executable, ROOT / "examples" / "08_python.py", "configmaps", env=env)
    run.says(" configmaps")
    b.apply(config_map("from-python"))
    run.says("default/from-python")
    b.listwatch("delete", "cm", "from-python")
    assert run.ends(signal.SIGTERM) == 0


CHECKS = [
    example_01_lists_pods,
    example_02_shows_what_is_there_and_what_changes,
    example_03_goes_on_where_a_watch_has_ended,
    example_04_has_a_cache_of_pods,
    example_05_joins_services_and_slices,
    example_06_makes_right_what_was_changed,
    example_07_answers_from_its_own_loop,
    example_08_is_the_library_in_python,
]
