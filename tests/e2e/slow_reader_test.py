#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slow_reader_test.py -- clients that stop reading cost a bounded amount of memory and delay nobody.
usage: slow_reader_test.py LISTWATCH"""

import socket
import time

from serving import CONFIGMAPS, Server, Watch, config_map, revision, run_tests

SLOW = 20
EVENTS = 300
SIZE = 100 * 1000  # bytes of an event: what is written is far more than sockets hold


def stalled_watch(server):
    """Asks for a watch and never reads."""
    sock = socket.create_connection(("127.0.0.1", server.port))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.sendall(f"GET {CONFIGMAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return sock


def watches_that_stop_reading_are_bounded_and_delay_no_other(program):
    server = Server(program, memory=True)
    try:
        server.start()
        brisk = Watch(server, f"{CONFIGMAPS}?watch=1")
        slow = [stalled_watch(server) for _ in range(SLOW)]
        connection = server.connect()
        status, made = server.call("POST", CONFIGMAPS, config_map("big"), connection)
        assert status == 201, made
        before = server.rss_kib()
        longest = 0
        for i in range(EVENTS):
            made["data"] = {"i": str(i), "filler": "x" * SIZE}
            start = time.monotonic()
            status, made = server.call("PUT", f"{CONFIGMAPS}/big", made, connection)
            assert status == 200, made
            while revision(next(brisk)["object"]) != revision(made):
                pass
            longest = max(longest, time.monotonic() - start)
        grown = server.rss_kib() - before
        # The history itself may take 64 MiB; twenty queues of 30 MB each would be 600 MB.
        assert grown < 160 * 1024, f"the server grew by {grown} KiB"
        assert longest < 5, f"a write took {longest} s to reach a watcher that reads"
        print(f"# {SLOW} stalled watches, {EVENTS * SIZE // 1000000} MB of events: RSS +{grown} KiB,"
              f" longest delivery {longest * 1000:.0f} ms")
        for sock in slow:
            sock.close()
    finally:
        server.remove()


def a_list_that_is_not_read_holds_no_copy(program):
    server = Server(program, memory=True)
    try:
        server.start()
        connection = server.connect()
        for i in range(100):
            server.call("POST", CONFIGMAPS, config_map(f"c{i}", filler="x" * SIZE), connection)
        before = server.rss_kib()
        slow = []
        for _ in range(50):
            sock = socket.create_connection(("127.0.0.1", server.port))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(f"GET {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert sock.recv(8) == b"HTTP/1.1"
            slow.append(sock)
        grown = server.rss_kib() - before
        assert grown < 40 * 1024, f"50 lists of 10 MB that nobody reads took {grown} KiB"
        status, _ = server.call("GET", "/api/v1/namespaces/default", None, connection)
        assert status == 200
        for sock in slow:
            sock.close()
    finally:
        server.remove()


run_tests([watches_that_stop_reading_are_bounded_and_delay_no_other,
           a_list_that_is_not_read_holds_no_copy])
