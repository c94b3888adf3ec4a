#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attack_test.py -- clients without credentials, pages of other sites and other users of the machine:
what they do is refused, and others go on.

Judged by replies, closed connections and counters, not by time; measure.py has the figures."""

import http.client
import os
import socket
import ssl
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import h2_frames as h2  # noqa: E402
from serving import Server, run_tests  # noqa: E402

DESCRIPTORS = 64
HALF_OPEN = 100
CLIENT_HELLO_BEGUN = b"\x16\x03\x01\x02\x00\x01"


def started(program, *options, wrapper=()):
    server = Server(program, options=("--threads", "2") + options)
    server.command = list(wrapper) + server.command
    return server.start()


class Client:
    """An authenticated client on one connection over TLS."""

    def __init__(self, server):
        with open(server.folder + "/data/pki/admin.token") as token:
            self.headers = {"Authorization": "Bearer " + token.read().strip()}
        context = ssl.create_default_context(cafile=server.folder + "/data/pki/ca.crt")
        self.connection = http.client.HTTPSConnection("127.0.0.1", server.tls_port,
                                                      context=context, timeout=30)
        self.connection.connect()
        self.socket = self.connection.sock

    def get(self, path="/api/v1/namespaces/default"):
        self.connection.request("GET", path, headers=self.headers)
        reply = self.connection.getresponse()
        reply.read()
        assert reply.status == 200, reply.status
        assert self.connection.sock is self.socket, "the connection was closed and opened again"


def metric(server, name):
    own = server.connect()
    own.request("GET", "/metrics")
    text = own.getresponse().read().decode()
    own.close()
    return int(float(next(line for line in text.splitlines() if line.startswith(name + " "))
                     .split()[1]))


def health(server):
    own = server.connect()
    own.request("GET", "/readyz")
    reply = own.getresponse()
    reply.read()
    own.close()
    return reply.status


def log_of(server):
    with open(server.folder + "/server.log") as log:
        return log.read()


def with_server(test):
    def run(program):
        server = started(program)
        try:
            return test(server)
        finally:
            server.remove()
    run.__name__ = test.__name__
    return run


@with_server
def references_to_one_large_field_end_the_connection(server):
    client = Client(server)
    client.get()
    for block in (h2.REQUEST + h2.indexed(b"a", b"v" * 4000) + b"\xbe" * 12000,
                  h2.REQUEST + h2.indexed(b"a", b"v") + b"\xbe" * 16000):
        attacker = h2.Connection(server.tls_port)
        attacker.send(h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, 1, block))
        assert h2.goaway_code(attacker) == h2.ENHANCE_YOUR_CALM
        attacker.close()
    client.get()


@with_server
def a_slightly_oversized_head_gets_a_reply(server):
    connection = h2.Connection(server.tls_port)
    block = h2.REQUEST + h2.indexed(b"a", b"v" * 4000) + b"\xbe" * 20
    connection.send(h2.frame(h2.HEADERS, h2.END_STREAM | h2.END_HEADERS, 1, block))
    for kind, _, stream, _ in connection.frames():
        if kind == h2.HEADERS:
            assert stream == 1
            break
    else:
        raise AssertionError("no reply")
    connection.close()


@with_server
def floods_of_frames_end_the_connection(server):
    for name, one in (("SETTINGS", h2.frame(h2.SETTINGS, 0, 0)),
                      ("PING", h2.frame(h2.PING, 0, 0, b"12345678")),
                      ("WINDOW_UPDATE", h2.frame(h2.WINDOW_UPDATE, 0, 0, b"\0\0\0\1")),
                      ("unknown", h2.frame(77, 0, 0))):
        attacker = h2.Connection(server.tls_port)
        try:
            for _ in range(30):
                attacker.send(one * 1000)
        except OSError:
            pass  # it is closed already
        assert h2.goaway_code(attacker) in (h2.ENHANCE_YOUR_CALM, None), name
        attacker.close()
    assert metric(server, "listwatch_http_protocol_errors_total") == 4


@with_server
def pages_of_other_sites_are_refused_over_https(server):
    with open(server.folder + "/data/pki/admin.token") as token:
        own = {"Authorization": "Bearer " + token.read().strip()}
    context = ssl.create_default_context(cafile=server.folder + "/data/pki/ca.crt")
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    own_origin = f"https://127.0.0.1:{server.tls_port}"

    def status(method, path, headers, body=None):
        connection = http.client.HTTPSConnection("127.0.0.1", server.tls_port, context=context,
                                                 timeout=30)
        connection.request(method, path, body, {**own, **headers})
        code = connection.getresponse().status
        connection.close()
        return code

    watch = "/api/v1/namespaces?watch=1"
    for origin, upgraded, written in (("https://evil.example", 403, 403), (own_origin, 101, 201),
                                      (None, 101, 201)):
        sent = {"Origin": origin} if origin else {}
        assert status("GET", watch, {**upgrade, **sent}) == upgraded, origin
        name = '{"metadata":{"generateName":"a-"}}'
        assert status("POST", "/api/v1/namespaces/default/configmaps",
                      {"Content-Type": "application/json", **sent}, name) == written, origin


@with_server
def another_port_of_this_machine_is_another_site(server):
    def status(**headers):
        own = server.connect()
        own.request("GET", "/api/v1/secrets", headers={k.replace("_", "-"): v
                                                       for k, v in headers.items()})
        code = own.getresponse().status
        own.close()
        return code

    assert status() == 200
    assert status(Origin=server.url()) == 200
    assert status(Origin="http://127.0.0.1:3000") == 403
    assert status(Sec_Fetch_Site="cross-site") == 403
    assert status(Sec_Fetch_Site="same-origin") == 200


def a_data_directory_that_others_can_write_to_is_refused(program):
    server = Server(program)
    os.mkdir(server.folder + "/data")
    os.chmod(server.folder + "/data", 0o777)
    try:
        server.start()
        raise AssertionError("it started")
    except RuntimeError as failure:
        assert f'run "chmod go-w {server.folder}/data"' in str(failure), failure
    finally:
        server.remove()


def half_open_handshakes_leave_room_for_others(program):
    server = started(program, wrapper=("sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh"))
    attackers = []
    try:
        client = Client(server)
        client.get()
        assert health(server) == 200
        for number in range(HALF_OPEN):
            attacker = socket.create_connection(("127.0.0.1", server.tls_port), timeout=30)
            attacker.sendall(CLIENT_HELLO_BEGUN)
            attackers.append(attacker)
            if number % 20 == 19:
                assert health(server) == 200
                client.get()
        assert health(server) == 200
        client.get()
        late = Client(server)  # a new client that authenticates
        late.get()
        client.get()
        assert server.call("POST", "/api/v1/namespaces/default/configmaps",
                           {"kind": "ConfigMap", "apiVersion": "v1",
                            "metadata": {"name": "after"}})[0] == 201
        evicted = metric(server, "listwatch_http_connections_evicted_total")
        assert 50 <= evicted <= HALF_OPEN, evicted
        lines = [line for line in log_of(server).splitlines() if "too many connections" in line]
        assert len(lines) == 1, lines
        assert f"{DESCRIPTORS} file descriptors (ulimit -n)" in lines[0], lines
    finally:
        for attacker in attackers:
            attacker.close()
        server.remove()


def silent_plain_connections_leave_room_for_others(program):
    server = started(program, wrapper=("sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh"))
    attackers = []
    try:
        client = Client(server)
        client.get()
        for number in range(HALF_OPEN):
            attacker = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            if number % 2:
                attacker.sendall(b"GET / HTTP/1.1\r\nHo")
            attackers.append(attacker)
        assert health(server) == 200
        client.get()
    finally:
        for attacker in attackers:
            attacker.close()
        server.remove()


if __name__ == "__main__":
    run_tests([references_to_one_large_field_end_the_connection,
               a_slightly_oversized_head_gets_a_reply,
               floods_of_frames_end_the_connection,
               pages_of_other_sites_are_refused_over_https,
               another_port_of_this_machine_is_another_site,
               a_data_directory_that_others_can_write_to_is_refused,
               half_open_handshakes_leave_room_for_others,
               silent_plain_connections_leave_room_for_others])
