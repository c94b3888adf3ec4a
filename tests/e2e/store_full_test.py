#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""store_full_test.py -- a server whose store is full, or whose file is gone: what clients and
probes see, and that it recovers by itself.   usage: store_full_test.py LISTWATCH"""

import os
import resource
import signal
import time

from serving import CONFIGMAPS, Server, config_map, run_tests

SIZE = 20000
PATIENCE_S = 30


def get(server, path):
    connection = server.connect()
    connection.request("GET", path)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text


def await_ready(server):
    end = time.monotonic() + PATIENCE_S
    while get(server, "/readyz")[0] != 200:
        assert time.monotonic() < end, get(server, "/readyz")


def fill(server, connection):
    """Creates objects until one is refused; their number and the refusal."""
    for number in range(100000):
        status, answer = server.call("POST", CONFIGMAPS, config_map(f"c{number}", d="x" * SIZE),
                                     connection)
        if status != 201:
            return number, status, answer
    raise AssertionError("the store is never full")


def check_full(server):
    connection = server.connect()
    count, status, refusal = fill(server, connection)
    assert status == 507 and refusal["reason"] == "InsufficientStorage", refusal
    assert "4194304" in refusal["message"] and "--store-size" in refusal["message"], refusal
    status, text = get(server, "/readyz")
    assert status == 500 and "[-]store-space failed" in text, text
    assert get(server, "/livez")[0] == 200
    assert "listwatch_store_full 1\n" in get(server, "/metrics")[1]
    for number in range(count):
        body = config_map(f"c{number}", d="y" * SIZE)
        status, answer = server.call("PUT", f"{CONFIGMAPS}/c{number}", body, connection)
        assert status == 200, answer
    for number in range(count // 2):
        assert server.call("DELETE", f"{CONFIGMAPS}/c{number}", None, connection)[0] == 200
    await_ready(server)
    status, answer = server.call("POST", CONFIGMAPS, config_map("new", d="x" * SIZE), connection)
    assert status == 201, answer
    assert "listwatch_store_full 0\n" in get(server, "/metrics")[1]
    connection.close()


def a_full_store_refuses_growth_accepts_deletes_and_recovers(program):
    server = Server(program, options=["--store-size", "4M"]).start()
    try:
        check_full(server)
    finally:
        server.remove()


def a_full_store_in_memory_refuses_growth_accepts_deletes_and_recovers(program):
    server = Server(program, memory=True, options=["--store-size", "4M"]).start()
    try:
        check_full(server)
    finally:
        server.remove()


def writes_that_fail_make_the_server_not_ready_until_they_succeed(program):
    """The limit on the size of its files stands for a disk that fails."""
    server = Server(program).start()
    try:
        connection = server.connect()
        _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 20, hard))
        count, status, refusal = fill(server, connection)
        assert count > 10 and status == 500 and "cannot write" in refusal["message"], refusal
        status, text = get(server, "/readyz")
        assert status == 500 and "[-]store-writes failed" in text, text
        assert server.call("DELETE", f"{CONFIGMAPS}/c0", None, connection)[0] in (200, 500)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        await_ready(server)  # nobody writes meanwhile
        status, answer = server.call("POST", CONFIGMAPS, config_map("new"), connection)
        assert status == 201, answer
        connection.close()
    finally:
        server.remove()


def a_file_that_was_removed_makes_the_server_not_ready(program):
    server = Server(program).start()
    try:
        assert server.call("POST", CONFIGMAPS, config_map("a"))[0] == 201
        os.remove(server.folder + "/data/store/data.mdb")
        status, text = get(server, "/readyz")
        assert status == 500 and "[-]store-writes failed" in text, text
        status, answer = server.call("POST", CONFIGMAPS, config_map("b"))
        assert status == 500 and "removed or replaced" in answer["message"], answer
        assert server.call("GET", f"{CONFIGMAPS}/a")[0] == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=PATIENCE_S) == 0
    finally:
        server.remove()


run_tests([a_full_store_refuses_growth_accepts_deletes_and_recovers,
           a_full_store_in_memory_refuses_growth_accepts_deletes_and_recovers,
           writes_that_fail_make_the_server_not_ready_until_they_succeed,
           a_file_that_was_removed_makes_the_server_not_ready])
