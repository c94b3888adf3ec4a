#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""streams_test.py -- `listwatch exec`, `attach` and `port-forward` through a server, with a stub of
a kubelet that runs commands and connects to ports.
usage: streams_test.py LISTWATCH 14_EXEC 15_PORT_FORWARD"""

import fcntl
import http.server
import json
import os
import pty
import re
import select
import shlex
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import termios
import threading
import time

from kubelet_cluster import with_cluster
from serving import Follower, run_tests
from stub_streams import StreamKubelet, V4

PATIENCE = 60
MEGABYTE = 1 << 20


def command(cluster, *words):
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    return wrapper + [cluster.command[len(wrapper)], words[0], "--kubeconfig",
                      cluster.folder + "/data/admin.kubeconfig", *words[1:]]


def run(cluster, *words, stdin=b"", code=0):
    done = subprocess.run(command(cluster, *words), input=stdin, capture_output=True,
                          timeout=PATIENCE)
    assert done.returncode == code, (words, done.returncode, done.stdout[:500], done.stderr[:2000])
    return done.stdout, done.stderr.decode()


def with_streams(program, work):
    with_cluster(program, work, kubelet=StreamKubelet)


def input_comes_back(program):
    def work(cluster):
        text = os.urandom(MEGABYTE)
        assert run(cluster, "exec", "-i", "web", "--", "cat", stdin=text)[0] == text
        assert run(cluster, "exec", "-i", "web", "-c", "c", "--", "cat")[0] == b""
        assert run(cluster, "exec", "web", "-i", "--", "count", stdin=text)[0] == b"1048576\n"
        assert run(cluster, "attach", "web", "-i", stdin=b"hello")[0] == b"hello"
    with_streams(program, work)


def arguments_arrive_as_they_are(program):
    def work(cluster):
        words = ["-c", "a b", "", "ä&=?%", "--help"]
        out, _ = run(cluster, "exec", "web", "--", "args", *words)
        assert json.loads(out) == words, out
    with_streams(program, work)


def the_exit_code_is_that_of_the_command(program):
    def work(cluster):
        out, err = run(cluster, "exec", "web", "--", "fail", code=3)
        assert (out, err) == (b"some output\n",
                              "it failed\ncommand terminated with exit code 3\n"), (out, err)
        _, err = run(cluster, "exec", "web", "--", "missing", code=1)
        assert "exec in pod default/web: " in err and "executable file not found" in err, err
    with_streams(program, work)


def errors_name_the_pod_and_the_reason(program):
    def work(cluster):
        for words, wanted in (
                (("exec", "gone", "--", "cat"), 'exec in pod default/gone: pods "gone" not found'),
                (("exec", "waiting", "--", "cat"), "does not have a host assigned"),
                (("exec", "two", "--", "cat"), "a container name must be specified"),
                (("exec", "web", "-c", "x", "--", "cat"), "container x is not valid for pod web"),
                (("exec", "web", "--", "break"), "closed the connection before the end of the "
                                                 "command, which may go on"),
                (("exec", "web", "--", "nonsense"), "violates the WebSocket protocol: a frame has "
                                                    "an unknown opcode"),
                (("attach", "gone"), 'attach to pod default/gone: pods "gone" not found')):
            _, err = run(cluster, *words, code=1)
            assert wanted in err, (words, err)
        for words in (("exec", "web"), ("exec",), ("attach", "a", "b"), ("port-forward", "web"),
                      ("port-forward", "web", "a:b:c"), ("port-forward", "web", "0"),
                      ("port-forward", "web", "99999")):
            _, err = run(cluster, *words, code=1 if words[-1] in ("99999",) else 2)
            assert err, words
    with_streams(program, work)


def a_slow_reader_stops_the_command(program):
    def work(cluster):
        size = 64 * MEGABYTE
        process = subprocess.Popen(command(cluster, "exec", "web", "--", "flood", str(size)),
                                   stdout=subprocess.PIPE)
        assert process.stdout.read(1) == b"x"
        before = -1
        while before != cluster.kubelet.sent:  # until nothing moves any more
            before = cluster.kubelet.sent
            select.select([], [], [], 0.5)
        assert before < 40 * MEGABYTE, before
        with open(f"/proc/{process.pid}/status") as status:
            peak = int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
        count = 1
        while data := process.stdout.read1(1 << 20):
            count += len(data)
        assert (process.wait(PATIENCE), count) == (0, size), count
        assert "ASAN_OPTIONS" in os.environ or peak < 64 * 1024, peak
    with_streams(program, work)


def a_cancelled_command_ends_at_once(program):
    def work(cluster):
        for number in (signal.SIGINT, signal.SIGTERM):
            cluster.kubelet.ended.clear()
            follower = Follower(command(cluster, "exec", "web", "-i", "--", "hang"),
                                stdin=subprocess.PIPE)
            follower.await_line("hanging")
            began = time.monotonic()
            follower.process.send_signal(number)
            assert follower.process.wait(PATIENCE) == 128 + number
            assert cluster.kubelet.ended.wait(PATIENCE)
            assert time.monotonic() - began < 5
            follower.process.stdin.close()
            follower.process.stdout.close()
    with_streams(program, work)


def old_kubelets_get_the_older_protocol(program):
    class Old(StreamKubelet):
        protocols = (V4,)

    def work(cluster):
        process = subprocess.Popen(command(cluster, "exec", "-i", "web", "--", "line"),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        out, err = process.communicate(b"a line\n", PATIENCE)
        assert (process.returncode, out) == (0, b"read a line\n"), (out, err)
        assert b"does not support v5.channel.k8s.io" in err, err
    with_cluster(program, work, kubelet=Old)


def a_terminal_has_its_size_and_is_restored(program):
    def set_size(terminal, rows, columns):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def work(cluster):
        outer, inner = pty.openpty()
        set_size(inner, 40, 100)
        before = termios.tcgetattr(inner)
        process = subprocess.Popen(command(cluster, "exec", "-it", "web", "--", "line"),
                                   stdin=inner, stdout=inner, stderr=inner,
                                   preexec_fn=lambda: (os.setsid(), fcntl.ioctl(
                                       0, termios.TIOCSCTTY, 0)))
        cluster.kubelet.await_size({"Width": 100, "Height": 40})
        assert not termios.tcgetattr(inner)[3] & termios.ICANON
        set_size(outer, 50, 120)
        cluster.kubelet.await_size({"Width": 120, "Height": 50})
        os.write(outer, b"\x03hi\n")  # Ctrl-C is a key like any other
        text = b""
        while b"read \x03hi" not in text:
            text += os.read(outer, 4096)
        assert process.wait(PATIENCE) == 0
        assert termios.tcgetattr(inner) == before
        os.close(outer)
        os.close(inner)
        seen = cluster.kubelet.await_asked(lambda one: one.path.startswith("/exec/"))
        assert "tty=1" in seen.path and "error=1" not in seen.path, seen.path
        _, err = run(cluster, "exec", "-it", "web", "--", "count")
        assert "-t is ignored: standard input is not a terminal" in err, err
    with_streams(program, work)


class Echo:
    """A server that sends back what it gets, after a greeting."""

    def __init__(self, greeting=b""):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.greeting = self.listener.getsockname()[1], greeting
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.echo, args=(connection,), daemon=True).start()

    def echo(self, connection):
        connection.sendall(self.greeting)
        while data := connection.recv(65536):
            connection.sendall(data)
        connection.close()


def forward(cluster, *words):
    """The program and the local port of each "Forwarding" line for 127.0.0.1."""
    follower = Follower(command(cluster, "port-forward", *words))
    ports = []
    while len(ports) < len([one for one in words[1:] if not one.startswith("-")]):
        line = follower.await_line("Forwarding from 127.0.0.1:")
        ports.append(int(re.fullmatch(r"Forwarding from 127.0.0.1:(\d+) -> \d+", line).group(1)))
    return follower, ports


def stop(follower):
    follower.process.send_signal(signal.SIGTERM)
    assert follower.process.wait(PATIENCE) == 0, follower.told()
    follower.process.stdout.close()


def connections_are_forwarded_in_parallel(program):
    def exchange(port, results, at):
        sent = os.urandom(10 * MEGABYTE)
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
            sender = threading.Thread(target=connection.sendall, args=(sent,))
            sender.start()
            got = bytearray()
            while len(got) < len(sent) and (data := connection.recv(1 << 18)):
                got += data
            sender.join()
        results[at] = bytes(got) == sent

    def work(cluster):
        echo, other = Echo(), Echo(b"other\n")
        follower, (one, two) = forward(cluster, "web", f":{echo.port}", f":{other.port}")
        results = [None] * 3
        threads = [threading.Thread(target=exchange, args=(one, results, i)) for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert results == [True] * 3, results
        with socket.create_connection(("127.0.0.1", two), PATIENCE) as connection:
            assert connection.recv(6) == b"other\n"
        follower.await_line(f"Handling connection for {two}")
        stop(follower)
    with_streams(program, work)


def a_pod_that_closes_ends_the_connection(program):
    def work(cluster):
        server = socket.create_server(("127.0.0.1", 0))
        follower, (port,) = forward(cluster, "web", f":{server.getsockname()[1]}")
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
            peer, _ = server.accept()
            peer.sendall(b"bye")
            peer.close()
            assert connection.recv(100) == b"bye"
            assert connection.recv(100) == b""
        # After the end of this side, the answer of the pod still arrives.
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
            connection.sendall(b"question")
            connection.shutdown(socket.SHUT_WR)
            peer, _ = server.accept()
            assert peer.recv(100) == b"question"
            peer.sendall(b"answer")
            peer.close()
            assert connection.recv(100) == b"answer"
        stop(follower)
    with_streams(program, work)


def a_refused_port_is_an_error_and_others_go_on(program):
    def work(cluster):
        echo = Echo()
        with socket.create_server(("127.0.0.1", 0)) as closed:
            refused = closed.getsockname()[1]
        follower, (bad, good) = forward(cluster, "web", f":{refused}", f":{echo.port}")
        with socket.create_connection(("127.0.0.1", bad), PATIENCE) as connection:
            assert connection.recv(1) == b""
        with socket.create_connection(("127.0.0.1", good), PATIENCE) as connection:
            connection.sendall(b"still here")
            assert connection.recv(100) == b"still here"
        stop(follower)
        text = follower.told()["errors"]
        assert "Is a server running" not in text, text
        assert f"port {refused} of pod default/web: error forwarding port {refused}" in text, text
        assert f"does a container listen on port {refused}?" in text, text
    with_streams(program, work)


def services_and_names_of_ports_are_found(program):
    def work(cluster):
        echo = Echo()
        cluster.make("/api/v1/namespaces/default/pods", {
            "metadata": {"name": "named", "labels": {"app": "named"}},
            "spec": {"automountServiceAccountToken": False, "nodeName": "n", "containers": [
                {"name": "c", "image": "i",
                 "ports": [{"name": "echo", "containerPort": echo.port}]}]}})
        cluster.make("/api/v1/namespaces/default/services", {
            "metadata": {"name": "front"}, "spec": {
                "selector": {"app": "named"}, "ports": [
                    {"name": "www", "port": 80, "targetPort": "echo"}]}})
        _, err = run(cluster, "port-forward", "svc/front", ":80", code=1)
        assert "svc/front: none of its 1 pods is running" in err, err
        pod = cluster.call("GET", "/api/v1/namespaces/default/pods/named")[1]
        pod["status"] = {"phase": "Running"}
        assert cluster.call("PUT", "/api/v1/namespaces/default/pods/named/status", pod)[0] == 200
        for words in (("named", ":echo"), ("svc/front", ":80"), ("svc/front", ":www"),
                      ("pod/named", f":{echo.port}")):
            follower, (port,) = forward(cluster, *words)
            with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
                connection.sendall(b"hello")
                assert connection.recv(100) == b"hello"
            stop(follower)
        _, err = run(cluster, "port-forward", "svc/front", "81", code=1)
        assert "service front has no port 81" in err, err
        _, err = run(cluster, "port-forward", "named", ":none", code=1)
        assert "pod named has no port named none" in err, err
    with_streams(program, work)


def an_occupied_port_is_an_error(program):
    def work(cluster):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            _, err = run(cluster, "port-forward", "web", f"{port}:80", code=1)
            assert f"cannot listen on 127.0.0.1, port {port}: Address already in use" in err, err
        _, err = run(cluster, "port-forward", "--address", "nowhere", "web", ":80", code=1)
        assert "nowhere, port 0: not an IP address" in err, err
    with_streams(program, work)


def run_example(cluster, number, *words, stdin=b""):
    wrapper = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))
    return subprocess.run(wrapper + [sys.argv[number], *words], input=stdin, capture_output=True,
                          timeout=PATIENCE, env=dict(
                              os.environ, KUBECONFIG=cluster.folder + "/data/admin.kubeconfig"))


def the_examples_do_what_they_say(program):
    def work(cluster):
        done = run_example(cluster, 2, "web", "count", stdin=b"x" * MEGABYTE)
        assert (done.returncode, done.stdout) == (0, b"1048576\n"), done
        done = run_example(cluster, 2, "web", "fail")
        assert (done.returncode, done.stdout, done.stderr) == \
            (3, b"some output\n", b"it failed\n"), done
        done = run_example(cluster, 2, "gone", "cat")
        assert done.returncode == 1 and b'pods "gone" not found' in done.stderr, done
        with socketserver.TCPServer(("127.0.0.1", 0), Hello) as server:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            done = run_example(cluster, 3, "web", str(server.server_address[1]), "/path")
            server.shutdown()
        assert done.returncode == 0 and done.stdout.endswith(b"\r\n\r\nhello from /path"), done
    with_streams(program, work)


class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello from " + self.path.encode())

    def log_message(self, *_):
        pass


run_tests([input_comes_back,
           arguments_arrive_as_they_are,
           the_exit_code_is_that_of_the_command,
           errors_name_the_pod_and_the_reason,
           a_slow_reader_stops_the_command,
           a_cancelled_command_ends_at_once,
           old_kubelets_get_the_older_protocol,
           a_terminal_has_its_size_and_is_restored,
           connections_are_forwarded_in_parallel,
           a_pod_that_closes_ends_the_connection,
           a_refused_port_is_an_error_and_others_go_on,
           services_and_names_of_ports_are_found,
           an_occupied_port_is_an_error,
           the_examples_do_what_they_say])
