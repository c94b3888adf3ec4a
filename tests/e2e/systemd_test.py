#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""systemd_test.py PROGRAM UNIT -- the server as a service: it tells when it is ready, and systemd
accepts its unit."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

from serving import Server, run_tests

EXPOSURE_MAX = 2.0  # of 10, as "systemd-analyze security" counts


def told(name, address):
    """What the server tells a manager that listens at |address|: when ready, and when it stops."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(address)
    manager.settimeout(30)
    server = Server(sys.argv[1], memory=True)
    server.env["NOTIFY_SOCKET"] = name
    try:
        server.start()
        ready = manager.recv(4096).decode().splitlines()
        assert server.stop() == 0
        return ready, manager.recv(4096).decode().splitlines()
    finally:
        server.remove()
        manager.close()


def the_manager_is_told_when_the_server_is_ready_and_when_it_stops(program):
    folder = tempfile.mkdtemp()
    try:
        ready, stopping = told(folder + "/notify", folder + "/notify")
        assert "READY=1" in ready, ready
        assert any(re.match(r"STATUS=serving https://127.0.0.1:\d+", line) for line in ready), ready
        assert "STOPPING=1" in stopping, stopping
    finally:
        shutil.rmtree(folder)


def an_abstract_socket_is_a_manager_too(program):
    name = f"listwatch-test-{os.getpid()}"
    ready, stopping = told("@" + name, "\0" + name)
    assert "READY=1" in ready and "STOPPING=1" in stopping, (ready, stopping)


def a_manager_that_is_not_there_is_reported(program):
    server = Server(program, memory=True)
    server.env["NOTIFY_SOCKET"] = server.folder + "/nobody"
    try:
        server.start()
        assert server.stop() == 0
        with open(server.folder + "/server.log") as log:
            assert "cannot notify the service manager" in log.read()
    finally:
        server.remove()


def analyze(*arguments):
    return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)


def unit_for(program, folder):
    """The unit, with a program that is there."""
    with open(sys.argv[2]) as unit:
        text = unit.read()
    path = folder + "/listwatch.service"
    with open(path, "w") as unit:
        unit.write(re.sub(r"^ExecStart=\S+", "ExecStart=" + os.path.abspath(program), text, flags=re.MULTILINE))
    return path


def systemd_accepts_the_unit(program):
    if not shutil.which("systemd-analyze"):
        return "no systemd-analyze here"
    folder = tempfile.mkdtemp()
    try:
        done = analyze("verify", "--man=no", unit_for(program, folder))
        said = [line for line in done.stderr.splitlines() if "listwatch.service" in line]
        assert done.returncode == 0 and not said, done.stderr
    finally:
        shutil.rmtree(folder)


def the_unit_exposes_little(program):
    if not shutil.which("systemd-analyze"):
        return "no systemd-analyze here"
    folder = tempfile.mkdtemp()
    try:
        done = analyze("security", "--offline=yes", unit_for(program, folder))
        found = re.search(r"exposure level for listwatch.service: ([\d.]+)", done.stdout)
        if not found:
            return "this systemd-analyze cannot read a unit that is not installed"
        assert float(found[1]) <= EXPOSURE_MAX, done.stdout
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    run_tests([the_manager_is_told_when_the_server_is_ready_and_when_it_stops,
               an_abstract_socket_is_a_manager_too,
               a_manager_that_is_not_there_is_reported,
               systemd_accepts_the_unit,
               the_unit_exposes_little])
