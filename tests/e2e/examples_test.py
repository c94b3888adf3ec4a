#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples_test.py -- the programs in examples/ do what they say; also under valgrind.

    examples_test.py PROGRAM LIBRARY EXAMPLE...     (EXAMPLE: 01_list and so on, 08_python.py too)"""

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import threading

from etcd import Cluster, etcd_is_missing
from serving import CONFIGMAPS, Follower, Server, Watch, config_map, run_tests

LIBRARY = os.path.abspath(sys.argv[2])
EXAMPLES = {os.path.basename(name): os.path.abspath(name) for name in sys.argv[3:]}
PODS = "/api/v1/namespaces/default/pods"


def pod(name, app="web"):
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "labels": {"app": app}},
            "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i"}]}}


class Scene:
    """A server, a kubeconfig for it, and an example that runs."""

    def __init__(self, program, before=()):
        self.before = list(before)
        self.server = Server(program, memory=True).start()
        self.config = self.server.folder + "/config"
        self.follower = None
        with open(self.config, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {"server": self.server.url()}}],
                       "users": [{"name": "u", "user": {}}],
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]},
                      file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.follower:
            self.follower.kill()
        self.server.remove()

    def start(self, name, *arguments, stdin=None):
        env = {"KUBECONFIG": self.config, "LISTWATCH_LIBRARY": LIBRARY}
        command = self.before + [EXAMPLES[name], *arguments]
        if name.endswith(".py"):
            command = self.before + [sys.executable] + command[len(self.before):]
        self.follower = Follower(command, env, stdin)
        return self.follower

    def call(self, method, path, body=None):
        status, answer = self.server.call(method, path, body)
        assert status in (200, 201), (status, answer)
        return answer

    def patch(self, path, body):
        connection = self.server.connect()
        connection.request("PATCH", path, json.dumps(body),
                           {"Content-Type": "application/merge-patch+json"})
        reply = connection.getresponse()
        assert reply.status == 200, reply.read()
        connection.close()


def list_example(scene):
    scene.call("POST", PODS, pod("a"))
    scene.call("POST", PODS, pod("b", app="db"))
    run = scene.start("01_list")
    assert run.finish() == 0, run.told()
    assert run.lines == ["default/a on n1", "default/b on n1", "2 pods"], run.lines
    run.kill()
    run = scene.start("01_list", "app=db")
    assert run.finish() == 0 and run.lines[-1] == "1 pods", run.told()


def watch_example(scene):
    scene.call("POST", CONFIGMAPS, config_map("a"))
    run = scene.start("02_watch", "3")
    run.await_line("ADDED default/a")
    scene.call("POST", CONFIGMAPS, config_map("b"))
    run.await_line("ADDED default/b")
    scene.call("DELETE", CONFIGMAPS + "/a")
    run.await_line("DELETED default/a")
    assert run.finish() == 0, run.told()


def list_then_watch_example(scene):
    scene.call("POST", CONFIGMAPS, config_map("a"))
    run = scene.start("03_list_then_watch", "2", "2")
    run.await_line("LISTED a")
    run.await_line("-- as of ")
    scene.call("POST", CONFIGMAPS, config_map("b"))
    run.await_line("ADDED b")
    assert run.finish() == 0, run.told()
    assert sum("ADDED" in line for line in run.lines) == 1, run.lines  # not again by watch two


def informer_example(scene):
    scene.call("POST", PODS, pod("a"))
    run = scene.start("04_informer")
    run.await_line("ADD      default/a on n1")
    run.await_line("1 web pods")
    scene.call("POST", PODS, pod("b"))
    run.await_line("ADD      default/b")
    scene.call("DELETE", PODS + "/a?gracePeriodSeconds=0")
    run.await_line("DELETE   default/a")
    assert run.end() == 0, run.told()


def services_example(scene):
    scene.call("POST", "/api/v1/namespaces/default/services",
               {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"},
                "spec": {"clusterIP": "10.96.0.7", "ports": [{"port": 80}]}})
    run = scene.start("05_services_endpoints")
    run.await_line("default/web 10.96.0.7 ->")
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    scene.call("POST", slices,
               {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
                "metadata": {"name": "web-1", "labels": {"kubernetes.io/service-name": "web"}},
                "addressType": "IPv4", "ports": [{"port": 8080}],
                "endpoints": [{"addresses": ["10.1.0.1"]},
                              {"addresses": ["10.1.0.2"], "conditions": {"ready": False}},
                              {"addresses": ["10.1.0.3"], "conditions": {"ready": True}}]})
    run.await_line("default/web 10.96.0.7 -> 10.1.0.1:8080 10.1.0.3:8080")
    scene.call("DELETE", slices + "/web-1")
    assert run.await_line("default/web 10.96.0.7 ->").endswith("->"), run.lines
    assert run.end() == 0, run.told()


def controller_example(scene):
    namespace = "/api/v1/namespaces/default"
    scene.patch(namespace, {"metadata": {"labels": {"team": "blue"}}})
    run = scene.start("06_controller")
    run.await_line("default: blue")
    assert scene.call("GET", CONFIGMAPS + "/team")["data"] == {"team": "blue"}
    scene.patch(namespace, {"metadata": {"labels": {"team": "red"}}})
    run.await_line("default: red")
    assert scene.call("GET", CONFIGMAPS + "/team")["data"] == {"team": "red"}
    before = scene.call("GET", CONFIGMAPS)["metadata"]["resourceVersion"]
    scene.call("DELETE", CONFIGMAPS + "/team")
    made_again = Watch(scene.server, f"{CONFIGMAPS}?watch=1&resourceVersion={before}"
                                     "&fieldSelector=metadata.name%3Dteam")
    while next(made_again)["type"] != "ADDED":
        pass
    assert run.end() == 0, run.told()
    assert scene.call("GET", CONFIGMAPS + "/team")["data"] == {"team": "red"}


def own_loop_example(scene):
    scene.call("POST", PODS, pod("a"))
    scene.call("POST", PODS, pod("b", app="db"))
    run = scene.start("07_own_loop", stdin=subprocess.PIPE)
    run.await_line("ADD ")
    run.await_line("ADD ")
    run.process.stdin.write(b"app=db\n")
    run.process.stdin.flush()
    run.await_line("- b")
    run.await_line("1 found")
    scene.call("POST", PODS, pod("c"))
    run.await_line("ADD c")
    run.process.stdin.write(b"app in web\n")
    run.process.stdin.flush()
    run.await_line('"app in web" is no selector')
    assert run.finish() == 0, run.told()  # closes its input


def python_example(scene):
    scene.call("POST", CONFIGMAPS, config_map("a"))
    run = scene.start("08_python.py", "configmaps")
    run.await_line("ADD default/a")
    run.await_line("2 configmaps")  # with that of kube-system
    scene.call("POST", CONFIGMAPS, config_map("b"))
    run.await_line("ADD default/b")
    assert run.end() == 0, run.told()


def etcd_example(scene):
    if etcd_is_missing():
        return etcd_is_missing()
    with Cluster() as etcd:
        etcd.put("/my/config/theme", "dark")
        etcd.put("/my/config/db/user", "app")
        run = scene.start("09_etcd", etcd.url(), "/my/config/")
        run.await_line("ADD      db/user = app")
        run.await_line("2 keys")
        run.await_line("the theme is dark")
        etcd.put("/my/config/theme", "light")
        run.await_line("UPDATE   theme = light")
        etcd.delete("/my/config/theme")
        run.await_line("DELETE   theme = light")
        assert run.end() == 0, run.told()
    return None


class Backend(threading.Thread):
    """A TCP server that answers each line with its name and the line."""

    def __init__(self, name):
        super().__init__(daemon=True)
        self.name_told = name
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rw") as stream:
                for line in stream:
                    stream.write(f"{self.name_told} {line}")
                    stream.flush()


def slice_of(name, port, ready=True):
    return {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
            "metadata": {"name": name, "labels": {"kubernetes.io/service-name": "web"}},
            "addressType": "IPv4", "ports": [{"name": "http", "port": port}],
            "endpoints": [{"addresses": ["127.0.0.1"], "conditions": {"ready": ready}}]}


def asked_through(port, line):
    """What comes back of |line| through a new connection, which is closed half by half; nothing
    where it is closed before."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        try:
            connection.sendall(line.encode() + b"\n")
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile() as stream:
                return stream.read().strip()
        except (ConnectionResetError, BrokenPipeError):
            return ""
        except OSError as error:
            if error.errno != errno.ENOTCONN:  # reset between sendall and shutdown
                raise
            return ""


def service_proxy_example(scene):
    slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    first, second = Backend("first"), Backend("second")
    scene.call("POST", "/api/v1/namespaces/default/services",
               {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "web"},
                "spec": {"clusterIP": "10.96.0.7", "ports": [{"name": "http", "port": 80}]}})
    run = scene.start("10_service_proxy", "--listen")
    run.await_line("default/web http: ip daddr 10.96.0.7 tcp dport 80 reject")
    port = int(run.await_line("listens on 127.0.0.1:").rsplit(":", 1)[1])
    assert asked_through(port, "x") == ""  # nobody is there: closed
    scene.call("POST", slices, slice_of("web-1", first.port))
    run.await_line(f"dnat to numgen random mod 1 map {{ 0 : 127.0.0.1 . {first.port} }}")
    assert asked_through(port, "a") == "first a"
    scene.call("POST", slices, slice_of("web-2", second.port))
    run.await_line("mod 2 map")
    assert sorted(asked_through(port, "b") for _ in range(4)) == ["first b"] * 2 + ["second b"] * 2
    large = "y" * 1000000  # more than all buffers on the way
    assert asked_through(port, large).endswith(large)
    scene.call("DELETE", slices + "/web-1")
    run.await_line(f"mod 1 map {{ 0 : 127.0.0.1 . {second.port} }}")
    assert [asked_through(port, "c") for _ in range(2)] == ["second c"] * 2
    scene.call("DELETE", "/api/v1/namespaces/default/services/web")
    run.await_line("default/web http: gone")
    try:
        asked_through(port, "d")
        raise AssertionError("it still listens")
    except ConnectionRefusedError:
        pass
    assert run.end() == 0, run.told()
    first.socket.close()
    second.socket.close()


def epoll_loop_example(scene):
    scene.call("POST", PODS, pod("a"))
    run = scene.start("11_epoll_loop")
    run.await_line("n1: 1 pods")
    scene.call("POST", PODS, pod("b"))
    run.await_line("n1: 2 pods")
    scene.call("DELETE", PODS + "/a?gracePeriodSeconds=0")
    run.await_line("n1: 1 pods")
    assert run.end() == 0, run.told()


def told_where_there_is_no_server(program):
    run = Follower([EXAMPLES["04_informer"]], {"KUBECONFIG": "/nonexistent"})
    assert run.finish() == 1 and "/nonexistent" in run.told()["errors"], run.told()
    run.kill()


RUNS = [list_example, watch_example, list_then_watch_example, informer_example, services_example,
        controller_example, own_loop_example, python_example, etcd_example,
        service_proxy_example, epoll_loop_example]


def plain(run):
    def test(program):
        if run is python_example and (os.environ.get("MESON_EXE_WRAPPER") or sanitized(LIBRARY)):
            return "Python cannot load this library: another machine's, or with a sanitizer"
        with Scene(program) as scene:
            return run(scene)
    test.__name__ = run.__name__
    return test


def sanitized(name):
    with open(name, "rb") as file:
        text = file.read()
    return any(word in text for word in (b"__asan_init", b"__tsan_init", b"__ubsan_handle"))


def valgrind_can_read(valgrind, program):
    """valgrind 3.19 gives up on what clang 14 writes for debuggers."""
    said = subprocess.run([valgrind, "-q", program, "--no-such-option"], capture_output=True,
                          env=dict(os.environ, KUBECONFIG="/nonexistent")).stderr
    return b"debuginfo reader" not in said


def checked(run):
    """The same under valgrind: no bad access, nothing lost at the end."""
    def test(program):
        valgrind = shutil.which("valgrind")
        if not valgrind:
            return "there is no valgrind"
        if os.environ.get("MESON_EXE_WRAPPER") or sanitized(EXAMPLES["04_informer"]):
            return "valgrind is for programs of this machine, without sanitizers"
        if not valgrind_can_read(valgrind, EXAMPLES["04_informer"]):
            return "valgrind cannot read what this compiler writes for debuggers"
        with Scene(program, [valgrind, "-q", "--error-exitcode=9", "--leak-check=full",
                             "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite",
                             "--fair-sched=try"]) as scene:
            return run(scene)
    test.__name__ = "valgrind_has_nothing_to_say_of_the_" + run.__name__
    return test


run_tests([plain(run) for run in RUNS] + [told_where_there_is_no_server] +
          [checked(run) for run in RUNS if run is not python_example])
