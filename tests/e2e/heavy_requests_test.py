#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""heavy_requests_test.py -- requests that take long delay no others, and replies that nobody reads
are not made.
usage: heavy_requests_test.py LISTWATCH"""

import json
import re
import socket
import time

import h2frames
from serving import CONFIGMAPS, Server, config_map, run_tests

HEAVY = 20  # requests at once, for one worker
LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
YAML = [("accept", "application/yaml")]
TABLE = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")]
WINDOW = 1 << 30


def heavy_request():
    """A ConfigMap with very many fields that it does not have."""
    body = {"metadata": {"generateName": "heavy-"}}
    body.update({f"unknown{i:06}": i % 10 for i in range(120000)})
    text = json.dumps(body, separators=(",", ":"))
    return (f"POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}").encode()


def send_heavy(server):
    """Sends the requests, which all become complete at the same time."""
    request = heavy_request()
    socks = [socket.create_connection(("127.0.0.1", server.port), 60) for _ in range(HEAVY)]
    for sock in socks:
        sock.sendall(request[:-1])
    for sock in socks:
        sock.sendall(request[-1:])
    return socks


def read_status(sock):
    """The status of the reply, after the server has closed the connection; 0: none came."""
    text = b""
    try:
        while more := sock.recv(1 << 16):
            text += more
    except ConnectionError:
        pass
    sock.close()
    return int(text.split()[1]) if text else 0


def metric(server, name, connection):
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return int(re.search(rf"^{name} (\d+)$", text, re.M).group(1))


def unfinished(server, connection):
    return sum(metric(server, f"listwatch_worker_{what}_requests", connection)
               for what in ("queue", "running"))


def await_heavy(server, connection):
    """Returns when all heavy requests are with the worker."""
    end = time.monotonic() + 60
    while metric(server, "listwatch_worker_requests_total", connection) < HEAVY:
        assert time.monotonic() < end, "the heavy requests do not get to the worker"


def await_finished(server, connection):
    """Returns when the server has noticed that all clients have their replies."""
    end = time.monotonic() + 60
    while left := unfinished(server, connection):
        assert time.monotonic() < end, f"{left} heavy requests do not end"


def get(connection, path):
    connection.request("GET", path)
    reply = connection.getresponse()
    return reply.status, reply.read()


def small_requests_are_served_while_the_worker_is_busy(program):
    server = Server(program, memory=True, options=["--workers", "1", "--threads", "1"])
    try:
        server.start()
        connection = server.connect(60)
        assert server.call("POST", CONFIGMAPS, config_map("small"), connection)[0] == 201
        lease = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "a"}}
        status, lease = server.call("POST", LEASES, lease, connection)
        assert status == 201, lease
        heavy = send_heavy(server)
        # All of them are with the worker, which has one loop for them.
        await_heavy(server, connection)
        served = 0
        while unfinished(server, connection) > 1:
            assert get(connection, f"{CONFIGMAPS}/small")[0] == 200
            assert get(connection, "/livez") == (200, b"ok")
            status, lease = server.call("PUT", f"{LEASES}/l", lease, connection)
            assert status == 200, lease
            served += 3
        assert served > 0, "no small request was served before the heavy ones"
        print(f"# {served} small requests while {HEAVY} heavy ones were not finished")
        statuses = [read_status(sock) for sock in heavy]
        assert statuses == [201] * HEAVY, statuses
        await_finished(server, connection)
        assert server.stop() == 0
    finally:
        server.remove()


def a_server_stops_while_heavy_requests_wait(program):
    server = Server(program, memory=True, options=["--workers", "1"])
    try:
        server.start()
        connection = server.connect(60)
        heavy = send_heavy(server)
        await_heavy(server, connection)
        left = unfinished(server, connection)
        assert server.stop() == 0
        statuses = [read_status(sock) for sock in heavy]
        assert all(status in (0, 201, 429) for status in statuses), statuses
        print(f"# {left} heavy requests were not finished: {statuses}")
    finally:
        server.remove()


def fill(server):
    """About 4 MB of ConfigMaps."""
    connection = server.connect()
    for i in range(80):
        data = {f"key-{k:03}": "value " * 16 for k in range(480)}
        status, made = server.call("POST", CONFIGMAPS, config_map(f"c-{i:03}", **data), connection)
        assert status == 201, made
    return connection


def read_body(connection, stream):
    """Reads the rest of the reply on |stream|; its size."""
    size = 0
    while True:
        kind, flags, of, payload = connection.read_frame()
        assert kind != h2frames.GOAWAY, payload
        if of != stream:
            continue
        assert kind != h2frames.RST_STREAM, payload
        size += len(payload) if kind == h2frames.DATA else 0
        if flags & h2frames.END_STREAM:
            return size


def replies_that_nobody_reads_are_not_made(program):
    server = Server(program, memory=True)
    try:
        server.start()
        control = fill(server)
        before = server.rss_kib()
        waiting = []
        for headers in (YAML, TABLE, YAML, TABLE):
            connection = h2frames.Connection(server.port, 0)
            streams = connection.send_requests([CONFIGMAPS] * 500, headers)
            waiting.append((connection, streams))
        for connection, _ in waiting:  # answered after the requests are read
            connection.ping()
        assert metric(server, "listwatch_held_reply_bytes", control) == 0
        assert unfinished(server, control) == 0
        grown = server.rss_kib() - before
        # A megabyte for each of them would be 2 GB.
        assert grown < 128 * 1024, f"the server grew by {grown} KiB"
        print(f"# 2000 streams without a window: RSS +{grown} KiB")
        # Whoever opens the window gets the whole list.
        for connection, streams in waiting[:2]:
            connection.open_window(0, WINDOW)
            connection.open_window(streams[7], WINDOW)
            size = read_body(connection, streams[7])
            assert size > 10000, size
        for connection, _ in waiting:
            connection.close()
        assert server.stop() == 0
    finally:
        server.remove()


def many_requests_at_once_are_all_answered(program):
    server = Server(program, memory=True)
    try:
        server.start()
        assert server.call("POST", CONFIGMAPS, config_map("small"))[0] == 201
        connection = h2frames.Connection(server.port, 1 << 20)
        connection.open_window(0, WINDOW)
        left = set(connection.send_requests([f"{CONFIGMAPS}/small"] * 900))
        while left:
            _, flags, stream, _ = connection.read_frame()
            if flags & h2frames.END_STREAM:
                left.discard(stream)
        connection.close()
        assert server.stop() == 0
    finally:
        server.remove()


run_tests([small_requests_are_served_while_the_worker_is_busy,
           a_server_stops_while_heavy_requests_wait,
           replies_that_nobody_reads_are_not_made,
           many_requests_at_once_are_all_answered])
