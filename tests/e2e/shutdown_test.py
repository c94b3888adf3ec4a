#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shutdown_test.py -- `listwatch serve` ends in the promised time, whatever is still running.
usage: shutdown_test.py LISTWATCH"""

import os
import signal
import socket
import subprocess
import tempfile
import time

from etcd import Cluster
from serving import CONFIGMAPS, Server, config_map, run_tests

CUT = 3  # the exit code of a process that did not stop in time
SLACK_S = 20  # what a busy machine may take on top; without the watchdog it is for ever


class Unread:
    """A server whose log is a full pipe that nobody reads: the next line it logs hangs."""

    def __init__(self, program, *options):
        self.read_end, write_end = os.pipe()
        self.process = subprocess.Popen(
            [program, "serve", "--memory", "--listen", "none", "--insecure-listen", "127.0.0.1:0",
             *options], stdout=subprocess.PIPE, stderr=write_end, text=True)
        assert self.process.stdout.readline().startswith("ready:")
        # Opened anew: O_NONBLOCK belongs to the open file, and the server's is to stay blocking.
        filler = os.open(f"/proc/self/fd/{write_end}", os.O_WRONLY | os.O_NONBLOCK)
        for size in (4096, 1):
            try:
                while True:
                    os.write(filler, b"x" * size)
            except BlockingIOError:
                pass
        os.close(filler)
        os.close(write_end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        os.close(self.read_end)


def a_server_that_hangs_in_its_log_ends_in_time(program):
    with Unread(program, "--shutdown-timeout", "1s") as server:
        server.process.send_signal(signal.SIGTERM)
        code = server.process.wait(timeout=1 + SLACK_S)
        assert code == CUT, code


def repeat_until_ended(process, number):
    """Sends |number| again and again; two that are sent at once may be one, or come in any order."""
    end = time.monotonic() + SLACK_S
    while process.poll() is None and time.monotonic() < end:
        process.send_signal(number)
        try:
            process.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            pass
    return process.poll()


def an_interrupt_after_sigterm_ends_a_server_that_hangs_at_once(program):
    with Unread(program, "--shutdown-timeout", "1h") as server:
        server.process.send_signal(signal.SIGTERM)
        code = repeat_until_ended(server.process, signal.SIGINT)
        assert code == -signal.SIGINT, code


def a_later_sigterm_ends_a_server_that_hangs_at_once(program):
    with Unread(program, "--shutdown-timeout", "1h") as server:
        code = repeat_until_ended(server.process, signal.SIGTERM)
        assert code == -signal.SIGTERM, code


def a_start_on_an_etcd_that_never_answers_ends_in_time_and_says_so(program):
    with socket.create_server(("127.0.0.1", 0)) as silent, tempfile.TemporaryDirectory() as folder:
        command = [program, "serve", "--data-dir", folder, "--listen", "none",
                   "--insecure-listen", "127.0.0.1:0", "--shutdown-timeout", "1s",
                   "--etcd", f"http://127.0.0.1:{silent.getsockname()[1]}"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        accepted, _ = silent.accept()
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=1 + SLACK_S)
        accepted.close()
        assert process.returncode == CUT, (process.returncode, log)
        assert "did not stop within 1 seconds; forced to exit while starting the server" in log, log
        assert "lw-etcd" in log, log


def a_write_that_etcd_never_answers_does_not_delay_the_end(program):
    with Cluster() as cluster:
        server = Server(program, options=["--etcd", cluster.endpoints(),
                                          "--shutdown-timeout", "2s"])
        try:
            server.start()
            assert server.call("POST", CONFIGMAPS, config_map("before"))[0] == 201
            cluster.members[0].send(signal.SIGSTOP)
            sock = socket.create_connection(("127.0.0.1", server.port))
            body = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"stuck"}}'
            sock.sendall(f"POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                         f"\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            # The second request of the connection is read when the first is with the store.
            sock.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            server.process.send_signal(signal.SIGTERM)
            code = server.process.wait(timeout=2 + SLACK_S)
            sock.close()
            assert code in (0, CUT), code
        finally:
            cluster.members[0].send(signal.SIGCONT)
            server.remove()


def watches_that_are_not_read_do_not_delay_the_end(program):
    server = Server(program, memory=True, options=["--shutdown-timeout", "2s"])
    try:
        server.start()
        sock = socket.create_connection(("127.0.0.1", server.port))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.sendall(f"GET {CONFIGMAPS}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        for i in range(60):
            made = config_map(f"big-{i}")
            made["data"] = {"filler": "x" * 200000}
            assert server.call("POST", CONFIGMAPS, made)[0] == 201
        assert server.stop() == 0
        sock.close()
    finally:
        server.remove()


def controllers_end_with_their_server(program):
    server = Server(program, options=["--controllers", "--nodes", "3"])
    try:
        server.start()
        assert server.stop() == 0
    finally:
        server.remove()


run_tests([a_server_that_hangs_in_its_log_ends_in_time,
           an_interrupt_after_sigterm_ends_a_server_that_hangs_at_once,
           a_later_sigterm_ends_a_server_that_hangs_at_once,
           a_start_on_an_etcd_that_never_answers_ends_in_time_and_says_so,
           a_write_that_etcd_never_answers_does_not_delay_the_end,
           watches_that_are_not_read_do_not_delay_the_end,
           controllers_end_with_their_server])
