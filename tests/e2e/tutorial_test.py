#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tutorial_test.py -- the programs of docs/tutorial/ do what the pages say.

    tutorial_test.py PROGRAM SERVER_TEST WEBSITE_CONTROLLER... SCRIPT...

The Website controller has tests of its own (e2e/website); here it runs as a program, beside the
controllers of a cluster."""

import os
import shlex
import signal
import shutil
import subprocess
import sys
import time

from serving import Follower, Server, Watch, run_tests

SERVER_TEST = sys.argv[2]
CONTROLLERS = {os.path.basename(name): name for name in sys.argv[3:] if "website-" in name}
SCRIPTS = {os.path.basename(name): name for name in sys.argv[3:] if "website-" not in name}
WEBSITE = os.path.join(os.path.dirname(SCRIPTS["server_test.py"]), "..", "website")
IS_FOREIGN = bool(os.environ.get("MESON_EXE_WRAPPER"))
LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/website-controller"
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


def bring_up(program, name):
    """The controller |name| beside the controllers of a cluster; then the server hangs, and the
    controller, which holds a lease, stops nevertheless."""
    if name not in CONTROLLERS:
        return f"{name} was not built: its library is not installed"
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
        controller = Follower([CONTROLLERS[name]], env)
        apply(program, env, "blog.yaml")
        ready = Watch(server, SITES + "?watch=1")
        while not has_condition(next(ready), "Ready"):
            pass
        ready.close()
        status, lease = server.call("GET", LEASE)
        assert status == 200 and lease["spec"]["holderIdentity"], lease
        server.process.send_signal(signal.SIGSTOP)
        try:
            start = time.monotonic()
            code = controller.end()
            took = time.monotonic() - start
        finally:
            server.process.send_signal(signal.SIGCONT)
        assert code == 0, controller.told()
        # Stopping takes 50 ms; the rest is the end of a process on a busy machine.
        assert took < 2, f"stopped after {took:.3f} s"
        print(f"# {name} stopped in {took * 1000:.0f} ms while the server hung")
    finally:
        if controller:
            controller.kill()
        server.remove()
    return None


def the_website_controller_brings_a_website_up(program):
    return bring_up(program, "website-controller")


def the_website_controller_works_in_a_loop_of_libuv(program):
    return bring_up(program, "website-libuv")


def the_website_controller_works_in_a_loop_of_glib(program):
    return bring_up(program, "website-glib")


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


run_tests([the_website_controller_brings_a_website_up,
           the_website_controller_works_in_a_loop_of_libuv,
           the_website_controller_works_in_a_loop_of_glib, the_server_test_in_c_passes,
           the_server_test_in_python_passes, the_server_test_in_javascript_passes,
           the_server_test_in_go_passes])
