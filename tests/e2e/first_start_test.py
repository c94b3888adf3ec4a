#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""first_start_test.py -- kill -9 in the middle of the first start: the next start repeats what is
missing.  What the data directory remembers of authorization.   usage: first_start_test.py LISTWATCH"""

import os
import signal
import subprocess

from serving import Server, run_tests

KINDS = ["/api/v1/namespaces", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
         "/apis/apiregistration.k8s.io/v1/apiservices",
         "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
         "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"]

CONFIG = """apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers: [{type: RBAC, name: rbac}]
"""


def names_of(server):
    """The server's own objects."""
    names = set()
    for kind in KINDS:
        status, found = server.call("GET", kind)
        assert status == 200, found
        names.update(f"{kind}/{item['metadata']['name']}" for item in found["items"])
    return names


def entries(folder):
    return sum(len(files) + len(folders) for _, folders, files in os.walk(folder))


def kill_at(server, count):
    """Kills the first start when its folder has |count| entries; false: it was ready before."""
    log = open(server.folder + "/server.log", "ab")
    process = subprocess.Popen(server.command + ["--listen", "127.0.0.1:0",
                                                 "--insecure-listen", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=log, env=server.env)
    os.set_blocking(process.stdout.fileno(), False)
    is_ready = False
    while entries(server.folder + "/data") < count and not is_ready:
        is_ready = bool(process.stdout.read())
        assert process.poll() is None, open(server.folder + "/server.log").read()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    log.close()
    return not is_ready


def a_first_start_that_was_killed_is_repeated(program):
    whole = Server(program).start()
    wanted = names_of(whole)
    total = entries(whole.folder + "/data")
    whole.stop()
    whole.remove()
    killed = 0
    for count in range(1, total + 1):
        server = Server(program)
        try:
            killed += kill_at(server, count)
            server.start()
            found = names_of(server)
            assert found == wanted, (count, sorted(found ^ wanted)[:5])
            left = [name for _, _, files in os.walk(server.folder) for name in files
                    if name.endswith(".new")]
            assert not left, (count, left)
            server.stop()
        finally:
            server.remove()
    assert killed > 0, "every start was faster than the test"


def remembered(server):
    return open(server.folder + "/data/authorization-mode").read()


def a_start_without_its_authorization_config_is_not_open(program):
    server = Server(program)
    try:
        config = server.folder + "/authorizers"
        with open(config, "w") as file:
            file.write(CONFIG)
        server.command += ["--authorization-config", config]
        server.start()
        server.stop()
        assert remembered(server) == "Node,RBAC\n", remembered(server)
        del server.command[-2:]
        server.start()
        server.stop()
        log = open(server.folder + "/server.log").read()
        assert "authorization mode Node,RBAC" in log and "full access" not in log, log
        server.command += ["--authorization-mode", "RBAC"]
        server.start()
        server.stop()
        server.command[-2:] = ["--authorization-config", config]
        server.start()
        server.stop()
        assert remembered(server) == "RBAC\n", remembered(server)
    finally:
        server.remove()


if __name__ == "__main__":
    run_tests([a_first_start_that_was_killed_is_repeated,
               a_start_without_its_authorization_config_is_not_open])
