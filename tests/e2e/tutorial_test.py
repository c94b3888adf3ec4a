#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tutorial_test.py -- the programs of docs/tutorial/ do what the pages say.

    tutorial_test.py PROGRAM WEBSITE_CONTROLLER SERVER_TEST SCRIPT...

The Website controller has tests of its own (e2e/website); here it runs as a program, beside the
controllers of a cluster."""

import os
import shlex
import shutil
import subprocess
import sys

from serving import Follower, Server, Watch, run_tests

CONTROLLER, SERVER_TEST = sys.argv[2:4]
SCRIPTS = {os.path.basename(name): name for name in sys.argv[4:]}
WEBSITE = os.path.join(os.path.dirname(SCRIPTS["server_test.py"]), "..", "website")
IS_FOREIGN = bool(os.environ.get("MESON_EXE_WRAPPER"))
SITES = "/apis/example.com/v1/namespaces/default/websites"


def run_script(program, command):
    """A test suite in another language: it must pass, and must have run something."""
    if IS_FOREIGN:
        return "it would start a program of another machine"
    done = subprocess.run(command, env=dict(os.environ, LISTWATCH=os.path.abspath(program)),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=240)
    assert done.returncode == 0, done.stdout[-4000:]
    return None


def the_website_controller_brings_a_website_up(program):
    server = Server(program, memory=True, options=["--controllers", "--nodes", "1"])
    config = server.folder + "/config"
    server.command += ["--kubeconfig", config]
    server.start()
    env = {"KUBECONFIG": config}
    controller = None
    try:
        apply(program, env, "crd.yaml")
        established = Watch(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?watch=1")
        while not has_condition(next(established), "Established"):
            pass
        established.close()
        controller = Follower([CONTROLLER], env)
        controller.await_line("ready")
        apply(program, env, "blog.yaml")
        ready = Watch(server, SITES + "?watch=1")
        while not has_condition(next(ready), "Ready"):
            pass
        ready.close()
        status, routes = server.call("GET", "/api/v1/namespaces/default/configmaps/website-routes")
        assert status == 200 and routes["data"] == {"blog": "blog.example.com"}, routes
        code = controller.end()
        assert code == 0, controller.told()
    finally:
        if controller:
            controller.kill()
        server.remove()


def apply(program, env, name):
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    subprocess.run(wrapper + [program, "apply", "-f", os.path.join(WEBSITE, name)], check=True,
                   env=dict(os.environ, **env), stdout=subprocess.DEVNULL, timeout=60)


def has_condition(event, wanted):
    conditions = event["object"].get("status", {}).get("conditions", [])
    return any(c["type"] == wanted and c["status"] == "True" for c in conditions)


def the_server_test_in_c_passes(_program):
    run = Follower([SERVER_TEST])
    assert run.finish() == 0, run.told()
    assert sum(line.startswith("ok ") for line in run.lines) == 2, run.lines
    run.kill()


def the_server_test_in_python_passes(program):
    return run_script(program, [sys.executable, "-B", SCRIPTS["server_test.py"]])


def the_server_test_in_javascript_passes(program):
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout if node else ""
    if not node or int(version.lstrip("v").split(".")[0]) < 18:
        return "there is no node 18 or later"
    return run_script(program, [node, "--test", SCRIPTS["server.test.mjs"]])


def the_server_test_in_go_passes(program):
    go = shutil.which("go")
    if not go:
        return "there is no go"
    return run_script(program, [go, "test", "-count=1", SCRIPTS["server_test.go"]])


run_tests([the_website_controller_brings_a_website_up, the_server_test_in_c_passes,
           the_server_test_in_python_passes, the_server_test_in_javascript_passes,
           the_server_test_in_go_passes])
